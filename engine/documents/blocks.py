"""One model for every format: blocks of text that remember where in the file they stand.

A block is a paragraph of the file. Its pieces tie stretches of its text to places in the file,
so that a changed word can be put back without touching anything around it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from engine import layout
from engine.essay import Essay, Notice, Paragraph, ParagraphKind, find_paragraphs


@dataclass(frozen=True)
class Source:
    """A file's bytes, and the encoding that the user named, if any."""

    data: bytes
    path: Path
    encoding: str | None = None


class Slot(Protocol):
    """A place in the file that holds text."""

    def replace(self, start: int, end: int, new: str) -> None:
        """Put `new` in place of the slot's characters `start` to `end`.

        Called from right to left, so that offsets further left stay true.
        """


@dataclass(frozen=True)
class Piece:
    """A stretch of a block's text and where the file keeps it.

    A piece whose text is as long as its range maps character by character. Any other, such as a
    tab element or `&amp;`, is replaced as a whole.
    """

    text: str
    slot: Slot
    start: int
    end: int

    @property
    def is_literal(self) -> bool:
        """Whether characters of the text are characters of the slot."""
        return self.end - self.start == len(self.text)


class Block(ABC):
    """A paragraph of the file. Line breaks inside it are `\\n` in `text`.

    `wraps` says that these breaks are only the file's line ends, not the writer's.
    """

    wraps = False

    def __init__(self, kind: ParagraphKind | None = None) -> None:
        self.kind = kind
        self.pieces: list[Piece] = []

    @property
    def text(self) -> str:
        """The block's text."""
        return "".join(piece.text for piece in self.pieces)

    @abstractmethod
    def write_empty(self, text: str) -> None:
        """Put `text` into a block that has no pieces."""

    @abstractmethod
    def remove(self) -> None:
        """Take the block out of the file, or empty it where something else hangs on it."""

    @abstractmethod
    def add_after(self, texts: Sequence[str]) -> None:
        """Put new blocks of the same look after this one."""


@dataclass
class Reading:
    """What was read: the blocks, what the user should know, and how to write it back.

    `rewrite` takes the whole new text and returns the file's new bytes; None where the format is
    read only. `paragraphs` are found from the blocks unless the reader knows better.
    """

    blocks: Sequence[Block]
    notices: list[Notice] = field(default_factory=list)
    rewrite: Callable[[str], bytes] | None = None
    text_override: str | None = None

    @property
    def text(self) -> str:
        """The text of record: the blocks, one a line."""
        if self.text_override is not None:
            return self.text_override
        return "\n".join(block.text for block in self.blocks)

    def essay(self, *, topic: str, path: Path, format: str) -> Essay:
        """The essay that was read."""
        text = self.text
        plain = self.text_override is not None
        paragraphs = find_paragraphs(text) if plain else _paragraphs(text, self.blocks)
        return Essay(
            text,
            paragraphs,
            topic=topic.strip(),
            path=path,
            format=format,
            notices=tuple(self.notices),
        )


def _paragraphs(text: str, blocks: Sequence[Block]) -> tuple[Paragraph, ...]:
    """One paragraph a line; kinds that the file itself states win over what the text looks like."""
    pieces: list[layout.Piece] = []
    kinds: list[ParagraphKind | None] = []
    at = 0
    for block in blocks:
        block_text = block.text
        lines = layout.line_spans(block_text, at)
        if block.wraps and lines:
            lines = layout.unwrapped(text, lines, first=not pieces)
        pieces += [layout.bare(text, line) for line in lines]
        kinds += [block.kind] * len(lines)
        at += len(block_text) + 1
    if len(pieces) > 1 and kinds[0] is ParagraphKind.HEADING:
        kinds[0] = ParagraphKind.TITLE
    return tuple(
        Paragraph(span, kinds[number] or ParagraphKind(layout.kind(text, pieces, number)))
        for number, (_, span) in enumerate(pieces)
    )
