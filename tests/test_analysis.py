"""Analyses as data: the JSON form, finding keys, and applying rewrites to moved text."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import (
    Action,
    Analysis,
    Edit,
    EditKind,
    Finding,
    Reason,
    Rewrite,
    ScoredSentence,
    apply_rewrite,
    finding_key,
    reanchor,
    replacement_span,
)
from engine.essay import Essay, Notice
from engine.scheme import ReasonCode
from engine.spans import Span

DELETE = Rewrite(Action.DELETE, "", (), 0.0, "delete", ReasonCode.R6)


def replacing(text: str) -> Rewrite:
    return Rewrite(Action.REPLACE, text, (), 0.1, "marker", ReasonCode.R3)


def analysis() -> Analysis:
    finding = Finding(
        sentence=1,
        probability=0.8125,
        reasons=(Reason(ReasonCode.R3, 0.5), Reason(ReasonCode.R6, 0.25)),
        anchor=0,
        explanation="The linking word does not fit.",
        rewrites=(
            Rewrite(
                Action.REPLACE,
                "However, it rained.",
                (Edit(EditKind.REPLACE, 0, 3, "But", "However,"),),
                0.25,
                "marker",
                ReasonCode.R3,
            ),
            Rewrite(Action.DELETE, "", (), 0.0),
        ),
        key="0123456789abcdef",
        confidence="likely",
        note="",
    )
    return Analysis(
        content_hash="ab" * 32,
        topic="The weather 😀",
        sentences=(
            ScoredSentence(Span(0, 9), "I ran. é", None),
            ScoredSentence(Span(10, 24), "But it rained.", 0.8125),
        ),
        findings=(finding,),
        threshold=0.5,
        model={"id": "tagger", "version": "1"},
        device={"backend": "onnx"},
        seconds=0.25,
        notices=(Notice("one-sentence", "There is only one sentence."),),
    )


def test_an_analysis_survives_json() -> None:
    original = analysis()
    assert Analysis.from_dict(json.loads(json.dumps(original.as_dict()))) == original


def test_the_json_form_names_its_schema() -> None:
    assert analysis().as_dict()["schema"] == "segue.check/1"


def test_other_data_is_refused() -> None:
    with pytest.raises(KeyError):
        Analysis.from_dict({"schema": "segue.check/1"})
    broken = analysis().as_dict()
    broken["findings"][0]["reasons"][0]["code"] = "R9"
    with pytest.raises(ValueError, match="R9"):
        Analysis.from_dict(broken)


def test_a_findings_code_is_its_likeliest_reason() -> None:
    assert analysis().findings[0].code is ReasonCode.R3


def test_the_key_survives_white_space_quotes_and_edits_further_away() -> None:
    before = [
        "One two.",
        "We all like to eat rice.",
        "But it rained.",
        "Then we all went home.",
        "End.",
    ]
    after = [
        "Other words.",
        "Oh, we like to eat rice.",
        '"But  it RAINED."',
        "Then we all went to bed.",
        "X.",
    ]
    assert finding_key(before, 2) == finding_key(after, 2)


def test_the_key_changes_with_the_words_around() -> None:
    base = ["We like rice.", "But it rained.", "Then we went home."]
    assert finding_key(base, 1) != finding_key(["We like rice a lot.", *base[1:]], 1)
    assert finding_key(base, 1) != finding_key([*base[:2], "Then they went home."], 1)
    assert finding_key(base, 1) != finding_key([base[0], "But it snowed.", base[2]], 1)


def test_keys_exist_at_both_ends() -> None:
    assert len({finding_key(["A b.", "C d.", "E f."], index) for index in range(3)}) == 3


def test_a_replacement_touches_only_the_sentence() -> None:
    text = "I ran.  But it rained. End."
    assert apply_rewrite(text, Span(8, 22), replacing("However, it rained.")) == (
        "I ran.  However, it rained. End."
    )


@pytest.mark.parametrize(
    ("text", "sentence", "expected"),
    [
        ("I ran. It rained. End.", "It rained.", "I ran. End."),
        ("I ran. It rained. End.", "I ran.", "It rained. End."),
        ("I ran. It rained.", "It rained.", "I ran."),
        ("I ran. It rained.\n\nEnd.", "It rained.", "I ran.\n\nEnd."),
        ("I ran.\n\nIt rained. End.", "It rained.", "I ran.\n\nEnd."),
        ("I ran.\n\nIt rained.\n\nEnd.", "It rained.", "I ran.\n\nEnd."),
        ("I ran.\n\nIt rained.", "It rained.", "I ran."),
        ("I ran.\nIt rained.\n", "It rained.", "I ran."),
        ("It rained.", "It rained.", ""),
        ("I ran.\u00a0\u00a0It rained.\u202fEnd.", "It rained.", "I ran.\u00a0\u00a0End."),
        ("😀😀 ran. It rained. 👨‍👩‍👧 End.", "It rained.", "😀😀 ran. 👨‍👩‍👧 End."),
    ],
)
def test_a_deletion_leaves_no_double_space_and_no_empty_paragraph(
    text: str, sentence: str, expected: str
) -> None:
    at = text.index(sentence)
    assert apply_rewrite(text, Span(at, at + len(sentence)), DELETE) == expected


def test_deleting_a_bullets_sentence_takes_the_bullet_along() -> None:
    text = "I need:\n- a pen\n- a book\nEnd."
    essay = Essay.from_text(text)
    pen = next(s for s in essay.sentences if s.text == "a pen")
    assert apply_rewrite(text, pen.span, DELETE) == "I need:\n- a book\nEnd."


@given(
    st.lists(
        st.sampled_from(["I ran.", "It rained!", "\n", "\n\n", " ", "  ", "\u00a0", "- "]),
        max_size=12,
    )
)
def test_a_deletion_removes_the_sentence_and_only_white_space(parts: list[str]) -> None:
    text = "".join(parts)
    for sentence in Essay.from_text(text).sentences:
        gap = replacement_span(text, sentence.span, DELETE)
        assert gap.start <= sentence.span.start
        assert gap.end >= sentence.span.end
        around = text[gap.start : sentence.span.start] + text[sentence.span.end : gap.end]
        assert not around.strip(" \n\u00a0-")


def test_reanchoring_takes_the_nearest_place() -> None:
    text = "It rained. I ran. It rained. End. It rained."
    assert reanchor(text, "It rained.", 20) == Span(18, 28)
    assert reanchor(text, "It rained.", 0) == Span(0, 10)
    assert reanchor(text, "It rained.", 99) == Span(34, 44)


def test_reanchoring_finds_nothing_where_the_words_are_gone() -> None:
    assert reanchor("It snowed.", "It rained.", 0) is None
    assert reanchor("It snowed.", "", 0) is None


@given(st.text(max_size=40), st.text(min_size=1, max_size=10), st.text(max_size=40))
def test_reanchoring_finds_the_words_after_any_edit_before_them(
    before: str, words: str, after: str
) -> None:
    text = before + words + after
    found = reanchor(text, words, len(before))
    assert found is not None
    assert found.of(text) == words
    assert abs(found.start - len(before)) == 0


def test_analyses_do_not_change() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        analysis().threshold = 0.1  # type: ignore[misc]
