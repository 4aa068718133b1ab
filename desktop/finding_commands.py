"""The commands on findings: they go to the editor, or to the student's essay under review."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.views.classroom.page import ClassroomPage
from desktop.views.editor.card import FindingCard
from desktop.views.editor.page import EditorPage

NAMES = (
    "next",
    "previous",
    "anchor",
    "other_option",
    "accept",
    "edit",
    "reject",
    "ignore",
)
"""What can be done with a finding, by the names in `desktop.actions.COMMANDS`."""


class FindingCommands:
    """Does a command where it belongs; `page_on_show` and `show_editor` are the window's."""

    def __init__(
        self,
        editor: EditorPage,
        classroom: ClassroomPage,
        *,
        page_on_show: Callable[[], QWidget | None],
        show_editor: Callable[[], None],
    ) -> None:
        self._editor = editor
        self._classroom = classroom
        self._page_on_show = page_on_show
        self._show_editor = show_editor

    def slots(self) -> dict[str, Callable[[], object]]:
        """What the commands do, by their names."""
        editor, review = self._editor, self._classroom.review
        card = editor.panel.card
        return {
            "next": lambda: self._step(1),
            "previous": lambda: self._step(-1),
            "anchor": lambda: self._card().ask_for_anchor(),
            "other_option": lambda: self._card().next_option(),
            "accept": card.accept,
            "edit": card.edit,
            "reject": card.reject,
            "ignore": card.ignore,
            "focus_essay": lambda: self._focus(editor.edit, review.edit),
            "focus_findings": lambda: self._focus(editor.panel.list, review.panel.list),
        }

    def allowed(self) -> frozenset[str]:
        """The commands on findings and classes that do something on the page on show."""
        page = self._page_on_show()
        if page is self._classroom:
            return self._classroom.allowed()
        return frozenset(NAMES if page is self._editor else ())

    @property
    def _reviews(self) -> bool:
        """Whether a student's essay is on show."""
        return self._page_on_show() is self._classroom and self._classroom.in_review

    def _card(self) -> FindingCard:
        return self._classroom.review.panel.card if self._reviews else self._editor.panel.card

    def _step(self, by: int) -> None:
        panel = self._classroom.review.panel if self._reviews else self._editor.panel
        panel.list.step(by)

    def _focus(self, in_editor: QWidget, in_review: QWidget) -> None:
        if self._reviews:
            in_review.setFocus()
            return
        self._show_editor()
        in_editor.setFocus()
