"""Pieces of a Word file that python-docx has no call for: styles, shading, alternative texts."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from engine.reports.wording import is_right_to_left

if TYPE_CHECKING:
    from docx.document import Document
    from docx.table import Table, _Cell
    from docx.text.paragraph import Paragraph
    from docx.text.run import Run

_FONT = "Calibri"
_INK = "1F2328"
_LANGUAGE = "en-GB"
_MARGIN = 20  # millimetres, as are the widths below
_PAGE = 210 - 2 * _MARGIN
_NUMBER = 20
_WIDER_NUMBER = 21
_NAMES = 30


def new_document(title: str, author: str) -> Document:
    """An empty document with the report's styles, its language and properties set."""
    import docx

    document = docx.Document()
    properties = document.core_properties
    properties.title, properties.author, properties.language = title, author, _LANGUAGE
    properties.comments = "Made with Segue."
    _styles(document)
    _page(document)
    return document


def _page(document: Document) -> None:
    from docx.shared import Mm

    section = document.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(_MARGIN)
    section.top_margin = section.bottom_margin = Mm(22)


def _styles(document: Document) -> None:
    from docx.oxml.ns import qn
    from docx.shared import Pt, RGBColor

    for language in document.styles.element.iter(qn("w:lang")):
        language.set(qn("w:val"), _LANGUAGE)
    normal = document.styles["Normal"]
    _set_font(normal, _FONT)
    normal.font.size = Pt(11)
    normal.paragraph_format.space_after = Pt(6)
    for level, size in ((1, 20), (2, 14), (3, 11.5)):
        heading = document.styles[f"Heading {level}"]
        _set_font(heading, _FONT)
        heading.font.size, heading.font.bold = Pt(size), True
        heading.font.color.rgb = RGBColor.from_string(_INK)
        heading.paragraph_format.space_before = Pt(0 if level == 1 else 16 - 3 * (level - 2))
        heading.paragraph_format.space_after = Pt(4)
    footer = document.styles["Footer"].font
    footer.size, footer.color.rgb = Pt(8.5), RGBColor.from_string("4B545E")
    _add_style(document, "Soft", size=9.5, colour="4B545E", after=2)
    _add_style(document, "Essay", size=11.5, after=10, line=1.35)
    _add_style(document, "Essay title", size=12.5, after=8, bold=True)
    _add_style(document, "Question", size=11, after=4, italic=True)


def _set_font(style: object, name: str) -> None:
    """One font for every script; Word falls back to others for letters that it lacks."""
    from docx.oxml.ns import qn

    style.font.name = name  # type: ignore[attr-defined]
    fonts = style.element.rPr.rFonts  # type: ignore[attr-defined]
    for slot in ("w:asciiTheme", "w:hAnsiTheme", "w:eastAsiaTheme", "w:cstheme"):
        fonts.attrib.pop(qn(slot), None)
    fonts.set(qn("w:cs"), "Arial")


def _add_style(
    document: Document,
    name: str,
    *,
    size: float,
    after: float,
    colour: str = "",
    line: float = 0,
    bold: bool = False,
    italic: bool = False,
) -> None:
    from docx.enum.style import WD_STYLE_TYPE
    from docx.shared import Pt, RGBColor

    style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    style.base_style = document.styles["Normal"]
    style.font.size, style.font.bold, style.font.italic = Pt(size), bold, italic
    style.paragraph_format.space_after = Pt(after)
    if line:
        style.paragraph_format.line_spacing = line
    if colour:
        style.font.color.rgb = RGBColor.from_string(colour)


def add_run(
    paragraph: Paragraph,
    text: str,
    *,
    bold: bool = False,
    underline: bool = False,
    colour: str = "",
    paper: str = "",
) -> Run:
    """A run of text; colours are RRGGBB. Right-to-left text is marked as such."""
    from docx.shared import RGBColor

    run = paragraph.add_run(text)
    run.bold, run.underline = bold or None, underline or None
    if colour:
        run.font.color.rgb = RGBColor.from_string(colour)
    if paper:
        run._r.get_or_add_rPr().append(_shading(paper))  # noqa: SLF001 - has no public call
    if is_right_to_left(text):
        run.font.rtl = True
    return run


def _shading(paper: str) -> Any:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement("w:shd")
    for name, value in (("w:val", "clear"), ("w:color", "auto"), ("w:fill", paper)):
        element.set(qn(name), value)
    return element


