"""Drafts outlive their window only when it ended badly."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from desktop.services.autosave import Autosave, Draft, DraftContent
from engine.errors import UnreadableFile
from tests.desktop.services.desk import ESSAY, Desk

PATIENCE = 30_000
ROOT = Path(__file__).resolve().parents[3]
CONTENT = DraftContent("Héllo 😀.\n\ud800", "Topic", "essay.txt", "/somewhere/essay.txt")

WINDOW = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication
from desktop.services.autosave import Autosave, DraftContent
application = QCoreApplication([])
autosave = Autosave(Path(sys.argv[1]), delay_ms=0)
autosave.saved.connect(lambda: print("saved", flush=True))
autosave.schedule(lambda: DraftContent("Lost words.", "", "Untitled"))
application.exec()
"""


@pytest.fixture
def window(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another window, in a process of its own, that has just written its draft."""
    command = [sys.executable, "-c", WINDOW, str(tmp_path / "drafts")]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"saved"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def save(qtbot: QtBot, autosave: Autosave, content: DraftContent = CONTENT) -> None:
    with qtbot.waitSignal(autosave.saved, timeout=PATIENCE):
        autosave.schedule(lambda: content)


def texts(drafts: list[Draft]) -> list[str]:
    return [draft.content.text for draft in drafts]


def test_a_draft_holds_the_text_to_the_last_character(qtbot: QtBot, autosave: Autosave) -> None:
    save(qtbot, autosave)
    data = json.loads(autosave.file.read_bytes())
    assert data["text"] == CONTENT.text
    assert data["path"] == CONTENT.path


def test_a_draft_is_written_while_the_writer_goes_on_typing(qtbot: QtBot, tmp_path: Path) -> None:
    autosave = Autosave(tmp_path, delay_ms=200)
    written: list[None] = []
    autosave.saved.connect(lambda: written.append(None))
    end = time.monotonic() + 20
    while not written and time.monotonic() < end:
        autosave.schedule(lambda: CONTENT)
        qtbot.wait(20)
    assert written
    autosave.close()


def test_the_draft_of_a_killed_window_is_recovered(
    qtbot: QtBot, autosave: Autosave, window: subprocess.Popen[bytes]
) -> None:
    assert autosave.recover() == []
    os.kill(window.pid, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    window.wait()
    (draft,) = autosave.recover()
    assert draft.content == DraftContent("Lost words.", "", "Untitled")
    assert autosave.recover() == [draft]
    autosave.discard(draft)
    qtbot.waitUntil(lambda: not draft.file.exists(), timeout=PATIENCE)
    assert autosave.recover() == []


def test_a_recovered_draft_is_offered_in_one_window_only(
    qtbot: QtBot, autosave: Autosave, window: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    window.kill()
    window.wait()
    assert len(autosave.recover()) == 1
    other = Autosave(tmp_path / "drafts")
    assert other.recover() == []
    other.close()


def test_a_draft_that_was_not_taken_waits_for_the_next_start(
    qtbot: QtBot, window: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    window.kill()
    window.wait()
    first = Autosave(tmp_path / "drafts")
    assert len(first.recover()) == 1
    first.close()
    second = Autosave(tmp_path / "drafts")
    assert texts(second.recover()) == ["Lost words."]
    second.close()


def test_a_draft_taken_over_is_replaced_only_by_one_that_is_written(
    qtbot: QtBot,
    autosave: Autosave,
    window: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    window.kill()
    window.wait()
    (draft,) = autosave.recover()

    def refuse(path: Path, _: bytes) -> None:
        raise UnreadableFile(f"{path.name} could not be written.")

    with monkeypatch.context() as context:
        context.setattr("desktop.services.autosave.write_bytes", refuse)
        with qtbot.waitSignal(autosave.failed, timeout=PATIENCE):
            autosave.take_over(draft, CONTENT)
    assert draft.file.exists()
    autosave.take_over(draft, CONTENT)
    qtbot.waitUntil(lambda: not draft.file.exists(), timeout=PATIENCE)
    assert autosave.file.exists()


def test_a_clean_close_leaves_nothing_behind(qtbot: QtBot, tmp_path: Path) -> None:
    autosave = Autosave(tmp_path / "drafts", delay_ms=0)
    save(qtbot, autosave)
    autosave.schedule(lambda: CONTENT)
    autosave.close()
    assert list((tmp_path / "drafts").iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"{}", b'{"text": 3}', b"[" * 9999])
def test_a_damaged_draft_is_left_alone(autosave: Autosave, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "drafts").mkdir()
    file = tmp_path / "drafts" / "0.draft.json"
    file.write_bytes(content)
    assert autosave.recover() == []
    assert file.exists()


def test_drafts_that_cannot_be_kept_are_said_so_once(qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file where the folder should be")
    autosave = Autosave(tmp_path / "drafts", delay_ms=0)
    failures: list[str] = []
    autosave.failed.connect(failures.append)
    for _ in range(3):
        autosave.schedule(lambda: CONTENT)
        qtbot.wait(50)
    qtbot.waitUntil(lambda: bool(failures), timeout=PATIENCE)
    assert len(failures) == 1
    autosave.close()


def test_typing_makes_a_draft_and_saving_removes_it(desk: Desk, tmp_path: Path) -> None:
    desk.session.new()
    with desk.qtbot.waitSignal(desk.autosave.saved, timeout=PATIENCE):
        desk.edit(0, 0, ESSAY)
    assert json.loads(desk.autosave.file.read_bytes())["text"] == ESSAY
    assert desk.session.save(tmp_path / "essay.txt")
    desk.qtbot.waitUntil(lambda: not desk.autosave.file.exists(), timeout=PATIENCE)


def test_a_draft_goes_on_where_it_was_left(
    desk: Desk, window: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    window.kill()
    window.wait()
    (draft,) = desk.autosave.recover()
    with desk.qtbot.waitSignal(desk.session.text_replaced, timeout=PATIENCE):
        desk.session.restore_draft(draft)
    assert desk.text == "Lost words."
    assert desk.session.dirty
    desk.qtbot.waitUntil(lambda: not draft.file.exists(), timeout=PATIENCE)
    assert json.loads(desk.autosave.file.read_bytes())["text"] == "Lost words."
