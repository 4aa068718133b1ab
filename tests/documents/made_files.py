"""Small files of every format, made in code."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from docx import Document
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPES = (
    '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="xml" ContentType="application/xml"/></Types>'
)
_ODF = "urn:oasis:names:tc:opendocument:xmlns"


def write(path: Path, data: str | bytes) -> Path:
    """Write a file and return its path."""
    path.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)
    return path


def zip_of(parts: dict[str, str | bytes]) -> bytes:
    """A zip file with these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def docx_of(body: str, **other_parts: str) -> bytes:
    """A minimal .docx around the XML of its body; other parts by name with `_` for `/`."""
    document = (
        f'<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="{WORD}" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
        f"<w:body>{body}<w:sectPr/></w:body></w:document>"
    )
    parts: dict[str, str | bytes] = {"[Content_Types].xml": _TYPES, "word/document.xml": document}
    parts |= {f"word/{name}.xml": content for name, content in other_parts.items()}
    return zip_of(parts)


def docx_paragraphs(texts: Sequence[str]) -> bytes:
    """A .docx as python-docx writes it."""
    document = Document()
    for text in texts:
        document.add_paragraph(text)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def odt_of(body: str, *, manifest: str = "", styles: str = "") -> bytes:
    """A minimal .odt around the XML of its text."""
    content = (
        f'<?xml version="1.0"?><office:document-content xmlns:office="{_ODF}:office:1.0" '
        f'xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0" '
        f'xmlns:draw="{_ODF}:drawing:1.0" xmlns:number="{_ODF}:datastyle:1.0">'
        "<office:automatic-styles><number:date-style><number:text>/</number:text>"
        f"</number:date-style></office:automatic-styles><office:body><office:text>{body}"
        "</office:text></office:body></office:document-content>"
    )
    parts: dict[str, str | bytes] = {
        "mimetype": "application/vnd.oasis.opendocument.text",
        "content.xml": content,
    }
    if manifest:
        parts["META-INF/manifest.xml"] = manifest
    if styles:
        parts["styles.xml"] = styles
    return zip_of(parts)


def pdf_of(pages: Sequence[Sequence[tuple[float, float, str]]], **options: str) -> bytes:
    """A PDF with lines of text at (x, y) in points on each page."""
    out = io.BytesIO()
    canvas = Canvas(out, pagesize=A4, **options)
    for page in pages:
        canvas.setFont("Helvetica", 11)
        for x, y, text in page:
            canvas.drawString(x, y, text)
        canvas.showPage()
    canvas.save()
    return out.getvalue()
