"""Opening, saving and leaving an essay, with the questions that this takes."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from desktop.dialogs import Dialogs, Unsaved
from desktop.services.autosave import Autosave
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from engine.history import RunRecord

RECENT_LIMIT = 8


class FileFlow(QObject):
    """Asks where needed, then lets the session do the work."""

    def __init__(
        self,
        session: EssaySession,
        settings: Settings,
        autosave: Autosave,
        dialogs: Dialogs,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._settings = settings
        self._autosave = autosave
        self._dialogs = dialogs
        self._window = window
        session.encoding_asked.connect(self._ask_encoding)

    def new(self) -> None:
        """Begin an empty essay."""
        if self.may_leave():
            self._session.new()

    def ask_open(self) -> None:
        """Ask for a file and open it."""
        path = self._dialogs.ask_open(self._window, self._folder())
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Open a file in place of the present essay."""
        if self.may_leave():
            self._session.open(path)

    def open_run(self, record: RunRecord) -> bool:
        """Reopen a past check in place of the present essay; False if the user stays."""
        if not self.may_leave():
            return False
        self._session.open_run(record)
        return True

    def save(self) -> bool:
        """Save to the essay's own file, asking for one if it has none."""
        if self._session.path is None:
            return self.save_copy()
        return self._save(None)

    def save_copy(self) -> bool:
        """Ask for a file and save there."""
        path = self._dialogs.ask_save(self._window, self._suggestion())
        return path is not None and self._save(path)

    def may_leave(self) -> bool:
        """Whether the present essay may give way; asks where it has unsaved changes."""
        if not self._session.dirty:
            return True
        answer = self._dialogs.ask_unsaved(self._window, self._session.name)
        if answer is Unsaved.SAVE:
            return self.save()
        return answer is Unsaved.DISCARD

    def offer_drafts(self) -> None:
        """Ask about each draft that an earlier window left behind, newest first.

        One at most is brought back; the others wait for the next start.
        """
        for draft in self._autosave.recover():
            if self._dialogs.ask_recover(self._window, draft):
                self._session.restore_draft(draft)
                return
            self._autosave.discard(draft)

    def remember(self) -> None:
        """Put the essay's file at the head of the recent ones."""
        path = self._session.path
        if path is None:
            return
        name = str(path.absolute())
        others = [recent for recent in self._settings.recent_files if recent != name]
        self._settings.recent_files = [name, *others][:RECENT_LIMIT]

    def fill_recent(self, menu: QMenu) -> None:
        """Write the recent files into a menu; those that are gone are left out."""
        menu.clear()
        for name in self._settings.recent_files:
            path = Path(name)
            if path.is_file():
                label = f"&{len(menu.actions()) + 1}  {path.name}  ({path.parent})"
                action = QAction(label, menu)
                action.triggered.connect(lambda _=False, path=path: self.open(path))
                menu.addAction(action)
        if menu.isEmpty():
            menu.addAction("No recent essays").setEnabled(False)

    def _ask_encoding(self, path: Path) -> None:
        encoding = self._dialogs.ask_encoding(self._window, path.name)
        if encoding is not None:
            self._session.open(path, encoding)

    def _save(self, path: Path | None) -> bool:
        saved = self._session.save(path)
        if saved:
            self.remember()
        return saved

    def _folder(self) -> Path:
        if self._session.path is not None:
            return self._session.path.parent
        recent = [Path(name).parent for name in self._settings.recent_files]
        return next((folder for folder in recent if folder.is_dir()), Path.home())

    def _suggestion(self) -> Path:
        path = self._session.path
        if path is None:
            return self._folder() / "essay.docx"
        suffix = path.suffix if path.suffix.lower() != ".pdf" else ".docx"
        return path.with_name(f"{path.stem} (copy){suffix}")
