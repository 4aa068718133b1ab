"""How plain text is laid out: which lines form a paragraph, and what kind of paragraph it is."""

from __future__ import annotations

import re
from itertools import pairwise

from engine.spans import Span

_TITLE_WORDS = 14
_HEADING_WORDS = 8
_FULL_LINE_WORDS = 12
_WRAPPED = range(50, 101)
_FEWEST_WRAPPED = 3
_FRONT_LINES = 4

_LINE = re.compile(r"[^\n]+")
_BULLET = re.compile(r"[-*+•‣⁃◦▪▫●○–—·]\s+(?=\S)|[•‣⁃◦▪▫●○]")
_BARE_BULLET = re.compile(r"[-*+•‣⁃◦▪▫●○–—·>]")
_HEADING = re.compile(r"#{1,6}\s+(?=\S)")
_QUOTED = re.compile(r">\s?(?=\S)")
_NUMBERED = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)]\s+\S|\[\d{1,3}\]\s+\S")
_ENDS = re.compile(r"[.!?…;。！？؟][\"'”’»)\]*_]*$")
_CONTINUES = re.compile(r"[,:]$")

_GREETING = re.compile(
    r"(?:dear|hi|hello|hey|good (?:morning|afternoon|evening)|to whom it may concern)\b"
    r"(?: (?:(?:mrs?|ms|dr|prof|st)\.|[\w'’&/-]+)){0,6} ?[,:;!]?$",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"(?:(?:with )?(?:my |the )?(?:best|kind|kindest|warm|warmest) (?:regards|wishes)|regards|"
    r"yours(?: (?:sincerely|faithfully|truly|respectfully))?|sincerely(?: yours)?|respectfully|"
    r"(?:lots of )?love|all the best|take care|cheers|hugs|bye|goodbye|(?:many )?thanks|"
    r"thank you(?: (?:very much|so much))?(?: in advance)?|see you(?: soon)?|write (?:back )?soon)"
    r"(?:\s*[,.!–—-]+\s*|\s*\n\s*|$)(?:[^\s.,;!?]+\.?\s*){0,4}$",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"[(\[]?(?:(?:the )?end|fin|(?:total )?(?:number of words|word count|words?) ?[:=]? ?\d+|"
    r"\d+ words)[)\]]?[.!]*$",
    re.IGNORECASE,
)
_NAME_WORDS = 5
_FRAME_LINES = 4
"""So many lines at either end may belong to a letter's frame."""

Piece = tuple[str, Span]
"""A line's mark ("bullet", "heading", "quoted", "numbered" or "") and the span without it."""


def joined_lines(text: str) -> list[Span]:
    """The lines that are not blank, trimmed; lines wrapped by hand are one span."""
    joined: list[Span] = []
    for block in _blocks(text):
        wrapped = _is_wrapped_block(text, block)
        for line in block:
            previous = joined[-1] if joined and joined[-1].end >= block[0].start else None
            if previous and _continues(text, previous, line, wrapped=wrapped):
                joined[-1] = Span(previous.start, line.end)
            else:
                joined.append(line)
    return joined


def line_spans(text: str, offset: int = 0) -> list[Span]:
    """The lines of `text` that are not blank, trimmed, moved by `offset`."""
    spans: list[Span] = []
    for match in _LINE.finditer(text):
        line = match.group()
        trimmed = line.strip()
        if trimmed:
            start = offset + match.start() + len(line) - len(line.lstrip())
            spans.append(Span(start, start + len(trimmed)))
    return spans


def unwrapped(text: str, lines: list[Span], *, first: bool) -> list[Span]:
    """One span for lines of one paragraph; with `first`, a title in the first line stays apart."""
    if first and len(lines) > 1 and _is_title_line(text, lines[0], lines[1]):
        return [lines[0], Span(lines[1].start, lines[-1].end)]
    return [Span(lines[0].start, lines[-1].end)]


def _is_title_line(text: str, line: Span, following: Span) -> bool:
    """Whether a paragraph's first line is rather a title that lacks its blank line."""
    return (
        len(line) < _WRAPPED.start
        and not _is_closed(text, line)
        and not text[following.start].islower()
        and len(line.of(text).split()) <= _TITLE_WORDS
    )


def _blocks(text: str) -> list[list[Span]]:
    """Runs of neighbouring lines with blank lines between the runs."""
    blocks: list[list[Span]] = []
    last_end = -2
    for match in _LINE.finditer(text):
        line = match.group()
        trimmed = line.strip()
        if not trimmed:
            continue
        start = match.start() + len(line) - len(line.lstrip())
        if not blocks or match.start() != last_end + 1:
            blocks.append([])
        blocks[-1].append(Span(start, start + len(trimmed)))
        last_end = match.end()
    return blocks


