"""Positions at the Qt boundary: Qt counts UTF-16 units, everything else here counts code points.

Characters beyond U+FFFF (most emoji, mathematical letters) are one code point and two units; all
others are one of each. No other module converts.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.spans import Span

if TYPE_CHECKING:
    from PySide6.QtGui import QTextDocument

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_PARAGRAPH_MARKS = re.compile("[\u2029\ufdd0\ufdd1]")
_PARAGRAPH_SEPARATOR = "\u2029"


def _astral_positions(text: str) -> list[int]:
    return [] if text.isascii() else [match.start() for match in _ASTRAL.finditer(text)]


class Utf16Map:
    """Converts positions in one text between code points and UTF-16 units.

    Costs nothing for text without characters beyond U+FFFF and O(log n) else. Immutable.
    """

    __slots__ = ("_astral", "_length")

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._astral: Sequence[int] = _astral_positions(text)

    @property
    def code_points(self) -> int:
        """The length of the text in code points."""
        return self._length

    @property
    def units(self) -> int:
        """The length of the text in UTF-16 units."""
        return self._length + len(self._astral)

    def to_qt(self, code_point: int) -> int:
        """The UTF-16 position of a code point position; positions past the end are clamped."""
        at = min(max(code_point, 0), self._length)
        return at + bisect_left(self._astral, at)

    def from_qt(self, unit: int) -> int:
        """The code point position of a UTF-16 position.

        A position between the two halves of a pair gives the start of that character; positions
        past the end are clamped.
        """
        at = min(max(unit, 0), self.units)
        if not self._astral:
            return at
        # The key is where each wide character ends, counted in units.
        pairs = bisect_right(range(len(self._astral)), at, key=lambda n: self._astral[n] + n + 2)
        result = at - pairs
        if pairs < len(self._astral) and self._astral[pairs] + pairs + 1 == at:
            return result - 1
        return result

    def span_to_qt(self, span: Span) -> tuple[int, int]:
        """Start and end of a span in UTF-16 units."""
        return self.to_qt(span.start), self.to_qt(span.end)

    def span_from_qt(self, start: int, end: int) -> Span:
        """The span of code points between two UTF-16 positions."""
        return Span(self.from_qt(start), self.from_qt(end))

    def edited(self, position: int, removed: int, added: str) -> Utf16Map:
        """The map after `removed` code points at `position` gave way to `added`.

        Spares reading a long text again for each key that is pressed.
        """
        shift = len(added) - removed
        astral, new = self._astral, _astral_positions(added)
        if astral or new:
            first = bisect_left(astral, position)
            last = bisect_left(astral, position + removed)
            kept = (at + shift for at in astral[last:])
            astral = [*astral[:first], *(position + at for at in new), *kept]
        result = Utf16Map("")
        result._length = self._length + shift
        result._astral = astral
        return result


def showable(text: str) -> str:
    """The text as a widget's document can hold it, of the same length in code points.

    Qt takes a few characters that no essay should hold for its own marks between paragraphs, and
    drops halves of surrogate pairs.
    """
    return _PARAGRAPH_MARKS.sub("\n", _SURROGATE.sub("\ufffd", text))


def document_text(document: QTextDocument) -> str:
    """The text of a widget's document, with `\\n` between paragraphs.

    `QTextDocument.toPlainText` would turn no-break spaces into spaces and U+2028 into newlines;
    this keeps every character that the document holds.
    """
    return document.toRawText().replace(_PARAGRAPH_SEPARATOR, "\n")


def piece_of_document(document: QTextDocument, start: int, end: int) -> str:
    """The part of `document_text` between two UTF-16 positions, without reading the rest."""
    # The last paragraph separator is not part of the text, but Qt counts it in contentsChange.
    end = min(end, document.characterCount() - 1)
    pieces: list[str] = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        line = block.text() + "\n"
        cut = Utf16Map(line)
        left = cut.from_qt(start - block.position())
        right = cut.from_qt(end - block.position())
        pieces.append(line[left:right])
        block = block.next()
    return "".join(pieces)
