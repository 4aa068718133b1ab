"""Which candidates to try, in which order, and which of those tried to offer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.analysis import Action, Edit, EditKind, Rewrite
from engine.diff import changed_words, word_edits
from engine.rewriter import (
    deletion,
    guard,
    links,
    markers,
    polarity,
    references,
    trimming,
    word_choice,
)
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import opening_marker
from engine.scheme import ReasonCode

_R = ReasonCode
_OPERATORS: tuple[tuple[Callable[[Situation], Iterable[Candidate]], frozenset[ReasonCode]], ...] = (
    (deletion.propose, frozenset({_R.R5, _R.R6})),
    (links.propose, frozenset({_R.R5, _R.R6})),
    (trimming.propose, frozenset({_R.R5, _R.R6, _R.R7})),
    (markers.propose, frozenset({_R.R3})),
    (references.propose, frozenset({_R.R1, _R.R2})),
    (word_choice.propose, frozenset({_R.R1, _R.R7})),
    (polarity.propose, frozenset({_R.R4, _R.R7})),
)
"""Each kind of edit with the reasons that it answers."""

_LIKELY = 0.12
_USUAL_LEAST_PRIOR = 0.1
_LEAST_PRIOR: dict[ReasonCode, float] = {_R.R1: 0.05, _R.R2: 0.08, _R.R5: 0.0, _R.R6: 0.0}
"""What experts hardly ever do is not offered; but a deletion needs an alternative that keeps the
sentence, and weak links and references have few repairs that need no parser."""
_NEARLY_TOP = 0.75
"""A sentence that strays is mended by what answers another reason only where that is about as
likely; a new linking word or a noun for a pronoun makes no side remark a part of the argument."""
_LEAST_WEIGHT = 0.02
_NEXT_OF_A_KIND = 0.7
_SURE = 0.3
"""What experts make so often, given the reason, is worth offering though a mark remains."""
_SURE_KINDS = frozenset({"marker-change", "marker-drop", "opposite"})
_PRIOR_WORTH = 0.15
"""How much probability a candidate that experts surely favour is worth in a tie."""


def candidates(situation: Situation) -> list[Candidate]:
    """All that the operators propose and the guard allows, the likeliest first, none twice."""
    if not situation.judgement.reasons:
        return []
    best: dict[str, Candidate] = {}
    for propose, codes in _OPERATORS:
        if situation.top not in codes and max(_chance(situation, c) for c in codes) < _LIKELY:
            continue
        for candidate in propose(situation):
            known = best.get(candidate.text)
            if known is None or _promise(known, situation) < _promise(candidate, situation):
                best[candidate.text] = candidate
    allowed = [
        candidate
        for candidate in best.values()
        if _answers(candidate, situation) and guard.allows(candidate, situation)
    ]
    return _mixed(sorted(allowed, key=lambda candidate: -_promise(candidate, situation)), situation)


def _mixed(ordered: list[Candidate], situation: Situation) -> list[Candidate]:
    """The candidates again, each further one of a kind moved back a little."""
    seen: Counter[str] = Counter()
    keyed: list[tuple[float, Candidate]] = []
    for candidate in ordered:
        keyed.append(
            (
                _promise(candidate, situation) * _NEXT_OF_A_KIND ** seen[candidate.operator],
                candidate,
            )
        )
        seen[candidate.operator] += 1
    return [candidate for _, candidate in sorted(keyed, key=lambda pair: -pair[0])]


def _answers(candidate: Candidate, situation: Situation) -> bool:
    """Whether the reason that it answers is a live one, and experts would ever do it."""
    if candidate.reason is None or candidate.action is Action.DELETE:
        return True
    if candidate.prior < _LEAST_PRIOR.get(candidate.reason, _USUAL_LEAST_PRIOR):
        return False
    if candidate.reason is situation.top:
        return True
    if situation.top in deletion.DELETABLE:
        least = _NEARLY_TOP * _chance(situation, situation.top)
        return _chance(situation, candidate.reason) >= least
    return _chance(situation, candidate.reason) >= _LIKELY


def _promise(candidate: Candidate, situation: Situation) -> float:
    chance = _LEAST_WEIGHT if candidate.reason is None else _chance(situation, candidate.reason)
    return candidate.prior * max(chance, _LEAST_WEIGHT)


def _chance(situation: Situation, code: ReasonCode) -> float:
    return situation.reasons.get(code, 0.0)


def as_rewrite(
    candidate: Candidate, sentence: str, probability: float, *, clears: bool = True
) -> Rewrite:
    """The candidate as a rewrite, with what the tagger said of it in place."""
    if candidate.action is Action.DELETE:
        edits: tuple[Edit, ...] = (Edit(EditKind.DELETE, 0, len(sentence), sentence, ""),)
    else:
        edits = word_edits(sentence, candidate.text)
    return Rewrite(
        candidate.action,
        candidate.text,
        edits,
        probability,
        operator=candidate.operator,
        reason=candidate.reason,
        clears=clears,
    )


def offer(
    accepted: Sequence[tuple[Candidate, float]],
    situation: Situation,
    limit: int,
    *,
    refused: Sequence[tuple[Candidate, float]] = (),
    fluency: Mapping[str, float] | None = None,
) -> tuple[Rewrite, ...]:
    """The best of the candidates that cleared the flag, at most `limit`.

    A deletion comes first where the sentence most likely strays, else last; then come the fewest
    changed words (a linking word counts as one, however long); then the more fluent by `fluency`,
    which has the mean log probability of every text that ties so far; then the lower probability.
    A deletion that would stand alone is followed by the likeliest way to keep the sentence among
    the `refused`, which did not clear the flag and are marked so.
    """

    def rank(entry: tuple[Candidate, float]) -> tuple[int, int, float, float]:
        candidate, probability = entry
        if candidate.action is Action.DELETE:
            return (0 if situation.top in deletion.DELETABLE else 2, 0, 0.0, 0.0)
        size = changed_size(situation.sentence, candidate.text)
        stumbles = -fluency.get(candidate.text, 0.0) if fluency else 0.0
        return (1, size, stumbles, probability - _PRIOR_WORTH * candidate.prior)

    chosen = sorted(accepted, key=rank)[:limit]
    offered = [as_rewrite(c, situation.sentence, p) for c, p in chosen]
    if refused and limit > 1 and [c.action for c, _ in chosen] == [Action.DELETE]:
        before = situation.judgement.probability or 1.0
        keeper, probability = min(refused, key=lambda entry: _as_keeper(entry, before))
        offered.append(as_rewrite(keeper, situation.sentence, probability, clears=False))
    return tuple(offered)


def stand_in(tried: Sequence[tuple[Candidate, float]], situation: Situation) -> tuple[Rewrite, ...]:
    """Of what was tried and clears no flag, the one that experts would surely make; none if none.

    It answers what is likeliest wrong and does not make the sentence worse.
    """
    before = situation.judgement.probability or 1.0
    sure = [
        (candidate, probability)
        for candidate, probability in tried
        if candidate.operator in _SURE_KINDS
        and candidate.reason is situation.top
        and candidate.prior >= _SURE
        and probability <= before
    ]
    best = sorted(sure, key=lambda entry: (-entry[0].prior, entry[1]))[:1]
    return tuple(as_rewrite(c, situation.sentence, p, clears=False) for c, p in best)


def _as_keeper(entry: tuple[Candidate, float], before: float) -> tuple[bool, bool, float, float]:
    """Tie-ins first, those that make it no worse; of them what fits best.

    The tagger tells a wrong linking word not surely enough to choose one by its probability alone.
    """
    candidate, probability = entry
    return (not ties_in(candidate), probability > before, -candidate.prior, probability)


def ties_in(candidate: Candidate) -> bool:
    """Whether the candidate was made to connect the sentence, not to change what it says."""
    return candidate.operator.startswith(("tie-in", "link-"))


def changed_size(old: str, new: str) -> int:
    """Changed words, where adding, changing or dropping an opening linking word counts as one."""
    before, after = opening_marker(old), opening_marker(new)
    old_text = before.marker.text if before else ""
    new_text = after.marker.text if after else ""
    if old_text == new_text:
        return changed_words(word_edits(old, new))
    old_body = old[before.body :] if before else old
    new_body = new[after.body :] if after else new
    return 1 + changed_words(word_edits(old_body.casefold(), new_body.casefold()))
