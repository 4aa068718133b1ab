"""Several requests on a backend that takes one at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from engine.llm.protocol import CancelCheck, Generation, GenerationRequest


class GeneratesOne(Protocol):
    """The part of a backend that this needs."""

    def generate(self, request: GenerationRequest, *, check_cancelled: CancelCheck) -> Generation:
        """One text for the request."""
        ...


def one_by_one(
    backend: GeneratesOne,
    requests: Sequence[GenerationRequest],
    *,
    check_cancelled: CancelCheck,
) -> list[tuple[Generation, ...]]:
    """`request.n` texts for each request, in order, one after the other."""
    return [
        tuple(
            backend.generate(single, check_cancelled=check_cancelled) for single in singles(request)
        )
        for request in requests
    ]


def singles(request: GenerationRequest) -> Iterator[GenerationRequest]:
    """The request as `n` requests for one text, whose seeds count up."""
    for number in range(request.n):
        yield replace(request, n=1, seed=request.seed + number)
