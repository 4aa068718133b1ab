"""The essay as the text of record: text, paragraphs, sentences and exact offsets.

All offsets are half-open and count Unicode code points of `Essay.text`, whose newlines are
`\\n`. Joining the sentences and the gaps between them gives the text back exactly.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from engine import layout
from engine.sentences import split_sentences
from engine.spans import Span


class ParagraphKind(StrEnum):
    """What a paragraph is; only body text and list items are judged, the rest is shown.

    The frame is what a letter has around its text (greeting, farewell, name), or a word count.
    """

    TITLE = "title"
    HEADING = "heading"
    BODY = "body"
    LIST_ITEM = "list-item"
    FRAME = "frame"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph: its place in the text, without the newlines around it."""

    span: Span
    kind: ParagraphKind = ParagraphKind.BODY

    @property
    def is_judged(self) -> bool:
        """Whether its sentences take part in the check."""
        return self.kind in (ParagraphKind.BODY, ParagraphKind.LIST_ITEM)


def find_paragraphs(text: str) -> tuple[Paragraph, ...]:
    """The paragraphs of plain text with `\\n` newlines.

    Every line that is not blank is one, except that lines wrapped by hand are joined to the
    paragraph that they are part of. Bullets and heading marks (`- `, `# `) stay outside the
    spans, list numbers inside. A short first line without end punctuation is the title; greetings,
    farewells and the like at either end are the frame.
    """
    lines = layout.joined_lines(text)
    pieces = [layout.bare(text, line) for line in lines]
    return tuple(
        Paragraph(span, ParagraphKind(layout.kind(text, pieces, number)))
        for number, (_, span) in enumerate(pieces)
    )


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence. `text` is exactly `essay.text[span.start:span.end]`."""

    index: int
    span: Span
    text: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the file that the user should know, such as a table that was not read."""

    code: str
    message: str

    def as_dict(self) -> dict[str, str]:
        """Plain data, as in the JSON output."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True)
class Essay:
    """An essay and where it came from.

    `paragraphs` are in order and do not overlap; `topic` is the essay prompt, empty if not given.
    """

    text: str
    paragraphs: tuple[Paragraph, ...]
    topic: str = ""
    path: Path | None = None
    format: str = "txt"
    notices: tuple[Notice, ...] = field(default=())

    @classmethod
    def from_text(
        cls, text: str, *, topic: str = "", path: Path | None = None, format: str = "txt"
    ) -> Essay:
        """An essay from plain text: newlines normalised, a paragraph on every non-blank line."""
        normalised = text.replace("\r\n", "\n").replace("\r", "\n")
        return cls(
            normalised, find_paragraphs(normalised), topic=topic.strip(), path=path, format=format
        )

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of all judged paragraphs, in order."""
        found: list[Sentence] = []
        for number, paragraph in enumerate(self.paragraphs):
            if not paragraph.is_judged:
                continue
            for span in split_sentences(paragraph.span.of(self.text)):
                moved = Span(span.start + paragraph.span.start, span.end + paragraph.span.start)
                found.append(Sentence(len(found), moved, moved.of(self.text), number))
        return tuple(found)

    @property
    def title(self) -> str:
        """The title's text, or an empty string."""
        for paragraph in self.paragraphs:
            if paragraph.kind is ParagraphKind.TITLE:
                return paragraph.span.of(self.text)
        return ""

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the text, as hex: which text a result belongs to."""
        return hashlib.sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    @property
    def word_count(self) -> int:
        """Words as white space divides them."""
        return len(self.text.split())

    def with_topic(self, topic: str) -> Essay:
        """The same essay under another prompt."""
        return replace(self, topic=topic.strip())
