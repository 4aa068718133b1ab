"""Fetching one file so that any interruption costs nothing and no wrong byte is kept.

The bytes so far lie beside the target under a name made from their checksum, so that a later
call goes on where this one was stopped, and never on top of another version's bytes.
"""

from __future__ import annotations

import errno
import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engine.errors import DownloadError
from engine.models.hub import Body, Hub, InterruptedTransfer

ATTEMPTS = 5
"""How often a transfer may break off in a row without a single new byte."""
_BLOCK = 1 << 20
_LONGEST_WAIT = 16.0
_STEP = 0.1
_KEPT = "What was downloaded so far is kept; try again and it goes on from there."

Heard = Callable[[int], None]
"""Takes the number of bytes of the file that lie on the disk."""


@dataclass(frozen=True)
class WantedFile:
    """A file to fetch: from where, to where, and what it must be.

    `sha256` may be empty where only `git_sha1`, the hub's name for a small file, is known.
    """

    url: str
    target: Path
    bytes: int
    sha256: str
    git_sha1: str = ""

    @property
    def part(self) -> Path:
        """Where its bytes lie until all are there."""
        mark = (self.sha256 or self.git_sha1)[:16] or str(self.bytes)
        return self.target.with_name(f"{self.target.name}.{mark}.part")


def fetch(
    hub: Hub,
    wanted: WantedFile,
    *,
    on_progress: Heard = lambda _bytes: None,
    check_cancelled: Callable[[], None] = lambda: None,
    sleep: Callable[[float], None] = time.sleep,
) -> str:
    """Fetch a file, going on with what an earlier call left; returns its SHA-256 as hex.

    Raises Cancelled from `check_cancelled` (what is there is kept), DownloadError where the
    transfer keeps breaking off (kept as well), where the file is not what it must be (the bytes
    are deleted) or where the disk is full.
    """
    try:
        wanted.target.parent.mkdir(parents=True, exist_ok=True)
        with _Partial(wanted) as partial:
            partial.read_back(check_cancelled)
            on_progress(partial.count)
            _receive_all(hub, partial, on_progress, check_cancelled, sleep)
        return partial.finish()
    except OSError as error:
        raise unwritable(wanted.target, error) from error


def unwritable(target: Path, error: OSError) -> DownloadError:
    """What to tell the user when a model's file cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DownloadError("The disk is full.", hint=f"Make room. {_KEPT}")
    return DownloadError(
        f"{target} cannot be written ({error.strerror or error}).",
        hint="Check that you may write there, or set SEGUE_HOME to a folder of your own.",
    )


def _receive_all(
    hub: Hub,
    partial: _Partial,
    on_progress: Heard,
    check_cancelled: Callable[[], None],
    sleep: Callable[[float], None],
) -> None:
    failures = 0
    while partial.count < partial.wanted.bytes:
        check_cancelled()
        before = partial.count
        try:
            with hub.open(partial.wanted.url, start=before) as body:
                _receive(body, partial, on_progress, check_cancelled)
            if partial.count < partial.wanted.bytes:
                raise InterruptedTransfer("The server ended the transfer early.")
        except InterruptedTransfer as error:
            failures = 0 if partial.count > before else failures + 1
            if failures >= ATTEMPTS:
                raise DownloadError(str(error), hint=_KEPT) from error
            wait(min(2.0**failures / 2, _LONGEST_WAIT), check_cancelled, sleep)


def wait(
    seconds: float, check_cancelled: Callable[[], None], sleep: Callable[[float], None]
) -> None:
    """Wait, but end at once when the user asks to stop."""
    for _ in range(round(seconds / _STEP)):
        check_cancelled()
        sleep(_STEP)


def _receive(
    body: Body, partial: _Partial, on_progress: Heard, check_cancelled: Callable[[], None]
) -> None:
    if body.status == 416:
        # The server has fewer bytes than we do: they cannot be the same file's.
        partial.reset()
        raise InterruptedTransfer("The server does not know the part that is missing.")
    if body.total is not None and body.total != partial.wanted.bytes:
        raise DownloadError(
            f"The server offers {body.total} bytes under the name of {partial.wanted.target.name}, "
            f"which has {partial.wanted.bytes}.",
            hint="Check the mirror in the settings, and whether your network wants you to sign "
            "in on a page of its own first.",
        )
    if body.start != partial.count:
        # A server that does not know ranges sends everything again.
        partial.reset()
        if body.start:
            raise InterruptedTransfer("The server sent another part than the one asked for.")
    for block in body.blocks:
        check_cancelled()
        partial.append(block)
        on_progress(partial.count)


class _Partial:
    """The bytes of a file so far, on the disk and in two running checksums."""

    def __init__(self, wanted: WantedFile) -> None:
        self.wanted = wanted
        self.count = 0
        self._file: IO[bytes] | None = None
        self._start_digests()

    def __enter__(self) -> _Partial:
        """Open the file for adding to it."""
        self._file = self.wanted.part.open("ab")
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        if self._file is not None:
            self._file.close()

    def _start_digests(self) -> None:
        self._sha256 = hashlib.sha256()
        # Git names a file by the SHA-1 of its size and content.
        self._git = hashlib.sha1(b"blob %d\0" % self.wanted.bytes, usedforsecurity=False)

    def read_back(self, check_cancelled: Callable[[], None]) -> None:
        """Take what an earlier call left into the checksums."""
        with self.wanted.part.open("rb") as stream:
            while block := stream.read(_BLOCK):
                check_cancelled()
                self._count(block)
        if self.count > self.wanted.bytes:
            self.reset()

    def append(self, block: bytes) -> None:
        """Add bytes. Raises DownloadError where that makes too many."""
        if self.count + len(block) > self.wanted.bytes:
            self.reset()
            raise DownloadError(
                f"The server sent more than the {self.wanted.bytes} bytes of "
                f"{self.wanted.target.name}.",
                hint="Try again, or another mirror.",
            )
        if self._file is not None:
            self._file.write(block)
        self._count(block)

    def reset(self) -> None:
        """Begin again with nothing."""
        if self._file is not None:
            self._file.truncate(0)
        self.count = 0
        self._start_digests()

    def finish(self) -> str:
        """Give the file its name if it is right; the SHA-256 as hex."""
        found = self._sha256.hexdigest()
        wanted = self.wanted
        right = found == wanted.sha256 if wanted.sha256 else self._is_git_right()
        if not right:
            wanted.part.unlink(missing_ok=True)
            raise DownloadError(
                f"{wanted.target.name} arrived damaged or altered: its checksum is wrong. "
                "It was deleted.",
                hint="Try again, or another mirror.",
            )
        wanted.part.replace(wanted.target)
        return found

    def _is_git_right(self) -> bool:
        return not self.wanted.git_sha1 or self._git.hexdigest() == self.wanted.git_sha1

    def _count(self, block: bytes) -> None:
        self._sha256.update(block)
        self._git.update(block)
        self.count += len(block)
