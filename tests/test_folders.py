from __future__ import annotations

from pathlib import Path

import pytest

from engine.folders import cache_folder, config_folder, data_folder, log_folder


def test_segue_home_moves_every_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SEGUE_HOME", str(tmp_path))
    found = {data_folder(), config_folder(), cache_folder(), log_folder()}
    assert found == {tmp_path / name for name in ("data", "config", "cache", "log")}


def test_without_it_the_systems_own_folders_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SEGUE_HOME", raising=False)
    found = [data_folder(), config_folder(), cache_folder(), log_folder()]
    assert all("Segue" in path.parts for path in found)
