"""Ctrl+C and a request to terminate close the window in order, and keep what was typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop.services.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals to one child are POSIX's")

PROGRAM = """
import signal, sys, time
# A shell has what it runs in the background ignore Ctrl+C, and that is inherited.
signal.signal(signal.SIGINT, signal.default_int_handler)
from PySide6.QtCore import QTimer
from desktop import app, composition

composition.worker_command = lambda device: (
    sys.executable, "-m", "tests.worker.fake_worker", "--delay", "0")
show = composition.Desktop.show

def ready(desktop):
    if not desktop.client.process_id:
        return
    desktop.window.editor.edit.insertPlainText("Kept words.")
    desktop.window.resize(777, 555)
    print(desktop.client.process_id, flush=True)
    timer.stop()

def show_and_tell(desktop, path=None):
    global timer
    show(desktop, path)
    timer = QTimer(interval=50)
    timer.timeout.connect(lambda: ready(desktop))
    timer.start()
    if HANGS:
        desktop.close = lambda: (print("closing", flush=True), time.sleep(120))

composition.Desktop.__init__.__kwdefaults__["command"] = composition.worker_command
composition.Desktop.show = show_and_tell
sys.exit(app.main([]))
"""


def start(home: Path, *, hangs: bool = False) -> tuple[subprocess.Popen[str], int]:
    """The window in a process of its own, with unsaved text; and the number of its engine child."""
    environment = {**os.environ, "SEGUE_HOME": str(home), "QT_QPA_PLATFORM": "offscreen"}
    process = subprocess.Popen(
        [sys.executable, "-c", f"HANGS = {hangs}\n{PROGRAM}"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        pytest.fail(process.communicate(timeout=60)[1])
    return process, int(line)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_and_keeps_the_draft(tmp_path: Path, number: int) -> None:
    process, child = start(tmp_path)
    process.send_signal(number)
    try:
        _out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in errors
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    drafts = list(tmp_path.rglob("*.draft.json"))
    assert [json.loads(draft.read_bytes())["text"] for draft in drafts] == ["Kept words."]


def test_a_signal_keeps_the_size_of_the_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    process, _child = start(tmp_path)
    process.send_signal(signal.SIGTERM)
    try:
        process.communicate(timeout=60)
    finally:
        process.kill()
    monkeypatch.setenv("SEGUE_HOME", str(tmp_path))
    stored = Settings().window_geometry.encode("ascii")
    window = QWidget()
    qtbot.addWidget(window)
    assert window.restoreGeometry(QByteArray.fromBase64(stored))
    assert (window.width(), window.height()) == (777, 555)


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    process, _child = start(tmp_path, hangs=True)
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "closing\n"
        process.send_signal(signal.SIGINT)
        _out, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == -signal.SIGINT
    assert "Traceback" not in errors
