"""The head of a class's page: its name, how far the check is, and the buttons that steer it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QVBoxLayout, QWidget

from desktop.services.class_runner import ClassProgress
from desktop.views.classroom.pieces import push_button
from desktop.views.layouts import ElidedLabel, FlowLayout
from engine.classroom.model import Assignment, State

_STEPS = 1000


class RunBar(QWidget):
    """Shows progress with the time left, and reports what the teacher wants."""

    back_asked = Signal()
    start_asked = Signal()
    pause_asked = Signal()
    stop_asked = Signal()
    settings_asked = Signal()
    export_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Where the room ends, a long name gives way, but not wholly: then the numbers do.
        self.name = ElidedLabel(least=10)
        self.name.setProperty("role", "title")
        # A name in Arabic or Hebrew stays beside the buttons, too.
        self.name.setAlignment(
            Qt.AlignmentFlag.AlignLeft
            | Qt.AlignmentFlag.AlignAbsolute
            | Qt.AlignmentFlag.AlignVCenter
        )
        self.summary = ElidedLabel()
        self.summary.setProperty("role", "small")
        self.summary.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.back_button = push_button("A&ll classes", name="Back to all classes")
        self.start_button = push_button("&Go on", command="class_start", role="primary")
        self.pause_button = push_button("Pa&use", command="class_pause")
        self.stop_button = push_button("St&op", command="class_stop")
        self.settings_button = push_button("O&ptions…", name="How this class is checked and shown")
        self.export_button = push_button("E&xport…", command="class_export")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, _STEPS)
        self.progress.setAccessibleName("Progress of the class")
        self.status = QLabel()
        self.status.setProperty("role", "small")
        self.status.setTextFormat(Qt.TextFormat.PlainText)
        self.status.setAccessibleName("How far the class is")
        for button, signal in (
            (self.back_button, self.back_asked),
            (self.start_button, self.start_asked),
            (self.pause_button, self.pause_asked),
            (self.stop_button, self.stop_asked),
            (self.settings_button, self.settings_asked),
            (self.export_button, self.export_asked),
        ):
            button.clicked.connect(signal)
        self._arrange()

    def show_class(self, assignment: Assignment) -> None:
        """The class's name and numbers, and how far it is while nothing runs."""
        self.name.show_text(assignment.name)
        counts = {state: len(assignment.in_state(state)) for state in State}
        total = len(assignment.submissions)
        done = sum(count for state, count in counts.items() if state.is_done)
        parts = [f"{total} students", f"{done} checked"]
        if counts[State.FAILED]:
            parts.append(f"{counts[State.FAILED]} not checked")
        seen = counts[State.REVIEWED] + counts[State.RELEASED]
        parts += [f"{seen} reviewed", f"{counts[State.RELEASED]} released"]
        self.summary.show_text(", ".join(parts))
        self._waiting = counts[State.WAITING] + counts[State.CHECKING]
        self._show_bar(total - self._waiting, total)

    def show_running(self, *, running: bool, paused: bool, elsewhere: bool) -> None:
        """Which buttons there are; `elsewhere` means that another class is being checked."""
        self.start_button.setVisible(not running and bool(self._waiting))
        self.start_button.setEnabled(not elsewhere)
        for button in (self.pause_button, self.stop_button):
            button.setVisible(running)
        self.pause_button.setText("Go on" if paused else "Pa&use")
        self.settings_button.setEnabled(not running)
        if running and paused:
            self.status.setText("Paused. Go on when you like; nothing is lost.")
        elif running:
            self.status.setText("Loading the model…")
        elif elsewhere:
            self.status.setText("Another class is being checked.")
        elif self._waiting:
            self.status.setText(f"{self._waiting} not checked yet.")
        else:
            self.status.setText("")
        self.status.setVisible(bool(self.status.text()))

    def show_progress(self, progress: ClassProgress, *, paused: bool) -> None:
        """How far the running check is."""
        self._show_bar(progress.done + progress.part, progress.total)
        if not paused:
            self.status.setText(in_words(progress))
            self.status.show()

    def _show_bar(self, done: float, total: int) -> None:
        self.progress.setValue(round(_STEPS * done / total) if total else 0)

    def _arrange(self) -> None:
        self._waiting = 0
        first = QHBoxLayout()
        first.setSpacing(12)
        first.addWidget(self.back_button)
        first.addWidget(self.name, 1)
        first.addWidget(self.summary)
        buttons = FlowLayout()
        buttons.setSpacing(8)
        for button in (
            self.start_button,
            self.pause_button,
            self.stop_button,
            self.settings_button,
            self.export_button,
        ):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(first)
        column.addLayout(buttons)
        column.addWidget(self.progress)
        column.addWidget(self.status)


def in_words(progress: ClassProgress) -> str:
    """Such as "5 of 12, 1 not checked, about 40 seconds left (Anna)"."""
    parts = [f"{progress.done} of {progress.total}"]
    if progress.failed:
        parts.append(f"{progress.failed} not checked")
    if progress.seconds_left is not None:
        parts.append(f"{time_in_words(progress.seconds_left)} left")
    return ", ".join(parts) + (f" ({progress.name})" if progress.name else "")


def time_in_words(seconds: float) -> str:
    """A rough time: nobody can say it to the second."""
    if seconds < 60:
        rounded = max(1, round(seconds))
        return f"about {rounded} second{'' if rounded == 1 else 's'}"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {minutes // 60} h {minutes % 60} min"
