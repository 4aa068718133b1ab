"""What a file is by its first bytes, so that a wrong extension is named and not read as text."""

from __future__ import annotations

from engine.documents.blocks import Source
from engine.errors import DamagedFile, PasswordProtected, WrongExtension

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_SIGNATURES = (
    (_OLE, "an old Office file (.doc)"),
    (b"PK\x03\x04", "a zip file, such as .docx or .odt"),
    (b"%PDF-", "a PDF"),
    (b"{\\rtf", "a Rich Text file (.rtf)"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed file"),
    (b"7z\xbc\xaf", "a compressed file"),
    (b"Rar!", "a compressed file"),
    (b"SQLite format 3\0", "a database"),
    (b"\x7fELF", "a program"),
)
_EXPECTED = {"docx": b"PK\x03\x04", "odt": b"PK\x03\x04", "pdf": b"%PDF-", "rtf": b"{\\rtf"}
_TEXT_FORMATS = frozenset({"txt", "md", "html"})


def check(source: Source, format: str) -> None:
    """Raise an error that names the cause if the content cannot be of this format.

    Raises WrongExtension, PasswordProtected or DamagedFile.
    """
    name, data = source.path.name, source.data
    found = next((what for mark, what in _SIGNATURES if data.startswith(mark)), "")
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        raise PasswordProtected(f"{name} is protected by a password.")
    expected = _EXPECTED.get(format)
    if expected is None:
        # A PDF or RTF file is named as such only if it could not be an essay on the subject.
        if found and format in _TEXT_FORMATS:
            raise WrongExtension(f"{name} is not a text file but {found}.")
        return
    if data.startswith(expected) or (format == "pdf" and expected in data[:1024]):
        return
    if found:
        raise WrongExtension(f"{name} is not a .{format} file but {found}.")
    if _looks_like_text(data):
        raise WrongExtension(f"{name} is not a .{format} file but plain text.")
    raise DamagedFile(f"{name} is damaged: it does not begin as a .{format} file does.")


def _looks_like_text(data: bytes) -> bool:
    try:
        start = data[:2000].decode("utf-8", "ignore")
    except UnicodeDecodeError:
        return False
    odd = sum(not character.isprintable() and not character.isspace() for character in start)
    return len(start) > 0.9 * len(data[:2000]) and odd <= len(start) // 50
