"""From a changed essay back to a file."""

from __future__ import annotations

from pathlib import Path

from engine.documents import atomic, formats, loading
from engine.documents.blocks import Reading, Source
from engine.errors import DamagedFile, InputError, UnknownEncoding, UnsupportedFormat
from engine.essay import Essay, Notice

_PLAIN = Notice(
    "formatting-not-kept",
    "The text was saved as plain paragraphs: the original's formatting could not be kept.",
)
_SOURCE_GONE = Notice(
    "source-not-found",
    "The text was saved as plain paragraphs: the original file could no longer be read.",
)
_UTF8 = Notice(
    "encoding-changed", "The text has characters that the file's encoding lacks; saved as UTF-8."
)
_PLAIN_FORMATS = frozenset({"txt", "md"})
_TEXT_FORMATS = frozenset({"txt", "md", "html"})
# Formats in which blank lines and repeated spaces mean nothing.
_LOOSE = frozenset({"md", "html"})
# Tried where the text is not what the bytes seem to say: the user then named the encoding.
_ENCODINGS = (
    *("cp1252", "utf-16-le", "utf-16-be", "gb18030", "shift_jis", "big5", "euc_kr", "euc_jp"),
    *("cp1250", "cp1251", "cp1253", "cp1254", "cp1256", "cp1257", "mac_roman", "iso8859_15"),
)


def save(essay: Essay, new_text: str, target: Path) -> tuple[Notice, ...]:
    """Write `new_text`, the essay's text as it now is, to `target` in the format of its name.

    Where the essay came from a file of the same format, that file is taken as the model: its
    formatting stays and only changed words are touched. The target is replaced in one step.
    Returns what the user should know about the result.

    Raises UnsupportedFormat for a format that cannot be written, and UnreadableFile if the file
    cannot be written; the old file then still stands.
    """
    target = Path(target)
    kind = formats.format_of(target)
    if target.suffix.lower() not in formats.WRITABLE:
        raise UnsupportedFormat(
            f"Segue does not write {target.suffix.lower()} files.",
            hint="Save a copy as .docx, .odt or .txt.",
        )
    new_text = new_text.replace("\r\n", "\n").replace("\r", "\n")
    data, notices = _rendered(essay, new_text, target, kind)
    atomic.write_bytes(target, data)
    return notices


def _rendered(
    essay: Essay, new_text: str, target: Path, kind: str
) -> tuple[bytes, tuple[Notice, ...]]:
    """The new file's bytes: the original's with changes, or plain paragraphs."""
    if essay.path is None or essay.format != kind:
        formatted = essay.path is not None and essay.format not in _PLAIN_FORMATS
        return formats.create(kind, new_text), (_PLAIN,) if formatted else ()
    try:
        reading, encoding = _model(essay, essay.path)
    except InputError:
        return formats.create(kind, new_text), (_SOURCE_GONE,)
    if reading.rewrite is not None:
        try:
            data = reading.rewrite(new_text)
        except UnicodeEncodeError:
            return formats.create(kind, new_text), (_UTF8,)
        if _reads_as(Source(data, target, encoding), new_text, kind):
            return data, ()
    return formats.create(kind, new_text), (_PLAIN,)


def _model(essay: Essay, path: Path) -> tuple[Reading, str | None]:
    """The essay's file, read again, and the encoding that had to be named to read it so.

    Raises InputError.
    """
    fallback: Reading | None = None
    for encoding in (None, *(_ENCODINGS if essay.format in _TEXT_FORMATS else ())):
        try:
            reading, _ = loading.read(path, encoding=encoding)
        except (UnknownEncoding, DamagedFile):
            if essay.format not in _TEXT_FORMATS:
                raise
            continue
        if reading.text == essay.text:
            return reading, encoding
        if encoding is None:
            fallback = reading
    if fallback is None:
        raise InputError(f"{path.name} has changed.")
    return fallback, None


def _reads_as(source: Source, text: str, kind: str) -> bool:
    """Whether the written bytes, read again, hold the text: a write-back that is not sure fails."""
    try:
        again = formats.read(source, kind).text
    except InputError:
        return False
    return again == text or (kind in _LOOSE and _words(again) == _words(text))


def _words(text: str) -> list[list[str]]:
    """The words of each line that is not blank."""
    return [line.split() for line in text.split("\n") if line.strip()]
