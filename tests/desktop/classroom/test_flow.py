"""A teacher's afternoon: a zip in, a run that survives everything, a review, reports out."""

from __future__ import annotations

import os
import signal
import sqlite3
import zipfile
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.composition import Desktop
from desktop.main_window import CLASSROOM
from desktop.services.classroom_service import Export
from desktop.views.classroom.page import ClassroomPage
from engine.classroom.model import State
from engine.resources import resources_folder
from tests.classroom.class_files import write_class
from tests.desktop.classroom.conftest import PATIENCE
from tests.e2e.desktop_app import desktop_with, fake_worker

Start = Callable[..., Desktop]
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def start(qapp: QApplication, qtbot: QtBot) -> Generator[Start, None, None]:
    running: list[Desktop] = []

    def make(delay: float = 0.0) -> Desktop:
        desktop = desktop_with(qapp, fake_worker(delay))
        running.append(desktop)
        desktop.show()
        qtbot.waitExposed(desktop.window)
        desktop.window.activateWindow()
        qtbot.waitUntil(desktop.window.isActiveWindow, timeout=PATIENCE)
        desktop.window.show_page(CLASSROOM)
        return desktop

    yield make
    for desktop in running:
        desktop.close()
        desktop.window.deleteLater()


def begin(desktop: Desktop, qtbot: QtBot, source: Path) -> ClassroomPage:
    """Fill in the form and start; the class is on show and its child at work."""
    page = desktop.window.classroom
    page.start.form.show_source(source)
    qtbot.mouseClick(page.start.form.start_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.in_class, timeout=PATIENCE)
    return page


def wait_for_the_end(desktop: Desktop, qtbot: QtBot) -> None:
    runner, page = desktop.classroom.runner, desktop.window.classroom
    qtbot.waitUntil(lambda: not runner.is_running, timeout=PATIENCE)

    def is_settled() -> bool:
        rows = page.klass.model.submissions()
        return all(one.state not in (State.CHECKING, State.WAITING) for one in rows)

    qtbot.waitUntil(is_settled, timeout=PATIENCE)


def states(desktop: Desktop) -> Counter[State]:
    return Counter(one.state for one in desktop.window.classroom.klass.model.submissions())


def runs(desktop: Desktop) -> dict[int, int]:
    """Which run each checked essay has, straight from the database."""
    with sqlite3.connect(desktop.history.file) as database:
        found = database.execute("SELECT id, run_id FROM submissions WHERE run_id IS NOT NULL")
        return dict(found.fetchall())


def open_first(desktop: Desktop, qtbot: QtBot) -> ClassroomPage:
    page = desktop.window.classroom
    row = next(
        row
        for row in range(page.klass.proxy.rowCount())
        if page.klass.proxy.submission(row).findings
    )
    page.klass.table.setCurrentIndex(page.klass.proxy.index(row, 0))
    page.klass.table.setFocus()
    qtbot.keyClick(page.klass.table, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: page.in_review, timeout=PATIENCE)
    return page


