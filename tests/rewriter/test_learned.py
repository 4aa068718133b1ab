import pytest

from engine.analysis import Judgement, LikelyEdit, Reason
from engine.rewriter.candidates import Situation
from engine.rewriter.learned import propose
from engine.scheme import ReasonCode


def proposed(sentence: str, *edits: LikelyEdit, context: str = "We like parks.") -> list[str]:
    judgement = Judgement(0.9, (Reason(ReasonCode.R3, 0.8),), 0, edits)
    situation = Situation((context, sentence), "", 1, judgement)
    return [candidate.text for candidate in propose(situation)]


@pytest.mark.parametrize(
    ("sentence", "edit", "expected"),
    [
        ("But parks help.", LikelyEdit(0, 3, "however,", 0.6), "However, parks help."),
        ("but parks help.", LikelyEdit(0, 3, "however,", 0.6), "however, parks help."),
        ("The parks help.", LikelyEdit(0, 0, "moreover, ", 0.6), "Moreover, the parks help."),
        ("I like it.", LikelyEdit(0, 0, "moreover, ", 0.6), "Moreover, I like it."),
        ("And parks help.", LikelyEdit(0, 4, "", 0.6), "Parks help."),
        ("“But parks help.”", LikelyEdit(1, 4, "however,", 0.6), "“However, parks help.”"),
        ("Parks help me.", LikelyEdit(11, 13, "us", 0.6), "Parks help us."),
    ],
)
def test_an_edit_is_put_in_with_the_right_capitals(
    sentence: str, edit: LikelyEdit, expected: str
) -> None:
    assert proposed(sentence, edit) == [expected]


def test_nothing_is_put_before_a_word_that_may_be_a_name() -> None:
    assert proposed("Rose helps.", LikelyEdit(0, 0, "moreover, ", 0.6)) == []


def test_two_sure_edits_are_proposed_together_as_well() -> None:
    both = (LikelyEdit(0, 3, "however,", 0.6), LikelyEdit(15, 15, " us", 0.4))
    assert proposed("But parks  help.", *both)[-1] == "However, parks  help us."
    unsure = (LikelyEdit(0, 3, "however,", 0.6), LikelyEdit(15, 15, " us", 0.2))
    assert len(proposed("But parks  help.", *unsure)) == 2


def test_a_candidate_is_as_likely_as_its_edit() -> None:
    judgement = Judgement(0.9, (Reason(ReasonCode.R1, 0.8),), 0, (LikelyEdit(0, 3, "so", 0.25),))
    [candidate] = propose(Situation(("We like parks.", "But it is."), "", 1, judgement))
    assert (candidate.prior, candidate.reason) == (0.25, ReasonCode.R1)
