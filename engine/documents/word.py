"""Word documents (.docx): the main text, tracked changes taken as accepted, formatting kept."""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Iterator, Sequence

from lxml import etree

from engine.documents import changes, unread
from engine.documents.archives import Archive, local_name, parent_of, parse_xml
from engine.documents.blocks import Block, Piece, Reading, Source
from engine.documents.trees import TextSlot, has_any
from engine.errors import DamagedFile, WrongExtension
from engine.essay import Notice, ParagraphKind

_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ANCHORS = frozenset(
    {"drawing", "pict", "object", "footnoteReference", "endnoteReference", "oMath"}
)
_SINGLE = {
    "tab": "\t",
    "ptab": "\t",
    "br": "\n",
    "cr": "\n",
    "noBreakHyphen": "\u2011",
    "softHyphen": "\u00ad",
}
_DESCEND = frozenset(
    ("hyperlink", "smartTag", "customXml", "sdt", "sdtContent", "fldSimple", "ins", "moveTo")
    + ("dir", "bdo", "ruby", "rubyBase")
)
_LEFT_OUT = {
    "tbl": "tables",
    "footnoteReference": "footnotes",
    "endnoteReference": "endnotes",
    "commentReference": "comments",
    "oMath": "equations",
    "oMathPara": "equations",
    "altChunk": "embedded documents",
    "object": "embedded objects",
}
_HEADING = re.compile(r"heading\s*\d?$|subtitle$|toc\s*heading$|toc\s*\d$", re.IGNORECASE)
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def read(source: Source) -> Reading:
    """Read a .docx file. Raises DamagedFile or WrongExtension."""
    name = source.path.name
    archive = Archive(source.data, name)
    part = _main_part(archive, name)
    root = parse_xml(archive.part(part), name)
    body = next((child for child in root if local_name(child) == "body"), None)
    if body is None:
        raise DamagedFile(f"{name} has no text body.")
    reader = _Reader(_styles(archive, part))
    reader.walk_body(body)
    _note_other_parts(archive, reader.missing)
    notices = [*reader.missing.notices()]
    if reader.tracked:
        notices.append(
            Notice(
                "tracked-changes",
                "The file has tracked changes: insertions were read, deletions were not.",
            )
        )

    def rewrite(new_text: str) -> bytes:
        changes.put_back(reader.blocks, _CONTROL.sub("", new_text))
        _split_breaks(root)
        data = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
        return archive.replaced({part: data})

    return Reading(reader.blocks, notices, rewrite)


def create(text: str) -> bytes:
    """A new document: a paragraph for every line."""
    from docx import Document

    document = Document()
    for line in text.split("\n"):
        document.add_paragraph(_CONTROL.sub("", line))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _main_part(archive: Archive, name: str) -> str:
    """The path of the main document inside the archive."""
    if "word/document.xml" in archive.names:
        return "word/document.xml"
    if "_rels/.rels" in archive.names:
        for relation in parse_xml(archive.part("_rels/.rels"), name):
            target = (relation.get("Target") or "").lstrip("/")
            if (relation.get("Type") or "").endswith("/officeDocument") and "word" in target:
                return target
    raise WrongExtension(f"{name} is a zip file, but not a Word document.")


def _styles(archive: Archive, part: str) -> dict[str, str]:
    """Style names by id."""
    path = part.rsplit("/", 1)[0] + "/styles.xml"
    if path not in archive.names:
        return {}
    names: dict[str, str] = {}
    for style in parse_xml(archive.part(path), "styles.xml"):
        if local_name(style) == "style":
            named = next((_value(child) for child in style if local_name(child) == "name"), "")
            names[_attribute(style, "styleId")] = named
    return names


def _note_other_parts(archive: Archive, missing: unread.Unread) -> None:
    """Headers and footers that hold words."""
    for name in sorted(archive.names):
        match = re.fullmatch(r"word/(header|footer)\d*\.xml", name)
        if match:
            root = parse_xml(archive.part(name), name)
            text = "".join(e.text or "" for e in root.iter() if local_name(e) == "t")
            missing.count_if(f"page {match.group(1)}s", bool(text.strip()))


