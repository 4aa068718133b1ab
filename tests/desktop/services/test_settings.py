"""Settings keep to their declarations, and a bad file never keeps the window from opening."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.settings import Choice, Line, Number, Settings, StoredModel, Switch
from engine.errors import UnreadableFile


def test_a_setting_is_stored_and_announced(settings: Settings, tmp_path: Path) -> None:
    changed: list[str] = []
    settings.changed.connect(changed.append)
    settings.strictness = "few"
    settings.font_size = 20
    settings.font_size = 20
    assert changed == ["strictness", "font_size"]
    again = Settings(settings.file)
    assert (again.strictness, again.font_size, again.theme) == ("few", 20, "system")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("strictness", "everything"),
        ("strictness", 3),
        ("font_size", 8),
        ("font_size", 33),
        ("font_size", True),
        ("font_size", 12.0),
        ("show_rewrites", 1),
        ("recent_files", ["a", 2]),
        ("window_geometry", b""),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_not_read(
    settings: Settings, name: str, value: Any
) -> None:
    with pytest.raises(ValueError, match=name):
        settings.set_value(name, value)
    if not isinstance(value, bytes):
        settings.file.write_text(json.dumps({name: value}))
    assert Settings(settings.file).value(name) == Settings.options[name].default


def test_every_setting_that_is_shown_declares_its_title_and_range() -> None:
    shown = {name: option for name, option in Settings.options.items() if option.title}
    checking = {"strictness", "device", "show_rewrites", "correct_grammar", "recheck"}
    reports = {"school_name", "school_logo", "teacher_name"}
    writing = {"writer", "writer_model", "server_address", "server_model"}
    downloads = {"download_mirror", "download_proxy"}
    assert checking | reports | writing | downloads | {"theme", "font_size"} == set(shown)
    for option in shown.values():
        assert option.accepts(option.default)
        match option:
            case Choice():
                assert all(option.choices.values())
            case Number():
                assert option.minimum < option.maximum
            case Line():
                assert not option.accepts("two\nlines")
            case StoredModel():
                assert option.role == "writer"
                assert not option.accepts("two\nlines")
            case _:
                assert isinstance(option, Switch)


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff\xfe", b"[" * 5000, b""])
def test_a_damaged_file_is_set_aside(qtbot: QtBot, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(content)
    settings = Settings(file)
    assert settings.strictness == "balanced"
    (aside,) = tmp_path.glob("settings.json.damaged-*")
    assert aside.read_bytes() == content
    settings.theme = "dark"
    assert Settings(file).theme == "dark"


def test_entries_of_a_newer_version_are_kept(settings: Settings) -> None:
    settings.file.write_text('{"voice": "calm", "theme": "dark"}')
    newer = Settings(settings.file)
    newer.theme = "light"
    assert json.loads(settings.file.read_text()) == {"voice": "calm", "theme": "light"}


def test_lists_are_given_out_as_copies(settings: Settings) -> None:
    settings.recent_files = ["a"]
    settings.recent_files.append("b")
    assert settings.recent_files == ["a"]


def test_a_reset_leaves_what_the_page_does_not_show(settings: Settings) -> None:
    settings.strictness = "few"
    settings.recent_files = ["a"]
    settings.reset()
    assert (settings.strictness, settings.recent_files) == ("balanced", ["a"])


def test_settings_that_cannot_be_stored_hold_for_the_session(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _: bytes) -> None:
        raise UnreadableFile(f"{path.name} could not be written.")

    monkeypatch.setattr("desktop.services.settings.write_bytes", refuse)
    failures: list[str] = []
    settings.failed.connect(failures.append)
    settings.theme = "dark"
    assert settings.theme == "dark"
    assert len(failures) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="file modes")
def test_the_default_file_is_in_the_users_configuration_folder(
    qtbot: QtBot, _own_user_folders: Path
) -> None:
    assert Settings().file.is_relative_to(_own_user_folders)
