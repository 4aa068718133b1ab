"""The composition root: builds services, theme and window once, and passes them down."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QFontDatabase, QFontMetrics
from PySide6.QtWidgets import QApplication

from desktop.dialogs import Dialogs
from desktop.icons import icon
from desktop.main_window import MainWindow, Parts
from desktop.services.autosave import Autosave
from desktop.services.class_runner import ClassRunner
from desktop.services.classroom_service import ClassroomService
from desktop.services.engine_client import EngineClient
from desktop.services.history_service import HistoryService
from desktop.services.model_service import ModelService
from desktop.services.review_desk import ReviewDesk
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from desktop.services.writing import NAMES as WRITING
from desktop.services.writing import chosen_writer
from desktop.theme import Theme
from desktop.views.classroom.page import Classroom
from engine.resources import resources_folder

WorkerCommand = Callable[[str], Sequence[str]]
"""A device preference -> the command that starts the engine child."""
_OWN_FONT = "Noto Sans"


def worker_command(device: str) -> Sequence[str]:
    """The engine child of this installation."""
    return (sys.executable, "-m", "engine.worker", "--device", device)


def online_command() -> Sequence[str]:
    """The child that may use the internet, to download models that the user asks for."""
    return (sys.executable, "-m", "engine.worker", "--online")


def make_application() -> QApplication:
    """The QApplication, named so that the system files windows and settings under Segue."""
    application = QApplication.instance()
    if not isinstance(application, QApplication):
        application = QApplication(["segue"])
    application.setApplicationName("Segue")
    application.setDesktopFileName("segue")
    ensure_fonts(application)
    return application


def ensure_fonts(application: QApplication) -> bool:
    """Take the fonts of the reports where the system has none; True if that was needed.

    Without any font, as on a bare Linux, Qt draws each letter as an empty box.
    """
    if QFontMetrics(application.font()).inFont("a"):
        return False
    families: list[str] = []
    for file in sorted((resources_folder() / "fonts").glob("*.?tf")):
        families += QFontDatabase.applicationFontFamilies(
            QFontDatabase.addApplicationFont(str(file))
        )
    font = application.font()
    font.setFamilies([_OWN_FONT, *sorted(set(families) - {_OWN_FONT})])
    application.setFont(font)
    return True


class Desktop(QObject):
    """All parts of the running window.

    Data lies where `engine.folders` says. The engine child starts after the window is shown.
    """

    def __init__(
        self,
        application: QApplication,
        *,
        command: WorkerCommand = worker_command,
        dialogs: Dialogs | None = None,
    ) -> None:
        super().__init__()
        self._command = command
        self._path: Path | None = None
        self._is_closed = False
        self.settings = Settings()
        self.theme = Theme(application)
        self.theme.apply(self.settings.theme, self.settings.font_size)
        self.client = EngineClient(command=command(self.settings.device))
        self.history = HistoryService()
        self.autosave = Autosave()
        self.session = EssaySession(self.client, self.history, self.settings, self.autosave)
        service = ClassroomService(self.history.file)
        runner = ClassRunner(command(self.settings.device), self.history.file)
        runner.writer = chosen_writer(self.settings)
        self.classroom = Classroom(service, runner, ReviewDesk(service))
        self.models = ModelService(online_command(), self.settings)
        self.window = MainWindow(
            Parts(
                session=self.session,
                history=self.history,
                settings=self.settings,
                autosave=self.autosave,
                classroom=self.classroom,
                models=self.models,
                theme=self.theme,
                dialogs=dialogs or Dialogs(),
            )
        )
        palette = self.theme.palette
        self.window.setWindowIcon(icon("segue", ink=palette.accent, ink_on=palette.accent))
        self.client.described.connect(self.window.show_engine)
        self.client.unusable.connect(self.window.show_unusable)
        self.settings.changed.connect(self._setting_changed)
        self.window.closing.connect(self.close)
        application.styleHints().colorSchemeChanged.connect(lambda _scheme: self._restyle())
        # The first picture goes out before anything else is begun.
        self.window.first_shown.connect(self._begin, Qt.ConnectionType.QueuedConnection)

    def show(self, path: Path | None = None) -> None:
        """Show the window, and open a file in it once it stands."""
        self._path = path
        self.window.show()

    def close(self) -> None:
        """Stop the child, the threads and the timers; takes a few seconds at most."""
        if self._is_closed:
            return
        self._is_closed = True
        self.window.hide()
        self.session.close()
        self.client.shutdown()
        self.classroom.runner.close()
        self.classroom.desk.flush()
        self.classroom.service.close()
        self.models.close()
        self.autosave.close()
        self.history.close()

    def interrupt(self) -> None:
        """End the program without a question; unsaved text is offered at the next start."""
        self.autosave.keep()
        self.window.remember_geometry()
        self.close()
        # Also the loop of a question that is open; nothing answers it any more.
        QApplication.exit(0)

    def _begin(self) -> None:
        if self._is_closed:
            return
        self.client.start()
        self.client.describe()
        # The first check then answers at once; until it does, the child is idle anyway.
        self.client.warm()
        self.history.open()
        if self._path is not None:
            self.window.open_path(self._path)
        QTimer.singleShot(0, self.window, self.window.files.offer_drafts)

    def _setting_changed(self, name: str) -> None:
        if name in ("theme", "font_size"):
            self._restyle()
        elif name == "device":
            self.client.restart(self._command(self.settings.device))
            self.client.describe()
            # A class that is being checked goes on as it began; the next run takes the new device.
            self.classroom.runner.command = tuple(self._command(self.settings.device))
            self.models.refresh()
        elif name in WRITING:
            self.classroom.runner.writer = chosen_writer(self.settings)

    def _restyle(self) -> None:
        self.theme.apply(self.settings.theme, self.settings.font_size)
        self.window.restyle()
