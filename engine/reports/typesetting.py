"""Typst, which sets the printed reports and draws charts as pictures.

Only the shipped fonts are used, so that a report looks the same on every computer. Data reaches
a template as JSON, never as Typst code.

Why Typst: it shapes and orders every script, tags what it sets for screen readers (PDF/UA-1), and
comes from PyPI as a wheel under the Apache licence. WeasyPrint needs Pango from elsewhere on
Windows and macOS; fpdf2 is under the LGPL and would need a shaper beside it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from engine.errors import BackendError
from engine.reports.glyphs import fonts_folder
from engine.resources import resources_folder

if TYPE_CHECKING:
    import typst

_PICTURE = (
    b"#set page(width: auto, height: auto, margin: 0pt, fill: white)\n"
    b'#image(bytes(sys.inputs.svg), format: "svg", width: eval(sys.inputs.width))\n'
)


def set_pdf(template: str, data: Mapping[str, Any]) -> bytes:
    """A tagged PDF (PDF/UA-1) of `data` set by a template under resources/reports/typst.

    Raises BackendError where Typst is missing or refuses the document.
    """
    inputs = {"data": json.dumps(data, ensure_ascii=False, allow_nan=False)}
    source = resources_folder() / "reports" / "typst" / template
    return _compile(source, format="pdf", sys_inputs=inputs, pdf_standards=["ua-1"])


def draw_png(svg: str, *, width: int, ppi: int = 200) -> bytes:
    """The SVG as a PNG, `width` points wide. Raises BackendError."""
    return _compile(_PICTURE, format="png", ppi=ppi, sys_inputs={"svg": svg, "width": f"{width}pt"})


def _compile(source: object, **options: Any) -> bytes:
    try:
        compiler = shipped_compiler()
        result = compiler.compile(source, **options)
    except ImportError as error:
        raise BackendError(
            "PDF reports and charts need the package typst, which is not installed here.",
            hint="Install it with `pip install typst`, or choose another format.",
        ) from error
    except RuntimeError as error:
        # Typst's message quotes its template, not the data.
        raise BackendError(f"The report could not be set: {error}") from error
    if not isinstance(result, bytes):
        raise BackendError("The picture came out in more than one piece.")
    return result


@cache
def shipped_compiler() -> typst.Compiler:
    """One compiler, since reading the fonts takes most of the time of a short report."""
    import typst

    fonts = typst.Fonts(
        include_system_fonts=False,
        include_embedded_fonts=False,
        font_paths=[fonts_folder()],
    )
    folder = resources_folder() / "reports" / "typst"
    return typst.Compiler(root=folder, font_paths=fonts, ignore_system_fonts=True)
