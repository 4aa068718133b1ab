"""Rich Text Format (.rtf): the main text, tied back to the source so that formatting stays.

Source: Microsoft, Rich Text Format Specification, version 1.9.1.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field, replace

from engine.documents import changes, unread
from engine.documents.blocks import Piece, Reading, Source
from engine.documents.raw import RawBlock, RawText
from engine.errors import DamagedFile
from engine.essay import Notice, ParagraphKind

_TOKEN = re.compile(
    r"\\([A-Za-z]{1,32})(-?\d{1,10})? ?|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)
_SKIPPED = frozenset(
    (
        "fonttbl",
        "colortbl",
        "stylesheet",
        "info",
        "pict",
        "object",
        "fldinst",
        "xe",
        "tc",
        "themedata",
    )
    + (
        "datastore",
        "listtable",
        "listoverridetable",
        "revtbl",
        "rsidtbl",
        "generator",
        "nonshppict",
    )
    + ("listtext", "pntext", "bkmkstart", "bkmkend", "shpinst", "annotation", "footnote", "header")
    + (
        "headerl",
        "headerr",
        "headerf",
        "footer",
        "footerl",
        "footerr",
        "footerf",
        "ftnsep",
        "atnid",
    )
)
_UNREAD = {"pict": "pictures", "object": "embedded objects", "footnote": "footnotes"}
_UNREAD |= {"annotation": "comments", "shpinst": "text boxes"}
_UNREAD |= dict.fromkeys(("header", "headerl", "headerr", "headerf"), "page headers")
_UNREAD |= dict.fromkeys(("footer", "footerl", "footerr", "footerf"), "page footers")
_WORDS = {"tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“"}
_WORDS |= {"rdblquote": "”", "emdash": "—", "endash": "–", "bullet": "•"}
_WORDS |= {"enspace": "\u2002", "emspace": "\u2003"}
_SYMBOLS = {"~": "\u00a0", "_": "\u2011", "-": "\u00ad", "\\": "\\", "{": "{", "}": "}"}
_CHARSETS = {128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255}
_CHARSETS |= {178: 1256, 186: 1257, 204: 1251, 222: 874, 238: 1250}


@dataclass(frozen=True)
class _State:
    """What a group inherits: whether its text is skipped, and how its bytes are read."""

    skipped: bool = False
    hidden: bool = False
    fallback: int = 1
    page: str = ""
    in_table: bool = False


def read(source: Source) -> Reading:
    """Read an .rtf file. Raises DamagedFile."""
    raw = RawText(source.data.decode("latin-1"), _escape)
    parser = _Parser(raw, source.path.name)
    parser.run()
    notices = parser.missing.notices()
    if parser.tracked:
        notices.append(
            Notice("tracked-changes", "The file has tracked changes: deletions were not read.")
        )

    def rewrite(new_text: str) -> bytes:
        changes.put_back(parser.blocks, new_text)
        return raw.render().encode("latin-1")

    return Reading(parser.blocks, notices, rewrite)


def create(text: str) -> bytes:
    """A new document: a paragraph for every line."""
    lines = "\\par\n".join(_escape(line) for line in text.split("\n"))
    source = "{\\rtf1\\ansi\\ansicpg1252\\uc1{\\fonttbl{\\f0 Times New Roman;}}\\f0\\fs24\n"
    return f"{source}{lines}\\par\n}}".encode("ascii")


def _escape(text: str) -> str:
    """Text as RTF source in plain ASCII."""
    escaped: list[str] = []
    for character in text:
        if character in "\\{}":
            escaped.append("\\" + character)
        elif character == "\t":
            escaped.append("\\tab ")
        elif character == "\n":
            escaped.append("\\line ")
        elif " " <= character <= "~":
            escaped.append(character)
        else:
            units = character.encode("utf-16-le", "surrogatepass")
            for at in range(0, len(units), 2):
                value = int.from_bytes(units[at : at + 2], "little", signed=True)
                escaped.append(f"{{\\uc1\\u{value}?}}")
    return "".join(escaped)


class _RtfBlock(RawBlock):
    """A paragraph; `mark` is the range of the control word that ends it."""

    mark: tuple[int, int] | None = None
    in_table = False

    def remove(self) -> None:
        """Cut out the text and the end of the paragraph; groups around them stay."""
        super().remove()
        if self.mark is not None:
            self.raw.splice(*self.mark, "")


@dataclass
class _Parser:
    """Walks the tokens and collects blocks."""

    raw: RawText
    name: str
    blocks: list[_RtfBlock] = field(default_factory=list)
    missing: unread.Unread = field(default_factory=unread.Unread)
    tracked: bool = False
    _fonts: dict[int, str] = field(default_factory=dict)
    _font: int = 0
    _bytes: bytearray = field(default_factory=bytearray)
    _bytes_start: int = 0
    _bytes_end: int = 0
    _to_skip: int = 0
    _table_before: bool = False

    def run(self) -> None:
        """Read the whole source. Raises DamagedFile if it ends too early."""
        stack = [_State()]
        self._begin(0)
        at = 0
        while match := _TOKEN.match(self.raw.text, at):
            at = match.end()
            if match[5]:
                self._to_skip = 0
            if match[5] == "{":
                self._flush(stack[-1])
                stack.append(stack[-1])
            elif match[5] == "}":
                self._flush(stack[-1])
                stack.pop()
                if len(stack) <= 1:
                    break
            else:
                at = self._token(match, stack)
        self._flush(stack[-1])
        if len(stack) > 1:
            raise DamagedFile(f"{self.name} is cut short.")
        if len(self.blocks) > 1 and not self.blocks[-1].pieces:
            self.blocks.pop()

    def _begin(self, place: int) -> None:
        block = _RtfBlock(self.raw, pattern="\\par\n{}")
        block.start = block.end = place
        self.blocks.append(block)

    def _token(self, match: re.Match[str], stack: list[_State]) -> int:
        """Take one token that is not a brace; returns where the next one starts."""
        state = stack[-1]
        if match[3] is not None:
            self._byte(match, state)
            return match.end()
        self._flush(state)
        if match[1]:
            return self._word(match, stack)
        if match[4] == "*":
            stack[-1] = replace(state, skipped=True)
        elif match[4] in ("\r", "\n"):
            self._end_paragraph(match, state)
        elif match[4] in _SYMBOLS:
            self._add(_SYMBOLS[match[4]], match.start(), match.end(), state)
        elif match[6]:
            self._plain(match, state)
        return match.end()

    def _plain(self, match: re.Match[str], state: _State) -> None:
        start = match.start()
        skipped = min(self._to_skip, len(match[6]))
        self._to_skip -= skipped
        if skipped and self.blocks[-1].pieces:
            self._extend_last(start + skipped)
        text = match[6][skipped:]
        if not text.isascii():
            text = text.encode("latin-1").decode(self._page(state), "replace")
        if text:
            self._add(text, start + skipped, match.end(), state)

    def _byte(self, match: re.Match[str], state: _State) -> None:
        """One `\\'hh`; several in a row may be one character."""
        if self._to_skip:
            self._to_skip -= 1
            self._extend_last(match.end())
            return
        if not self._bytes:
            self._bytes_start = match.start()
        self._bytes.append(int(match[3], 16))
        self._bytes_end = match.end()

    def _flush(self, state: _State) -> None:
        if self._bytes:
            text = bytes(self._bytes).decode(self._page(state), "replace")
            self._bytes.clear()
            self._add(text, self._bytes_start, self._bytes_end, state)

    def _page(self, state: _State) -> str:
        return state.page or self._fonts.get(-1, "cp1252")

    def _extend_last(self, end: int) -> None:
        """Count the stand-in after a `\\u` to the character that it stands in for."""
        pieces = self.blocks[-1].pieces
        if pieces:
            pieces[-1] = replace(pieces[-1], end=end)
            self.blocks[-1].end = end

    def _word(self, match: re.Match[str], stack: list[_State]) -> int:
        """A control word."""
        word, number = match[1], int(match[2]) if match[2] else None
        state = stack[-1]
        self._to_skip = 0
        if word == "bin":
            return match.end() + max(0, number or 0)
        if word in _SKIPPED:
            self._skip_group(word, stack)
        elif word == "u" and number is not None:
            self._unicode(number % 65536, match, state)
        elif word in _WORDS:
            self._add(_WORDS[word], match.start(), match.end(), state)
        elif word in ("par", "sect", "page") and not state.skipped:
            self._end_paragraph(match, state)
        elif word in ("cell", "row", "nestcell", "nestrow") and not state.skipped:
            self._drop_cell(match)
        else:
            stack[-1] = self._changed(state, word, number)
        return match.end()

    def _skip_group(self, word: str, stack: list[_State]) -> None:
        state = stack[-1]
        if not state.skipped or word == "shpinst":
            self.missing.count_if(_UNREAD.get(word, ""), word in _UNREAD)
        if word in ("listtext", "pntext"):
            self.blocks[-1].kind = ParagraphKind.LIST_ITEM
        stack[-1] = replace(state, skipped=True)

    def _changed(self, state: _State, word: str, number: int | None) -> _State:
        """The state after a control word that changes it."""
        if word == "uc":
            return replace(state, fallback=number or 0)
        if word == "v":
            self.missing.count_if("hidden text", number != 0 and not state.hidden)
            return replace(state, hidden=number != 0)
        if word == "deleted":
            self.tracked |= number != 0
            return replace(state, hidden=number != 0)
        if word == "plain":
            return replace(state, hidden=False)
        if word == "ansicpg":
            self._fonts[-1] = _codec(number or 1252)
        elif word == "f" and number is not None:
            self._font = number
            return replace(state, page=self._fonts.get(number, ""))
        elif word == "fcharset" and number in _CHARSETS:
            self._fonts[self._font] = _codec(_CHARSETS[number])
        elif word == "intbl":
            return replace(state, in_table=True)
        elif word == "pard":
            return replace(state, in_table=False)
        return state

    def _unicode(self, value: int, match: re.Match[str], state: _State) -> None:
        self._to_skip = state.fallback
        pieces = self.blocks[-1].pieces
        before = pieces[-1].text if pieces else ""
        if 0xDC00 <= value < 0xE000 and len(before) == 1 and "\ud800" <= before < "\udc00":
            pair = chr(0x10000 + ((ord(before) - 0xD800) << 10) + (value - 0xDC00))
            pieces[-1] = Piece(pair, self.raw, pieces[-1].start, match.end())
        else:
            self._add(chr(value), match.start(), match.end(), state)

    def _add(self, text: str, start: int, end: int, state: _State) -> None:
        if state.skipped or state.hidden:
            return
        block = self.blocks[-1]
        if not block.pieces:
            block.start = start
        block.pieces.append(Piece(text, self.raw, start, end))
        block.end = end
        block.in_table |= state.in_table

    def _end_paragraph(self, match: re.Match[str], state: _State) -> None:
        block = self.blocks[-1]
        block.mark = match.span()
        if not block.pieces:
            block.start = block.end = match.start()
        if match[1] == "page" and not block.pieces:
            return
        self._table_before &= state.in_table or not block.pieces
        self._begin(match.end())

    def _drop_cell(self, match: re.Match[str]) -> None:
        """A table's cell ends: what it held is not part of the essay."""
        self.missing.count_if("tables", not self._table_before)
        self._table_before = True
        while self.blocks and (self.blocks[-1].in_table or not self.blocks[-1].pieces):
            if not self.blocks[-1].in_table and self.blocks[-1].mark is not None:
                break
            self.blocks.pop()
        self._begin(match.end())


def _codec(page: int) -> str:
    """The codec of a Windows code page; Western European where there is none."""
    try:
        return codecs.lookup(f"cp{page}").name
    except LookupError:
        return "cp1252"
