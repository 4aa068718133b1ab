"""Services as the window has them, with an engine that does what the test says."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.autosave import Autosave
from desktop.services.history_service import HistoryService
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from tests.desktop.services.desk import Desk, ScriptedClient


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.json")


@pytest.fixture
def history(qtbot: QtBot, tmp_path: Path) -> Iterator[HistoryService]:
    service = HistoryService(tmp_path / "history.db")
    yield service
    service.close()


@pytest.fixture
def autosave(qtbot: QtBot, tmp_path: Path) -> Iterator[Autosave]:
    service = Autosave(tmp_path / "drafts", delay_ms=10)
    yield service
    service.close()


@pytest.fixture
def desk(
    qtbot: QtBot, history: HistoryService, settings: Settings, autosave: Autosave
) -> Iterator[Desk]:
    client = ScriptedClient()
    session = EssaySession(client, history, settings, autosave, recheck_ms=30)
    desk = Desk(qtbot, client, history, settings, autosave, session)
    yield desk
    session.close()
