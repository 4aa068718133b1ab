"""Plain text: any encoding and any mix of line ends, both kept on the way back."""

from __future__ import annotations

import re
from collections import Counter

from engine.documents import changes, charsets
from engine.documents.blocks import Reading, Source

_NEWLINE = re.compile(r"\r\n|\r|\n")


def read(source: Source) -> Reading:
    """Read a text file. Raises UnknownEncoding or DamagedFile."""
    decoded = charsets.decode(source.data, source.path.name, source.encoding)
    raw = decoded.text

    def rewrite(new_text: str) -> bytes:
        return decoded.encode(_with_line_ends(raw, new_text))

    return Reading([], rewrite=rewrite, text_override=_NEWLINE.sub("\n", raw))


def create(text: str) -> bytes:
    """A new text file."""
    return text.encode("utf-8", "surrogatepass")


def _with_line_ends(raw: str, new_text: str) -> str:
    """The new text with the line ends of the old; new lines get the most frequent kind."""
    ends = _NEWLINE.findall(raw)
    usual = Counter(ends).most_common(1)[0][0] if ends else "\n"
    old_lines = _NEWLINE.split(raw)
    new_lines = new_text.split("\n")
    kept = [usual] * len(new_lines)
    for old, new in changes.matching_lines(old_lines, new_lines):
        if old < len(ends):
            kept[new] = ends[old]
    return "".join(
        line + (kept[number] if number + 1 < len(new_lines) else "")
        for number, line in enumerate(new_lines)
    )
