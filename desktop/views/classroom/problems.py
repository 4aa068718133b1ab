"""What needs the teacher's attention in a class: failures with their causes, and the rest."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from PySide6.QtCore import Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QTextBrowser, QVBoxLayout, QWidget

from desktop.views.classroom.pieces import push_button
from engine.classroom.model import Assignment, State


class ProblemsPanel(QWidget):
    """Lists what went wrong or was left out, each with its cause; `retry_asked` tries again."""

    retry_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.heading = QLabel()
        self.heading.setProperty("role", "heading")
        self.retry_button = push_button("Tr&y these again", name="Try again what was not checked")
        self.retry_button.clicked.connect(self.retry_asked)
        self.shown: tuple[str, ...] = ()
        self.lines = QTextBrowser()
        self.lines.setProperty("role", "lines")
        self.lines.setAccessibleName("What needs your attention")
        self.lines.setOpenLinks(False)
        row = QHBoxLayout()
        row.addWidget(self.heading, 1)
        row.addWidget(self.retry_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(row)
        column.addWidget(self.lines, 1)

    def show_class(self, assignment: Assignment, *, can_retry: bool) -> None:
        """List what there is to say; nothing at all hides the panel."""
        failed = len(assignment.in_state(State.FAILED))
        lines = tuple(_lines(assignment))
        if lines != self.shown:
            self.shown = lines
            items = "".join(f'<p style="margin: 4px 2px;">{escape(line)}</p>' for line in lines)
            self.lines.setHtml(items)
            self.lines.moveCursor(QTextCursor.MoveOperation.Start)
        essays = "1 essay was" if failed == 1 else f"{failed} essays were"
        self.heading.setText(f"{essays} not checked" if failed else "About these files")
        self.retry_button.setVisible(failed > 0)
        self.retry_button.setEnabled(can_retry)
        self.setVisible(bool(lines))


def _lines(assignment: Assignment) -> Iterator[str]:
    for one in assignment.in_state(State.FAILED):
        error = assignment.shown(one).error or {}
        cause = " ".join(filter(None, (error.get("message"), error.get("hint"))))
        yield f"Not checked: {assignment.shown_name(one)}. {cause}"
    for one in assignment.submissions:
        for notice in assignment.shown(one).notices:
            yield f"{assignment.shown_name(one)}: {notice.message}"
    for skipped in assignment.skipped:
        name = "A file" if assignment.settings.anonymous else skipped.name
        yield f"Skipped: {name}. {skipped.message}"
    if assignment.missing and not assignment.settings.anonymous:
        yield f"Handed in nothing: {', '.join(one.name for one in assignment.missing)}."
    for notice in assignment.notices:
        yield notice.message
