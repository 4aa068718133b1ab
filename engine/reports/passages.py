"""The essay's text in lines and passages, cut where a mark begins and ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.analysis import Analysis
from engine.essay import Essay, Paragraph, ParagraphKind
from engine.reports.wording import is_right_to_left, one_line
from engine.spans import Span


@dataclass(frozen=True, slots=True)
class Tab:
    """What stands beside a marked sentence: the mark's number or letter, and what it is about."""

    label: str
    tag: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of text; `tab` is None where it is not marked."""

    text: str
    tab: Tab | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph of the essay."""

    passages: tuple[Passage, ...]
    kind: ParagraphKind
    is_right_to_left: bool


def lines_of(essay: Essay, analysis: Analysis, tabs: Mapping[int, Tab]) -> tuple[Line, ...]:
    """The essay's paragraphs, with tabs by sentence index.

    A sentence that the analysis places across two paragraphs of the essay is marked in both.
    """
    marked = [(analysis.sentences[index].span, tab) for index, tab in sorted(tabs.items())]
    lines: list[Line] = []
    for paragraph in essay.paragraphs:
        passages = tuple(_passages(essay.text, paragraph, _inside(paragraph, marked)))
        rtl = is_right_to_left(paragraph.span.of(essay.text))
        lines.append(Line(passages, paragraph.kind, rtl))
    return tuple(lines)


_Place = tuple[Span, Tab]


def _inside(paragraph: Paragraph, marked: list[_Place]) -> list[_Place]:
    """The parts of marked sentences that lie in a paragraph."""
    whole = paragraph.span
    parts = (
        (Span(max(whole.start, span.start), min(whole.end, span.end)), tab) for span, tab in marked
    )
    return [(span, tab) for span, tab in parts if span.start < span.end]


def _passages(text: str, paragraph: Paragraph, places: list[_Place]) -> Iterator[Passage]:
    at = paragraph.span.start
    for span, tab in places:
        if span.start > at:
            yield Passage(one_line(text[at : span.start]))
        yield Passage(one_line(span.of(text)), tab)
        at = span.end
    if at < paragraph.span.end:
        yield Passage(one_line(text[at : paragraph.span.end]))
