"""Old and new side by side: the marks show exactly what Accept will write."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest
from pytestqt.qtbot import QtBot

from desktop.theme import LIGHT, Theme
from desktop.views.editor.comparison import (
    DELETED_WORDS,
    Comparison,
    after_html,
    before_html,
    change_in_words,
    effect_in_words,
)
from engine.analysis import Action, Edit, EditKind, Rewrite
from engine.classroom.review import TEACHER_OPERATOR
from engine.diff import word_edits

OLD = "But it costs <b>hours</b> & sleep."


def plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def rewrite_of(new: str) -> Rewrite:
    return Rewrite(Action.REPLACE, new, word_edits(OLD, new), 0.1)


@pytest.mark.parametrize(
    "new",
    [
        "However, it costs <b>hours</b> & sleep.",
        "It costs <b>hours</b> & sleep.",
        "But it costs many <b>hours</b> & much sleep.",
        "Something else.",
    ],
)
def test_both_sides_keep_every_character(new: str) -> None:
    rewrite = rewrite_of(new)
    assert plain(before_html(OLD, rewrite.edits, LIGHT)) == OLD
    assert plain(after_html(OLD, rewrite, LIGHT)) == new


def test_what_goes_is_struck_through_and_what_comes_is_underlined() -> None:
    rewrite = rewrite_of("However, it costs <b>hours</b> & sleep.")
    assert re.search(r"line-through[^>]*>But<", before_html(OLD, rewrite.edits, LIGHT))
    assert re.search(r"underline[^>]*>However,<", after_html(OLD, rewrite, LIGHT))


def test_edits_that_do_not_fit_their_text_are_not_trusted() -> None:
    wrong = Rewrite(
        Action.REPLACE, "Yet it costs.", (Edit(EditKind.REPLACE, 0, 3, "But", "So"),), 0.1
    )
    assert plain(after_html(OLD, wrong, LIGHT)) == "Yet it costs."


def test_a_deletion_says_so_in_words() -> None:
    deletion = Rewrite(Action.DELETE, "", (), 0.0)
    assert plain(after_html(OLD, deletion, LIGHT)) == DELETED_WORDS
    assert change_in_words(deletion) == "Delete the sentence"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("But", "However,", "“But” → “However,”"),
        ("", "Moreover,", "Add “Moreover,”"),
        ("And", "", "Leave out “And”"),
    ],
)
def test_a_change_is_named_by_its_words(old: str, new: str, words: str) -> None:
    kind = EditKind.REPLACE
    rewrite = Rewrite(Action.REPLACE, "x", (Edit(kind, 0, len(old), old, new),), 0.1)
    assert change_in_words(rewrite) == words


def test_what_a_rewrite_does_to_the_mark_is_said_in_figures() -> None:
    rewrite = rewrite_of("However, it costs <b>hours</b> & sleep.")
    words = effect_in_words(0.913, rewrite)
    assert words == "Chance of breaking the flow: 91% now, 10% with this change."


def test_a_rewrite_that_leaves_a_mark_says_so_on_its_button_and_beside_it() -> None:
    kept = replace(rewrite_of("However, it costs <b>hours</b> & sleep."), clears=False)
    assert change_in_words(kept).endswith("(a mark remains)")
    words = effect_in_words(0.9, kept)
    assert words.startswith("This wording is better, but a mark would remain.")
    assert "90% now, 10% with this change" in words
    no_better = effect_in_words(0.1, kept)
    assert no_better.startswith("A mark would remain.")


@pytest.mark.parametrize(
    "unjudged",
    [
        Rewrite(Action.DELETE, "", (), 0.2, "delete"),
        Rewrite(Action.REPLACE, "No.", word_edits(OLD, "No."), 0.0, TEACHER_OPERATOR),
    ],
)
def test_what_no_model_has_judged_has_no_figures(unjudged: Rewrite) -> None:
    assert effect_in_words(0.9, unjudged) == ""


def test_the_figures_give_way_to_the_writers_own_version(qtbot: QtBot, theme: Theme) -> None:
    comparison = Comparison(theme)
    qtbot.addWidget(comparison)
    comparison.show_rewrite(OLD, rewrite_of("It costs sleep."), before=0.9)
    assert comparison.effect.text()
    assert not comparison.effect.isHidden()
    comparison.start_editing()
    assert comparison.effect.isHidden()
    comparison.stop_editing()
    assert not comparison.effect.isHidden()


def test_own_words_come_back_on_one_line(qtbot: QtBot, theme: Theme) -> None:
    comparison = Comparison(theme)
    qtbot.addWidget(comparison)
    comparison.show_rewrite(OLD, rewrite_of("However, it costs <b>hours</b> & sleep."))
    comparison.start_editing()
    assert comparison.field_text() == "However, it costs <b>hours</b> & sleep."
    comparison.field.setPlainText(" Two\nlines\u00a0here. ")
    assert comparison.field_text() == "Two lines\u00a0here."


def test_a_word_that_no_line_can_hold_may_be_broken(qtbot: QtBot, theme: Theme) -> None:
    address = "https://example.org/" + "very-long-path/" * 12
    comparison = Comparison(theme)
    qtbot.addWidget(comparison)
    comparison.resize(460, 300)
    new = f"See {address} for more."
    comparison.show_rewrite(f"But see {address}.", rewrite_of(new))
    assert comparison.minimumSizeHint().width() < 460
    shown = plain(comparison.after.text())
    assert shown.replace("\u200b", "") == new
    assert comparison.after.accessibleDescription() == new


def test_the_two_boxes_are_as_high_as_each_other_however_long_the_rewrite(
    qtbot: QtBot, theme: Theme
) -> None:
    comparison = Comparison(theme)
    qtbot.addWidget(comparison)
    comparison.resize(620, 300)
    comparison.show()
    qtbot.waitExposed(comparison)
    for new in ("It costs.", OLD + " And more of the same." * 6):
        comparison.show_rewrite(OLD, rewrite_of(new), before=0.9)
        qtbot.waitUntil(lambda: comparison.after.height() == comparison.before.height())
        assert comparison.after.y() == comparison.before.y()
        assert comparison.effect.width() == comparison.width()
    comparison.show_rewrite(OLD, None)
    qtbot.waitUntil(lambda: comparison.before.width() == comparison.width())


def test_that_a_mark_would_remain_stands_out(qtbot: QtBot, theme: Theme) -> None:
    comparison = Comparison(theme)
    qtbot.addWidget(comparison)
    kept = replace(rewrite_of("However, it costs <b>hours</b> & sleep."), clears=False)
    comparison.show_rewrite(OLD, kept, before=0.9)
    assert comparison.effect.property("role") == "notice"
    comparison.show_rewrite(OLD, replace(kept, clears=True), before=0.9)
    assert comparison.effect.property("role") == "small"