def shade(paragraph: Paragraph, paper: str) -> None:
    """Give a paragraph a ground of its own."""
    properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 - has no public call
    properties.insert_element_before(
        _shading(paper),
        "w:tabs", "w:suppressAutoHyphens", "w:kinsoku", "w:wordWrap", "w:overflowPunct",
        "w:topLinePunct", "w:autoSpaceDE", "w:autoSpaceDN", "w:bidi", "w:adjustRightInd",
        "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing", "w:mirrorIndents",
        "w:suppressOverlap", "w:jc", "w:textDirection", "w:textAlignment", "w:outlineLvl",
        "w:rPr", "w:sectPr",
    )  # fmt: skip


def set_right_to_left(paragraph: Paragraph) -> None:
    """Let a paragraph run from right to left."""
    from docx.oxml import OxmlElement

    properties = paragraph._p.get_or_add_pPr()  # noqa: SLF001 - has no public call
    mark: Any = OxmlElement("w:bidi")
    properties.insert_element_before(
        mark,
        "w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:contextualSpacing",
        "w:mirrorIndents", "w:suppressOverlap", "w:jc", "w:textDirection", "w:textAlignment",
        "w:outlineLvl", "w:rPr", "w:sectPr",
    )  # fmt: skip


def add_notice(document: Document, text: str, paper: str) -> None:
    """A paragraph on a ground of its own."""
    from docx.shared import Pt

    paragraph = document.add_paragraph()
    paragraph.paragraph_format.space_before = Pt(8)
    shade(paragraph, paper)
    add_run(paragraph, text)


def add_bullets(document: Document, texts: Sequence[str]) -> None:
    """A list."""
    for text in texts:
        add_run(document.add_paragraph(style="List Bullet"), text)


def add_picture(paragraph: Paragraph, data: bytes, alternative: str, *, width: float) -> None:
    """A picture, `width` points wide, with its alternative text."""
    from docx.shared import Pt

    picture = paragraph.add_run().add_picture(io.BytesIO(data), width=Pt(width))
    inline = picture._inline  # noqa: SLF001 - has no public call
    inline.docPr.set("descr", alternative)
    for side in ("distT", "distB", "distL", "distR"):
        inline.set(side, "0")


def add_table(
    document: Document,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numbers_from: int,
    wide: int,
    numbers_to: int | None = None,
) -> None:
    """A table with a head row that repeats on each page; columns of numbers to the right."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH
    from docx.oxml import OxmlElement

    table = document.add_table(rows=0, cols=len(heads))
    table.autofit = False
    table._tbl.tblPr.append(_borders())  # noqa: SLF001 - has no public call
    last = len(heads) - 1 if numbers_to is None else numbers_to
    for place, cells in enumerate([heads, *rows]):
        row = table.add_row()
        properties = row._tr.get_or_add_trPr()  # noqa: SLF001 - has no public call
        properties.append(OxmlElement("w:cantSplit"))
        if not place:
            properties.append(OxmlElement("w:tblHeader"))
        for column, (cell, text) in enumerate(zip(row.cells, cells, strict=True)):
            _fill_cell(cell, text, bold=not place)
            if numbers_from <= column <= last:
                cell.paragraphs[0].alignment = WD_ALIGN_PARAGRAPH.RIGHT
    _set_widths(table, wide)
    document.add_paragraph(style="Soft")


def _borders() -> Any:
    """Lines between the rows only."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tblBorders")
    for side in ("top", "bottom", "insideH"):
        line = OxmlElement(f"w:{side}")
        values = {"val": "single", "sz": "4", "space": "0", "color": "B9B4A8"}
        for name, value in values.items():
            line.set(qn(f"w:{name}"), value)
        borders.append(line)
    return borders


def _fill_cell(cell: _Cell, text: str, *, bold: bool) -> None:
    from docx.shared import Pt

    paragraph = cell.paragraphs[0]
    paragraph.paragraph_format.space_after = Pt(1)
    add_run(paragraph, text, bold=bold).font.size = Pt(9.5)


def _set_widths(table: Table, wide: int) -> None:
    """The wide column takes what the others leave of the page."""
    from docx.shared import Mm

    columns = list(table.columns)
    widths = [_NUMBER if wide else _WIDER_NUMBER] * len(columns)
    widths[0 if wide else -1] = _NAMES
    widths[wide] = _PAGE - sum(widths) + widths[wide]
    for column, width in zip(columns, widths, strict=True):
        column.width = Mm(width)
        for cell in column.cells:
            cell.width = Mm(width)
