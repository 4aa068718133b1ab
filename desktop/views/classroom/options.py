"""How a class is checked and shown: topic, strictness, reasons, rewrites, names."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QLineEdit, QWidget

from desktop.services.settings import Settings
from desktop.views.classroom.pieces import combo_box, label_width, words_label
from desktop.views.layouts import FlowLayout
from engine.classroom.model import AssignmentSettings
from engine.scheme import CODES, SCHEME, ReasonCode


class CheckOptions(QWidget):
    """The fields of an `AssignmentSettings`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.topic = QLineEdit()
        self.topic.setAccessibleName("Topic of the class")
        self.topic.setPlaceholderText("The question that all essays answer (optional)")
        self.strictness = combo_box("How many sentences to flag in this class")
        for value, words in Settings.strictness.choices.items():
            self.strictness.addItem(words, value)
        self.reasons: dict[ReasonCode, QCheckBox] = {}
        for code in CODES:
            box = QCheckBox(SCHEME[code].tag)
            box.setToolTip(SCHEME[code].meaning)
            self.reasons[code] = box
        self.rewrites = QCheckBox("Suggest rewrites")
        self.correct_grammar = QCheckBox("Correct grammar before judging")
        self.correct_grammar.setToolTip(Settings.correct_grammar.help)
        self.anonymous = QCheckBox("Codes instead of names, here and in all reports")
        self._arrange()
        self.show_settings(AssignmentSettings())

    def settings(self) -> AssignmentSettings:
        """What is filled in."""
        return AssignmentSettings(
            topic=self.topic.text().strip(),
            strictness=self.strictness.currentData(),
            rewrites=self.rewrites.isChecked(),
            anonymous=self.anonymous.isChecked(),
            reasons=frozenset(code for code, box in self.reasons.items() if box.isChecked()),
            correct_grammar=self.correct_grammar.isChecked(),
        )

    def show_settings(self, settings: AssignmentSettings) -> None:
        """Fill the fields."""
        self.topic.setText(settings.topic)
        self.topic.setCursorPosition(0)
        self.strictness.setCurrentIndex(self.strictness.findData(settings.strictness))
        self.rewrites.setChecked(settings.rewrites)
        self.anonymous.setChecked(settings.anonymous)
        self.correct_grammar.setChecked(settings.correct_grammar)
        for code, box in self.reasons.items():
            box.setChecked(code in settings.reasons)

    def _arrange(self) -> None:
        reasons = QWidget()
        flow = FlowLayout(reasons)
        flow.setContentsMargins(0, 0, 0, 0)
        flow.setSpacing(8)
        for box in self.reasons.values():
            flow.addWidget(box)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(8)
        grid.setHorizontalSpacing(12)
        grid.setColumnStretch(1, 1)
        grid.setColumnMinimumWidth(0, label_width(self))
        for row, (words, field) in enumerate(
            (("Topic", self.topic), ("Show", self.strictness), ("Reasons", reasons))
        ):
            label = QLabel(words)
            if field is reasons:
                # In line with the first row of boxes, however many rows there are.
                label.setProperty("role", "beside")
                # Qt moves the words of a label with a frame to the right.
                label.setIndent(0)
                grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            else:
                label.setBuddy(field)
                grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(
            words_label(
                "A flag whose reason is off is not shown, here and in reports.", role="small"
            ),
            3,
            1,
        )
        grid.addWidget(self.rewrites, 4, 1)
        grid.addWidget(self.correct_grammar, 5, 1)
        grid.addWidget(self.anonymous, 6, 1)
