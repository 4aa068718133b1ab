"""The files of a source, in a folder or a zip, listed and read in the same way.

Nothing is ever unpacked to a path that the archive names: a file is copied, when it is its turn,
under a plain name into a folder of its own, and no more of it than an essay can have.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import tempfile
import unicodedata
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import IO, Protocol, Self

from engine.classroom.file_names import plain_file_name
from engine.classroom.model import Skipped
from engine.classroom.sources.archive_names import entry_names
from engine.errors import DamagedFile, PasswordProtected, UnreadableFile

LARGEST = 100 * 1024 * 1024
"""Bytes of one file beyond which it is no essay."""
MOST_ENTRIES = 20_000
_BLOCK = 1024 * 1024
_STEEPEST = 200
"""A file that unpacks to more than this many times its packed size is made to do harm."""
_STEEP_FROM = 10 * 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
_HIDDEN = re.compile(
    r"__MACOSX|\..*|~\$.*|~WRL.*\.tmp|thumbs\.db|desktop\.ini|@eaDir|\$RECYCLE\.BIN"
    r"|System Volume Information|Icon\r",
    re.IGNORECASE,
)
_DRIVE = re.compile(r"^[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a source: its path there, size in bytes, and when it was last changed."""

    name: str
    size: int
    changed: datetime

    @property
    def path(self) -> PurePosixPath:
        """The name as a path."""
        return PurePosixPath(self.name)


