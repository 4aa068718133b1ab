"""The main window: the rail, the pages, the message bar, and who answers which command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QByteArray, Signal
from PySide6.QtGui import QCloseEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from desktop.actions import FILE, build_actions, fill_menu_bar
from desktop.dialogs import Dialogs
from desktop.file_flow import FileFlow
from desktop.finding_commands import NAMES as FINDING_COMMANDS
from desktop.finding_commands import FindingCommands
from desktop.services.autosave import Autosave
from desktop.services.history_service import HistoryService
from desktop.services.model_service import ModelService
from desktop.services.session import EssaySession
from desktop.services.settings import Number, Settings
from desktop.theme import Theme
from desktop.views.about import AboutDialog
from desktop.views.classroom.page import Classroom, ClassroomPage
from desktop.views.editor.page import EditorPage
from desktop.views.history.page import HistoryPage
from desktop.views.keyboard import KeyboardDialog
from desktop.views.message_bar import MessageBar
from desktop.views.models.page import ModelsPage
from desktop.views.rail import Place, Rail
from desktop.views.settings.page import STILL_WORKS, SettingsPage
from engine.history import RunRecord

PLACES = (
    Place("editor", "Editor", "show_editor"),
    Place("classroom", "Classroom", "show_classroom"),
    Place("history", "History", "show_history"),
    Place("models", "Models", "show_models"),
    Place("settings", "Settings", "show_settings"),
)
EDITOR, CLASSROOM, HISTORY, MODELS, SETTINGS = range(len(PLACES))


@dataclass(frozen=True)
class Parts:
    """What the window is made of; the composition root builds them."""

    session: EssaySession
    history: HistoryService
    settings: Settings
    autosave: Autosave
    classroom: Classroom
    models: ModelService
    theme: Theme
    dialogs: Dialogs


class MainWindow(QMainWindow):
    """The window. `first_shown` comes once, when it is on the screen; `closing` when it goes."""

    first_shown = Signal()
    closing = Signal()

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self._parts = parts
        self._was_shown = False
        self.messages = MessageBar()
        self.rail = Rail(PLACES, parts.theme)
        self.editor = EditorPage(parts.session, parts.settings, parts.theme)
        self.classroom = ClassroomPage(parts.classroom, parts.theme, parts.dialogs)
        self.history = HistoryPage(parts.history, parts.settings, parts.dialogs)
        self.models = ModelsPage(parts.models, parts.dialogs)
        self.settings_page = SettingsPage(parts.settings)
        self.files = FileFlow(parts.session, parts.settings, parts.autosave, parts.dialogs, self)
        self._arrange()
        self.actions_by_id = build_actions(self)
        self._finding_commands = FindingCommands(
            self.editor,
            self.classroom,
            page_on_show=self.pages.currentWidget,
            show_editor=lambda: self.show_page(EDITOR),
        )
        self._build_menus()
        self._connect_actions()
        self._connect_parts()
        self._restore_geometry()
        self._show_name()
        self._update_actions()
        self.show_page(EDITOR)

    def show_page(self, row: int) -> None:
        """Go to a page and put the focus where work starts there."""
        self.pages.setCurrentIndex(row)
        self.rail.show_chosen(row)
        starts = (
            self.editor.edit,
            self.classroom.start_focus(),
            self.history.search,
            self.models.start_focus(),
            self.settings_page,
        )
        starts[row].setFocus()
        self._update_actions()

    def open_path(self, path: Path) -> None:
        """Open a file, as if it had been chosen."""
        self.show_page(EDITOR)
        self.files.open(path)

    def show_engine(self, description: Mapping[str, Any]) -> None:
        """Show which model and device are at work."""
        self.settings_page.show_engine(description)
        self.models.show_engine(description)

    def show_unusable(self, error: Mapping[str, str]) -> None:
        """Show that no check can work, and why."""
        self.settings_page.show_unusable(error)
        self.models.show_unusable(error)
        self.messages.show_message("warning", error["message"], f"{error['hint']} {STILL_WORKS}")

    def restyle(self) -> None:
        """Take over the theme after it changed."""
        self.rail.restyle()
        self.editor.restyle()
        self.classroom.restyle()

    def remember_geometry(self) -> None:
        """Store where the window is and how large, for the next start."""
        geometry = self.saveGeometry().toBase64().data()
        self._parts.settings.window_geometry = bytes(geometry).decode("ascii")

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: the first time, tell the others."""
        super().showEvent(event)
        if not self._was_shown:
            self._was_shown = True
            self.first_shown.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Qt: ask about unsaved changes, remember the window, let go."""
        if not self.files.may_leave():
            event.ignore()
            return
        self.remember_geometry()
        self.closing.emit()
        event.accept()

    def _arrange(self) -> None:
        self.pages = QStackedWidget()
        for page in (
            self.editor,
            self.classroom,
            self.history,
            self.models,
            self.settings_page,
        ):
            self.pages.addWidget(page)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        holder = QVBoxLayout()
        holder.setContentsMargins(16, 8, 16, 0)
        holder.addWidget(self.messages)
        right.addLayout(holder)
        right.addWidget(self.pages, 1)
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addLayout(right, 1)
        self.setCentralWidget(centre)
        self.setMinimumSize(640, 420)

    def _build_menus(self) -> None:
        menus = fill_menu_bar(self.menuBar(), self.actions_by_id)
        recent = menus[FILE].addMenu("Open &recent")
        menus[FILE].insertMenu(self.actions_by_id["save"], recent)
        recent.aboutToShow.connect(lambda: self.files.fill_recent(recent))

    def _connect_actions(self) -> None:
        edit = self.editor.edit
        slots: dict[str, Callable[[], object]] = {
            "new": self.files.new,
            "open": self.files.ask_open,
            "save": self.files.save,
            "save_copy": self.files.save_copy,
            "quit": self.close,
            "undo": edit.undo,
            "redo": edit.redo,
            "check": self.editor.check,
            "stop": self._parts.session.stop,
            "show_editor": lambda: self.show_page(EDITOR),
            "show_classroom": lambda: self.show_page(CLASSROOM),
            "show_history": lambda: self.show_page(HISTORY),
            "show_models": lambda: self.show_page(MODELS),
            "show_settings": lambda: self.show_page(SETTINGS),
            "larger": lambda: self._resize_text(1),
            "smaller": lambda: self._resize_text(-1),
            "keyboard": lambda: KeyboardDialog(self).exec(),
            "about": lambda: AboutDialog(self._parts.theme, self).exec(),
            **self._finding_commands.slots(),
            **self.classroom.commands(),
        }
        for command, slot in slots.items():
            self.actions_by_id[command].triggered.connect(lambda _=False, slot=slot: slot())
        document = edit.document()
        document.undoAvailable.connect(self.actions_by_id["undo"].setEnabled)
        document.redoAvailable.connect(self.actions_by_id["redo"].setEnabled)
        self.actions_by_id["undo"].setEnabled(False)
        self.actions_by_id["redo"].setEnabled(False)

    def _connect_parts(self) -> None:
        session = self._parts.session
        self.rail.chosen.connect(self.show_page)
        self.editor.file_dropped.connect(lambda name: self.open_path(Path(name)))
        self.history.reopened.connect(self._reopen)
        self.classroom.message.connect(self.messages.show_message)
        self.classroom.view_changed.connect(self._update_actions)
        self.models.message.connect(self.messages.show_message)
        self._parts.models.listed.connect(self.settings_page.show_models)
        self.settings_page.models_asked.connect(self._parts.models.refresh)
        self.settings_page.models_page_asked.connect(lambda: self.show_page(MODELS))
        session.message.connect(self.messages.show_message)
        session.name_changed.connect(lambda _name: self._show_name())
        session.dirty_changed.connect(lambda _dirty: self._show_name())
        session.text_replaced.connect(lambda _essay: self._show_opened())
        session.busy_changed.connect(lambda _busy: self._update_actions())
        self._parts.history.opened.connect(self._show_notices)

    def _show_notices(self, notices: tuple[str, ...]) -> None:
        if notices:
            self.messages.show_message("warning", " ".join(notices))

    def _show_opened(self) -> None:
        self.files.remember()
        self.show_page(EDITOR)

    def _reopen(self, record: RunRecord) -> None:
        if self.files.open_run(record):
            self.show_page(EDITOR)

    def _show_name(self) -> None:
        session = self._parts.session
        self.setWindowModified(session.dirty)
        self.setWindowTitle(f"{session.name}[*] - Segue")

    def _update_actions(self) -> None:
        busy = self._parts.session.busy
        here = self.pages.currentIndex() == EDITOR
        self.actions_by_id["check"].setEnabled(not busy and here)
        self.actions_by_id["stop"].setEnabled(busy)
        allowed = self._finding_commands.allowed()
        for command in (*FINDING_COMMANDS, *self.classroom.commands()):
            self.actions_by_id[command].setEnabled(command in allowed)

    def _resize_text(self, by: int) -> None:
        option = Settings.options["font_size"]
        size = self._parts.settings.font_size + by
        if isinstance(option, Number) and option.accepts(size):
            self._parts.settings.font_size = size

    def _restore_geometry(self) -> None:
        stored = self._parts.settings.window_geometry
        if not (stored and self.restoreGeometry(QByteArray.fromBase64(stored.encode("ascii")))):
            self.resize(1180, 760)
