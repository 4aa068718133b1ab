"""What the tests of generation share: requests, and a cancel check that counts."""

from __future__ import annotations

from engine.errors import Cancelled
from engine.llm.protocol import GenerationRequest, Message


def ask(text: str = "Say something.", **changes: object) -> GenerationRequest:
    """A chat request."""
    return GenerationRequest(messages=(Message("user", text),), **changes)  # type: ignore[arg-type]


class CancelAfter:
    """A cancel check that raises when it is called for the `count`-th time."""

    def __init__(self, count: int) -> None:
        self.left = count
        self.calls = 0

    def __call__(self) -> None:
        self.calls += 1
        self.left -= 1
        if self.left < 0:
            raise Cancelled
