"""The language model of an engine: what it is, what it wrote in a check, and what failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from engine.analysis import Rewrite
from engine.essay import Notice
from engine.writing import name_of

if TYPE_CHECKING:
    from engine.rewriter.generated import WritesEdits


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
        generator: object = self.generator
        if isinstance(generator, DoesWithout):
            generator.begin()

    def signed(self, rewrites: Sequence[Rewrite]) -> tuple[Rewrite, ...]:
        """The rewrites, those that were generated with the name of the model that wrote them."""
        if self.generator is None:
            return tuple(rewrites)
        from engine.rewriter.generated import OPERATOR

        name = name_of(self.record() or {})
        return tuple(replace(r, writer=name) if r.operator == OPERATOR else r for r in rewrites)

    def notices(self) -> tuple[Notice, ...]:
        """What the user should know of it after the check."""
        generator: object = self.generator
        return generator.notices() if isinstance(generator, DoesWithout) else ()

    def record(self) -> Mapping[str, Any] | None:
        """What it is, for the analysis; None where the rules work alone."""
        generator: object = self.generator
        if isinstance(generator, SaysWhatItIs):
            return dict(generator.describe())
        if generator is None:
            return None
        return {"id": type(generator).__name__, "backend": "given"}
