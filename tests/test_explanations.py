"""Explanations name the writer's own words, and only say what the text bears out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import Judgement, Reason
from engine.explanations import confidence, explain, keeping_leaves_a_mark, without_rewrite
from engine.scheme import CODES, SCHEME, ReasonCode

_TOPIC = "Students should work while they study."
_ESSAY = ["Many students work while they study.", "Their jobs teach them to plan."]


def _judgement(code: ReasonCode, anchor: int | None = None) -> Judgement:
    others = tuple(Reason(other, 0.05) for other in CODES if other is not code)
    return Judgement(0.9, (Reason(code, 0.7), *others), anchor)


def _explained(sentence: str, code: ReasonCode, anchor: int | None = None) -> str:
    return explain([*_ESSAY, sentence], _TOPIC, 2, _judgement(code, anchor))


def test_an_informal_opening_is_quoted_as_written() -> None:
    assert "“But” is too informal" in _explained("But it costs sleep.", ReasonCode.R3)
    assert "“That’s why” is too informal" in _explained("That’s why I work.", ReasonCode.R3)


def test_a_formal_opening_is_not_called_informal() -> None:
    text = _explained("On the contrary, some rest.", ReasonCode.R3)
    assert "“On the contrary”" in text
    assert "informal" not in text
    assert "contrast" in text


def test_a_missing_linking_word_names_the_sentence_before() -> None:
    text = _explained("Some of them get tired.", ReasonCode.R3)
    assert "No linking word" in text
    assert "“Their jobs teach them to plan”" in text


def test_an_unclear_pronoun_is_named() -> None:
    assert "“It”" in _explained("It makes the day long.", ReasonCode.R2)


def test_two_possible_antecedents_are_both_named() -> None:
    essay = ["Companies pay students well.", "Companies need the students.", "They are happy."]
    text = explain(essay, "", 2, _judgement(ReasonCode.R2))
    assert "“They”" in text
    assert "companies" in text
    assert "students" in text


def test_a_change_of_person_names_both_persons() -> None:
    essay = ["We need rest.", "We like our work.", "You sleep too little."]
    text = explain(essay, "", 2, _judgement(ReasonCode.R2))
    assert "“we”" in text
    assert "“You”" in text


def test_a_noun_that_is_new_is_named_and_one_that_is_known_is_not() -> None:
    assert "“The committee”" in _explained("The committee will decide.", ReasonCode.R2)
    assert "has not been mentioned" not in _explained("The jobs will end.", ReasonCode.R2)


def test_a_weak_link_says_no_word_repeats_only_when_none_does() -> None:
    assert "repeats no key word" in _explained("Fresh fruit keeps people healthy.", ReasonCode.R1)
    assert "repeats no key word" not in _explained("Jobs cost money.", ReasonCode.R1)


def test_a_side_remark_quotes_the_sentence_it_should_tie_to() -> None:
    text = _explained("A volcano is very hot.", ReasonCode.R6, anchor=0)
    assert "“Many students work while they study”" in text


def test_a_repetition_is_called_one() -> None:
    essay = ["Students work hard in small shops.", "I like music.", "Students work hard in shops."]
    text = explain(essay, "", 2, _judgement(ReasonCode.R6))
    assert "much the same as “Students work hard in small shops”" in text


def test_a_contradiction_quotes_the_two_words_when_both_stand_there() -> None:
    essay = ["I agree with this statement.", "Work helps.", "I disagree with it."]
    text = explain(essay, "", 2, _judgement(ReasonCode.R4))
    assert "“disagree”" in text
    assert "“agree”" in text


def test_without_evidence_the_general_wording_is_used() -> None:
    text = _explained("Rest is purple.", ReasonCode.R7)
    assert text.startswith(SCHEME[ReasonCode.R7].meaning)


def test_a_long_anchor_is_cut_short_and_loses_its_quotation_marks() -> None:
    essay = ['He said: "' + "very " * 30 + 'long."', "A volcano is hot."]
    text = explain(essay, "", 1, _judgement(ReasonCode.R6, 0))
    assert "“He said: very very very very very very…”" in text


def test_no_reasons_still_gives_a_sentence() -> None:
    assert explain(_ESSAY, "", 1, Judgement(0.9)).endswith(".")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(max_size=40), min_size=2, max_size=5), st.sampled_from(CODES), st.data())
def test_any_text_gets_a_short_explanation_on_one_line(
    essay: list[str], code: ReasonCode, data: st.DataObject
) -> None:
    index = data.draw(st.integers(1, len(essay) - 1))
    anchor = data.draw(st.none() | st.integers(0, index - 1))
    text = explain(essay, "", index, _judgement(code, anchor))
    assert text
    assert "\n" not in text
    assert len(text) < 500


@pytest.mark.parametrize(
    ("probability", "words"),
    [
        (0.5, "possible"),
        (0.55, "possible"),
        (0.62, "likely"),
        (0.75, "very likely"),
        (1.0, "very likely"),
    ],
)
def test_confidence_grows_with_the_distance_from_the_threshold(
    probability: float, words: str
) -> None:
    assert confidence(probability, 0.5) == words


def test_an_aside_names_what_the_text_before_does_not() -> None:
    essay = (
        "Computers help my sister to learn.",
        "She does her exercises on the screen.",
        "The colour of her new bedroom is the same yellow as the old curtains.",
    )
    text = explain(essay, "", 2, _judgement(ReasonCode.R6, 1))
    assert "turns to “colour” and “new bedroom”, which the text before does not mention" in text
    told = explain(
        (*essay[:2], "The computers and the exercises help."), "", 2, _judgement(ReasonCode.R6)
    )
    assert "does not mention" not in told


def test_confidence_survives_a_threshold_of_one() -> None:
    assert confidence(1.0, 1.0) == "possible"


def test_the_note_without_a_rewrite_does_not_gainsay_the_explanation() -> None:
    assert "a new thought rather than a new word" in without_rewrite(ReasonCode.R6)
    assert "new thought" not in without_rewrite(ReasonCode.R3)
    assert "who or what you mean" in without_rewrite(ReasonCode.R2)
    assert without_rewrite(None) == without_rewrite(ReasonCode.R1)


def test_without_a_linking_word_the_advice_is_to_add_one() -> None:
    text = explain(["Shops are far.", "Many walk."], "", 1, _judgement(ReasonCode.R3, None))
    assert text.startswith("No linking word opens this sentence")
    assert text.endswith("Add one that shows the right relation, if it helps.")


def test_a_fragment_is_called_one() -> None:
    text = explain(["Shops are far.", "Because I walk."], "", 1, _judgement(ReasonCode.R3))
    assert text.startswith("“Because” opens only a part of a sentence")
    assert "No linking word" not in text


def test_an_endless_word_is_quoted_in_short() -> None:
    text = explain(["a" * 7000 + ".", "But b."], "", 1, _judgement(ReasonCode.R4, 0))
    assert "a" * 80 + "…”" in text
    assert len(text) < 300


@pytest.mark.parametrize("sentence", ["This statement is true.", "He walks in the morning."])
def test_what_needs_no_mention_is_not_called_new(sentence: str) -> None:
    text = explain(["Shops are far.", sentence], "", 1, _judgement(ReasonCode.R2))
    assert "has not been mentioned before" not in text


def test_a_thing_that_nobody_mentioned_is_called_new() -> None:
    text = explain(["Shops are far.", "The waiter is rude."], "", 1, _judgement(ReasonCode.R2))
    assert text.startswith("“The waiter” has not been mentioned before.")


def test_a_linking_word_that_helps_nothing_is_not_recommended() -> None:
    assert "as suggested" in keeping_leaves_a_mark(0.8, 0.6)
    worse = keeping_leaves_a_mark(0.53, 0.74)
    assert "not enough" in worse
    assert "as suggested" not in worse
    assert "as suggested" not in keeping_leaves_a_mark(0.851, 0.849), "85% and 85% read alike"
