"""Drafts: what was typed survives a crash, a power cut and a forgotten save.

Each running window owns one draft file and, through a lock file, says that it lives. A draft
whose owner is gone can be recovered.
"""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QLockFile, QObject, QTimer, Signal, Slot

from desktop.services.background import BackgroundThread
from engine.documents.atomic import write_bytes
from engine.errors import UnreadableFile
from engine.folders import data_folder

_logger = logging.getLogger(__name__)
_DRAFT = ".draft.json"


@dataclass(frozen=True, slots=True)
class DraftContent:
    """What a draft holds: the text as it was typed, the topic, and the essay's file if it has one."""

    text: str
    topic: str
    name: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a window that ended without saving or closing it; `saved_at` in UTC."""

    content: DraftContent
    saved_at: datetime
    file: Path


class Autosave(QObject):
    """Keeps this window's draft, and finds those of windows that ended badly.

    A change reaches the disk within `delay_ms` plus the time of the write, also while the writer
    goes on typing. Files are written on a thread, whole or not at all.
    """

    failed = Signal(str)  # a plain sentence, once: drafts cannot be kept
    saved = Signal()

    def __init__(
        self, folder: Path | None = None, *, delay_ms: int = 2000, parent: QObject | None = None
    ) -> None:
        """`folder` is by default `drafts` in the user's data folder."""
        super().__init__(parent)
        self._folder = folder or data_folder() / "drafts"
        self._file = self._folder / f"{uuid.uuid4().hex}{_DRAFT}"
        self._lock: QLockFile | None = None
        self._claims: dict[Path, QLockFile] = {}
        self._content: Callable[[], DraftContent] | None = None
        self._has_failed = False
        self._is_kept = False
        self._thread = BackgroundThread("drafts", self)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(delay_ms)
        self._timer.timeout.connect(self.flush)

    @property
    def file(self) -> Path:
        """Where this window's draft is, while there is one."""
        return self._file

    def schedule(self, content: Callable[[], DraftContent]) -> None:
        """Something changed: write what `content` gives when the delay is over."""
        self._content = content
        if not self._timer.isActive():
            self._timer.start()

    @Slot()
    def flush(self) -> None:
        """Hand what is scheduled to the writing thread now."""
        self._timer.stop()
        if self._content is None:
            return
        content, self._content = self._content(), None
        self._thread.submit(lambda: self._write(content), done=self._on_saved, failed=self._on_fail)

    def clear(self) -> None:
        """The essay was saved or given up: this window's draft goes."""
        if self._is_kept:
            return
        self._timer.stop()
        self._content = None
        self._thread.submit(lambda: self._file.unlink(missing_ok=True), failed=self._on_fail)

    def keep(self) -> None:
        """The window ends without a question: from now on its draft stays, also after `close`."""
        self.flush()
        self._is_kept = True

    def recover(self) -> list[Draft]:
        """The drafts whose windows are gone, newest first; they are ours until `discard`."""
        drafts: list[Draft] = []
        try:
            files = sorted(self._folder.glob(f"*{_DRAFT}"))
        except OSError:
            return []
        for file in files:
            if file != self._file and self._claim(file):
                draft = _read_draft(file)
                if draft is not None:
                    drafts.append(draft)
        return sorted(drafts, key=lambda draft: draft.saved_at, reverse=True)

    def take_over(self, draft: Draft, content: DraftContent) -> None:
        """Go on with a recovered draft: `content` becomes this window's draft, the old one goes."""

        def work() -> None:
            self._write(content)
            draft.file.unlink(missing_ok=True)

        self._thread.submit(work, done=lambda _: self._unclaim(draft), failed=self._on_fail)

    def discard(self, draft: Draft) -> None:
        """Delete a recovered draft."""
        self._thread.submit(
            lambda: draft.file.unlink(missing_ok=True),
            done=lambda _: self._unclaim(draft),
            failed=self._on_fail,
        )

    def _unclaim(self, draft: Draft) -> None:
        lock = self._claims.pop(draft.file, None)
        if lock is not None:
            lock.unlock()

    def close(self, timeout_ms: int = 2000) -> None:
        """End cleanly: delete this window's draft unless it is kept, let go of all locks."""
        self.clear()
        self._thread.close(timeout_ms)
        for lock in (*self._claims.values(), self._lock):
            if lock is not None:
                lock.unlock()
        self._claims.clear()
        self._lock = None

    def _write(self, content: DraftContent) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if self._lock is None:
            lock = _lock_for(self._file)
            if not lock.tryLock(0):
                raise UnreadableFile("The drafts folder cannot be written to.")
            self._lock = lock
        data = {"saved_at": datetime.now(UTC).isoformat(), **asdict(content)}
        write_bytes(self._file, json.dumps(data).encode("ascii"))

    def _claim(self, file: Path) -> bool:
        """Whether the draft's owner is gone, or the draft has been ours already."""
        if file in self._claims:
            return True
        lock = _lock_for(file)
        if lock.tryLock(0):
            self._claims[file] = lock
            return True
        return False

    def _on_saved(self, _: object) -> None:
        self._has_failed = False
        self.saved.emit()

    def _on_fail(self, error: Exception) -> None:
        if self._has_failed:
            return
        self._has_failed = True
        _logger.error("Drafts cannot be kept", exc_info=error)
        self.failed.emit(
            "Segue cannot keep a draft of your text. Save it yourself from time to time."
        )


def _lock_for(draft: Path) -> QLockFile:
    lock = QLockFile(str(draft.with_name(draft.name.removesuffix(_DRAFT) + ".lock")))
    # Only a dead owner makes it stale, however long a window has been open.
    lock.setStaleLockTime(0)
    return lock


def _read_draft(file: Path) -> Draft | None:
    try:
        data = json.loads(file.read_bytes())
        content = DraftContent(data["text"], data["topic"], data["name"], data["path"])
        if not all(isinstance(value, str) for value in asdict(content).values()):
            raise TypeError("not text")
        return Draft(content, datetime.fromisoformat(data["saved_at"]), file)
    except OSError:
        _logger.exception("A draft cannot be read")
    except (ValueError, KeyError, TypeError, RecursionError):
        _logger.warning("The draft %s is damaged and left alone", file.name)
    return None
