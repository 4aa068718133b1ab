"""Writing files so that a crash or power cut leaves the old file or the new one, whole."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from engine.errors import UnreadableFile

_WRITE_HINT = "Check that the folder exists, that you may write there and that the disk has room."


def write_bytes(path: Path, data: bytes) -> None:
    """Replace the content of `path` in one step; its permissions are kept.

    A device or a pipe, such as `/dev/stdout`, is written to and never replaced. Raises
    UnreadableFile if the file cannot be written; the old content then still stands.
    """
    if _is_device(path):
        _write_through(path, data)
        return
    target = path.resolve()
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode(target))
        temporary.replace(target)
    except OSError as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()
        raise _unwritable(path, error) from error
    _sync_folder(target.parent)


def _is_device(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)


def _write_through(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(data)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UnreadableFile:
    why = error.strerror or str(error)
    return UnreadableFile(f"{path.name} could not be written: {why}.", hint=_WRITE_HINT)


def write_text(path: Path, text: str) -> None:
    """Replace the content of `path` by `text` in UTF-8, newlines as they are."""
    write_bytes(path, text.encode("utf-8", "surrogatepass"))


def _mode(target: Path) -> int:
    """The permissions of the file to replace, or those that a new file gets."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _sync_folder(folder: Path) -> None:
    """Make the renaming itself durable, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
