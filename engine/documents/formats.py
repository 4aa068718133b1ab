"""The table of formats: which module reads and writes which extension."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import cast

from engine.documents.blocks import Reading, Source
from engine.errors import UnsupportedFormat

# Modules are named here and imported when first needed: some pull in large libraries.
_MODULES = {
    "txt": "engine.documents.plain",
    "md": "engine.documents.markdown_text",
    "docx": "engine.documents.word",
    "odt": "engine.documents.opendocument",
    "pdf": "engine.documents.pdf_text",
    "html": "engine.documents.web",
    "rtf": "engine.documents.rich_text",
}
_EXTENSIONS = {
    ".txt": "txt",
    ".text": "txt",
    ".md": "md",
    ".markdown": "md",
    ".docx": "docx",
    ".docm": "docx",
    ".odt": "odt",
    ".pdf": "pdf",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".rtf": "rtf",
}

FORMATS: tuple[str, ...] = tuple(_EXTENSIONS)
"""The extensions that can be read, with their dots, in lower case."""

WRITABLE: tuple[str, ...] = tuple(e for e, kind in _EXTENSIONS.items() if kind != "pdf")
"""The extensions that can be written."""


def format_of(path: Path) -> str:
    """The format that a file's extension says. Raises UnsupportedFormat."""
    extension = path.suffix.lower()
    if extension in _EXTENSIONS:
        return _EXTENSIONS[extension]
    if extension == ".doc":
        raise UnsupportedFormat(
            f"{path.name} is an old Word file, which Segue does not read.",
            hint="Open it in Word or LibreOffice and save it as .docx.",
        )
    shown = f"{extension} files" if extension else "files without an extension"
    raise UnsupportedFormat(f"Segue does not read {shown} ({path.name}).")


def read(source: Source, format: str) -> Reading:
    """Read a file's bytes as the given format. Raises InputError."""
    return cast(Callable[[Source], Reading], _module(format).read)(source)


def create(format: str, text: str) -> bytes:
    """A new file of the given format with plain paragraphs."""
    return cast(Callable[[str], bytes], _module(format).create)(text)


def _module(format: str) -> ModuleType:
    return import_module(_MODULES[format])
