"""OpenDocument texts (.odt): the main text with its exact spaces, formatting kept."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

from lxml import etree

from engine.documents import changes, unread
from engine.documents.archives import Archive, local_name, parent_of, parse_xml
from engine.documents.blocks import Block, Piece, Reading, Source
from engine.documents.trees import TextSlot, has_any, remove_keeping_tail
from engine.errors import DamagedFile, PasswordProtected, WrongExtension
from engine.essay import Notice, ParagraphKind

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_MIME = "application/vnd.oasis.opendocument.text"
_SPACES = re.compile(r"[ \t\n\r]+")
_SINGLE = {"tab": "\t", "line-break": "\n"}
_CONTAINERS = frozenset(("list", "list-item", "list-header", "section", "numbered-paragraph"))
_INLINE = frozenset(("span", "a", "meta", "meta-field", "ruby", "ruby-base", "text-input"))
_LEFT_OUT = {
    "table": "tables",
    "annotation": "comments",
    "table-of-content": "tables of contents",
    "bibliography": "bibliographies",
    "alphabetical-index": "indexes",
    "illustration-index": "indexes",
}
_ANCHORS = frozenset({"frame", "note", "annotation", "custom-shape"})
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read(source: Source) -> Reading:
    """Read an .odt file. Raises PasswordProtected, WrongExtension or DamagedFile."""
    name = source.path.name
    archive = Archive(source.data, name)
    _check_kind(archive, name)
    root = parse_xml(archive.part("content.xml"), name)
    body = next(root.iter(f"{_OFFICE}text"), None)
    if body is None:
        raise DamagedFile(f"{name} has no text body.")
    reader = _Reader()
    reader.walk(body)
    _note_page_parts(archive, reader.missing)
    notices = reader.missing.notices()
    if reader.tracked:
        notices.append(
            Notice(
                "tracked-changes",
                "The file has tracked changes: insertions were read, deletions were not.",
            )
        )

    def rewrite(new_text: str) -> bytes:
        before = [block.text for block in reader.blocks]
        wanted = changes.put_back(reader.blocks, _CONTROL.sub("", new_text))
        for block, old, text in zip(reader.blocks, before, wanted, strict=True):
            if text is not None and text != old and _paragraph_text(block.element) != text:
                _write_exactly(block.element, text)
        data = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
        return archive.replaced({"content.xml": data})

    return Reading(reader.blocks, notices, rewrite)


def create(text: str) -> bytes:
    """A new document: a paragraph for every line."""
    from odfdo import Document, Paragraph

    document = Document("text")
    document.body.clear()
    for line in text.split("\n"):
        document.body.append(Paragraph(_CONTROL.sub("", line), formatted=True))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _check_kind(archive: Archive, name: str) -> None:
    kind = (
        archive.part("mimetype").decode("ascii", "replace") if "mimetype" in archive.names else ""
    )
    if kind and not kind.strip().startswith(_MIME):
        raise WrongExtension(f"{name} is not an OpenDocument text.")
    if "META-INF/manifest.xml" in archive.names:
        manifest = archive.part("META-INF/manifest.xml")
        if b"encryption-data" in manifest or b"encrypted-key" in manifest:
            raise PasswordProtected(f"{name} is protected by a password.")
    if "content.xml" not in archive.names:
        if not kind:
            raise WrongExtension(f"{name} is a zip file, but not an OpenDocument text.")
        raise DamagedFile(f"{name} lacks its text.")


def _note_page_parts(archive: Archive, missing: unread.Unread) -> None:
    """Headers and footers that hold words; they live with the page styles."""
    if "styles.xml" not in archive.names:
        return
    for element in parse_xml(archive.part("styles.xml"), "styles.xml").iter():
        if local_name(element) in ("header", "footer"):
            words = "".join(str(text) for text in element.itertext()).strip()
            missing.count_if(f"page {local_name(element)}s", bool(words))


class _Reader:
    """Walks the body and collects blocks."""

    def __init__(self) -> None:
        self.blocks: list[OdtBlock] = []
        self.missing = unread.Unread()
        self.tracked = False

    def walk(self, parent: etree._Element, *, in_list: bool = False) -> None:
        """Read the paragraphs of the body, a list or a section."""
        for child in parent:
            name = local_name(child)
            if name in ("p", "h"):
                self._paragraph(child, in_list=in_list)
            elif name in _CONTAINERS:
                self.walk(child, in_list=in_list or name == "list")
            elif name == "tracked-changes":
                self.tracked = True
            else:
                self._leave_out(child, name)

    def _leave_out(self, element: etree._Element, name: str) -> None:
        if name in _LEFT_OUT:
            self.missing.count(_LEFT_OUT[name])
        elif name == "note":
            kind = element.get(f"{_TEXT}note-class", "footnote")
            self.missing.count(f"{kind}s")
        elif name in ("frame", "custom-shape"):
            boxes = has_any(element, frozenset({"text-box", "p"}))
            self.missing.count("text boxes" if boxes else "pictures")

    def _paragraph(self, element: etree._Element, *, in_list: bool) -> None:
        kind = ParagraphKind.LIST_ITEM if in_list else None
        style = element.get(f"{_TEXT}style-name", "")
        if local_name(element) == "h":
            kind = ParagraphKind.HEADING
        elif style == "Title":
            kind = ParagraphKind.TITLE
        block = OdtBlock(element, kind)
        self.fill(block)
        self.blocks.append(block)

    def fill(self, block: OdtBlock) -> None:
        """Collect the pieces of one paragraph."""
        element = block.element
        self._text(block, TextSlot(element))
        self._inside(block, element)
        last = block.pieces[-1] if block.pieces else None
        if last is not None and last.text == " " and isinstance(last.slot, TextSlot):
            block.pieces.pop()

    def _inside(self, block: OdtBlock, parent: etree._Element) -> None:
        for child in parent:
            name = local_name(child)
            if name == "s":
                count = min(int(re.sub(r"\D", "", child.get(f"{_TEXT}c", "1")) or 1), 1000)
                block.pieces.append(Piece(" " * count, _MarkSlot(child), 0, -1))
            elif name in _SINGLE:
                block.pieces.append(Piece(_SINGLE[name], _MarkSlot(child), 0, -1))
            elif name in _INLINE or (child.text and not len(child) and name in _FIELDS):
                self._text(block, TextSlot(child))
                self._inside(block, child)
            else:
                self._leave_out(child, name)
            self._text(block, TextSlot(child, "tail"))

    def _text(self, block: OdtBlock, slot: TextSlot) -> None:
        """Add a stretch of characters; white space counts once, and not at the start."""
        at = 0
        value = slot.value
        for match in _SPACES.finditer(value):
            _add(block, slot, value, at, match.start())
            before = block.pieces[-1] if block.pieces else None
            if before is not None and (before.text != " " or not isinstance(before.slot, TextSlot)):
                block.pieces.append(Piece(" ", slot, match.start(), match.end()))
            at = match.end()
        _add(block, slot, value, at, len(value))


_FIELDS = frozenset(
    ("date", "time", "title", "subject", "author-name", "initial-creator", "bookmark-ref")
    + ("reference-ref", "sequence", "user-defined", "text", "placeholder", "variable-set")
)


def _add(block: OdtBlock, slot: TextSlot, value: str, start: int, end: int) -> None:
    if start < end:
        block.pieces.append(Piece(value[start:end], slot, start, end))


class _MarkSlot:
    """Repeated spaces, a tab or a line break: an element that stands for characters."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element

    def replace(self, start: int, end: int, new: str) -> None:
        """Put text in place of the element."""
        self.element.tail = new + (self.element.tail or "")
        remove_keeping_tail(self.element)


