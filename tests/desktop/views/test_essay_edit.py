"""The essay's field: exact splices, overlays that follow the text, and nothing in the undo list."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QInputMethodEvent, QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.theme import Theme
from desktop.views.editor.essay_edit import EssayEdit, Mark
from desktop.views.editor.gutter import RECHECKING
from desktop.views.editor.text_bridge import TextBridge
from engine.scheme import Group

TEXT = "One thing. But two things. Three things."
MARK = Mark("k", 11, 26, "Linking word", Group.COHESION)


class Keeper:
    """Keeps the text of record by the reported edits alone."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[tuple[int, int, str]] = []

    def text_edited(self, position: int, removed: int, added_text: str) -> None:
        self.edits.append((position, removed, added_text))
        self.text = self.text[:position] + added_text + self.text[position + removed :]


@pytest.fixture
def edit(qtbot: QtBot, theme: Theme) -> EssayEdit:
    made = EssayEdit(theme)
    qtbot.addWidget(made)
    made.resize(700, 400)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
    made.show_text(TEXT)
    return made


def kept(edit: EssayEdit, text: str) -> Keeper:
    keeper = Keeper(text)
    bridge = TextBridge(edit, keeper, edit)
    bridge.show(text)
    return keeper


def compose(edit: EssayEdit, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(edit, event)


@pytest.mark.parametrize(
    "text",
    [
        "Plain words.",
        "\U0001f600 then \U0001d4d0 letters. Next.",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467 family. e\u0301 mark.",
        "no\u00a0break\u202fspace and\u2028line.",
        "مرحبا Hello سلام.\nSecond.",
    ],
)
def test_typing_is_reported_in_code_points(edit: EssayEdit, qtbot: QtBot, text: str) -> None:
    keeper = kept(edit, text)
    edit.moveCursor(QTextCursor.MoveOperation.End)
    qtbot.keyClicks(edit, " more")
    edit.insertPlainText(" \U0001f34c")
    qtbot.keyClick(edit, Qt.Key.Key_Backspace)
    assert keeper.text == text + " more "


def test_undo_and_redo_are_reported_too(edit: EssayEdit) -> None:
    keeper = kept(edit, TEXT)
    edit.replace_range(11, 14, "However,")
    assert keeper.text == TEXT.replace("But", "However,")
    edit.undo()
    assert keeper.text == TEXT
    edit.redo()
    assert keeper.text == TEXT.replace("But", "However,")


def test_a_replacement_is_one_splice_and_one_undo_step(edit: EssayEdit) -> None:
    keeper = kept(edit, TEXT)
    edit.replace_range(11, 14, "However,")
    assert keeper.edits == [(11, 3, "However,")]
    edit.undo()
    assert not edit.document().isUndoAvailable()


def test_highlights_add_no_undo_steps(edit: EssayEdit) -> None:
    edit.set_marks([MARK])
    edit.select_mark("k")
    edit.set_anchor((0, 10))
    assert len(edit.extraSelections()) == 2
    assert not edit.document().isUndoAvailable()


def test_a_mark_moves_with_text_typed_before_it(edit: EssayEdit) -> None:
    edit.set_marks([MARK])
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    edit.insertPlainText("\U0001f600 Well. ")
    start, end = edit.live_span("k") or (0, 0)
    assert edit.toPlainText().encode("utf-16-le")[start * 2 : end * 2].decode("utf-16-le") == (
        "But two things."
    )


def test_a_caret_before_a_mark_keeps_the_new_text_outside(edit: EssayEdit) -> None:
    edit.set_marks([MARK])
    assert edit.mark_at(12) == "k"
    assert edit.mark_at(5) == ""
    assert edit.mark_at(26) == ""


def test_composing_holds_new_highlights_back_until_the_commit(edit: EssayEdit) -> None:
    edit.moveCursor(QTextCursor.MoveOperation.End)
    compose(edit, "ni")
    assert edit.composing
    edit.set_marks([MARK])
    assert edit.extraSelections() == []
    compose(edit, "", commit="\u4f60")
    assert not edit.composing
    assert len(edit.extraSelections()) == 1


def test_composing_leaves_the_text_of_record_alone_until_the_commit(edit: EssayEdit) -> None:
    keeper = kept(edit, TEXT)
    edit.moveCursor(QTextCursor.MoveOperation.End)
    compose(edit, "ni")
    assert keeper.text == TEXT
    compose(edit, "", commit="\u4f60")
    assert keeper.text == TEXT + "\u4f60"


def test_pasting_takes_the_plain_text(edit: EssayEdit) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b> <i>and</i> red")
    data.setText("bold and red")
    edit.moveCursor(QTextCursor.MoveOperation.End)
    edit.insertFromMimeData(data)
    assert edit.toPlainText() == TEXT + "bold and red"


def test_pasting_what_has_markup_only_takes_its_words(edit: EssayEdit) -> None:
    data = QMimeData()
    data.setHtml("<p>One &amp; <b>two</b>.</p><p>Three.</p>")
    assert not data.hasText()
    assert edit.canInsertFromMimeData(data)
    edit.moveCursor(QTextCursor.MoveOperation.End)
    edit.insertFromMimeData(data)
    assert edit.toPlainText() == TEXT + "One & two.\nThree."


def test_a_dropped_file_is_offered_for_opening(edit: EssayEdit, qtbot: QtBot) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/tmp/essay.docx")])
    event = QDropEvent(
        QPointF(5, 5),
        Qt.DropAction.CopyAction,
        data,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    with qtbot.waitSignal(edit.file_dropped) as dropped:
        edit.dropEvent(event)
    assert dropped.args == ["/tmp/essay.docx"]
    assert edit.toPlainText() == TEXT


def test_the_reason_stands_in_words_beside_the_text(edit: EssayEdit, qtbot: QtBot) -> None:
    edit.set_marks([MARK])
    edit.gutter.grab()
    assert edit.gutter.drawn_texts() == ["Linking word"]


def test_a_stale_mark_says_rechecking(edit: EssayEdit) -> None:
    edit.set_marks([Mark("k", 11, 26, "Linking word", Group.COHESION, stale=True)])
    edit.gutter.grab()
    assert edit.gutter.drawn_texts() == [RECHECKING]


def test_labels_of_one_line_do_not_overlap(edit: EssayEdit) -> None:
    marks = [Mark(str(n), n, n + 1, "Contradiction", Group.CONSISTENCY) for n in range(4)]
    edit.set_marks(marks)
    boxes = [box for box, _label in edit.gutter.layout_labels()]
    assert len(boxes) == 4
    for upper, lower in pairwise(boxes):
        assert not upper.intersects(lower)


def test_clicking_a_label_or_a_marked_sentence_chooses_it(edit: EssayEdit, qtbot: QtBot) -> None:
    edit.set_marks([MARK])
    edit.gutter.grab()
    box, _label = edit.gutter.layout_labels()[0]
    with qtbot.waitSignal(edit.mark_clicked) as clicked:
        qtbot.mouseClick(edit.gutter, Qt.MouseButton.LeftButton, pos=box.center())
    assert clicked.args == ["k"]
    cursor = edit.textCursor()
    cursor.setPosition(15)
    place = edit.cursorRect(cursor).center() + QPoint(2, 0)
    with qtbot.waitSignal(edit.mark_clicked) as clicked:
        qtbot.mouseClick(edit.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert clicked.args == ["k"]


@pytest.mark.parametrize("text", ["word " * 14 + "\n", "word " * 1400])
def test_typing_stays_responsive_in_a_large_text(edit: EssayEdit, qtbot: QtBot, text: str) -> None:
    # 4 MB in lines of 70 characters, or one line of 7,000.
    whole = text * (4_000_000 // len(text)) if text.endswith("\n") else text
    keeper = kept(edit, whole)
    edit.set_marks(
        [Mark(str(n), n * 50, n * 50 + 40, "Off topic", Group.RELEVANCE) for n in range(100)]
    )
    edit.moveCursor(QTextCursor.MoveOperation.Start)
    # Our own time, so that a busy machine does not fail the test.
    started = time.process_time()
    for letter in "responsive":
        qtbot.keyClicks(edit, letter)
        QApplication.processEvents()
    assert (time.process_time() - started) / 10 < 0.1
    assert keeper.text.startswith("responsive")
