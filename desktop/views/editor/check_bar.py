"""The head of the editor page: the essay's name, its topic, how strict, Check and Stop."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.actions import shortcut_text
from desktop.services.settings import Settings
from desktop.views.layouts import ElidedLabel
from desktop.views.wheel import keep_from_wheel

STAGES = {
    "reading": "Reading the essay",
    "judging": "Judging the sentences",
    "rewriting": "Looking for rewrites",
}


class CheckBar(QWidget):
    """Shows the essay's name and the check's progress; reports the writer's wishes."""

    check_asked = Signal()
    stop_asked = Signal()
    topic_edited = Signal(str)
    strictness_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = ElidedLabel(keep=Qt.TextElideMode.ElideMiddle)
        self.name.setProperty("role", "title")
        self.unsaved = QLabel("not saved")
        self.unsaved.setProperty("role", "small")
        self.topic = QLineEdit()
        self.topic.setPlaceholderText("The question or task that the essay answers (optional)")
        self.topic.setAccessibleName("Topic")
        self.topic.setClearButtonEnabled(True)
        self.topic.editingFinished.connect(self._take_topic)
        self.strictness = QComboBox()
        self.strictness.setAccessibleName("How many findings to show")
        for value, words in Settings.strictness.choices.items():
            self.strictness.addItem(words, value)
        # As wide as its longest words, and narrower only where there is no room for both fields.
        self.strictness.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.strictness.setMinimumWidth(1)
        keep_from_wheel(self.strictness)
        self.strictness.activated.connect(
            lambda _row: self.strictness_chosen.emit(self.strictness.currentData())
        )
        self.check_button = QPushButton("Chec&k")
        self.check_button.setProperty("role", "primary")
        self.check_button.setToolTip(f"Check the essay ({shortcut_text('check')})")
        self.check_button.clicked.connect(self.check_asked)
        self.stop_button = QPushButton("Sto&p")
        self.stop_button.setToolTip(f"Stop the check ({shortcut_text('stop')})")
        self.stop_button.clicked.connect(self.stop_asked)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName("Progress of the check")
        self.status = ElidedLabel()
        self.status.setProperty("role", "small")
        self.status.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._arrange()
        self.show_busy(busy=False)

    def show_name(self, name: str, *, dirty: bool) -> None:
        """The essay's name, with a word where it has changes that are not saved."""
        self.name.show_text(name)
        self.unsaved.setVisible(dirty)

    def show_topic(self, topic: str) -> None:
        """The topic, unless the writer is typing it."""
        if self.topic.text() != topic and not self.topic.hasFocus():
            self.topic.setText(topic)
            self.topic.setCursorPosition(0)

    def show_strictness(self, value: str) -> None:
        """The strictness in force."""
        self.strictness.setCurrentIndex(self.strictness.findData(value))

    def show_busy(self, *, busy: bool) -> None:
        """Switch between Check and Stop."""
        had_focus = self.check_button.hasFocus() or self.stop_button.hasFocus()
        self.check_button.setEnabled(not busy)
        self.stop_button.setEnabled(busy)
        if had_focus:
            (self.stop_button if busy else self.check_button).setFocus()
        self.progress.setRange(0, 0 if busy else 1)
        self.progress.setValue(0)
        if busy:
            self.status.show_text("Starting the check…")

    def show_progress(self, stage: str, done: int, total: int) -> None:
        """How far the check is; `total` 0 means that nobody can tell."""
        words = STAGES.get(stage, stage.capitalize())
        self.progress.setRange(0, total)
        self.progress.setValue(done)
        self.status.show_text(f"{words}: {done} of {total}" if total else f"{words}…")

    def _take_topic(self) -> None:
        if not self.topic.hasFocus():
            # A long topic is read from its beginning.
            self.topic.setCursorPosition(0)
        self.topic_edited.emit(self.topic.text())

    def show_status(self, words: str) -> None:
        """A sentence about the essay while no check runs."""
        self.status.show_text(words)

    def _arrange(self) -> None:
        flag = QLabel("Sho&w")
        flag.setBuddy(self.strictness)
        topic = QLabel("T&opic")
        topic.setBuddy(self.topic)
        first = QHBoxLayout()
        first.setSpacing(10)
        first.addWidget(self.name)
        first.addWidget(self.unsaved)
        first.addWidget(self.status, 1)
        first.addWidget(self.check_button)
        first.addWidget(self.stop_button)
        second = QHBoxLayout()
        second.setSpacing(10)
        second.addWidget(topic)
        second.addWidget(self.topic, 1)
        second.addWidget(flag)
        second.addWidget(self.strictness)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(first)
        column.addLayout(second)
        column.addWidget(self.progress)
        order = (self.topic, self.strictness, self.check_button, self.stop_button)
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)