class Source(Protocol):
    """A folder or an archive, open for reading."""

    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def open(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """The file of that name, opened. Raises UnreadableFile or DamagedFile."""
        ...

    def local(self, name: str) -> AbstractContextManager[Path]:
        """A path on disk with the content, while entered. Raises UnreadableFile, DamagedFile."""
        ...


def open_source(path: Path) -> Source:
    """Open a folder or a zip file. Raises UnreadableFile, DamagedFile or PasswordProtected."""
    try:
        if path.is_dir():
            return FolderSource(path)
        if not path.exists():
            raise UnreadableFile(f"There is no folder or file {path.name}.")
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read.") from error
    if path.suffix.lower() != ".zip":
        raise UnreadableFile(
            f"{path.name} is neither a folder nor a zip file.",
            hint="Give the folder with the essays, or the zip that Moodle made. "
            "For a single essay use `segue check`.",
        )
    return ZipSource(path)


def is_hidden(name: str) -> bool:
    """Whether the system or another program put the file there for itself."""
    return any(_HIDDEN.fullmatch(part) for part in PurePosixPath(name).parts)


def clean_name(name: str) -> str:
    """The name in one Unicode form; files from a Mac come with their accents apart."""
    return unicodedata.normalize("NFC", name)


def sha256_of(source: Source, name: str) -> str:
    """The SHA-256 of a file's content as hex. Raises UnreadableFile or DamagedFile."""
    digest = hashlib.sha256()
    with source.open(name) as stream:
        for block in _blocks(stream, name):
            digest.update(block)
    return digest.hexdigest()


def read_whole(source: Source, name: str) -> bytes:
    """A file's content. Raises UnreadableFile or DamagedFile."""
    with source.open(name) as stream:
        return b"".join(_blocks(stream, name))


def _blocks(stream: IO[bytes], name: str) -> Iterator[bytes]:
    """The content in blocks, however small the archive says that it is."""
    shown = PurePosixPath(name).name
    total = 0
    try:
        while block := stream.read(_BLOCK):
            total += len(block)
            if total > LARGEST:
                raise DamagedFile(
                    f"{shown} is far too large for an essay.",
                    hint="Do not open it: such a file may be made to do harm.",
                )
            yield block
    except _BROKEN as error:
        raise DamagedFile(f"{shown} is damaged and cannot be read.") from error


class FolderSource:
    """The files of a folder and all folders in it, in order of their names."""

    def __init__(self, folder: Path) -> None:
        self._paths: dict[str, Path] = {}
        found: list[Entry] = []
        skipped: list[Skipped] = []
        for number, path in enumerate(_walk(folder)):
            if number == MOST_ENTRIES:
                raise UnreadableFile(
                    f"{folder.name} holds more than {MOST_ENTRIES} files, "
                    "far more than a class hands in.",
                    hint="Give the folder that holds the essays and nothing else.",
                )
            name = clean_name(path.relative_to(folder).as_posix())
            if is_hidden(name):
                continue
            try:
                status = path.lstat()
            except OSError:
                skipped.append(Skipped(name, "unreadable-file", "It cannot be read."))
                continue
            if stat.S_ISLNK(status.st_mode):
                skipped.append(Skipped(name, "link", "It is only a link to another place."))
            elif stat.S_ISREG(status.st_mode):
                changed = datetime.fromtimestamp(status.st_mtime, UTC)
                found.append(Entry(name, status.st_size, changed))
                self._paths[name] = path
        self.entries = tuple(found)
        self.skipped = tuple(skipped)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held open."""

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes], None, None]:
        """The file, opened."""
        with self.local(name) as path:
            try:
                stream = path.open("rb")
            except OSError as error:
                raise UnreadableFile(f"{path.name} cannot be read.") from error
            with stream:
                yield stream

    @contextmanager
    def local(self, name: str) -> Generator[Path, None, None]:
        """The file itself."""
        path = self._paths.get(name)
        if path is None:
            raise UnreadableFile(f"{PurePosixPath(name).name} is no longer there.")
        yield path


def _walk(folder: Path) -> Iterator[Path]:
    """All files below, without following links out of the folder. Raises UnreadableFile."""

    def refuse(error: OSError) -> None:
        if Path(error.filename) == folder:
            raise UnreadableFile(f"You may not read {folder.name}.") from error

    # Path.walk comes only with Python 3.12.
    for here, folders, files in os.walk(folder, onerror=refuse):
        folders.sort()
        linked = [name for name in folders if (Path(here) / name).is_symlink()]
        for name in sorted([*files, *linked]):
            yield Path(here) / name


class ZipSource:
    """The files of a zip archive, in the archive's order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._archive = zipfile.ZipFile(path)
        except _BROKEN as error:
            raise DamagedFile(f"{path.name} is damaged or no zip file.") from error
        self._infos: dict[str, zipfile.ZipInfo] = {}
        try:
            self._list()
        except BaseException:
            self._archive.close()
            raise

    def _list(self) -> None:
        infos = self._archive.infolist()
        if len(infos) > MOST_ENTRIES:
            raise DamagedFile(
                f"{self._path.name} holds {len(infos)} files, far more than a class hands in.",
                hint="Do not open it: such a file may be made to do harm.",
            )
        found: list[Entry] = []
        skipped: list[Skipped] = []
        for info, raw in zip(infos, entry_names(infos), strict=True):
            name = clean_name(raw.replace("\\", "/"))
            if name.endswith("/") or info.is_dir() or is_hidden(_without_root(name)):
                continue
            problem = _problem(info, name)
            if problem is None and name in self._infos:
                problem = ("duplicate-name", "The zip holds another file of the same name.")
            if problem is not None:
                skipped.append(Skipped(name, *problem))
                continue
            found.append(Entry(name, info.file_size, _time_of(info)))
            self._infos[name] = info
        if not found and any(one.code == "password-protected" for one in skipped):
            raise PasswordProtected(f"{self._path.name} is protected by a password.")
        self.entries = tuple(found)
        self.skipped = tuple(skipped)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the archive."""
        self._archive.close()

    @contextmanager
    def open(self, name: str) -> Generator[IO[bytes], None, None]:
        """The file, opened."""
        shown = PurePosixPath(name).name
        info = self._infos.get(name)
        if info is None:
            raise UnreadableFile(f"{shown} is no longer in {self._path.name}.")
        try:
            stream = self._archive.open(info)
        except _BROKEN as error:
            raise DamagedFile(f"{shown} is damaged inside {self._path.name}.") from error
        with stream:
            yield stream

    @contextmanager
    def local(self, name: str) -> Generator[Path, None, None]:
        """A copy in a temporary folder of its own, gone when left."""
        with tempfile.TemporaryDirectory(prefix="segue-") as folder:
            target = Path(folder) / plain_file_name(PurePosixPath(name).name)
            with self.open(name) as stream, target.open("wb") as copy:
                for block in _blocks(stream, name):
                    copy.write(block)
            yield target


def _without_root(name: str) -> str:
    """The name for the look at hidden parts, where `..` is no hidden folder but an attack."""
    return "/".join(part for part in name.split("/") if part not in ("", ".", ".."))


def _problem(info: zipfile.ZipInfo, name: str) -> tuple[str, str] | None:
    """Why an entry is not taken (code, message); None where nothing speaks against it."""
    if name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        return ("unsafe-path", "Its path leads out of the zip; the file may be made to do harm.")
    if stat.S_ISLNK(info.external_attr >> 16):
        return ("link", "It is only a link to another place.")
    if info.flag_bits & 0x1:
        return ("password-protected", "It is protected by a password.")
    steep = info.file_size > _STEEP_FROM and info.file_size > _STEEPEST * info.compress_size
    if steep or info.file_size > LARGEST:
        return ("too-large", "It unpacks to far more than an essay; it may be made to do harm.")
    return None


def _time_of(info: zipfile.ZipInfo) -> datetime:
    try:
        return datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return datetime(1980, 1, 1, tzinfo=UTC)
