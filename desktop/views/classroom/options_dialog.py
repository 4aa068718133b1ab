"""Changing how a class is checked and shown after it was begun."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from desktop.views.classroom.options import CheckOptions
from desktop.views.classroom.pieces import words_label
from engine.classroom.model import Assignment

AGAIN = (
    "With another topic, strictness or choice of rewrites or grammar, all essays are checked "
    "again. "
    "What you wrote and changed is kept."
)


class OptionsDialog(QDialog):
    """`wanted(AssignmentSettings)` where the teacher changed something."""

    wanted = Signal(object)

    def __init__(self, assignment: Assignment, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._before = assignment.settings
        self.setWindowTitle("Options of this class")
        self.options = CheckOptions()
        self.options.show_settings(assignment.settings)
        self.warning = words_label(AGAIN, role="notice")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.change_button = self.buttons.addButton(
            "Change", QDialogButtonBox.ButtonRole.AcceptRole
        )
        self.change_button.setProperty("role", "primary")
        self.buttons.accepted.connect(self._change)
        self.buttons.rejected.connect(self.reject)
        switches = (self.options.rewrites, self.options.correct_grammar, self.options.anonymous)
        for box in (*self.options.reasons.values(), *switches):
            box.toggled.connect(self._update)
        self.options.topic.textChanged.connect(self._update)
        self.options.strictness.currentIndexChanged.connect(self._update)
        column = QVBoxLayout(self)
        column.setSpacing(10)
        column.addWidget(self.options)
        column.addWidget(self.warning)
        column.addStretch(1)
        column.addWidget(self.buttons)
        self.setMinimumWidth(self.fontMetrics().height() * 30)
        self.resize(self.minimumWidth(), 1)
        self._update()

    def event(self, event: QEvent) -> bool:
        """Qt: the dialog is never lower than its rows of reasons and its warning need.

        Qt reckons the height that wrapping rows need at a width that the dialog does not have.
        """
        handled = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self.setMinimumHeight(self.heightForWidth(self.width()))
        return handled

    def _update(self) -> None:
        after = self.options.settings()
        self.warning.setVisible(self._before.needs_new_check(after))
        self.change_button.setEnabled(after != self._before and bool(after.reasons))

    def _change(self) -> None:
        self.wanted.emit(self.options.settings())
        self.accept()
