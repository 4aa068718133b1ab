"""A range of text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A half-open range of code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The piece of `text` that this span covers."""
        return text[self.start : self.end]

    def __len__(self) -> int:
        return self.end - self.start
