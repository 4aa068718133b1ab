"""Which sentences that stray may be kept, and which may not be deleted."""

from __future__ import annotations

import pytest

from engine.analysis import Action, Judgement, Reason
from engine.rewriter.candidates import Situation
from engine.rewriter.deletion import carries_the_plan
from engine.rewriter.links import tells_of_one_case
from engine.rewriter.ranking import candidates
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import ESSAY, TOPIC, situation, texts


def _strays(sentence: str, *, linking: float) -> list[str]:
    """The candidates for a side remark that needs a linking word with P(R3) = `linking`."""
    reasons = (Reason(ReasonCode.R6, 0.5), Reason(ReasonCode.R3, linking))
    essay = (*ESSAY[:2], sentence, *ESSAY[3:], *ESSAY[:2])
    return texts(candidates(Situation(essay, TOPIC, 2, Judgement(0.9, reasons, None))))


def test_a_changed_linking_word_is_no_answer_to_a_side_remark() -> None:
    assert _strays("So the moon is round.", linking=0.2) == [""]


def test_where_the_linking_word_is_as_likely_the_fault_it_may_change() -> None:
    assert "Therefore, the moon is round." in _strays("So the moon is round.", linking=0.45)


def test_this_is_because_never_ties_in_a_remark() -> None:
    assert not any("This is because" in text for text in _strays("She is ill.", linking=0.2))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("My sister used such a program last year.", True),
        ("We can put the rubbish in the bin.", True),
        ("I hope that my country will introduce this law.", False),
        ("I really think that we should rest.", False),
        ("This is why it takes us so long.", False),
        ("A café sells coffee, tea and small cakes.", False),
    ],
)
def test_an_example_tells_of_the_writers_own_case(sentence: str, expected: bool) -> None:
    assert tells_of_one_case(sentence) is expected


@pytest.mark.parametrize(
    "sentence",
    [
        "Secondly, it saves money.",
        "To conclude, computers cannot replace a teacher.",
        "The second benefit is that a student becomes independent.",
        "Another important reason is the price.",
        "On the one hand, pupils become tired.",
        "Guests who want to smoke can still do it:",
    ],
)
def test_what_carries_the_plan_of_the_essay_is_not_deleted(sentence: str) -> None:
    assert carries_the_plan(sentence)
    found = candidates(situation(sentence, ReasonCode.R6))
    assert not any(candidate.action is Action.DELETE for candidate in found)


@pytest.mark.parametrize(
    "sentence", ["Then we went home.", "The mayor was elected.", "Another day I was ill."]
)
def test_other_side_remarks_may_be_deleted(sentence: str) -> None:
    found = candidates(situation(sentence, ReasonCode.R6))
    assert any(candidate.action is Action.DELETE for candidate in found)


def test_a_clause_cut_off_leaves_no_dash_behind() -> None:
    sentence = "People keep doing what they are good at - and they miss their chance."
    found = [c.text for c in candidates(situation(sentence, ReasonCode.R6)) if c.text]
    assert "People keep doing what they are good at." in found


@pytest.mark.parametrize(
    "sentence",
    [
        "It is not easy and it is not cheap, but nothing else changes a person.",
        "The bus is always late in my town so we are tired in the lesson.",
    ],
)
def test_the_point_after_but_or_so_is_not_cut_off(sentence: str) -> None:
    found = [c.text for c in candidates(situation(sentence, ReasonCode.R6)) if c.operator == "trim"]
    assert not any(sentence.startswith(text.rstrip(".")) for text in found)


def test_no_contrast_ties_in_a_side_remark() -> None:
    found = _strays("Work needs the same plan on every day of the week.", linking=0.1)
    assert not any(text.startswith(("However", "On the other hand")) for text in found)
