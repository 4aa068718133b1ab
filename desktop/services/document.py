"""The file behind the essay being edited: reading, saving, whether it is saved, its draft."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop.offsets import showable
from desktop.services.autosave import Autosave, Draft, DraftContent
from desktop.services.background import BackgroundThread
from desktop.services.essay_file import essay_of_draft, open_essay, save_essay, with_text
from engine.errors import InputError, UnknownEncoding, UnreadableFile
from engine.essay import Essay

UNTITLED = "Untitled"
_logger = logging.getLogger(__name__)


class EssayDocument(QObject):
    """Where the essay comes from and goes to; the text itself is the session's.

    Files are read on a thread. Of several that were asked for, only the last is handed out.
    """

    dirty_changed = Signal(bool)
    name_changed = Signal(str)
    message = Signal(str, str, str)
    encoding_asked = Signal(object)  # Path of a file whose encoding cannot be told

    def __init__(self, autosave: Autosave, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._autosave = autosave
        self._thread = BackgroundThread("files", self)
        self._asked_for = 0
        self._saved_text = ""
        self.source = Essay.from_text("")
        self.is_dirty = False

    @property
    def name(self) -> str:
        """The file's name, or "Untitled"."""
        return self.source.path.name if self.source.path else UNTITLED

    def with_text(self, text: str) -> Essay:
        """The essay with an edited text, its structure kept."""
        return with_text(self.source, text)

    def read(self, path: Path, done: Callable[[Essay], None], encoding: str | None = None) -> None:
        """Read a file and hand its essay to `done`; `message` says why if that fails.

        `encoding_asked` comes instead where a text can be read once its encoding is given.
        """

        def fail(error: Exception) -> None:
            if isinstance(error, UnknownEncoding) and encoding is None:
                self.encoding_asked.emit(path)
                return
            if not isinstance(error, InputError):
                _logger.error("Opening a file failed", exc_info=error)
                error = UnreadableFile(f"{path.name} could not be read.")
            self.message.emit("error", error.message, error.hint)

        self._read(lambda: open_essay(path, encoding=encoding), done, fail)

    def read_draft(self, draft: Draft, done: Callable[[Essay], None]) -> None:
        """Hand the essay of a recovered draft to `done`; it becomes this window's draft then."""

        def take(essay: Essay) -> None:
            done(essay)
            self._autosave.take_over(draft, self._content(showable(essay.text), essay.topic))

        self._read(lambda: essay_of_draft(draft.content), take, None)

    def _read(
        self,
        work: Callable[[], Essay],
        done: Callable[[Essay], None],
        failed: Callable[[Exception], None] | None,
    ) -> None:
        self._asked_for += 1
        ticket = self._asked_for

        def hand_out(essay: Essay) -> None:
            if ticket == self._asked_for:
                done(essay)

        self._thread.submit(work, done=hand_out, failed=failed)

    def take(self, essay: Essay, *, is_saved: bool) -> None:
        """Take up another essay; `is_saved` says whether its file holds its text."""
        self._asked_for += 1
        self._autosave.clear()
        self.source = essay
        text = showable(essay.text)
        self._saved_text = text if is_saved else ""
        self.name_changed.emit(self.name)
        self._set_dirty(text != self._saved_text)
        self.keep_draft(text, essay.topic)

    def edited(self, text: str, topic: str) -> None:
        """The text or the topic changed."""
        self._set_dirty(text != self._saved_text)
        self.keep_draft(text, topic)

    def keep_draft(self, text: str, topic: str) -> None:
        """Keep a draft as long as there is something to lose."""
        if self.is_dirty:
            self._autosave.schedule(lambda: self._content(text, topic))
        else:
            self._autosave.clear()

    def save(self, text: str, path: Path | None) -> bool:
        """Write the text to `path` or the essay's file; False if not, and `message` says why."""
        target = path or self.source.path
        if target is None:
            self.message.emit("info", "This essay has no file yet.", "Choose where to save it.")
            return False
        try:
            saved = save_essay(self.source, text, target)
        except InputError as error:
            self.message.emit("error", error.message, error.hint)
            return False
        self.source = saved.essay
        self._saved_text = text
        self._set_dirty(False)
        self._autosave.clear()
        self.name_changed.emit(self.name)
        for notice in saved.notices:
            self.message.emit("info", notice.message, "")
        return True

    def close(self) -> None:
        """Read nothing more, and give up the draft."""
        self._asked_for += 1
        self._thread.close(0)
        self._autosave.clear()

    def _set_dirty(self, is_dirty: bool) -> None:
        if is_dirty != self.is_dirty:
            self.is_dirty = is_dirty
            self.dirty_changed.emit(is_dirty)

    def _content(self, text: str, topic: str) -> DraftContent:
        return DraftContent(text, topic, self.name, str(self.source.path or ""))
