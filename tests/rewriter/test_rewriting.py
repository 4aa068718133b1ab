"""The rounds: shared passes, honest probabilities, nothing that harms the text after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import pytest

from engine.analysis import Action, Judgement, Rewrite
from engine.diff import apply_edits
from engine.errors import Cancelled
from engine.rewriter import Rewriter
from engine.rewriter.inventory import Relation, opening_marker
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import ESSAY, THRESHOLD, TOPIC, ScriptedScorer, judgement

_FINE = Judgement(0.05)


def _suggest(
    essay: Sequence[str],
    flagged: dict[int, ReasonCode],
    score: ScriptedScorer,
    *,
    limit: int = 3,
) -> dict[int, tuple[Rewrite, ...]]:
    judgements = [judgement(flagged[i]) if i in flagged else _FINE for i in range(len(essay))]
    return dict(
        Rewriter(limit=limit).suggest_all(
            essay, TOPIC, judgements, sorted(flagged), score=score, threshold=THRESHOLD
        )
    )


def _likes(*openings: str) -> ScriptedScorer:
    """Flags the third sentence unless it opens with one of `openings`."""

    def rule(sentences: Sequence[str], index: int) -> float:
        return 0.9 if index == 2 and not sentences[index].startswith(openings) else 0.1

    return ScriptedScorer(rule)


def test_a_rewrite_carries_what_the_scorer_said_of_it() -> None:
    told = ScriptedScorer(lambda s, i: 0.9 if s[i].startswith("But") else 0.25)
    (first, *_) = _suggest(ESSAY, {2: ReasonCode.R3}, told)[2]
    assert first.text == "However, it costs them hours of sleep."
    assert first.probability_after == 0.25
    assert first.operator == "marker-change"
    assert first.reason is ReasonCode.R3
    assert apply_edits(ESSAY[2], first.edits) == first.text


def test_where_nothing_clears_the_flag_the_experts_usual_answer_is_offered_and_says_so() -> None:
    (only,) = _suggest(ESSAY, {2: ReasonCode.R3}, _likes("Nothing"))[2]
    assert only.text == "However, it costs them hours of sleep."
    assert not only.clears
    essay = (*ESSAY[:2], "It costs them hours of sleep.", *ESSAY[3:])
    assert _suggest(essay, {2: ReasonCode.R3}, _likes("Nothing"))[2] == ()


def test_what_clears_no_flag_is_not_offered_where_it_makes_the_sentence_worse() -> None:
    worse = ScriptedScorer(lambda s, i: 0.95 if i == 2 else 0.1)
    assert _suggest(ESSAY, {2: ReasonCode.R3}, worse)[2] == ()


def test_a_hair_over_the_threshold_is_no_new_flag() -> None:
    def lifting(sentences: Sequence[str], index: int) -> float:
        if index == 4:
            return 0.51
        return 0.9 if sentences[index].startswith("But") else 0.1

    judgements = [judgement(ReasonCode.R3) if i == 2 else Judgement(0.48) for i in range(5)]
    told = Rewriter().suggest_all(
        ESSAY, TOPIC, judgements, [2], score=ScriptedScorer(lifting), threshold=THRESHOLD
    )
    first = dict(told)[2][0]
    assert first.text == "However, it costs them hours of sleep."
    assert first.clears


def test_only_rewrites_that_clear_the_flag_are_offered_where_one_does() -> None:
    essay = (*ESSAY[:2], "And they lose hours of sleep.", *ESSAY[3:])
    found = _suggest(essay, {2: ReasonCode.R3}, _likes("Moreover"))[2]
    assert [r.text for r in found] == ["Moreover, they lose hours of sleep."]


def test_a_rewrite_that_flags_a_later_sentence_is_not_offered() -> None:
    def rule(sentences: Sequence[str], index: int) -> float:
        if index == 4:
            return 0.9 if sentences[2].startswith("However") else 0.05
        return 0.9 if sentences[index].startswith("But") else 0.1

    found = _suggest(ESSAY, {2: ReasonCode.R3}, ScriptedScorer(rule))[2]
    assert not any(r.text.startswith("However") for r in found)


def test_a_later_sentence_that_was_flagged_anyway_is_no_objection() -> None:
    def rule(sentences: Sequence[str], index: int) -> float:
        return 0.9 if index == 4 or sentences[index].startswith("But") else 0.1

    found = _suggest(ESSAY, {2: ReasonCode.R3, 4: ReasonCode.R4}, ScriptedScorer(rule))
    assert found[2]


def test_side_remarks_are_first_of_all_deleted_and_may_be_kept() -> None:
    essay = (*ESSAY[:2], "My time was short once.", *ESSAY[3:])
    found = _suggest(essay, {2: ReasonCode.R6}, ScriptedScorer(lambda s, i: 0.1))[2]
    assert found[0].action is Action.DELETE
    assert found[0].text == ""
    assert found[0].edits[0].old == essay[2]
    assert found[1].text == "For example, my time was short once."


def test_no_linking_word_ties_in_what_has_nothing_to_do_with_the_text() -> None:
    essay = (*ESSAY[:2], "The volcano is very hot.", *ESSAY[3:])
    found = _suggest(essay, {2: ReasonCode.R6}, ScriptedScorer(lambda s, i: 0.1))[2]
    assert [r.action for r in found] == [Action.DELETE, Action.REPLACE]
    opening = opening_marker(found[1].text)
    assert opening is None or opening.marker.relation is Relation.EMPHASIS


def test_a_deletion_reports_the_sentence_that_follows_the_gap() -> None:
    essay = (*ESSAY[:2], "A volcano is very hot.", *ESSAY[3:])
    told = ScriptedScorer(lambda s, i: 0.33 if s[i] == essay[3] and i == 2 else 0.1)
    assert _suggest(essay, {2: ReasonCode.R6}, told)[2][0].probability_after == 0.33


def test_a_deletion_that_breaks_the_next_sentence_is_not_offered() -> None:
    essay = (*ESSAY[:2], "A volcano is very hot.", *ESSAY[3:])
    told = ScriptedScorer(lambda s, i: 0.9 if s[i] == essay[3] and i == 2 else 0.1)
    assert all(r.action is Action.REPLACE for r in _suggest(essay, {2: ReasonCode.R6}, told)[2])


def test_deleting_the_last_sentence_leaves_nothing_to_break() -> None:
    essay = (*ESSAY[:4], "A volcano is very hot.")
    found = _suggest(essay, {4: ReasonCode.R6}, ScriptedScorer(lambda s, i: 0.1))[4]
    assert found[0].action is Action.DELETE
    assert found[0].probability_after == 0.0


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_alternatives_are_distinct_and_at_most_the_limit(limit: int) -> None:
    essay = (*ESSAY[:2], "And they lose hours of sleep.", *ESSAY[3:])
    found = _suggest(essay, {2: ReasonCode.R3}, _likes("They", "In", "Moreover"), limit=limit)
    assert 1 <= len(found[2]) <= limit
    assert len({r.text for r in found[2]}) == len(found[2])


def test_findings_apart_share_a_pass_and_neighbours_do_not() -> None:
    essay = [f"But sentence {n} is late." for n in range(9)]
    told = ScriptedScorer(lambda s, i: 0.9)
    _suggest(essay, dict.fromkeys(range(1, 9), ReasonCode.R3), told)
    assert len(told.passes) <= 4
    for sentences, _ in told.passes:
        changed = [n for n, text in enumerate(sentences) if text != essay[n]]
        assert len(changed) >= 3
        assert all(b - a >= 2 for a, b in pairwise(changed))


def test_the_number_of_passes_does_not_grow_with_the_essay() -> None:
    essay = [f"But sentence {n} is late." for n in range(300)]
    told = ScriptedScorer(lambda s, i: 0.9)
    found = _suggest(essay, dict.fromkeys(range(3, 300, 3), ReasonCode.R3), told)
    assert len(found) == 99
    assert len(told.passes) <= 4


def test_a_pass_asks_only_about_what_may_have_changed_and_never_the_opening() -> None:
    essay = [f"This is sentence {n}." for n in range(40)]
    essay[20] = "But it is late."
    told = ScriptedScorer(lambda s, i: 0.9)
    _suggest(essay, {20: ReasonCode.R3}, told)
    assert all(asked <= set(range(20, 26)) for _, asked in told.passes)


def test_every_flagged_sentence_gets_one_answer_even_an_empty_one() -> None:
    essay = ["We rest.", "Rest is blue.", "But we rest."]
    told = ScriptedScorer(lambda s, i: 0.9)
    judgements = [_FINE, Judgement(0.9), judgement(ReasonCode.R3)]
    answers = list(
        Rewriter().suggest_all(essay, "", judgements, [1, 2], score=told, threshold=THRESHOLD)
    )
    assert sorted(index for index, _ in answers) == [1, 2]
    assert dict(answers)[1] == ()


def test_nothing_flagged_costs_no_pass() -> None:
    told = ScriptedScorer(lambda s, i: 0.1)
    assert _suggest(ESSAY, {}, told) == {}
    assert told.passes == []


def test_cancelling_stops_between_passes() -> None:
    told = ScriptedScorer(lambda s, i: 0.9)

    def stop_after_one() -> None:
        if told.passes:
            raise Cancelled

    essay = (*ESSAY[:2], "And they lose hours of sleep.", *ESSAY[3:])
    judgements = [_FINE, _FINE, judgement(ReasonCode.R3), _FINE, _FINE]
    answers = Rewriter().suggest_all(
        essay, TOPIC, judgements, [2], score=told, threshold=THRESHOLD,
        check_cancelled=stop_after_one,
    )  # fmt: skip
    with pytest.raises(Cancelled):
        list(answers)
    assert len(told.passes) == 1


def test_answers_come_as_soon_as_they_are_ready() -> None:
    told = ScriptedScorer(lambda s, i: 0.9)
    judgements = [_FINE, Judgement(0.9), judgement(ReasonCode.R3), _FINE, _FINE]
    answers = Rewriter().suggest_all(
        ESSAY, TOPIC, judgements, [1, 2], score=told, threshold=THRESHOLD
    )
    assert next(answers) == (1, ())
    assert told.passes == []


def test_the_rewrites_of_an_essay_vary_among_themselves() -> None:
    nouns = ("shops", "parks", "trains", "cars", "books", "games")
    essay = ["We live in a city."]
    for noun in nouns:
        essay += [f"But the {noun} are never open.", "That is a pity.", "It is so."]
    flagged = {1 + 3 * n: ReasonCode.R3 for n in range(len(nouns))}
    told = ScriptedScorer(lambda s, i: 0.1)
    found = _suggest(essay, flagged, told)
    firsts = [found[index][0].text.split(",")[0] for index in sorted(found)]
    assert firsts[0] == "However"
    assert len(set(firsts)) >= 3
    assert max(Counter(firsts).values()) <= 2


def test_neighbouring_rewrites_do_not_begin_alike() -> None:
    essay = ["We live in a city.", "But the shops are shut.", "But the parks are shut.", "Good."]
    found = _suggest(essay, dict.fromkeys((1, 2), ReasonCode.R3), ScriptedScorer(lambda s, i: 0.1))
    first, second = (found[index][0].text.split(",")[0] for index in (1, 2))
    assert (first, second) == ("However", "On the other hand")


def test_the_ways_to_keep_side_remarks_take_turns() -> None:
    essay = [*ESSAY[:2]]
    for noun in ("volcano", "banana", "glacier"):
        essay += [f"The {noun} is very old.", "Good.", "So."]
    flagged = dict.fromkeys((2, 5, 8), ReasonCode.R6)
    found = _suggest(essay, flagged, ScriptedScorer(lambda s, i: 0.1))
    kept = [found[index][1].text.split(",")[0] for index in sorted(found)]
    assert len(set(kept)) == len(kept)
