"""Which words of a rewrite are marked as changed."""

from __future__ import annotations

from engine.analysis import Action, Edit, EditKind, Rewrite
from engine.reports.marking import new_pieces, old_pieces


def replacing(text: str, *edits: Edit) -> Rewrite:
    return Rewrite(Action.REPLACE, text, edits, 0.1)


def test_a_replacement_is_marked_on_both_sides() -> None:
    rewrite = replacing("So I go.", Edit(EditKind.REPLACE, 0, 3, "And", "So"))
    assert old_pieces("And I go.", rewrite) == (("And", True), (" I go.", False))
    assert new_pieces("And I go.", rewrite) == (("So", True), (" I go.", False))


def test_an_insertion_marks_only_the_new_sentence() -> None:
    rewrite = replacing("So I go.", Edit(EditKind.INSERT, 0, 0, "", "So "))
    assert old_pieces("I go.", rewrite) == (("I go.", False),)
    assert new_pieces("I go.", rewrite) == (("So ", True), ("I go.", False))


def test_edits_that_do_not_fit_the_text_mark_all_of_it() -> None:
    rewrite = replacing("Quite different.", Edit(EditKind.REPLACE, 0, 1, "I", "We"))
    assert new_pieces("I go.", rewrite) == (("Quite different.", True),)
