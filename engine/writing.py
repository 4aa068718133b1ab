"""The language model beside the rules: which one is wished for, and what it did in a check.

Nothing here knows how a model is loaded or prompted; that is `engine.llm`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from engine.analysis import Rewrite
from engine.essay import Notice

if TYPE_CHECKING:
    from engine.rewriter.generated import WritesEdits

OFF = "off"
STORED = "stored"
"""The backend that fits the stored model: llama.cpp for a GGUF file, else Transformers."""
SERVER = "server"


@dataclass(frozen=True, slots=True)
class WriterChoice:
    """Who is to write where the rules leave something open.

    `backend` is "off", "stored" or a name that `engine.llm.backends` knows. `model` is a stored
    model's id or a path, of a server the model's name there; empty for the first there is.
    `server` is the address of a server, and empty for everything else.
    """

    backend: str = OFF
    model: str = ""
    server: str = ""

    @property
    def is_off(self) -> bool:
        """Whether the rules work alone."""
        return self.backend == OFF

    def as_dict(self) -> dict[str, str]:
        """Plain data, as in the worker protocol."""
        return {"backend": self.backend, "model": self.model, "server": self.server}

    @classmethod
    def from_dict(cls, data: object) -> WriterChoice:
        """Read back what `as_dict` wrote. Raises ValueError on other data."""
        if not isinstance(data, Mapping):
            raise ValueError("a choice of a writer is not an object")  # noqa: TRY004 - as the next
        texts = {name: data.get(name, "") for name in ("backend", "model", "server")}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ValueError("a part of a choice of a writer is not a string")
        return cls(**{**texts, "backend": texts["backend"] or OFF})


RULES_ALONE = WriterChoice()
"""No language model."""


@runtime_checkable
class SaysWhatItIs(Protocol):
    """A generator that can be named in records."""

    def describe(self) -> Mapping[str, Any]:
        """Id, backend, model, device and the reason for it."""
        ...


@runtime_checkable
class DoesWithout(Protocol):
    """A generator that writes nothing where its model fails, and says so afterwards."""

    def begin(self) -> None:
        """Another check begins: what failed in the last one may work now."""
        ...

    def notices(self) -> tuple[Notice, ...]:
        """What failed since then."""
        ...


class WriterInUse:
    """An engine's generator, and its part in the check at hand."""

    def __init__(self, generator: WritesEdits | None = None) -> None:
        self.generator = generator

    def begin(self) -> None:
        """A check begins."""
        if isinstance(self.generator, DoesWithout):
            self.generator.begin()

    def signed(self, rewrites: Sequence[Rewrite]) -> tuple[Rewrite, ...]:
        """The rewrites, those that were generated with the name of the model that wrote them."""
        if self.generator is None:
            return tuple(rewrites)
        from engine.rewriter.generated import OPERATOR

        name = name_of(self.record() or {})
        return tuple(replace(r, writer=name) if r.operator == OPERATOR else r for r in rewrites)

    def notices(self) -> tuple[Notice, ...]:
        """What the user should know of it after the check."""
        return self.generator.notices() if isinstance(self.generator, DoesWithout) else ()

    def record(self) -> Mapping[str, Any] | None:
        """What it is, for the analysis; None where the rules work alone."""
        if self.generator is None:
            return None
        if isinstance(self.generator, SaysWhatItIs):
            return dict(self.generator.describe())
        return {"id": type(self.generator).__name__}


def name_of(description: Mapping[str, Any]) -> str:
    """The model as a reader should see it; on a server with where that is."""
    name = str(description.get("id") or description.get("model") or "a language model")
    if description.get("leaves_machine"):
        return f"{name} on {description.get('device', 'a server')}"
    return name
