"""Grammar no worse, meaning kept: what is measured, and of which candidates."""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis import Action, Judgement
from engine.rewriter import Rewriter
from engine.rewriter.candidates import Candidate
from engine.rewriter.checks import LEAST_LIKENESS, MOST_TRIED, Checks
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import ESSAY, THRESHOLD, ScriptedScorer, judgement, situation

_HERE = situation("But it cost hours.", ReasonCode.R3)


def _candidate(text: str, operator: str = "marker-change") -> Candidate:
    return Candidate(text, operator, ReasonCode.R3, 0.5)


def _mistakes(text: str) -> int:
    return text.count("cost ") + text.count("However it")


def test_a_rewrite_may_keep_a_mistake_but_not_add_one() -> None:
    checks = Checks(mistakes=_mistakes)
    assert checks.allows(_candidate("However, it cost hours."), _HERE)
    assert checks.allows(_candidate("However, it costs hours."), _HERE)
    assert not checks.allows(_candidate("However it cost hours."), _HERE)


def test_meaning_is_measured_where_a_model_wrote() -> None:
    asked: list[str] = []

    def likeness(old: str, new: str) -> float:
        asked.append(new)
        return LEAST_LIKENESS - 0.01 if "cat" in new else LEAST_LIKENESS

    checks = Checks(likeness=likeness)
    assert not checks.allows(_candidate("A cat sleeps.", "generated"), _HERE)
    assert checks.allows(_candidate("It costs hours.", "generated"), _HERE)
    assert checks.allows(_candidate("However, the cat costs hours."), _HERE)
    assert len(asked) == 2


def test_a_deletion_has_neither_grammar_nor_meaning() -> None:
    deletion = Candidate("", "generated", ReasonCode.R6, 1.0, Action.DELETE)
    strict = Checks(mistakes=lambda text: 1 - bool(text), likeness=lambda old, new: 0.0)
    assert strict.allows(deletion, _HERE)


def test_no_more_are_looked_at_than_can_be_tried() -> None:
    asked: list[str] = []

    def mistakes(text: str) -> int:
        asked.append(text)
        return 0

    proposed = [_candidate(f"However, it costs {n} hours.") for n in range(50)]
    assert len(list(Checks(mistakes=mistakes).allowed(proposed, _HERE))) == MOST_TRIED
    assert len(asked) <= 2 * MOST_TRIED + 2


def _rewritten(checks: Checks | None, code: ReasonCode, sentence: str) -> Sequence[str]:
    essay = (*ESSAY[:2], sentence, *ESSAY[3:])
    judgements = [judgement(code) if n == 2 else Judgement(0.05) for n in range(len(essay))]
    told = ScriptedScorer(lambda s, i: 0.1)
    found = dict(
        Rewriter(checks=checks).suggest_all(
            essay, "", judgements, [2], score=told, threshold=THRESHOLD
        )
    )
    return [one.text for one in found[2]]


def test_the_rewriter_never_tries_what_makes_grammar_worse() -> None:
    essay_sentence = "But it costs them hours of sleep."
    free = _rewritten(None, ReasonCode.R3, essay_sentence)
    assert any(text.startswith("However") for text in free)
    checks = Checks(mistakes=lambda text: int(text.startswith("However")))
    assert not any(
        text.startswith("However") for text in _rewritten(checks, ReasonCode.R3, essay_sentence)
    )


def test_ways_to_keep_a_sentence_are_looked_at_too() -> None:
    checks = Checks(mistakes=lambda text: int("In fact" in text))
    assert "In fact, the volcano is very hot." in _rewritten(
        None, ReasonCode.R6, "The volcano is very hot."
    )
    kept = _rewritten(checks, ReasonCode.R6, "The volcano is very hot.")
    assert not any("In fact" in text for text in kept)
