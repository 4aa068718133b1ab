"""What every test shares: no screen, no real user folders, the same examples every time."""

from __future__ import annotations

import os
from pathlib import Path

# Before anything imports Qt.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ.pop("FORCE_COLOR", None)

import pytest
from hypothesis import settings

settings.register_profile("segue", deadline=None, derandomize=True)
settings.load_profile("segue")


@pytest.fixture
def fake_backend(monkeypatch: pytest.MonkeyPatch) -> str:
    """The name under which a generator that says what its script says can be chosen."""
    from engine.llm import backends

    table = {**backends.BACKENDS, "fake": "engine.llm.fake:load"}
    monkeypatch.setattr(backends, "BACKENDS", table)
    return "fake"


@pytest.fixture(autouse=True)
def _own_user_folders(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Point every folder of the user at a fresh one, whatever the system calls it."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.delenv("SEGUE_HOME", raising=False)
    for name, folder in {
        "XDG_DATA_HOME": "data",
        "XDG_CONFIG_HOME": "config",
        "XDG_CACHE_HOME": "cache",
        "XDG_STATE_HOME": "state",
        "APPDATA": "roaming",
        "LOCALAPPDATA": "local",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    return home
