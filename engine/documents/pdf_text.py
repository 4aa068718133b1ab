"""PDF files that hold text: lines put together to paragraphs again. Read only."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.documents.blocks import Reading, Source
from engine.errors import DamagedFile, NoTextLayer, PasswordProtected
from engine.essay import Notice

_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
_LIGATURE = re.compile("[" + "".join(_LIGATURES) + "]")
_ENDS = re.compile(r"[.!?…:][\"'”’)\]]*$")
_HYPHENS = "-\u00ad\u2010"
# What PDFium gives for a hyphen at the end of a line, without the line end.
_DIVIDED = "\ufffe\x02"
_PAGE_NUMBER = re.compile(
    r"(?:page\s*)?[-–—]?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*[-–—]?(?:\s*(?:of|/)\s*\d+)?", re.I
)


@dataclass(frozen=True)
class _Line:
    """A line on a page; `left`, `right`, `top`, `bottom` in points, the origin at bottom left."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    page: int
    column: int = 0

    @property
    def height(self) -> float:
        """How tall the line is, never zero."""
        return max(self.top - self.bottom, 1.0)


def read(source: Source) -> Reading:
    """Read a PDF. Raises PasswordProtected, DamagedFile or NoTextLayer."""
    pages, pictures = _pages(source)
    if not any(pages):
        raise NoTextLayer(f"{source.path.name} holds no text, only pictures of pages.")
    kept, removed = _without_page_furniture(pages)
    columns = max((line.column for page in kept for line in page), default=0) + 1
    text = "\n\n".join(_paragraphs([line for page in kept for line in page]))
    return Reading([], _notices(columns, removed, pictures), text_override=text)


def _notices(columns: int, removed: int, pictures: int) -> list[Notice]:
    notices = [
        Notice(
            "pdf-layout",
            "A PDF has no paragraphs: they were put together from its lines. Compare the text "
            "with the original before you rely on it.",
        )
    ]
    if columns > 1:
        notices.append(Notice("pdf-columns", "The pages have columns, read one after the other."))
    if removed:
        notices.append(
            Notice("page-headers-not-read", f"Not read: page headers and footers ({removed}).")
        )
    if pictures:
        notices.append(Notice("pictures-not-read", f"Not read: pictures ({pictures})."))
    return notices


def _pages(source: Source) -> tuple[list[list[_Line]], int]:
    """The lines of every page, and how many pictures there are."""
    import pypdfium2

    name = source.path.name
    try:
        document = pypdfium2.PdfDocument(source.data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise PasswordProtected(f"{name} is protected by a password.") from error
        raise DamagedFile(f"{name} is damaged or only part of a file.") from error
    try:
        pages: list[list[_Line]] = []
        pictures = 0
        for number in range(len(document)):
            page = document[number]
            textpage = page.get_textpage()
            pages.append(_in_columns(_lines(textpage, number)))
            pictures += sum(1 for _ in page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]))
            textpage.close()
            page.close()
    except pypdfium2.PdfiumError as error:
        raise DamagedFile(f"{name} is damaged: a page cannot be read.") from error
    finally:
        document.close()
    return pages, pictures


def _lines(textpage: Any, page: int) -> list[_Line]:
    """The page's lines in the file's order, cut where a wide gap parts two columns."""
    lines: list[_Line] = []
    characters: list[tuple[str, tuple[float, float, float, float]]] = []
    total = textpage.count_chars()
    text = textpage.get_text_range(0, total) if total else ""
    aligned = len(text) == total
    for place in range(total):
        character = text[place] if aligned else textpage.get_text_range(place, 1)
        if character and character in _DIVIDED:
            characters.append(("-", textpage.get_charbox(place)))
        if character and character in "\r\n" + _DIVIDED:
            lines += _cut(characters, page)
            characters = []
        elif character:
            characters.append((character, textpage.get_charbox(place)))
    return lines + _cut(characters, page)


def _cut(
    characters: Sequence[tuple[str, tuple[float, float, float, float]]], page: int
) -> list[_Line]:
    """One line, or two where the characters leave a gap much wider than a space."""
    lines: list[_Line] = []
    current: list[tuple[str, tuple[float, float, float, float]]] = []
    right: float | None = None
    for character, box in characters:
        if not character.isspace():
            height = max(box[3] - box[1], 5.0)
            if right is not None and box[0] - right > 2.5 * height:
                lines += _line(current, page)
                current = []
            right = box[2]
        current.append((character, box))
    return lines + _line(current, page)


