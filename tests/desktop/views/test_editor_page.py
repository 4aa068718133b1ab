"""The editor page joins essay, list, card and session."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.services.finding_item import State
from desktop.services.settings import Settings
from desktop.theme import Theme
from desktop.views.editor.findings_panel import CHECKING, NOT_CHECKED, NOTHING_FOUND
from desktop.views.editor.page import EditorPage
from engine.analysis import Analysis
from engine.spans import Span
from tests.desktop.views.view_fakes import (
    ASIDE,
    ESSAY,
    LINK,
    FakeSession,
    aside_finding,
    items_of,
    link_finding,
)

EMOJI_ESSAY = "\U0001f600\U0001d4d0 " + ESSAY


def shown(page: EditorPage, session: FakeSession, qtbot: QtBot) -> None:
    session.show([link_finding(), aside_finding()])
    qtbot.waitUntil(lambda: page.panel.model.rowCount() == 2)


def draft_on(page: EditorPage) -> str:
    """What the card shows of a rewrite that is being written."""
    labels = page.panel.card.findChildren(QLabel)
    name = "The rewrite as far as it is written"
    draft = next(label for label in labels if label.accessibleName() == name)
    return draft.text() if draft.isVisible() else ""


def marked_text(page: EditorPage, key: str) -> str:
    start, end = page.edit.live_span(key) or (0, 0)
    cursor = page.edit.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    return cursor.selectedText()


def test_before_any_check_it_says_what_to_do(page: EditorPage) -> None:
    assert page.panel.empty.isVisible()
    assert page.panel.empty.text() == NOT_CHECKED
    assert "Check" in page.edit.placeholderText()


def test_while_it_checks_and_when_nothing_was_found_it_says_so(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    session.set_busy(True)
    qtbot.waitUntil(lambda: page.panel.empty.text() == CHECKING)
    session.analysis = Analysis("", "", (), (), 0.5)
    session.set_busy(False)
    qtbot.waitUntil(lambda: page.panel.empty.text() == NOTHING_FOUND)


def test_findings_are_marked_listed_and_the_first_is_chosen(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    assert marked_text(page, LINK) == "But it costs them hours of sleep."
    assert page.panel.list.current_key == LINK
    assert page.panel.card.item == session.item(LINK)
    assert page.panel.heading.text() == "Findings: 2 of 2 to decide"


def test_marks_are_exact_after_wide_characters(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    session.text = EMOJI_ESSAY
    shown(page, session, qtbot)
    assert marked_text(page, LINK) == "But it costs them hours of sleep."
    assert marked_text(page, ASIDE) == "A volcano is very hot."


def test_accepting_writes_the_rewrite_as_one_undo_step(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    session.text = EMOJI_ESSAY
    shown(page, session, qtbot)
    page.panel.card.accept()
    expected = EMOJI_ESSAY.replace("But it", "However, it")
    assert session.text == page.edit.toPlainText() == expected
    page.edit.undo()
    assert session.text == page.edit.toPlainText() == EMOJI_ESSAY
    assert not page.edit.document().isUndoAvailable()
    page.edit.redo()
    assert session.text == expected


def test_accepting_a_deletion_leaves_no_double_space(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.panel.list.choose(ASIDE)
    page.panel.card.accept()
    assert session.text == ESSAY.replace("A volcano is very hot. ", "")


def test_after_a_decision_the_next_finding_is_chosen(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.panel.card.ignore()
    assert ("ignore", LINK) in session.calls
    assert page.panel.list.current_key == ASIDE


def test_a_decided_finding_loses_its_mark_and_keeps_its_row(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.change(LINK, state=State.REJECTED)
    qtbot.waitUntil(lambda: page.edit.live_span(LINK) is None)
    assert page.panel.model.rowCount() == 2
    assert page.panel.heading.text() == "Findings: 1 of 2 to decide"


def test_stepping_passes_over_decided_findings_and_comes_round(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.next_finding()
    assert page.panel.list.current_key == ASIDE
    page.next_finding()
    assert page.panel.list.current_key == LINK
    page.previous_finding()
    assert page.panel.list.current_key == ASIDE


def test_stepping_takes_the_caret_along_even_out_of_the_essay_itself(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.edit.setFocus()
    page.next_finding()
    aside = session.item(ASIDE)
    assert aside is not None
    assert aside.span is not None
    assert page.bridge.caret() == aside.span.start


def test_a_click_on_the_chosen_row_shows_its_sentence_again(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.edit.moveCursor(QTextCursor.MoveOperation.Start)
    row = page.panel.list.visualRect(page.panel.model.index(0)).center()
    assert page.panel.list.current_key == LINK
    qtbot.mouseClick(page.panel.list.viewport(), Qt.MouseButton.LeftButton, pos=row)
    link = session.item(LINK)
    assert link is not None
    assert link.span is not None
    assert page.bridge.caret() == link.span.start


def test_a_choice_that_comes_by_itself_leaves_the_writers_caret_alone(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    page.edit.setFocus()
    session.text = ESSAY
    session.show()
    page.edit.moveCursor(QTextCursor.MoveOperation.End)
    shown_at = page.bridge.caret()
    session.put(items_of(session.essay, [link_finding()]))
    qtbot.waitUntil(lambda: page.panel.list.current_key == LINK)
    assert page.bridge.caret() == shown_at


def test_own_words_go_into_the_essay(page: EditorPage, session: FakeSession, qtbot: QtBot) -> None:
    shown(page, session, qtbot)
    page.panel.card.edit()
    page.panel.card.comparison.field.setPlainText("Yet they lose sleep.")
    page.panel.card.accept()
    assert session.text == ESSAY.replace(
        "But it costs them hours of sleep.", "Yet they lose sleep."
    )


def test_the_earlier_sentence_is_shown_and_jumped_to(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.edit.gutter.grab()
    assert "Connects to" in page.edit.gutter.drawn_texts()
    page.panel.card.ask_for_anchor()
    assert page.edit.textCursor().selectedText() == "Work teaches them to plan their time."


def test_a_click_on_a_mark_chooses_its_finding(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.edit.mark_clicked.emit(ASIDE)
    assert page.panel.card.item == session.item(ASIDE)


def test_a_stale_finding_is_faded_with_a_word(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.change(ASIDE, state=State.STALE)
    qtbot.waitUntil(lambda: any(mark.stale for mark in page.edit.marks))
    page.edit.gutter.grab()
    assert "re-checking" in page.edit.gutter.drawn_texts()
    assert "re-checking" in page.panel.model.index(1).data()


def test_a_finding_whose_sentence_is_gone_has_no_mark(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.change(LINK, span=None)
    qtbot.waitUntil(lambda: page.edit.live_span(LINK) is None)


def test_check_takes_the_topic_along_and_stop_stops(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    qtbot.keyClicks(page.bar.topic, "Work and study")
    qtbot.mouseClick(page.bar.check_button, Qt.MouseButton.LeftButton)
    assert session.topic == "Work and study"
    assert ("check",) in session.calls
    session.set_busy(True)
    assert not page.bar.check_button.isEnabled()
    qtbot.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    assert ("stop",) in session.calls


def test_progress_is_shown_as_a_bar_and_in_words(page: EditorPage, session: FakeSession) -> None:
    session.set_busy(True)
    session.progress.emit("judging", 3, 12)
    assert page.bar.status.whole == "Judging the sentences: 3 of 12"
    assert (page.bar.progress.value(), page.bar.progress.maximum()) == (3, 12)


def test_a_draft_is_shown_with_its_own_finding_alone_until_it_is_judged(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.set_busy(True)
    page.edit.setFocus()
    session.writing.emit(2, "However, it")
    assert page.bar.status.whole == "Writing a rewrite for sentence 3…"
    assert draft_on(page) == "However, it …"
    assert page.edit.hasFocus()
    page.panel.list.choose(ASIDE)
    assert draft_on(page) == ""
    session.writing.emit(2, "However, it costs")
    page.panel.list.choose(LINK)
    assert draft_on(page) == "However, it costs …"
    session.progress.emit("rewriting", 1, 2)
    assert draft_on(page) == ""
    assert page.bar.status.whole == "Looking for rewrites: 1 of 2"


def test_a_draft_goes_when_the_check_is_stopped(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.set_busy(True)
    session.writing.emit(2, "")
    assert draft_on(page) == "…"
    qtbot.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    assert ("stop",) in session.calls
    session.set_busy(False)
    assert draft_on(page) == ""


def test_a_draft_of_a_sentence_that_has_changed_since_is_not_shown_with_it(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    session.change(LINK, state=State.STALE)
    qtbot.waitUntil(lambda: page.panel.card.item == session.item(LINK))
    session.writing.emit(2, "However, it")
    assert draft_on(page) == ""


def test_what_a_check_found_stays_in_words_when_the_check_is_over(
    page: EditorPage, session: FakeSession
) -> None:
    session.set_busy(True)
    session.analysis_finished.emit(Analysis("", "", (), (), 0.5))
    session.set_busy(False)
    assert "0 sentences checked, 0 flagged" in page.bar.status.whole
    session.set_busy(True)
    session.progress.emit("judging", 3, 12)
    session.set_busy(False)
    assert page.bar.status.whole == ""


def test_how_much_to_show_can_be_read_whole_in_a_small_window(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    page.resize(780, 520)
    box = page.bar.strictness
    qtbot.waitUntil(lambda: box.width() >= box.sizeHint().width())
    words = max(box.fontMetrics().horizontalAdvance(box.itemText(i)) for i in range(box.count()))
    assert box.width() > words
    assert page.bar.topic.width() > box.width()


def test_a_long_topic_is_read_from_its_beginning(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    page.bar.topic.setFocus()
    qtbot.keyClicks(page.bar.topic, "Discuss both views " * 20)
    page.edit.setFocus()
    qtbot.waitUntil(lambda: page.bar.topic.cursorPosition() == 0)
    assert session.topic.startswith("Discuss both views")


def test_a_name_is_whole_where_there_is_room(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    name = "a rather long name of an essay.docx"
    session.name_changed.emit(name)
    qtbot.waitUntil(lambda: page.bar.name.text() == name)


def test_a_chosen_sentence_is_seen_to_its_end(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    long = "This sentence goes on and on. " * 120
    session.text = long + ESSAY + " " + long
    session.show()
    start = len(long)
    page.bridge.reveal(Span(start, start + len(ESSAY)))
    view = page.edit.viewport().rect()
    cursor = page.edit.textCursor()
    for place in (start, start + len(ESSAY)):
        cursor.setPosition(place)
        assert view.contains(page.edit.cursorRect(cursor).center())


def test_with_large_text_in_a_small_window_the_page_scrolls_instead_of_cutting(
    page: EditorPage, session: FakeSession, theme: Theme, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    theme.apply("light", 24)
    page.restyle()
    page.resize(700, 420)
    line = page.fontMetrics().height()
    qtbot.waitUntil(lambda: page.panel.card.height() > 8 * line)
    assert page.edit.height() >= 6 * line
    assert page.panel.height() >= 13 * line


def test_strictness_is_a_setting(page: EditorPage, settings: Settings, qtbot: QtBot) -> None:
    page.bar.strictness.setFocus()
    qtbot.keyClick(page.bar.strictness, Qt.Key.Key_Down)
    assert settings.strictness == "thorough"
    settings.strictness = "few"
    assert page.bar.strictness.currentData() == "few"


def test_unsaved_changes_are_told_in_words(page: EditorPage, session: FakeSession) -> None:
    session.set_dirty(True)
    assert page.bar.unsaved.isVisible()
    session.set_dirty(False)
    assert not page.bar.unsaved.isVisible()


def test_a_narrow_page_puts_the_findings_below(page: EditorPage, qtbot: QtBot) -> None:
    page.resize(520, 700)
    qtbot.waitUntil(lambda: page.panel.y() > 0)
    assert page.panel.x() == 0


def test_the_caret_is_told_in_code_points(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    session.text = EMOJI_ESSAY
    shown(page, session, qtbot)
    page.bridge.reveal(Span(3, 4))
    assert page.bridge.caret() == 3
    assert page.edit.textCursor().position() == 5


def test_a_message_of_some_lines_leaves_the_buttons_to_decide_in_sight(
    page: EditorPage, session: FakeSession, qtbot: QtBot
) -> None:
    shown(page, session, qtbot)
    page.panel.list.choose(link_finding().key)
    # What a window of 900 by 600 leaves under a message of three lines.
    page.resize(785, 475)
    button = page.panel.card.accept_button
    qtbot.waitUntil(lambda: button.visibleRegion().boundingRect() == button.rect())
    assert page.edit.height() >= 4 * page.fontMetrics().height()
