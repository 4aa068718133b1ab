"""HTML pages: visible text, tied back to the source so that the page itself stays as it is."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from engine.documents import changes, charsets, unread
from engine.documents.blocks import Piece, Reading, Source
from engine.documents.raw import RawBlock, RawText
from engine.errors import UnknownEncoding
from engine.essay import ParagraphKind

_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_REFERENCE = re.compile(r"&#?\w+;?")
_SPACES = re.compile(r"([ \t\n\r\f]+)")
_PRE_NEWLINE = re.compile(r"(\r\n|\r|\n)")
_HIDDEN = frozenset(
    (
        "head",
        "script",
        "style",
        "template",
        "svg",
        "math",
        "noscript",
        "select",
        "textarea",
        "table",
    )
)
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "html body main article section aside header footer nav address div p h1 h2 h3 h4 h5 h6 ul ol "
        "li dl dt dd blockquote pre figure figcaption hr form fieldset details summary",
    )
)
_KINDS = {
    **{f"h{level}": ParagraphKind.HEADING for level in range(1, 7)},
    "li": ParagraphKind.LIST_ITEM,
}
_UNREAD = {"table": "tables", "img": "pictures", "svg": "pictures", "textarea": "form fields"}
_DEEPEST = 500
_CLOSES_ITSELF = frozenset({"p", "li", "dt", "dd"})


def read(source: Source) -> Reading:
    """Read an HTML file. Raises UnknownEncoding or DamagedFile."""
    decoded = _decode(source)
    parser = _PageParser(RawText(decoded.text, _escape))
    parser.feed(decoded.text)
    parser.close()
    parser.end_block()
    blocks = parser.blocks

    def rewrite(new_text: str) -> bytes:
        changes.put_back(blocks, new_text)
        page = parser.raw.render()
        try:
            return decoded.encode(page)
        except UnicodeEncodeError:
            return decoded.mark + page.encode(decoded.encoding, "xmlcharrefreplace")

    return Reading(blocks, parser.missing.notices(), rewrite)


def create(text: str) -> bytes:
    """A new page: a paragraph for every line that is not blank."""
    lines = [f"<p>{_escape(line)}</p>" for line in text.split("\n") if line.strip()]
    head = '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"></head>\n<body>\n'
    page = head + "\n".join(lines) + "\n</body>\n</html>\n"
    return page.encode("utf-8", "xmlcharrefreplace")


def _decode(source: Source) -> charsets.Decoded:
    """The page in the encoding that it declares, unless its bytes say otherwise."""
    declared = _CHARSET.search(source.data[:4096])
    if source.encoding is None and declared and not source.data.startswith(b"\xef\xbb\xbf"):
        name = declared.group(1).decode("ascii")
        aliases = {"iso-8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
        try:
            return charsets.decode(source.data, source.path.name, aliases.get(name.lower(), name))
        except UnknownEncoding:
            return charsets.decode(source.data, source.path.name)
    return charsets.decode(source.data, source.path.name, source.encoding)


def _escape(text: str) -> str:
    return html.escape(text, quote=False).replace("\n", "<br>")


class _PageParser(HTMLParser):
    """Collects the blocks of visible text with the place of every character."""

    def __init__(self, raw: RawText) -> None:
        super().__init__(convert_charrefs=False)
        self.raw = raw
        self.blocks: list[RawBlock] = []
        self.missing = unread.Unread()
        self._lines = [0, *(match.end() for match in re.finditer("\n", raw.text))]
        self._block: RawBlock | None = None
        self._hidden: list[str] = []
        self._open: list[tuple[str, int, int]] = []

    @property
    def _place(self) -> int:
        line, column = self.getpos()
        return self._lines[line - 1] + column

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A tag opens: hidden matter, a new block, or a line break."""
        if not self._hidden:
            self.missing.count_if(_UNREAD.get(tag, ""), tag in _UNREAD)
        if tag in _HIDDEN:
            self.end_block()
            self._hidden.append(tag)
        elif self._hidden:
            return
        elif tag == "br":
            self._add("\n", self._place, self._place + len(self.get_starttag_text() or ""))
        elif tag in _BLOCKS:
            self.end_block()
            if self._open and tag in _CLOSES_ITSELF and self._open[-1][0] == tag:
                self._open.pop()
            if tag != "hr" and len(self._open) < _DEEPEST:
                place = self._place
                self._open.append((tag, place, place + len(self.get_starttag_text() or "")))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """`<br/>` and the like; HTML has no other tags that close themselves."""
        self.handle_starttag(tag, attrs)
        if tag == "svg" and self._hidden:
            self._hidden.pop()

    def handle_endtag(self, tag: str) -> None:
        """A tag closes."""
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                continue
        elif tag in _BLOCKS and not self._hidden:
            self._close(tag)

    def _close(self, tag: str) -> None:
        names = [name for name, _, _ in self._open]
        if tag not in names:
            self.end_block()
            return
        number = len(names) - 1 - names[::-1].index(tag)
        _, start, content = self._open[number]
        block = self._block
        end = self.raw.text.find(">", self._place) + 1 or len(self.raw.text)
        self.end_block()
        is_last = block is not None and bool(self.blocks) and self.blocks[-1] is block
        if block is not None and is_last and self._fills(block, number, start, content):
            block.whole = (start, end)
            block.end = end
            name = tag if tag in ("li", "p", "dd", "div", "blockquote") else "p"
            block.pattern = f"{self.raw.newline}<{name}>{{}}</{name}>"
        del self._open[number:]

    def _fills(self, block: RawBlock, number: int, start: int, content: int) -> bool:
        """Whether the block is all the text of the innermost open element."""
        alone = len(self.blocks) < 2 or self.blocks[-2].end <= start
        return alone and block.start >= content and number == len(self._open) - 1

    def handle_data(self, data: str) -> None:
        """Text as it stands in the source."""
        if self._hidden:
            return
        place = self._place
        in_pre = any(name == "pre" for name, _, _ in self._open)
        for part in (_PRE_NEWLINE if in_pre else _SPACES).split(data):
            if not part:
                continue
            if in_pre:
                self._add("\n" if _PRE_NEWLINE.fullmatch(part) else part, place, place + len(part))
            else:
                self._add(" " if _SPACES.fullmatch(part) else part, place, place + len(part))
            place += len(part)

    def handle_entityref(self, name: str) -> None:
        """`&amp;` and the like."""
        self._add_reference()

    def handle_charref(self, name: str) -> None:
        """`&#160;` and the like."""
        self._add_reference()

    def _add_reference(self) -> None:
        match = _REFERENCE.match(self.raw.text, self._place)
        if match and not self._hidden:
            self._add(html.unescape(match.group()), match.start(), match.end())

    def _add(self, text: str, start: int, end: int) -> None:
        """Add to the block; white space counts once, and not at the start of a line."""
        in_pre = any(name == "pre" for name, _, _ in self._open)
        pieces = self._block.pieces if self._block else []
        if text == " " and not in_pre and (not pieces or pieces[-1].text in (" ", "\n")):
            return
        if text == "\n" and pieces and pieces[-1].text == " ":
            pieces.pop()
        if self._block is None:
            tag = self._open[-1][0] if self._open else ""
            self._block = RawBlock(self.raw, _KINDS.get(tag), pattern="<br>{}")
            self._block.start = start
        self._block.pieces.append(Piece(text, self.raw, start, end))
        self._block.end = end

    def end_block(self) -> None:
        """The block that text was being added to is complete."""
        block, self._block = self._block, None
        if block is None:
            return
        while block.pieces and block.pieces[-1].text in (" ", "\n"):
            block.pieces.pop()
        while block.pieces and block.pieces[0].text == "\n":
            block.pieces.pop(0)
        if any(not piece.text.isspace() for piece in block.pieces):
            block.end = block.pieces[-1].end
            self.blocks.append(block)