def _line(
    characters: Sequence[tuple[str, tuple[float, float, float, float]]], page: int
) -> list[_Line]:
    text = "".join(character for character, _ in characters).strip()
    boxes = [box for character, box in characters if not character.isspace()]
    if not text or not boxes:
        return []
    mapped = _LIGATURE.sub(lambda match: _LIGATURES[match.group()], text)
    return [
        _Line(
            mapped,
            min(box[0] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
            min(box[1] for box in boxes),
            page,
        )
    ]


def _in_columns(lines: list[_Line]) -> list[_Line]:
    """The lines with those of a second column after those of the first.

    A page has two columns if a good part of its lines keep to either side of its middle, and few
    cross it.
    """
    if len(lines) < 6:
        return lines
    middle = (min(line.left for line in lines) + max(line.right for line in lines)) / 2
    first = [line for line in lines if line.right <= middle + 5]
    second = [line for line in lines if line.left >= middle - 5]
    crossing = len(lines) - len(first) - len(second)
    if min(len(first), len(second)) < max(3, 0.25 * len(lines)) or crossing > 0.3 * len(lines):
        return lines
    top = max(line.top for line in second)
    moved = [_replaced(line, 1) if line in second else line for line in lines]
    above = [line for line in moved if line.column == 0 and line.bottom > top]
    below = [line for line in moved if line not in above]
    return above + sorted(below, key=lambda line: (line.column, -line.bottom))


def _replaced(line: _Line, column: int) -> _Line:
    return _Line(line.text, line.left, line.right, line.top, line.bottom, line.page, column)


def _without_page_furniture(pages: list[list[_Line]]) -> tuple[list[list[_Line]], int]:
    """The pages without running headers, footers and page numbers, and how many lines went."""
    edges: Counter[str] = Counter()
    for page in pages:
        edges.update({_shape(line) for line in _edge_lines(page)})
    often = max(2, 0.5 * len(pages))
    removed = 0
    kept: list[list[_Line]] = []
    for page in pages:
        edge = _edge_lines(page)
        furniture = [
            line
            for line in edge
            if (len(pages) > 1 and edges[_shape(line)] >= often)
            or (_PAGE_NUMBER.fullmatch(line.text) and len(page) > 1)
        ]
        removed += len(furniture)
        kept.append([line for line in page if line not in furniture])
    return kept, removed


def _edge_lines(page: list[_Line]) -> list[_Line]:
    """The highest and the lowest line of a page."""
    if not page:
        return []
    ordered = sorted(page, key=lambda line: line.bottom)
    return [ordered[0], ordered[-1]] if len(ordered) > 1 else ordered


def _shape(line: _Line) -> str:
    """What a running header has in common from page to page."""
    return re.sub(r"\d+", "#", line.text)


def _paragraphs(lines: Sequence[_Line]) -> list[str]:
    """The text of the lines, put together to paragraphs."""
    if not lines:
        return []
    gaps = [a.bottom - b.bottom for a, b in pairwise(lines) if a.bottom > b.bottom]
    usual_gap = statistics.median(gaps) if gaps else 0.0
    rights = {(line.page, line.column): 0.0 for line in lines}
    lefts = {(line.page, line.column): line.left for line in lines}
    for line in lines:
        key = (line.page, line.column)
        rights[key] = max(rights[key], line.right)
        lefts[key] = min(lefts[key], line.left)
    paragraphs = [lines[0].text]
    for before, line in pairwise(lines):
        key, before_key = (line.page, line.column), (before.page, before.column)
        indented = line.left - lefts[key] > 0.8 * line.height
        before_indented = before.left - lefts[before_key] > 0.8 * before.height
        short = rights[before_key] - before.right > 0.12 * (rights[before_key] - lefts[before_key])
        if _starts_paragraph(
            before,
            line,
            usual_gap,
            indented=indented and not before_indented,
            short=short,
        ):
            paragraphs.append(line.text)
        else:
            paragraphs[-1] = _joined(paragraphs[-1], line.text)
    return paragraphs


def _starts_paragraph(
    before: _Line, line: _Line, usual_gap: float, *, indented: bool, short: bool
) -> bool:
    """Whether a line begins a new paragraph."""
    closed = bool(_ENDS.search(before.text))
    same_column = (before.page, before.column) == (line.page, line.column)
    if not same_column:
        return closed and (short or indented)
    if before.bottom - line.bottom > 1.35 * usual_gap > 0:
        return True
    if abs(before.height - line.height) > 0.35 * min(before.height, line.height) and not closed:
        # Letters without descenders make a line look lower; a title's letters are much larger.
        return before.height > 1.6 * line.height
    return indented or (short and closed)


def _joined(before: str, line: str) -> str:
    """Two lines of one paragraph; a word divided between them is put together."""
    if before[-1] in _HYPHENS and len(before) > 1 and before[-2].isalpha() and line[0].islower():
        return before[:-1] + line
    return f"{before} {line}"
