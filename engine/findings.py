"""From judgements to findings: what is shown of a flagged sentence, and under which key."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

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

SHOWN_REASON = 0.10
MOST_REASONS = 3


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
        for index, judgement in enumerate(judgements)
        if judgement.probability is not None
        and (judgement.probability >= threshold if only is None else index in only)
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
