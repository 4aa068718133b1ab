"""Markdown: the text without its marks, tied back to the source for writing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.token import Token

from engine.documents import changes, charsets, unread
from engine.documents.blocks import Piece, Reading, Source
from engine.documents.raw import RawBlock, RawText
from engine.essay import ParagraphKind

_NEWLINE = re.compile(r"\r\n|\r|\n")
_FRONT_MATTER = re.compile(r"\A---[ \t]*(?:\r\n|\r|\n).*?^---[ \t]*$", re.DOTALL | re.MULTILINE)
_LINE_BREAK = re.compile(r"[ \t]*\\?(?:\r\n|\r|\n)(?:[ \t]*>)*[ \t]*")
_IMAGE = re.compile(r"!\[.*?\](?:\(.*?\)|\[.*?\])?", re.DOTALL)
_LINK_END = re.compile(r"[*_`~]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])?")
_HTML_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]<>~])")


def read(source: Source) -> Reading:
    """Read a Markdown file. Raises UnknownEncoding or DamagedFile."""
    decoded = charsets.decode(source.data, source.path.name, source.encoding)
    raw = RawText(decoded.text, _escape)
    missing = unread.Unread()
    blocks = list(_blocks(raw, missing))

    def rewrite(new_text: str) -> bytes:
        changes.put_back(blocks, new_text)
        return decoded.encode(raw.render())

    return Reading(blocks, missing.notices(), rewrite)


def create(text: str) -> bytes:
    """A new Markdown file: a paragraph for every line that is not blank."""
    lines = [_escape(line) for line in text.split("\n")]
    return ("\n\n".join(line for line in lines if line.strip()) + "\n").encode(
        "utf-8", "surrogatepass"
    )


def _escape(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", text).replace("\n", "\\\n")
    return re.sub(r"&(?=#?\w+;)", "&amp;", escaped)


def _blocks(raw: RawText, missing: unread.Unread) -> Iterator[RawBlock]:
    starts = [0, *(match.end() for match in _NEWLINE.finditer(raw.text)), len(raw.text)]
    front = _FRONT_MATTER.match(raw.text)
    hidden = raw.text[: front.end()] if front else ""
    visible = _NEWLINE.sub("\n", re.sub(r"[^\r\n]", " ", hidden) + raw.text[len(hidden) :])
    # Without text_join, escapes and entities stay tokens of their own, which have a place.
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"]).disable("text_join")
    kinds: list[ParagraphKind | None] = [None]
    in_table = 0
    for token in parser.parse(visible):
        in_table += {"table_open": 1, "table_close": -1}.get(token.type, 0)
        missing.count_if("tables", token.type == "table_open")
        missing.count_if("code", token.type in ("fence", "code_block"))
        missing.count_if("embedded HTML", token.type == "html_block")
        if token.type in ("heading_open", "list_item_open"):
            is_heading = token.type == "heading_open"
            kinds.append(ParagraphKind.HEADING if is_heading else ParagraphKind.LIST_ITEM)
        elif token.type in ("heading_close", "list_item_close"):
            kinds.pop()
        elif token.type == "inline" and token.map and not in_table:
            block = _block(raw, token, starts, kinds[-1], missing)
            if block is not None:
                yield block


def _block(
    raw: RawText,
    token: Token,
    starts: list[int],
    kind: ParagraphKind | None,
    missing: unread.Unread,
) -> RawBlock | None:
    """A paragraph with its pieces; None if it holds nothing but a picture."""
    first, last = token.map or [0, 0]
    start, end = starts[first], starts[min(last, len(starts) - 1)]
    block = RawBlock(raw, kind, wraps=True)
    block.pieces = _pieces(raw, token.children or [], start, end, missing)
    if not block.pieces:
        return None
    line = raw.text[start:end]
    marker = re.match(r"[ \t>]*(?:[-*+]|\d+([.)]))[ \t]+", line)
    block.start = start
    block.end = start + len(line.rstrip())
    block.whole = (start, _end_of_removal(raw.text, start, block.end))
    before = raw.newline + marker.group() if marker and kind else raw.newline * 2
    block.pattern = before + "{}"
    return block


def _end_of_removal(text: str, start: int, end: int) -> int:
    """Where a removed paragraph's range ends, so that one blank line stays between the others."""
    before = text[max(0, start - 4) : start]
    blank_before = not before.strip(" \t\r\n") or before.count("\n") > 1
    pattern = r"\s*" if blank_before else r"[ \t]*(?:\r\n|\r|\n)?"
    match = re.compile(pattern).match(text, end)
    return match.end() if match else end


def _pieces(
    raw: RawText, tokens: list[Token], start: int, end: int, missing: unread.Unread
) -> list[Piece]:
    """The inline tokens' text, each found in the source after the one before it."""
    pieces: list[Piece] = []
    at = start
    for token in tokens:
        text, pattern = _expected(token, missing)
        match = pattern.search(raw.text, at, end) if pattern else None
        if match is None:
            if text:
                return [Piece(raw.text[start:end].strip(), raw, start, end)]
            continue
        at = match.end()
        if text:
            pieces.append(Piece(text, raw, match.start(), match.end()))
    return pieces


def _expected(token: Token, missing: unread.Unread) -> tuple[str, re.Pattern[str] | None]:
    """What a token adds to the text, and what it looks like in the source."""
    if token.type in ("text", "code_inline"):
        return token.content, re.compile(re.escape(token.content))
    if token.type == "text_special":
        return token.content, re.compile(re.escape(token.markup))
    if token.type in ("softbreak", "hardbreak"):
        return "\n", _LINE_BREAK
    if token.type == "html_inline" and _HTML_BREAK.fullmatch(token.content):
        return "\n", re.compile(re.escape(token.content))
    if token.type == "image":
        missing.count("pictures")
        return "", _IMAGE
    if token.type == "link_close" and token.markup != "autolink":
        return "", _LINK_END
    return "", None
