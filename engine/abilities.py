"""What the pipeline needs of a tagger and of a rewriter, whoever provides them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from engine.analysis import Judgement, Relater, Rewrite, Scorer


def nothing() -> None:
    """A cancel check that never stops anything."""


class JudgesSentences(Protocol):
    """What the pipeline needs of a tagger."""

    def judge(
        self,
        sentences: Sequence[str],
        topic: str,
        only: Collection[int] | None = None,
        *,
        check_cancelled: Callable[[], None] = nothing,
    ) -> Mapping[int, Judgement]:
        """A judgement for each sentence, or for those in `only`."""
        ...


@runtime_checkable
class ComparesSentences(Protocol):
    """A tagger that can also tell whether two sentences say much the same."""

    def likeness(self, left: str, right: str) -> float:
        """From about 0.0 for sentences about different things to 1.0 for the same sentence."""
        ...


@runtime_checkable
class RelatesSentences(Protocol):
    """A tagger that can also tell how sentences hang together with those before them."""

    def relations(
        self,
        sentences: Sequence[str],
        topic: str,
        cued: Mapping[int, Mapping[str, float]],
        *,
        check_cancelled: Callable[[], None] = nothing,
    ) -> Mapping[int, Mapping[str, float]]:
        """P(relation) for every index in `cued`, which has what word cues say of it."""
        ...


class SuggestsRewrites(Protocol):
    """What the pipeline needs of a rewriter."""

    def suggest_all(
        self,
        sentences: Sequence[str],
        topic: str,
        judgements: Sequence[Judgement],
        flagged: Sequence[int],
        *,
        score: Scorer,
        threshold: float,
        relate: Relater | None = None,
        check_cancelled: Callable[[], None] = nothing,
    ) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
        """For each flagged sentence, the rewrites that clear its flag, best first."""
        ...
