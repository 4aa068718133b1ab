"""From a file to an essay."""

from __future__ import annotations

from pathlib import Path

from engine.documents import formats, sniffing
from engine.documents.blocks import Reading, Source
from engine.errors import EmptyEssay, UnreadableFile
from engine.essay import Essay

_LARGEST = 100 * 1024 * 1024


def load(path: Path, *, topic: str = "", encoding: str | None = None) -> Essay:
    """Read an essay from a file.

    `encoding` names the encoding of a text file instead of having it told from the bytes.
    What the file holds besides the essay's text is listed in the essay's notices.

    Raises InputError: UnreadableFile, UnsupportedFormat, WrongExtension, PasswordProtected,
    DamagedFile, UnknownEncoding, NoTextLayer or EmptyEssay.
    """
    path = Path(path)
    reading, kind = read(path, encoding=encoding)
    essay = reading.essay(topic=topic, path=path, format=kind)
    if not essay.text.strip("\ufeff\u200b \t\r\n\u00a0"):
        raise EmptyEssay(f"{path.name} holds no text.")
    return essay


def read(path: Path, *, encoding: str | None = None) -> tuple[Reading, str]:
    """The file's reading and its format. Raises InputError like `load`."""
    data = _bytes(path)
    kind = formats.format_of(path)
    if not data:
        raise EmptyEssay(f"{path.name} is empty.")
    source = Source(data, path, encoding)
    sniffing.check(source, kind)
    return formats.read(source, kind), kind


def _bytes(path: Path) -> bytes:
    """The file's content. Raises UnreadableFile."""
    try:
        if path.is_dir():
            raise UnreadableFile(f"{path.name or path} is a folder, not a file.")
        if not path.is_file() and path.exists():
            raise UnreadableFile(f"{path.name} is not an ordinary file.")
        if path.stat().st_size > _LARGEST:
            raise UnreadableFile(
                f"{path.name} is far too large for an essay.",
                hint="Split it, or copy the essay's text into a new file.",
            )
        return path.read_bytes()
    except FileNotFoundError as error:
        raise UnreadableFile(f"There is no file {path.name}.") from error
    except PermissionError as error:
        raise UnreadableFile(f"You may not read {path.name}.") from error
    except (OSError, ValueError) as error:
        raise UnreadableFile(f"{path.name} cannot be read.") from error