def _attribute(element: etree._Element, name: str) -> str:
    """An attribute's value, whichever of Word's namespaces it is in."""
    for key, value in element.attrib.items():
        if etree.QName(str(key)).localname == name:
            return str(value)
    return ""


def _value(element: etree._Element) -> str:
    return _attribute(element, "val")


class _Reader:
    """Walks the body and collects blocks."""

    def __init__(self, styles: dict[str, str]) -> None:
        self.blocks: list[Block] = []
        self.missing = unread.Unread()
        self.tracked = False
        self._styles = styles
        self._continues: WordBlock | None = None

    def walk_body(self, parent: etree._Element) -> None:
        """Read the paragraphs of the body, or of a content control in it."""
        for child in parent:
            name = local_name(child)
            if name == "p":
                self._paragraph(child)
            elif name == "sdt" and _shows_placeholder(child):
                continue
            elif name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"):
                self.walk_body(child)
            else:
                self._leave_out(child, name)

    def _leave_out(self, element: etree._Element, name: str) -> None:
        if name in _LEFT_OUT:
            self.missing.count(_LEFT_OUT[name])
        elif name in ("del", "moveFrom"):
            self.tracked = True
        elif name in ("drawing", "pict", "AlternateContent"):
            boxes = has_any(element, frozenset({"txbxContent"}))
            self.missing.count("text boxes" if boxes else "pictures")

    def _paragraph(self, paragraph: etree._Element) -> None:
        block = self._continues
        if block is None:
            block = WordBlock(self._kind(paragraph))
            self.blocks.append(block)
        block.elements.append(paragraph)
        for slot, text in self._runs(paragraph):
            length = len(slot.value) if isinstance(slot, TextSlot) else 1
            block.pieces.append(Piece(text, slot, 0, length))
        self._continues = block if _mark_is_deleted(paragraph) else None

    def _kind(self, paragraph: etree._Element) -> ParagraphKind | None:
        properties = next((c for c in paragraph if local_name(c) == "pPr"), None)
        if properties is None:
            return None
        style = next((_value(c) for c in properties if local_name(c) == "pStyle"), "")
        name = self._styles.get(style, style)
        if name.lower() == "title":
            return ParagraphKind.TITLE
        if _HEADING.match(name) or any(local_name(c) == "outlineLvl" for c in properties):
            return ParagraphKind.HEADING
        numbered = any(local_name(c) == "numPr" for c in properties)
        if numbered or name.lower().startswith(("list bullet", "list number")):
            return ParagraphKind.LIST_ITEM
        return None

    def _runs(self, parent: etree._Element) -> Iterator[tuple[TextSlot | _MarkSlot, str]]:
        """The text of a paragraph, or of what stands around runs in it."""
        for child in parent:
            name = local_name(child)
            if name == "r":
                yield from self._run(child)
            elif name == "sdt" and _shows_placeholder(child):
                continue
            elif name in _DESCEND:
                self.tracked |= name in ("ins", "moveTo")
                yield from self._runs(child)
            else:
                self._leave_out(child, name)

    def _run(self, run: etree._Element) -> Iterator[tuple[TextSlot | _MarkSlot, str]]:
        properties = next((c for c in run if local_name(c) == "rPr"), None)
        if properties is not None and _is_hidden(properties):
            self.missing.count("hidden text")
            return
        for child in run:
            name = local_name(child)
            if name == "t" and child.text:
                # Word shows line ends inside its XML as spaces.
                child.text = re.sub(r"[\n\r]", " ", child.text)
                yield TextSlot(child), child.text
            elif name in _SINGLE and _attribute(child, "type") not in ("page", "column"):
                yield _MarkSlot(child), _SINGLE[name]
            elif name in _DESCEND:
                yield from self._runs(child)
            elif name not in _SINGLE:
                self._leave_out(child, name)


def _shows_placeholder(control: etree._Element) -> bool:
    """Whether a content control shows its prompt instead of something written."""
    return any(
        local_name(mark) == "showingPlcHdr"
        for properties in control
        if local_name(properties) == "sdtPr"
        for mark in properties
    )


def _is_hidden(properties: etree._Element) -> bool:
    return any(
        local_name(c) == "vanish" and _value(c) not in ("0", "false", "off") for c in properties
    )


