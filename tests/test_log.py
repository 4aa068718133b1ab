from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import log
from engine.errors import ModelError
from engine.folders import log_folder
from engine.log import frames_only, set_up_logging

SECRET = "My secret essay sentence."


@pytest.fixture(autouse=True)
def _root_logger_as_before() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers[:]:
        if handler not in handlers:
            root.removeHandler(handler)
            handler.close()
    root.setLevel(level)
    for name in ("engine", "desktop"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def fail(words: str) -> None:
    raise KeyError(words)


def test_the_log_lies_in_the_users_log_folder() -> None:
    path = set_up_logging("engine")
    logging.getLogger("engine.worker").info("A job began.")
    assert path == log_folder() / "engine.log"
    assert "A job began." in path.read_text(encoding="utf-8")


def test_a_traceback_has_its_frames_but_not_its_words(tmp_path: Path) -> None:
    path = set_up_logging("engine", folder=tmp_path)
    try:
        fail(SECRET)
    except KeyError:
        logging.getLogger("engine.x").exception("It failed")
    assert path is not None
    text = path.read_text(encoding="utf-8")
    assert "in fail" in text
    assert "KeyError" in text
    assert SECRET not in text


def test_our_own_errors_keep_their_words_and_causes_are_told() -> None:
    try:
        try:
            fail(SECRET)
        except KeyError as error:
            raise ModelError("model.onnx is missing.") from error
    except ModelError as error:
        text = frames_only(error)
    assert "model.onnx is missing." in text
    assert "builtins.KeyError" in text
    assert SECRET not in text


def test_an_error_that_is_its_own_cause_comes_to_an_end() -> None:
    error = KeyError(SECRET)
    error.__cause__ = error
    assert frames_only(error) == "builtins.KeyError"


def test_what_libraries_chat_about_is_not_logged(tmp_path: Path) -> None:
    path = set_up_logging("engine", folder=tmp_path)
    logging.getLogger("some_library").info(SECRET)
    assert path is not None
    assert path.read_text(encoding="utf-8") == ""


def test_the_log_is_rotated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MAX_BYTES", 1000)
    set_up_logging("engine", folder=tmp_path)
    for _ in range(100):
        logging.getLogger("engine").info("A line of some length, to fill the file.")
    assert len(list(tmp_path.iterdir())) == 1 + log.BACKUPS


def test_a_file_that_cannot_be_rotated_is_written_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_names: str) -> None:
        raise PermissionError("held by another process")

    monkeypatch.setattr(log, "MAX_BYTES", 100)
    path = set_up_logging("engine", folder=tmp_path)
    monkeypatch.setattr("os.rename", refuse)
    for number in range(5):
        logging.getLogger("engine").info("This is line %d of the log.", number)
    assert path is not None
    assert "line 4" in path.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_to_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert set_up_logging("engine", folder=tmp_path / "file") is None
    logging.getLogger("engine").warning("Nobody hears this.")


def test_a_disk_that_is_full_prints_nothing_on_the_users_screen(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    set_up_logging("engine")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("logging.StreamHandler.flush", full)
        logging.getLogger("engine.worker").error("A job failed.")
    assert capfd.readouterr().err == ""
