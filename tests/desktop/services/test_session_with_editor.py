"""The session and a real text document: what Qt reports is what the session understands."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QObject
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from desktop.offsets import Utf16Map, document_text, piece_of_document
from desktop.services.finding_book import DecisionRefusedError, FindingBook
from desktop.services.finding_item import Change, State
from desktop.services.marks import CheckedText, TextEdit, narrowed
from engine.essay import Essay
from tests.desktop.services.desk import ESSAY, Desk, analyse


class Editor(QObject):
    """A document that reports each change to the session, as the window's editor does."""

    def __init__(self, desk: Desk, text: str) -> None:
        super().__init__()
        self._desk = desk
        self._field = QPlainTextEdit(text)
        self.document = self._field.document()
        self._map = Utf16Map(text)
        self.document.contentsChange.connect(self._report)

    def _report(self, position: int, removed: int, added: int) -> None:
        span = self._map.span_from_qt(position, position + removed)
        text = piece_of_document(self.document, position, position + added)
        self._map = self._map.edited(span.start, len(span), text)
        self._desk.session.text_edited(span.start, len(span), text)
        assert self._desk.session.text == document_text(self.document)

    def replace(self, change: Change | None) -> None:
        assert change is not None
        start, end = self._map.span_to_qt(change.span)
        cursor = QTextCursor(self.document)
        cursor.beginEditBlock()
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(change.text)
        cursor.endEditBlock()

    def type(self, position: int, text: str) -> None:
        cursor = QTextCursor(self.document)
        cursor.setPosition(self._map.to_qt(position))
        cursor.insertText(text)


@pytest.fixture
def editor(desk: Desk) -> Editor:
    desk.session.new("😀 " + ESSAY.replace(" A volcano", "\n👩\u200d👧 A volcano"))
    desk.check()
    return Editor(desk, desk.session.text)


@pytest.mark.parametrize("rewrite", [0, 1])
def test_accept_undo_redo_edit_undo(desk: Desk, editor: Editor, rewrite: int) -> None:
    text = desk.session.text
    editor.replace(desk.session.accept(desk.of("But").key, rewrite))
    accepted = desk.session.text
    assert desk.of("But").state is State.ACCEPTED
    editor.document.undo()
    assert desk.session.text == text
    assert desk.of("But").state is State.OPEN
    editor.document.redo()
    assert desk.session.text == accepted
    assert desk.of("But").state is State.ACCEPTED
    editor.type(0, "Word ")
    editor.document.undo()
    assert desk.session.text == accepted
    editor.document.undo()
    assert desk.session.text == text
    assert desk.states() == [State.OPEN] * 3


def test_one_undo_step_for_each_accept_behind_emoji(desk: Desk, editor: Editor) -> None:
    text = desk.session.text
    for word in ("They", "volcano", "But"):
        editor.replace(desk.session.accept(desk.of(word).key, 0))
    assert desk.states() == [State.ACCEPTED] * 3
    for _ in range(3):
        editor.document.undo()
    assert desk.session.text == text
    assert desk.states() == [State.OPEN] * 3


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["type", "type", "delete", "accept", "edit", "reject", "undo", "check"]),
        st.integers(0, 1000),
        st.sampled_from([" ", "x", "But so. ", "😀", "\n"]),
    ),
    max_size=12,
)


class Model:
    """A book of findings beside a plain string and its undo steps."""

    def __init__(self) -> None:
        self.text = ESSAY
        self.book = FindingBook(self.text)
        self.steps: list[TextEdit] = []
        self.check()

    def check(self) -> None:
        essay = Essay.from_text(self.text)
        checked = CheckedText(self.text, "", "job", essay.content_hash)
        self.book.begin(checked, expects_rewrites=True)
        self.book.finish(analyse(essay))

    def splice(self, edit: TextEdit, *, undoable: bool = True) -> None:
        if undoable:
            old = self.text[edit.position : edit.end]
            self.steps.append(TextEdit(edit.position, len(edit.added), old))
        smaller = narrowed(self.text, edit)
        self.text = edit.apply(self.text)
        if smaller.removed or smaller.added:
            self.book.follow(smaller)

    def decide(self, kind: str, number: int) -> None:
        items = self.book.items()
        if not items:
            return
        item = items[number % len(items)]
        try:
            if kind == "accept":
                change = self.book.propose(item.key, number % max(1, len(item.finding.rewrites)))
            else:
                edited = self.book.propose_text(item.key, "Own words.")
                if edited is None:
                    return
                change = edited
        except DecisionRefusedError:
            gone = item.span is None or item.span.of(self.text) != item.sentence
            assert gone or item.state in (State.ACCEPTED, State.EDITED)
            return
        self.splice(TextEdit(change.span.start, len(change.span), change.text))
        after = self.book.item(item.key)
        assert after is not None
        assert after.state is (State.ACCEPTED if kind == "accept" else State.EDITED)

    def run(self, kind: str, number: int, added: str) -> None:
        at = number % (len(self.text) + 1)
        if kind == "type":
            self.splice(TextEdit(at, 0, added))
        elif kind == "delete":
            self.splice(TextEdit(at, min(number % 9, len(self.text) - at), ""))
        elif kind == "undo" and self.steps:
            self.splice(self.steps.pop(), undoable=False)
        elif kind == "check" and self.text.strip():
            self.check()
        elif kind in ("accept", "edit"):
            self.decide(kind, number)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(OPERATIONS)
@example([("edit", 1, " "), ("delete", 111, " ")])
@example([("edit", 0, " "), ("edit", 1, " "), ("type", 32, " "), ("type", 239, " ")])
def test_whatever_happens_places_hold_their_words_and_undo_opens_all(
    operations: list[tuple[str, int, str]],
) -> None:
    model = Model()
    has_checked = False
    for operation in operations:
        model.run(*operation)
        has_checked |= operation[0] == "check"
        assert model.book.text == model.text
        for item in model.book.items():
            if item.span is not None:
                words = (
                    item.decision if item.state in (State.ACCEPTED, State.EDITED) else item.sentence
                )
                assert item.span.of(model.text) == words
    while model.steps:
        model.splice(model.steps.pop(), undoable=False)
    assert model.text == ESSAY
    if not has_checked:
        assert [item.state for item in model.book.items()] == [State.OPEN] * 3
