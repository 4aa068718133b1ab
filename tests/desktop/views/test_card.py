"""The card: what it says of a finding, and that each button and key does one thing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel, QScrollArea
from pytestqt.qtbot import QtBot

from desktop.services.finding_item import FindingItem, State
from desktop.theme import Theme
from desktop.views.editor.card import NOTHING_CHOSEN, PENDING_WORDS, FindingCard
from engine.analysis import Action, Rewrite
from engine.essay import Essay
from engine.scheme import SCHEME
from tests.desktop.views.view_fakes import (
    ASIDE,
    ESSAY,
    LINK,
    aside_finding,
    items_of,
    link_finding,
)


@pytest.fixture
def card(qtbot: QtBot, theme: Theme) -> FindingCard:
    made = FindingCard(theme)
    qtbot.addWidget(made)
    made.resize(520, 600)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
    return made


@pytest.fixture
def link() -> FindingItem:
    return items_of(Essay.from_text(ESSAY), [link_finding()])[0]


@pytest.fixture
def aside() -> FindingItem:
    return items_of(Essay.from_text(ESSAY), [aside_finding()])[0]


def words_on(card: FindingCard) -> str:
    return "\n".join(label.text() for label in card.findChildren(QLabel) if label.isVisible())


def test_without_a_finding_it_says_how_to_choose_one(card: FindingCard) -> None:
    assert words_on(card) == NOTHING_CHOSEN
    assert not card.accept_button.isVisible()


def test_it_names_reason_confidence_explanation_and_anchor(
    card: FindingCard, link: FindingItem
) -> None:
    card.show_item(link)
    words = words_on(card)
    info = SCHEME[link.finding.code]
    for piece in (info.tag, info.name, "R3", "very likely", link.finding.explanation):
        assert piece in words
    assert "Work teaches them to plan their time." in words


def test_accept_reports_the_rewrite_on_show(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    card.next_option()
    with qtbot.waitSignal(card.accepted) as accepted:
        qtbot.mouseClick(card.accept_button, Qt.MouseButton.LeftButton)
    assert accepted.args == [LINK, 1]


def test_options_can_be_chosen_by_mouse_and_come_round_again(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    buttons = card.option_buttons
    assert [b.isChecked() for b in buttons] == [True, False]
    qtbot.mouseClick(buttons[1], Qt.MouseButton.LeftButton)
    assert card.option == 1
    assert "It" in card.comparison.after.text()
    card.next_option()
    assert card.option == 0


def test_another_finding_begins_with_its_first_option(
    card: FindingCard, link: FindingItem, aside: FindingItem
) -> None:
    card.show_item(link)
    card.next_option()
    card.show_item(aside)
    assert card.option == 0


def test_another_finding_is_shown_from_its_beginning(
    card: FindingCard, link: FindingItem, aside: FindingItem, qtbot: QtBot
) -> None:
    card.resize(300, 220)
    card.show_item(link)
    bar = card.findChildren(QScrollArea)[0].verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    bar.setValue(bar.maximum())
    card.show_item(aside)
    assert bar.value() == 0


def test_editing_takes_the_writers_own_words(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    qtbot.mouseClick(card.edit_button, Qt.MouseButton.LeftButton)
    assert card.comparison.field_text() == "However, it costs them hours of sleep."
    card.comparison.field.setPlainText("Yet it costs them sleep.")
    with qtbot.waitSignal(card.edited) as edited:
        card.accept()
    assert edited.args == [LINK, "Yet it costs them sleep."]
    assert not card.comparison.editing


def test_escape_gives_up_the_edit(card: FindingCard, link: FindingItem, qtbot: QtBot) -> None:
    card.show_item(link)
    card.edit()
    qtbot.keyClick(card.comparison.field, Qt.Key.Key_Escape)
    assert not card.comparison.editing
    assert card.accept_button.text() == "&Accept"


def test_news_of_the_finding_does_not_destroy_what_is_being_typed(
    card: FindingCard, link: FindingItem
) -> None:
    card.show_item(link)
    card.edit()
    card.comparison.field.setPlainText("Half a sen")
    card.show_item(replace(link, state=State.STALE))
    assert card.comparison.editing
    assert card.comparison.field_text() == "Half a sen"


def test_an_empty_own_version_is_not_accepted(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    card.edit()
    card.comparison.field.clear()
    with qtbot.assertNotEmitted(card.edited):
        card.accept()


def test_reject_names_the_rewrite_and_ignore_the_finding(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    with qtbot.waitSignal(card.rejected) as rejected:
        qtbot.mouseClick(card.reject_button, Qt.MouseButton.LeftButton)
    assert rejected.args == [LINK, 0]
    with qtbot.waitSignal(card.ignored) as ignored:
        qtbot.mouseClick(card.ignore_button, Qt.MouseButton.LeftButton)
    assert ignored.args == [LINK]


def test_a_deletion_is_a_card_of_its_own(
    card: FindingCard, aside: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(aside)
    assert card.accept_button.text() == "&Accept: delete"
    assert "line-through" in card.comparison.before.text()
    assert "DELETE" not in words_on(card)
    with qtbot.waitSignal(card.accepted) as accepted:
        card.accept()
    assert accepted.args == [ASIDE, 0]


def test_each_option_says_what_it_does_to_the_mark(card: FindingCard, link: FindingItem) -> None:
    card.show_item(link)
    (first, *_) = link.finding.rewrites
    now, then = link.finding.probability, first.probability_after
    assert f"{now:.0%} now, {then:.0%} with this change." in words_on(card)
    card.show_item(replace(link, state=State.REJECTED))
    assert "with this change" not in words_on(card)


def test_while_rewrites_are_sought_it_says_so(card: FindingCard, link: FindingItem) -> None:
    bare = replace(link.finding, rewrites=())
    card.show_item(replace(link, finding=bare, rewrites_pending=True))
    assert PENDING_WORDS in words_on(card)
    assert not card.accept_button.isEnabled()
    assert card.edit_button.isEnabled()


@pytest.mark.parametrize("room", [200, 0, -40])
def test_a_growing_draft_moves_nothing_that_is_read(
    card: FindingCard, link: FindingItem, qtbot: QtBot, room: int
) -> None:
    card.show_item(link)
    card.accept_button.setFocus()
    bar = card.findChildren(QScrollArea)[0].verticalScrollBar()
    heights = iter(range(300, 900, 4))
    card.resize(400, next(heights))
    qtbot.wait(30)
    while bar.maximum() > 0:  # to where all just fits
        card.resize(400, next(heights))
        qtbot.wait(5)
    card.resize(400, card.height() + room)
    qtbot.wait(30)
    labels = [label for label in card.findChildren(QLabel) if label.isVisible()]
    bar.setValue(bar.maximum() // 2)

    def places() -> list[tuple[int, int, int, int]]:
        corners = [label.mapTo(card, QPoint(0, 0)) for label in labels]
        sizes = [label.size() for label in labels]
        return [
            (at.x(), at.y(), size.width(), size.height())
            for at, size in zip(corners, sizes, strict=True)
        ]

    before = places()
    for text in ("", "However, it", "However, it costs them hours of sleep. " * 12):
        card.show_draft(text)
        qtbot.wait(30)
        assert text in words_on(card)
        assert places() == before
    assert card.accept_button.hasFocus()
    card.show_draft(None)
    qtbot.wait(30)
    assert places() == before


def test_a_draft_says_how_it_is_stopped(card: FindingCard, link: FindingItem) -> None:
    card.show_item(link)
    card.show_draft("")
    assert "A language model is writing a rewrite. Stop ends it (Ctrl+.)." in words_on(card)
    card.show_draft(None)
    assert "language model" not in words_on(card)


def test_where_nothing_clears_the_flag_it_says_so(card: FindingCard, link: FindingItem) -> None:
    bare = replace(link.finding, rewrites=(), note="No small change clears this flag.")
    card.show_item(replace(link, finding=bare))
    assert "No small change clears this flag." in words_on(card)


def test_a_stale_finding_says_rechecking(card: FindingCard, link: FindingItem) -> None:
    card.show_item(replace(link, state=State.STALE))
    assert "Re-checking" in words_on(card)


def test_a_sentence_that_is_gone_cannot_be_accepted(card: FindingCard, link: FindingItem) -> None:
    card.show_item(replace(link, span=None))
    assert not card.accept_button.isEnabled()
    assert not card.edit_button.isEnabled()
    assert "no longer in the essay" in words_on(card)


@pytest.mark.parametrize("state", [State.REJECTED, State.IGNORED])
def test_a_refusal_can_be_taken_back(
    card: FindingCard, link: FindingItem, state: State, qtbot: QtBot
) -> None:
    card.show_item(replace(link, state=state))
    assert not card.accept_button.isVisible()
    with qtbot.waitSignal(card.reopened) as reopened:
        qtbot.mouseClick(card.reopen_button, Qt.MouseButton.LeftButton)
    assert reopened.args == [LINK]


def test_an_accepted_finding_points_to_undo(card: FindingCard, link: FindingItem) -> None:
    card.show_item(replace(link, state=State.ACCEPTED))
    assert "Undo" in words_on(card)
    assert not card.reopen_button.isVisible()


def test_the_earlier_sentence_can_be_asked_for(
    card: FindingCard, link: FindingItem, qtbot: QtBot
) -> None:
    card.show_item(link)
    with qtbot.waitSignal(card.anchor_asked) as asked:
        card.ask_for_anchor()
    assert asked.args == [LINK]


def written(text: str) -> Rewrite:
    return Rewrite(Action.REPLACE, text, (), 0.2, "generated", writer="small-writer")


def test_a_generated_rewrite_says_which_model_wrote_it(
    card: FindingCard, link: FindingItem
) -> None:
    rewrites = (*link.finding.rewrites, written("Yet it costs them sleep."))
    card.show_item(replace(link, finding=replace(link.finding, rewrites=rewrites)))
    assert "small-writer" not in words_on(card)
    card.next_option()
    card.next_option()
    assert "Generated by small-writer." in words_on(card)
    assert [b.text().endswith(", generated") for b in card.option_buttons] == [False, False, True]


def test_what_is_on_show_stays_when_a_generated_rewrite_comes_before_it(
    card: FindingCard, link: FindingItem
) -> None:
    card.show_item(link)
    shown = card.comparison.after.text()
    rewrites = (written("Yet it costs them sleep."), *link.finding.rewrites)
    card.show_item(replace(link, finding=replace(link.finding, rewrites=rewrites)))
    assert card.comparison.after.text() == shown
    assert card.option == 1
    assert card.option_buttons[1].isChecked()


def test_that_a_mark_would_remain_is_said_once_and_stands_out(
    card: FindingCard, link: FindingItem
) -> None:
    words = "The suggested wording is better, but a mark would remain."
    kept = replace(link.finding.rewrites[0], clears=False)
    card.show_item(replace(link, finding=replace(link.finding, rewrites=(kept,), note=words)))
    note = next(label for label in card.findChildren(QLabel) if label.text() == words)
    assert note.property("role") == "notice"
    assert not note.isHidden()
    assert card.comparison.effect.isHidden()
    card.show_item(replace(link, finding=replace(link.finding, rewrites=(kept,), note="")))
    assert "a mark would remain" in card.comparison.effect.text()