def _is_wrapped_block(text: str, block: list[Span]) -> bool:
    """Whether every line but the last is so full that the next line's first word had no room."""
    width = max(len(line) for line in block)
    if len(block) < _FEWEST_WRAPPED or width not in _WRAPPED:
        return False
    return all(
        len(line) + 1 + len(following.of(text).split(maxsplit=1)[0]) > width
        for line, following in pairwise(block)
    )


def _continues(text: str, previous: Span, line: Span, *, wrapped: bool) -> bool:
    """Whether `line` goes on with the paragraph that the lines before it began."""
    mark, _ = bare(text, line)
    if mark or bare(text, previous)[0] == "heading":
        return False
    if wrapped:
        return True
    last_line = text[previous.start : previous.end].rsplit("\n", 1)[-1]
    is_long = len(last_line) >= _WRAPPED.start or bool(_CONTINUES.search(last_line))
    return is_long and not _ENDS.search(last_line) and text[line.start].islower()


def bare(text: str, line: Span) -> Piece:
    """The line's mark and its span without that mark (list numbers stay inside)."""
    for mark, pattern in (("heading", _HEADING), ("bullet", _BULLET), ("quoted", _QUOTED)):
        match = pattern.match(text, line.start, line.end)
        if match and match.end() < line.end:
            inner = line.of(text)[match.end() - line.start :]
            left = len(inner) - len(inner.lstrip())
            return mark, Span(match.end() + left, line.end)
    return ("numbered" if _NUMBERED.match(text, line.start, line.end) else ""), line


def kind(text: str, pieces: list[Piece], number: int) -> str:
    """What paragraph `number` is: "title", "heading", "list-item", "frame" or "body"."""
    mark, span = pieces[number]
    words = span.of(text).split()
    if not any(character.isalnum() for character in span.of(text)):
        return "heading"
    if _is_frame(text, pieces, number):
        return "frame"
    if mark == "heading":
        return "title" if number == 0 and len(pieces) > 1 else "heading"
    if mark in ("bullet", "numbered"):
        return "list-item"
    if mark or number + 1 == len(pieces) or _is_closed(text, span):
        return "body"
    following_mark, _ = pieces[number + 1]
    introduces_list = following_mark in ("bullet", "numbered")
    if introduces_list and text[span.end - 1] == ":":
        return "body"
    if number == 0:
        return "title" if len(words) <= _TITLE_WORDS else "body"
    short = len(words) <= _HEADING_WORDS and not words[0][0].islower()
    return "heading" if short and _leads(text, pieces, number) else "body"


def _is_frame(text: str, pieces: list[Piece], number: int) -> bool:
    """Whether the line is no part of what is said: a greeting, a farewell, a name, a word count.

    A letter's name stands after its farewell.
    """
    line = pieces[number][1].of(text)
    if number < _FRAME_LINES and len(pieces) > 1 and _GREETING.match(line):
        return True
    after = len(pieces) - number
    if number == 0 or after > _FRAME_LINES:
        return False
    if _FAREWELL.match(line) or _REMARK.match(line):
        return True
    last = pieces[max(1, len(pieces) - _FRAME_LINES) : number]
    signed = any(_FAREWELL.match(span.of(text)) for _, span in last)
    return signed and len(line.split()) <= _NAME_WORDS and not _ENDS.search(line)


def _leads(text: str, pieces: list[Piece], number: int) -> bool:
    """Whether a short line stands over a paragraph, or among the lines between title and text."""
    mark, following = pieces[number + 1]
    if not mark and _is_sentence(text, following):
        return True
    in_front = number < _FRONT_LINES and not any(
        mark or _is_sentence(text, span) for mark, span in pieces[:number]
    )
    return in_front and any(
        not mark and _is_sentence(text, span)
        for mark, span in pieces[number + 1 : number + 1 + _FRONT_LINES]
    )


def opens_line(text: str, place: int) -> bool:
    """Whether nothing but white space and a bullet stands before `place` on its line."""
    before = text[text.rfind("\n", 0, place) + 1 : place].strip()
    return not before or bool(_BARE_BULLET.fullmatch(before))


def _is_closed(text: str, span: Span) -> bool:
    """Whether the line ends as a sentence or a clause does."""
    line = span.of(text)
    return bool(_ENDS.search(line) or line.endswith(","))


def _is_sentence(text: str, span: Span) -> bool:
    line = span.of(text)
    return bool(_ENDS.search(line)) or len(line.split()) >= _FULL_LINE_WORDS
