"""From judgements to findings: what is shown of a flagged sentence, and under which key."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from engine.analysis import (
    Action,
    Analysis,
    Finding,
    Judgement,
    Reason,
    Rewrite,
    ScoredSentence,
    finding_key,
)
from engine.errors import BackendError
from engine.essay import Essay, Notice
from engine.explanations import (
    better_leaves_a_mark,
    confidence,
    explain,
    keeping_leaves_a_mark,
    without_rewrite,
)
from engine.scheme import ReasonCode

SHOWN_REASON = 0.10
MOST_REASONS = 3


_STRAYING = frozenset({ReasonCode.R5, ReasonCode.R6})
_FEWEST_FLAGS = 6
_MANY = 0.7
"""Experts mark three of four sentences in the most muddled essays."""
_LONG_FOR_ONE = 60
"""Words; hardly anyone writes one sentence so long on purpose."""


def too_short(essay: Essay) -> Analysis:
    """The analysis of an essay of one sentence, which says why there is nothing to judge."""
    only = essay.sentences[0]
    lacks_stops = len(only.text.split()) >= _LONG_FOR_ONE
    advice = (
        "Segue found no full stop in it, nor any other end of a sentence: put one where each "
        "sentence ends, and check again."
        if lacks_stops
        else "Write at least two sentences."
    )
    return Analysis(
        content_hash=essay.content_hash,
        topic=essay.topic,
        sentences=(ScoredSentence(only.span, only.text, None),),
        findings=(),
        threshold=1.0,
        notices=(
            Notice(
                "one-sentence",
                "This essay has only one sentence, so there is nothing before it to follow from. "
                + advice,
            ),
        ),
    )


def complete(judged: Mapping[int, Judgement], total: int) -> list[Judgement]:
    """The judgements in order; the first sentence has no context and is never flagged.

    Raises BackendError where a sentence was not judged: a gap must not read as "all is well".
    """
    judgements = [Judgement(None)]
    for index in range(1, total):
        judgement = judged.get(index)
        if judgement is None or judgement.probability is None:
            raise BackendError(f"The model gave no judgement of sentence {index + 1}.")
        if not math.isfinite(judgement.probability):
            raise BackendError(f"The model's judgement of sentence {index + 1} is not a number.")
        judgements.append(judgement)
    return judgements


def findings_of(
    essay: Essay,
    judgements: Sequence[Judgement],
    threshold: float,
    only: Collection[int] | None = None,
) -> tuple[Finding, ...]:
    """A finding for each sentence from the threshold on, or for those in `only`; no rewrites."""
    texts = tuple(sentence.text for sentence in essay.sentences)
    keys = _unique_keys(texts)
    strays = {
        index
        for index, judgement in enumerate(judgements)
        if judgement.probability is not None
        and judgement.probability >= threshold
        and judgement.reasons[:1]
        and judgement.reasons[0].code in _STRAYING
    }
    return tuple(
        Finding(
            sentence=index,
            probability=judgement.probability,
            reasons=_shown(judgement.reasons),
            anchor=judgement.anchor,
            explanation=explain(texts, essay.topic, index, judgement),
            key=keys[index],
            confidence=confidence(judgement.probability, threshold),
        )
        for index, judgement in enumerate(_anchored(judgements, strays))
        if judgement.probability is not None
        and (judgement.probability >= threshold if only is None else index in only)
    )


def _anchored(judgements: Sequence[Judgement], strays: Collection[int]) -> Iterator[Judgement]:
    """The judgements, none with an anchor that strays itself: what that hangs on takes its place.

    Nobody should be told to connect a sentence to one that they are told to delete.
    """
    for judgement in judgements:
        anchor = judgement.anchor
        while anchor is not None and anchor in strays:
            anchor = judgements[anchor].anchor
        yield judgement if anchor == judgement.anchor else replace(judgement, anchor=anchor)


def many_flags(
    findings: Sequence[Finding], total: int, *, corrects: bool = False
) -> tuple[Notice, ...]:
    """The notice that so much of the text is marked that the marks say little; mostly none.

    `corrects` says whether the text was judged as if its grammar were corrected.
    """
    if len(findings) < _FEWEST_FLAGS or len(findings) < _MANY * (total - 1):
        return ()
    advice = "" if corrects else " You can also have the grammar corrected before judging."
    return (
        Notice(
            "many-flags",
            f"{len(findings)} of {total} sentences are marked. Where it is so many, slips of "
            "grammar or a kind of text that Segue does not know often mislead it. Begin with the "
            f"surest marks, or show few.{advice}",
        ),
    )


def bounds(
    findings: Sequence[Finding], threshold: float
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """The findings with the probability that a rewrite has to stay under, those alike together.

    One that was not flagged has to get better than it is.
    """
    flagged = tuple(one.sentence for one in findings if one.probability >= threshold)
    if flagged:
        yield threshold, flagged
    for finding in findings:
        if finding.probability < threshold:
            yield finding.probability, (finding.sentence,)


def note(finding: Finding, rewrites: Sequence[Rewrite], threshold: float) -> str:
    """What to say where nothing mends the sentence, or nothing that keeps it takes its mark off."""
    if not rewrites:
        return without_rewrite(finding.code)
    left = [one.probability_after for one in rewrites if not one.clears]
    if not left or finding.probability < threshold:
        return ""
    may_go = any(one.action is Action.DELETE for one in rewrites)
    tell = keeping_leaves_a_mark if may_go else better_leaves_a_mark
    return tell(finding.probability, left[0])


def _shown(reasons: Sequence[Reason]) -> tuple[Reason, ...]:
    """The reasons worth showing: the first, and up to two more that are likely enough."""
    more = [reason for reason in reasons[1:MOST_REASONS] if reason.probability >= SHOWN_REASON]
    return (*reasons[:1], *more)


def _unique_keys(texts: Sequence[str]) -> list[str]:
    """A key a sentence; of sentences repeated word for word, the later ones are numbered."""
    seen: Counter[str] = Counter()
    keys = []
    for index in range(len(texts)):
        key = finding_key(texts, index)
        seen[key] += 1
        keys.append(key if seen[key] == 1 else f"{key}-{seen[key]}")
    return keys
