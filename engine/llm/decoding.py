"""Generating token by token, reading ahead where the output copies the prompt.

A minimal edit repeats most of its sentence. So after each chosen token the last few are looked up
in what was read, and the tokens that followed them there are read along in the same pass; as many
of them as the model would have chosen itself are taken at once (prompt-lookup decoding, Saxena
2023). The result is that of one token at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import numpy as np

from engine.llm.sampling import Sampler, Scores

MOST_DRAFTED = 10
"""Tokens read ahead at a time."""
BLOCK = 64
"""A prompt is read in blocks that begin at multiples of this, and whole blocks are remembered.
What a runtime computes differs in the last digits with the number of tokens in a pass; with fixed
blocks a request gives the same text whatever was asked before it."""
_LONGEST_CLUE = 3
_SHORTEST_CLUE = 2


class ReadsTokens(Protocol):
    """A causal model with a memory of what it has read."""

    def keep(self, count: int) -> int:
        """Forget all but the first `count` tokens; how many are still known (maybe fewer)."""
        ...

    def read(self, tokens: Sequence[int], *, rows: int) -> Scores:
        """Read on. The scores after each of the last `rows` of these tokens, one row each."""
        ...


class Reader:
    """A model together with the tokens that it remembers, kept between requests.

    The blocks of a new prompt that it remembers from the one before are not read again.
    """

    def __init__(self, model: ReadsTokens) -> None:
        self._model = model
        self._known: list[int] = []

    def forget(self) -> None:
        """Forget everything, as after a pass that was broken off."""
        self._known = []
        self._model.keep(0)

    def generate(
        self,
        prompt: Sequence[int],
        sampler: Sampler,
        *,
        most: int,
        is_end: Callable[[int], bool],
        looks_ahead: bool = True,
    ) -> Iterator[int]:
        """The tokens that follow the prompt, at most `most`, up to one that ends the text.

        The end token itself is not given. The caller may stop asking at any time.
        """
        tokens = list(prompt)
        rows = self._read_prompt(tokens, rows=1)
        drafted: list[int] = []
        at = 0
        for number in range(1, most + 1):
            token = sampler.pick(rows[at])
            if is_end(token):
                return
            tokens.append(token)
            yield token
            if number == most:
                return
            if at < len(drafted) and token == drafted[at]:
                at += 1
                continue
            room = min(MOST_DRAFTED, most - number - 1)
            drafted = draft(tokens, room) if looks_ahead else []
            self._model.keep(len(tokens) - 1)
            rows = self._model.read([token, *drafted], rows=1 + len(drafted))
            at = 0

    def score(self, tokens: Sequence[int], *, rows: int) -> Scores:
        """The scores after each of the last `rows` tokens, which are read for it."""
        return self._read_prompt(list(tokens), rows=rows)

    def _read_prompt(self, tokens: list[int], *, rows: int) -> Scores:
        same = min(_common_start(self._known, tokens), len(tokens) - rows)
        kept = self._model.keep(same // BLOCK * BLOCK) // BLOCK * BLOCK
        self._model.keep(kept)
        self._known = tokens[:kept]  # in case a pass is broken off
        parts: list[Scores] = []
        for start in range(kept, len(tokens), BLOCK):
            block = tokens[start : start + BLOCK]
            wanted = max(0, min(len(block), rows - (len(tokens) - start - len(block))))
            scores = self._model.read(block, rows=wanted)
            if wanted:
                parts.append(scores)
        self._known = tokens[: len(tokens) // BLOCK * BLOCK]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)


def draft(tokens: Sequence[int], most: int) -> list[int]:
    """What followed the last few tokens where they stood before, at most `most` tokens.

    The longest clue that is found decides, at its latest place.
    """
    if most <= 0:
        return []
    for length in range(_LONGEST_CLUE, _SHORTEST_CLUE - 1, -1):
        if len(tokens) <= length:
            continue
        clue = list(tokens[-length:])
        for start in range(len(tokens) - length - 1, -1, -1):
            if tokens[start] == clue[0] and list(tokens[start : start + length]) == clue:
                return list(tokens[start + length : start + length + most])
    return []


def _common_start(first: Sequence[int], second: Sequence[int]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