def test_a_zip_is_checked_reviewed_released_and_exported(
    start: Start, qtbot: QtBot, tmp_path: Path
) -> None:
    source = tmp_path / "Week 3.zip"
    with zipfile.ZipFile(source, "w") as archive:
        for file in sorted((resources_folder() / "samples" / "class").iterdir()):
            archive.write(file, file.name)
    desktop = start()
    page = begin(desktop, qtbot, source)
    wait_for_the_end(desktop, qtbot)
    assert page.klass.bar.name.whole == "Week 3"
    assert states(desktop) == {State.CHECKED: 9, State.FAILED: 3}
    assert sum(line.startswith("Not checked:") for line in page.klass.problems.shown) == 3

    open_first(desktop, qtbot)
    review, panel = page.review, page.review.panel
    key = panel.list.current_key
    assert key
    assert panel.origin.text() == "Segue found this flag."
    review.general.setFocus()
    qtbot.keyClicks(review.general, "A clear plan.")
    panel.comment.setFocus()
    qtbot.keyClicks(panel.comment, "Read this aloud.")
    review.edit.setFocus()
    qtbot.keyClick(review.edit, Qt.Key.Key_L, CONTROL_SHIFT)
    qtbot.waitUntil(lambda: states(desktop)[State.RELEASED] == 1, timeout=PATIENCE)
    assert review.state.text() == "Released"

    qtbot.mouseClick(review.back_button, Qt.MouseButton.LeftButton)
    out = tmp_path / "out"
    with qtbot.waitSignal(desktop.classroom.service.exported, timeout=PATIENCE):
        assert page.klass.assignment is not None
        wanted = Export(out, ("html", "csv"), only_released=True)
        desktop.classroom.service.export(page.klass.assignment.id, wanted)
    (report,) = (out / "students").glob("*.html")
    words = report.read_text(encoding="utf-8")
    assert "A clear plan." in words
    assert "Read this aloud." in words
    assert "has read this report" in words
    assert (out / "class.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    assert str(out) in desktop.window.messages.text.text()


def test_pause_stop_and_going_on(start: Start, qtbot: QtBot, tmp_path: Path) -> None:
    desktop = start(delay=1.5)
    page = begin(desktop, qtbot, write_class(tmp_path / "class", 3))
    runner, bar = desktop.classroom.runner, page.klass.bar
    qtbot.waitUntil(lambda: states(desktop)[State.CHECKED] >= 1, timeout=PATIENCE)
    assert bar.pause_button.isVisible()
    assert not bar.start_button.isVisible()
    assert bar.status.text()
    qtbot.mouseClick(bar.pause_button, Qt.MouseButton.LeftButton)
    assert runner.is_paused
    assert bar.status.text().startswith("Paused")
    qtbot.mouseClick(bar.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not runner.is_running, timeout=PATIENCE)
    before = runs(desktop)
    assert 1 <= len(before) < 3
    qtbot.waitUntil(bar.start_button.isVisible, timeout=PATIENCE)
    qtbot.mouseClick(bar.start_button, Qt.MouseButton.LeftButton)
    wait_for_the_end(desktop, qtbot)
    assert states(desktop) == {State.CHECKED: 3}
    assert before.items() <= runs(desktop).items()


def test_a_killed_child_is_told_of_and_the_class_goes_on_after_a_restart(
    start: Start, qtbot: QtBot, tmp_path: Path
) -> None:
    desktop = start(delay=1.5)
    page = begin(desktop, qtbot, write_class(tmp_path / "class", 3))
    runner, messages = desktop.classroom.runner, desktop.window.messages
    qtbot.waitUntil(lambda: states(desktop)[State.CHECKED] >= 1, timeout=PATIENCE)
    os.kill(runner.process_id, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    qtbot.waitUntil(lambda: messages.kind == "error", timeout=PATIENCE)
    assert "kept" in messages.hint.text()
    before = runs(desktop)
    assert before
    assert page.in_class
    desktop.close()

    again = start()
    fresh = again.window.classroom
    qtbot.waitUntil(lambda: fresh.start.model.rowCount() == 1, timeout=PATIENCE)
    fresh.start.open()
    qtbot.waitUntil(lambda: fresh.in_class, timeout=PATIENCE)
    qtbot.keyClick(fresh.klass.table, Qt.Key.Key_Return, CONTROL_SHIFT)
    wait_for_the_end(again, qtbot)
    assert states(again) == {State.CHECKED: 3}
    assert before.items() <= runs(again).items()


def test_closing_the_window_keeps_what_was_typed_last(
    start: Start, qtbot: QtBot, tmp_path: Path
) -> None:
    desktop = start()
    begin(desktop, qtbot, write_class(tmp_path / "class", 1))
    wait_for_the_end(desktop, qtbot)
    page = open_first(desktop, qtbot)
    page.review.general.setFocus()
    qtbot.keyClicks(page.review.general, "Last words.")
    desktop.close()
    with sqlite3.connect(desktop.history.file) as database:
        ((stored,),) = database.execute("SELECT review FROM reviews").fetchall()
    assert "Last words." in stored


def test_a_failure_can_be_mended_and_tried_again(
    start: Start, qtbot: QtBot, tmp_path: Path
) -> None:
    source = write_class(tmp_path / "class", 1)
    broken = source / "Zoe Empty.txt"
    broken.write_text("", encoding="utf-8")
    desktop = start()
    page = begin(desktop, qtbot, source)
    wait_for_the_end(desktop, qtbot)
    assert states(desktop) == {State.CHECKED: 1, State.FAILED: 1}
    broken.write_text("Parks are good. But they cost money.", encoding="utf-8")
    qtbot.mouseClick(page.klass.problems.retry_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: states(desktop)[State.CHECKED] == 2, timeout=PATIENCE)


def test_the_commands_of_a_view_are_those_that_do_something_there(
    start: Start, qtbot: QtBot, tmp_path: Path
) -> None:
    desktop = start()
    actions = desktop.window.actions_by_id
    assert not actions["flag_add"].isEnabled()
    begin(desktop, qtbot, write_class(tmp_path / "class", 1))
    wait_for_the_end(desktop, qtbot)
    assert actions["class_export"].isEnabled()
    assert not actions["mark_reviewed"].isEnabled()
    open_first(desktop, qtbot)
    assert actions["mark_reviewed"].isEnabled()
    assert actions["next"].isEnabled()
    assert not actions["accept"].isEnabled()
    assert not actions["check"].isEnabled()
