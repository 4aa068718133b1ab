"""Edits that the tagger's encoder has learned from annotators' rewrites, for every reason.

It proposes them word by word while it reads the essay (see `LikelyEdit`), so they cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from engine.analysis import LikelyEdit
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.wording import WORD, capital_is_doubtful, lower_first, upper_first

MOST_SINGLE = 6
_SURE = 0.3
"""Two edits that are both at least this likely are also proposed together."""


def propose(situation: Situation) -> Iterator[Candidate]:
    """Each likely edit alone, and pairs of those that are nearly certain."""
    edits = situation.judgement.edits[:MOST_SINGLE]
    for edit in edits:
        yield from _candidate(situation, (edit,))
    sure = sorted((e for e in edits if e.chance >= _SURE), key=lambda e: (e.start, e.end))
    for first, second in combinations(sure, 2):
        if first.end <= second.start and (first.start, first.end) != (second.start, second.end):
            yield from _candidate(situation, (first, second))


def _candidate(situation: Situation, edits: tuple[LikelyEdit, ...]) -> Iterator[Candidate]:
    text = _applied(situation, edits)
    if text is not None:
        chance = min(edit.chance for edit in edits)
        yield Candidate(text, "learned", situation.top, chance)


def _applied(situation: Situation, edits: tuple[LikelyEdit, ...]) -> str | None:
    """The sentence with the edits in place; None where its capitals would be a guess."""
    sentence = situation.sentence
    for edit in reversed(edits):
        before, after = sentence[: edit.start], sentence[edit.end :]
        if WORD.search(before):
            sentence = before + edit.new + after
            continue
        opened = sentence[edit.start :]
        was_capital = any(c.isupper() for c in _first_letter(opened))
        if edit.start == edit.end:
            essay = (*situation.sentences, situation.topic)
            if capital_is_doubtful(after, essay):
                return None
            after = lower_first(after, essay)
        joined = edit.new + after
        sentence = before + (upper_first(joined) if was_capital else joined)
    return sentence


def _first_letter(text: str) -> str:
    match = WORD.search(text)
    return match.group()[:1] if match else ""
