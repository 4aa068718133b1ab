"""Blocks of formats that are text themselves: edits are splices into the source."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.documents.blocks import Block
from engine.essay import ParagraphKind


class RawText:
    """The source text and the edits to make in it; all offsets are those of the original."""

    def __init__(self, text: str, escape: Callable[[str], str] = str) -> None:
        self.text = text
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._escape = escape
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, new: str) -> None:
        """Put the escaped form of `new` in place of a range of the source."""
        self.splice(start, end, self._escape(new))

    def splice(self, start: int, end: int, source: str) -> None:
        """Put source text, as it is, in place of a range of the source."""
        self._edits.append((start, end, source))

    def render(self) -> str:
        """The source with all edits made. What is inserted inside a removed range stays."""
        parts: list[str] = []
        at = 0
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            parts.append(self.text[at : max(at, start)] + new)
            at = max(at, end)
        return "".join([*parts, self.text[at:]])


class RawBlock(Block):
    """A paragraph at `start` to `end` of the source, with the pattern that a new one follows.

    `pattern` holds `{}` where the text goes. `whole` is the range that goes when the block does,
    None where the block shares its element with others and is only emptied.
    """

    def __init__(
        self,
        raw: RawText,
        kind: ParagraphKind | None = None,
        *,
        pattern: str = "{}",
        wraps: bool = False,
    ) -> None:
        super().__init__(kind)
        self.raw = raw
        self.pattern = pattern
        self.wraps = wraps
        self.start = 0
        self.end = 0
        self.whole: tuple[int, int] | None = None

    def write_empty(self, text: str) -> None:
        """Put `text` where the block's content begins."""
        self.raw.replace(self.start, self.start, text)

    def remove(self) -> None:
        """Cut the block out of the source."""
        if self.whole is not None:
            self.raw.splice(*self.whole, "")
            return
        for piece in self.pieces:
            self.raw.splice(piece.start, piece.end, "")

    def add_after(self, texts: Sequence[str]) -> None:
        """Insert source for the new paragraphs after this one."""
        for text in texts:
            before, after = self.pattern.split("{}")
            place = self.end
            self.raw.splice(place, place, before)
            self.raw.replace(place, place, text)
            self.raw.splice(place, place, after)
