"""What every text generator takes and gives, whatever runs it.

A backend streams through `on_text`, asks `check_cancelled` at least once a token, and gives the
same text for the same request and seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length"]

TextListener = Callable[[str], None]
"""Hears each new piece of text as it is generated."""

CancelCheck = Callable[[], None]
"""Raises `Cancelled` when the user asked to stop."""


def never() -> None:
    """A cancel check that never stops anything."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat."""

    role: Role
    content: str

    def as_dict(self) -> dict[str, str]:
        """Plain data, as chat templates and OpenAI-compatible servers take it."""
        return {"role": self.role, "content": self.content}


@dataclass(frozen=True, slots=True)
class GenerationRequest:
    """What to generate from: either a chat (`messages`) or plain text to go on from (`prompt`).

    `temperature` 0 takes the likeliest token each time. `seed` fixes the choice at a higher
    temperature. Generation ends at any of the `stop` strings (which are not part of the text) or
    after `max_tokens`. `n` is how many texts `generate_all` gives for the request; the further
    ones count the seed up. Raises ValueError where the fields contradict one another.
    """

    messages: tuple[Message, ...] = ()
    prompt: str = ""
    max_tokens: int = 128
    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    n: int = 1

    def __post_init__(self) -> None:
        if bool(self.messages) == bool(self.prompt):
            raise ValueError("a request needs either messages or a prompt")
        if self.max_tokens < 1 or self.n < 1:
            raise ValueError("max_tokens and n must be at least 1")
        if self.temperature < 0.0 or not 0.0 < self.top_p <= 1.0:
            raise ValueError("temperature must not be negative, and top_p lies in 0..1")
        if "" in self.stop:
            raise ValueError("an empty stop string would end every text")


@dataclass(frozen=True, slots=True)
class Generation:
    """A generated text, and what it cost.

    `tokens` and `prompt_tokens` count the model's own tokens (0 where a server does not say);
    `seconds` is wall-clock time. `finish_reason` is "length" where `max_tokens` cut it off.
    """

    text: str
    tokens: int = 0
    seconds: float = 0.0
    prompt_tokens: int = 0
    finish_reason: FinishReason = "stop"


class GeneratesText(Protocol):
    """A loaded model, or a server that runs one."""

    @property
    def leaves_machine(self) -> bool:
        """Whether the text of a request goes to another computer."""
        ...

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """One text for the request. Raises BackendError and Cancelled."""
        ...

    def generate_all(
        self,
        requests: Sequence[GenerationRequest],
        *,
        check_cancelled: CancelCheck = never,
    ) -> list[tuple[Generation, ...]]:
        """`request.n` texts for each request, in order. Raises BackendError and Cancelled."""
        ...

    def describe(self) -> dict[str, Any]:
        """Backend, model, device and the reason for it, as plain data for records."""
        ...

    def close(self) -> None:
        """Give back the memory or the connection; a closed backend is not used again."""
        ...


@runtime_checkable
class JudgesFluency(Protocol):
    """A backend that can also say how likely a text is."""

    def likelihood(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float:
        """The mean log probability of the text's tokens after the context, in nats a token.

        Never positive; the nearer to 0, the more fluent. Raises BackendError and Cancelled,
        ValueError on an empty text.
        """
        ...
