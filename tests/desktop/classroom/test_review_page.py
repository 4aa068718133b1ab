"""The review: the learners' view of an essay, and all that a teacher may do to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.services.classroom_service import ClassroomService
from desktop.services.review_desk import ReviewDesk
from desktop.theme import Theme
from desktop.views.classroom.review_page import ReviewPage
from engine.analysis import Action
from engine.classroom.model import State
from engine.history.reviews import BankComment
from engine.scheme import ReasonCode
from tests.desktop.classroom.conftest import PATIENCE, ClassOf
from tests.desktop.tab_stops import check_tab_stops

CONTROL = Qt.KeyboardModifier.ControlModifier
Shown = Callable[[], ReviewPage]


@pytest.fixture
def page(
    qapp: QApplication,
    qtbot: QtBot,
    desk: ReviewDesk,
    service: ClassroomService,
    class_of: ClassOf,
) -> ReviewPage:
    """An essay whose third sentence has an R3 flag and whose fourth has an R6 flag."""
    theme = Theme(qapp)
    theme.apply("light", 12)
    made = ReviewPage(desk, theme)
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=PATIENCE)
    assignment = class_of(1, done=True)
    with qtbot.waitSignal(service.record_loaded, timeout=PATIENCE) as loaded:
        service.load_record(assignment.submissions[0])
    assert loaded.args is not None
    desk.open(assignment.id, loaded.args[0], assignment.settings.reasons)
    return made


def go_to_sentence(page: ReviewPage, words: str) -> None:
    cursor = QTextCursor(page.edit.document())
    cursor.setPosition(page.edit.toPlainText().index(words) + 2)
    page.edit.setFocus()
    page.edit.setTextCursor(cursor)


def test_the_first_flag_is_in_sight_when_the_page_comes_up_in_a_small_window(
    page: ReviewPage, desk: ReviewDesk, qapp: QApplication, qtbot: QtBot
) -> None:
    del page  # an essay is open on the desk; another page takes it up before it is shown
    theme = Theme(qapp)
    theme.apply("light", 30)
    small = ReviewPage(desk, theme)
    qtbot.addWidget(small)
    small.edit.verticalScrollBar().setValue(0)
    desk.opened.emit()
    desk.changed.emit()
    small.resize(700, 300)
    small.edit.verticalScrollBar().setValue(small.edit.verticalScrollBar().maximum())
    small.show()

    def is_in_sight() -> bool:
        span = small.edit.live_span(small.panel.list.current_key)
        cursor = QTextCursor(small.edit.document())
        cursor.setPosition(span[0] if span else 0)
        return small.edit.viewport().rect().contains(small.edit.cursorRect(cursor).center())

    qtbot.waitUntil(is_in_sight, timeout=5000)


def test_the_essay_is_shown_as_learners_see_it_and_cannot_be_edited(
    page: ReviewPage, qtbot: QtBot
) -> None:
    before = page.edit.toPlainText()
    page.edit.setFocus()
    qtbot.keyClicks(page.edit, "x")
    assert page.edit.toPlainText() == before
    assert [mark.tag for mark in page.edit.marks] == ["Linking word", "Side remark"]
    assert page.panel.heading.text() == "Flags: 2"
    assert not page.panel.card.accept_button.isVisible()


def test_the_caret_chooses_the_flag_of_its_sentence(page: ReviewPage) -> None:
    go_to_sentence(page, "A volcano")
    assert page.panel.card.item is not None
    assert page.panel.card.item.finding.code is ReasonCode.R6


def test_a_sentence_without_a_flag_offers_a_flag_and_takes_a_note(
    page: ReviewPage, desk: ReviewDesk, qtbot: QtBot
) -> None:
    go_to_sentence(page, "People rest")
    assert page.panel.add_button.isVisible()
    assert "People rest there." in page.panel.no_flag.text()
    page.panel.comment.setFocus()
    qtbot.keyClicks(page.panel.comment, "Good.")
    assert list(desk.review.remarks.values()) == ["Good."]


def test_a_flag_is_added_with_the_keyboard(
    page: ReviewPage, desk: ReviewDesk, qtbot: QtBot
) -> None:
    go_to_sentence(page, "People rest")
    page.add_flag()
    editor = page.panel.editor
    assert page.panel.is_editing
    assert editor.reason.hasFocus()
    editor.reason.setCurrentIndex(editor.reason.findData(ReasonCode.R2))
    editor.own.setFocus()
    qtbot.keyClicks(editor.own, "Families rest there.")
    qtbot.keyClick(editor.own, Qt.Key.Key_Return, CONTROL)
    assert not page.panel.is_editing
    item = desk.items()[-1]
    assert item.finding.code is ReasonCode.R2
    assert item.finding.rewrites[0].text == "Families rest there."
    assert page.panel.origin.text() == "You added this flag."
    assert len(page.edit.marks) == 3


def test_escape_gives_up_the_form(page: ReviewPage, desk: ReviewDesk, qtbot: QtBot) -> None:
    page.edit_flag()
    qtbot.keyClick(page.panel.editor.reason, Qt.Key.Key_Escape)
    assert not page.panel.is_editing
    assert desk.review.is_empty
    assert page.panel.list.isVisible()


def test_a_flags_reason_explanation_and_suggestions_are_edited(
    page: ReviewPage, desk: ReviewDesk
) -> None:
    key = page.panel.list.current_key
    page.edit_flag()
    editor = page.panel.editor
    editor.also.setCurrentIndex(editor.also.findData(ReasonCode.R1))
    editor.explanation.setPlainText("Too chatty.")
    editor.delete_box.setChecked(True)
    editor.save()
    flag = desk.flag(key)
    assert flag is not None
    assert flag.reasons[:2] == (ReasonCode.R3, ReasonCode.R1)
    assert flag.explanation == "Too chatty."
    assert flag.rewrites[-1].rewrite.action is Action.DELETE
    assert "you changed it" in page.panel.origin.text()
    page.restore()
    assert page.panel.origin.text() == "Segue found this flag."


def test_a_removed_flag_is_not_marked_and_can_be_brought_back(page: ReviewPage) -> None:
    key = page.panel.list.current_key
    page.remove_or_restore()
    assert key not in [mark.key for mark in page.edit.marks]
    assert page.panel.heading.text() == "Flags: 1, 1 removed"
    assert page.panel.restore_button.isVisible()
    assert not page.panel.comment.isEnabled()
    page.panel.list.choose(key)
    page.remove_or_restore()
    assert key in [mark.key for mark in page.edit.marks]


def test_the_comment_belongs_to_the_chosen_flag(
    page: ReviewPage, desk: ReviewDesk, qtbot: QtBot
) -> None:
    first, second = (item.key for item in desk.items())
    page.panel.list.choose(first)
    qtbot.keyClicks(page.panel.comment, "One")
    page.panel.list.choose(second)
    assert page.panel.comment.words == ""
    page.panel.list.choose(first)
    assert page.panel.comment.words == "One"


def test_reviewed_and_released_can_be_taken_back(
    page: ReviewPage, service: ClassroomService, qtbot: QtBot
) -> None:
    for act, words in (
        (page.toggle_reviewed, "Reviewed"),
        (page.toggle_released, "Released"),
        (page.toggle_released, "Reviewed"),
        (page.toggle_reviewed, "To review"),
    ):
        with qtbot.waitSignal(service.row_loaded, timeout=PATIENCE):
            act()
        assert page.state.text() == words
    assert page.release_button.text() == "Relea&se"


def test_a_comment_of_the_bank_is_a_few_keystrokes_away(page: ReviewPage, qtbot: QtBot) -> None:
    field = page.general
    bank = [BankComment(1, "Name the person.", "np", ReasonCode.R2)]
    used: list[BankComment] = []
    field.comment_used.connect(used.append)
    field.comments_wanted.connect(
        lambda words: field.show_comments(words, [c for c in bank if c.shortcut.startswith(words)])
    )
    field.setFocus()
    qtbot.keyClicks(field, "First: ;n")
    qtbot.waitUntil(field.offers.isVisible, timeout=PATIENCE)
    qtbot.keyClick(field.offers, Qt.Key.Key_Return)
    assert field.words == "First: Name the person."
    assert used == bank
    assert not field.offers.isVisible()


def test_control_space_offers_the_bank_and_escape_leaves_the_words(
    page: ReviewPage, qtbot: QtBot
) -> None:
    field = page.general
    field.comments_wanted.connect(
        lambda words: field.show_comments(words, [BankComment(1, "Well done.")])
    )
    field.setFocus()
    qtbot.keyClicks(field, "So")
    qtbot.keyClick(field, Qt.Key.Key_Space, CONTROL)
    qtbot.waitUntil(field.offers.isVisible, timeout=PATIENCE)
    qtbot.keyClick(field.offers, Qt.Key.Key_Escape)
    assert field.words == "So"


def test_late_comments_are_not_offered(page: ReviewPage, qtbot: QtBot) -> None:
    field = page.general
    field.setFocus()
    qtbot.keyClicks(field, ";n")
    qtbot.keyClicks(field, " ")
    field.show_comments("n", [BankComment(1, "Name the person.", "np")])
    assert not field.offers.isVisible()


def test_the_next_step_is_offered(page: ReviewPage) -> None:
    page.show_state(State.RELEASED)
    assert page.release_button.text() == "Take back"
    page.show_state(State.CHECKED)
    assert page.reviewed_button.text() == "Mark as reviewe&d"


def test_every_stop_of_tab_is_in_sight_and_shows_the_focus(page: ReviewPage, qtbot: QtBot) -> None:
    # What the rail and the menus leave of 900 x 600.
    page.resize(780, 560)
    check_tab_stops(page, qtbot)