def _mark_is_deleted(paragraph: etree._Element) -> bool:
    """Whether a tracked change takes away the end of this paragraph, which joins it to the next."""
    for properties in paragraph:
        if local_name(properties) == "pPr":
            for mark in properties:
                if local_name(mark) == "rPr":
                    return any(local_name(c) in ("del", "moveFrom") for c in mark)
    return False


class _MarkSlot:
    """A tab, break or special hyphen: an element that stands for one character."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element

    def replace(self, start: int, end: int, new: str) -> None:
        """Put text in place of the element, or before or after it."""
        parent = self.element.getparent()
        if parent is None:
            return
        own = _SINGLE[local_name(self.element)]
        if new == own and start < end:
            return
        place = parent.index(self.element)
        if start == end:
            place += start
        else:
            parent.remove(self.element)
        if new:
            text = etree.Element(_sibling_tag(self.element, "t"))
            text.text = new
            parent.insert(place, text)


def _sibling_tag(element: etree._Element, name: str) -> str:
    """A tag of the same namespace."""
    return f"{{{etree.QName(element).namespace}}}{name}"


class WordBlock(Block):
    """A paragraph; several elements where a tracked change joins them."""

    def __init__(self, kind: ParagraphKind | None = None) -> None:
        super().__init__(kind)
        self.elements: list[etree._Element] = []

    def write_empty(self, text: str) -> None:
        """Put a run with the text into a paragraph that has none."""
        if not text:
            return
        paragraph = self.elements[-1]
        run = etree.SubElement(paragraph, _sibling_tag(paragraph, "r"))
        etree.SubElement(run, _sibling_tag(paragraph, "t")).text = text

    def remove(self) -> None:
        """Take the paragraph out; one that holds a picture or a section break is emptied."""
        parent = self.elements[0].getparent()
        siblings = [] if parent is None else [c for c in parent if local_name(c) == "p"]
        anchored = any(has_any(e, _ANCHORS | {"sectPr"}) for e in self.elements)
        if anchored or len(siblings) <= len(self.elements):
            changes.change_block(self, "")
            return
        for element in self.elements:
            parent_of(element).remove(element)

    def add_after(self, texts: Sequence[str]) -> None:
        """Insert paragraphs with this one's formatting and its first run's."""
        model = self.elements[-1]
        place = model
        for text in texts:
            paragraph = etree.Element(model.tag)
            for child in model:
                if local_name(child) == "pPr":
                    paragraph.append(_clean_properties(child))
            if text:
                run = etree.SubElement(paragraph, _sibling_tag(model, "r"))
                look = _first_run_properties(model)
                if look is not None:
                    run.append(look)
                etree.SubElement(run, _sibling_tag(model, "t")).text = text
            place.addnext(paragraph)
            place = paragraph


def _clean_properties(properties: etree._Element) -> etree._Element:
    """A copy without what may stand only once: section breaks and tracked changes."""
    copied = copy.deepcopy(properties)
    for child in list(copied):
        if local_name(child) in ("sectPr", "pPrChange", "rPr"):
            copied.remove(child)
    return copied


def _first_run_properties(paragraph: etree._Element) -> etree._Element | None:
    for run in paragraph:
        if local_name(run) == "r":
            found = next((c for c in run if local_name(c) == "rPr"), None)
            return None if found is None else copy.deepcopy(found)
    return None


def _split_breaks(root: etree._Element) -> None:
    """Turn the tabs and line breaks that an edit put into text into Word's own elements."""
    for text in [
        e for e in root.iter() if local_name(e) == "t" and local_name(parent_of(e)) == "r"
    ]:
        value = text.text or ""
        if value != value.strip():
            text.set(_SPACE, "preserve")
        if "\t" not in value and "\n" not in value:
            continue
        run = parent_of(text)
        place = run.index(text)
        run.remove(text)
        for part in re.split(r"([\t\n])", value):
            if not part:
                continue
            name = {"\t": "tab", "\n": "br"}.get(part, "t")
            element = etree.Element(_sibling_tag(run, name))
            if name == "t":
                element.text = part
                element.set(_SPACE, "preserve")
            run.insert(place, element)
            place += 1