class OdtBlock(Block):
    """A paragraph or heading."""

    def __init__(self, element: etree._Element, kind: ParagraphKind | None) -> None:
        super().__init__(kind)
        self.element = element

    def write_empty(self, text: str) -> None:
        """Put the text into a paragraph that has none."""
        _write_exactly(self.element, text)

    def remove(self) -> None:
        """Take the paragraph out; one that holds a picture or a note is only emptied."""
        if has_any(self.element, _ANCHORS):
            changes.change_block(self, "")
            return
        remove_keeping_tail(self.element)

    def add_after(self, texts: Sequence[str]) -> None:
        """Insert paragraphs of the same style, as list items of their own in a list."""
        place = self.element
        item = parent_of(place)
        for text in texts:
            paragraph = etree.Element(f"{_TEXT}p", _attributes(self.element))
            _write_exactly(paragraph, text)
            if local_name(item) == "list-item":
                outer = etree.Element(item.tag, _attributes(item))
                outer.append(paragraph)
                item.addnext(outer)
                item = outer
            else:
                place.addnext(paragraph)
                place = paragraph


def _attributes(element: etree._Element) -> dict[str, str]:
    """A copy of the attributes, without identifiers that may stand only once."""
    return {str(k): str(v) for k, v in element.attrib.items() if not str(k).endswith("}id")}


def _paragraph_text(element: etree._Element) -> str:
    block = OdtBlock(element, None)
    _Reader().fill(block)
    return block.text


def _write_exactly(element: etree._Element, text: str) -> None:
    """Make `text` the paragraph's text, every space counted; pictures and notes stay, at its end."""
    anchors = [child for child in element.iter() if local_name(child) in _ANCHORS]
    for child in list(element):
        element.remove(child)
    element.text = ""
    parts = re.findall(r"\t|\n| +|[^\t\n ]+", text)
    for number, part in enumerate(parts):
        if part[0] == " ":
            # Only a single space between two words survives as a character.
            inside = 0 < number < len(parts) - 1 and parts[number - 1] not in "\t\n"
            _append_text(element, " " if inside else "")
            if len(part) > inside:
                mark = etree.SubElement(element, f"{_TEXT}s")
                mark.set(f"{_TEXT}c", str(len(part) - inside))
        elif part in "\t\n":
            etree.SubElement(element, f"{_TEXT}{'tab' if part == chr(9) else 'line-break'}")
        else:
            _append_text(element, part)
    for anchor in anchors:
        anchor.tail = None
        element.append(anchor)


def _append_text(element: etree._Element, text: str) -> None:
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
