"""A mark stands exactly on its words, or nowhere; an edit elsewhere never loses it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop.services.marks import CheckedText, Mark, TextEdit, common_prefix, narrowed
from engine.sentences import split_sentences
from engine.spans import Span

WORDS = st.sampled_from(["cats", "sleep", "But", "And", "they", "😀", "e\u0301", "né", "مرحبا"])
SENTENCES = st.lists(WORDS, min_size=1, max_size=4).map(lambda words: " ".join(words) + ".")
TEXTS = st.lists(SENTENCES, min_size=1, max_size=8).map(" ".join)
EDITS = st.lists(
    st.tuples(
        st.floats(0, 1), st.integers(0, 12), st.sampled_from(["", "x", " ", ". ", "But ", "😀"])
    ),
    max_size=8,
)


def checked(text: str) -> CheckedText:
    return CheckedText(text, "", "job", "hash")


def edit_at(text: str, where: float, removed: int, added: str) -> TextEdit:
    position = round(where * len(text))
    return TextEdit(position, min(removed, len(text) - position), added)


@given(st.text("ab", max_size=300), st.text("ab", max_size=300))
def test_the_common_prefix_is_the_longest(left: str, right: str) -> None:
    length = common_prefix(left, right)
    assert left[:length] == right[:length]
    assert length == min(len(left), len(right)) or left[length] != right[length]
    assert common_prefix(left, right, start=length // 2) == length


@given(TEXTS, st.floats(0, 1), st.integers(0, 30), st.text("abc .", max_size=20))
def test_a_narrowed_edit_does_the_same(text: str, where: float, removed: int, added: str) -> None:
    edit = edit_at(text, where, removed, added)
    smaller = narrowed(text, edit)
    assert smaller.apply(text) == edit.apply(text)
    assert smaller.removed <= edit.removed
    assert smaller.removed == 0 or text[smaller.position : smaller.end] != smaller.added


def test_an_edit_beyond_the_text_is_brought_inside() -> None:
    assert narrowed("ab", TextEdit(0, 99, "ac")) == TextEdit(1, 1, "c")


@given(TEXTS, EDITS)
def test_marks_follow_any_edits_like_a_plain_string(
    text: str, edits: list[tuple[float, int, str]]
) -> None:
    base = checked(text)
    spans = split_sentences(text)
    marks = [Mark.in_checked(base, span, text) for span in spans]
    assert [mark.span for mark in marks] == spans
    current = text
    for where, removed, added in edits:
        edit = narrowed(current, edit_at(current, where, removed, added))
        before = [mark.span for mark in marks]
        after = edit.apply(current)
        base.follow(edit, after)
        for mark in marks:
            mark.follow(edit, after)
        for mark, span in zip(marks, before, strict=True):
            assert mark.span is None or mark.span.of(after) == mark.piece
            if span is not None and edit.end < span.start:
                assert mark.span == Span(span.start + edit.shift, span.end + edit.shift)
            if span is not None and edit.position > span.end:
                assert mark.span == span
        current = after
        assert base.agrees == common_prefix(text, current)


@given(TEXTS, EDITS)
def test_a_late_result_is_placed_as_if_it_had_been_there_all_along(
    text: str, edits: list[tuple[float, int, str]]
) -> None:
    base = checked(text)
    spans = split_sentences(text)
    current = text
    for where, removed, added in edits:
        edit = narrowed(current, edit_at(current, where, removed, added))
        current = edit.apply(current)
        base.follow(edit, current)
    for span in spans:
        found = Mark.in_checked(base, span, current).span
        assert found is None or found.of(current) == span.of(text)


@given(TEXTS, st.data())
def test_undoing_an_edit_inside_a_sentence_brings_it_back(text: str, data: st.DataObject) -> None:
    span = data.draw(st.sampled_from(split_sentences(text)))
    mark = Mark.in_checked(checked(text), span, text)
    at = data.draw(st.integers(span.start, span.end - 1))
    changed = TextEdit(at, 1, "ßß").apply(text)
    mark.follow(TextEdit(at, 1, "ßß"), changed)
    assert mark.span is None
    mark.follow(TextEdit(at, 2, text[at]), text)
    assert mark.span == span


def follow_all(text: str, sentence: str, *edits: TextEdit) -> tuple[Mark, str]:
    start = text.index(sentence)
    mark = Mark.in_checked(checked(text), Span(start, start + len(sentence)), text)
    for edit in edits:
        text = edit.apply(text)
        mark.follow(edit, text)
    return mark, text


def test_a_word_typed_right_before_a_sentence_makes_it_another_one() -> None:
    mark, _ = follow_all("One here. Two here.", "Two here.", TextEdit(10, 0, "Al"))
    assert mark.span is None


def test_a_sentence_typed_before_another_leaves_it_whole() -> None:
    typed = [TextEdit(10 + at, 0, letter) for at, letter in enumerate("New. ")]
    mark, text = follow_all("One here. Two here.", "Two here.", *typed)
    assert text == "One here. New. Two here."
    assert mark.span == Span(15, 24)


def test_a_letter_typed_right_after_the_full_stop_changes_the_sentence() -> None:
    mark, _ = follow_all("One here. Two here.", "One here.", TextEdit(9, 0, "x"))
    assert mark.span is None


def test_a_sentence_moved_by_cut_and_paste_is_found_again() -> None:
    mark, text = follow_all(
        "One here. Two here. Three.",
        "One here.",
        TextEdit(0, 10, ""),
        TextEdit(16, 0, " One here."),
    )
    assert text == "Two here. Three. One here."
    assert mark.span == Span(17, 26)


def test_a_deleted_sentence_is_not_taken_for_another_with_the_same_words() -> None:
    mark, text = follow_all("Stop it. Go on. Stop it.", "Stop it.", TextEdit(0, 9, ""))
    assert text == "Go on. Stop it."
    assert mark.span is None
