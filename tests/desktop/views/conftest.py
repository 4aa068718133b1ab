"""What the views' tests share: a theme, settings in a folder of their own, and fake services."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.main_window import MainWindow, Parts
from desktop.services.class_runner import ClassRunner
from desktop.services.classroom_service import ClassroomService
from desktop.services.model_service import ModelService
from desktop.services.review_desk import ReviewDesk
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from desktop.theme import Theme
from desktop.views.classroom.page import Classroom
from desktop.views.editor.page import EditorPage
from tests.desktop.views.view_fakes import Answers, FakeAutosave, FakeHistory, FakeSession


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    made = Theme(qapp)
    made.apply("light", 12)
    return made


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    made = Settings(tmp_path / "settings.json")
    made.theme = "light"
    return made


@pytest.fixture
def session() -> FakeSession:
    return FakeSession()


@pytest.fixture
def page(qtbot: QtBot, session: FakeSession, settings: Settings, theme: Theme) -> EditorPage:
    made = EditorPage(cast(EssaySession, session), settings, theme)
    qtbot.addWidget(made)
    made.resize(1100, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
    return made


@pytest.fixture
def classroom(qtbot: QtBot, tmp_path: Path) -> Iterator[Classroom]:
    """The classroom's services with a database of their own; the child is never started."""
    file = tmp_path / "classes.db"
    service = ClassroomService(file)
    yield Classroom(service, ClassRunner(["segue-has-no-such-program"], file), ReviewDesk(service))
    service.close(60_000)


@pytest.fixture
def models(qtbot: QtBot, settings: Settings) -> Iterator[ModelService]:
    """The service of the Models page; the child is never started."""
    made = ModelService(["segue-has-no-such-program"], settings)
    yield made
    made.close(60_000)


@pytest.fixture
def window(
    qtbot: QtBot,
    session: FakeSession,
    settings: Settings,
    theme: Theme,
    classroom: Classroom,
    models: ModelService,
) -> Callable[..., MainWindow]:
    """Make a window: `window(dialogs=..., history=..., autosave=...)`."""

    def make(
        *,
        dialogs: Answers | None = None,
        history: FakeHistory | None = None,
        autosave: FakeAutosave | None = None,
    ) -> MainWindow:
        parts: dict[str, Any] = {
            "session": session,
            "history": history or FakeHistory(),
            "settings": settings,
            "autosave": autosave or FakeAutosave(),
            "classroom": classroom,
            "models": models,
            "theme": theme,
            "dialogs": dialogs or Answers(),
        }
        made = MainWindow(Parts(**parts))
        # Closing for the test's end must not ask.
        qtbot.addWidget(made, before_close_func=lambda _window: session.set_dirty(False))
        made.resize(1100, 700)
        made.show()
        qtbot.waitExposed(made)
        made.activateWindow()
        qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
        return made

    return make
