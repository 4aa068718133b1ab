"""The main job in the window: open, check, decide, save, and find it all in the history."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from desktop.composition import Desktop, WorkerCommand, worker_command
from desktop.main_window import EDITOR, HISTORY
from desktop.services.finding_item import FindingItem, State
from engine.analysis import Action
from engine.documents import load
from engine.resources import resources_folder
from tests.e2e.desktop_app import PATIENCE, desktop_with, fake_worker
from tests.fakes import MIXED_ESSAY

SAMPLE = "studying-abroad.docx"
SHIPPED: WorkerCommand = worker_command
"""The child that the shipped product starts, with the shipped model."""

Start = Callable[..., Desktop]


@pytest.fixture
def start(qapp: QApplication, qtbot: QtBot) -> Generator[Start, None, None]:
    running: list[Desktop] = []

    def make(command: WorkerCommand, path: Path | None = None) -> Desktop:
        desktop = desktop_with(qapp, command)
        running.append(desktop)
        desktop.show(path)
        qtbot.waitExposed(desktop.window)
        return desktop

    yield make
    for desktop in running:
        desktop.close()
        desktop.window.deleteLater()


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    copy = tmp_path / SAMPLE
    shutil.copy(resources_folder() / "samples" / SAMPLE, copy)
    return copy


def open_and_check(desktop: Desktop, qtbot: QtBot) -> list[FindingItem]:
    page = desktop.window.editor
    qtbot.waitUntil(lambda: bool(page.edit.toPlainText()), timeout=PATIENCE)
    with qtbot.waitSignal(desktop.session.analysis_finished, timeout=PATIENCE):
        qtbot.mouseClick(page.bar.check_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not desktop.session.busy, timeout=PATIENCE)
    return desktop.session.findings()


def first_replacement(items: list[FindingItem]) -> tuple[FindingItem, int]:
    """A finding and the number of its first rewrite that puts other words in."""
    for item in items:
        for option, rewrite in enumerate(item.finding.rewrites):
            if rewrite.action is Action.REPLACE:
                return item, option
    pytest.fail("The sample has no finding with words to put in.")


def choose(desktop: Desktop, item: FindingItem, qtbot: QtBot) -> None:
    panel = desktop.window.editor.panel
    qtbot.waitUntil(lambda: panel.model.row_of(item.key) >= 0, timeout=PATIENCE)
    panel.list.choose(item.key)
    qtbot.waitUntil(panel.card.accept_button.isEnabled, timeout=PATIENCE)


def stored(desktop: Desktop, question: str) -> list[tuple[object, ...]]:
    with sqlite3.connect(desktop.history.file) as database:
        return database.execute(question).fetchall()


def test_a_document_is_opened_checked_mended_saved_and_remembered(
    start: Start, sample: Path, qtbot: QtBot
) -> None:
    desktop = start(SHIPPED, sample)
    page, session = desktop.window.editor, desktop.session
    items = open_and_check(desktop, qtbot)
    assert items
    item, option = first_replacement(items)
    rewrite = item.finding.rewrites[option]

    choose(desktop, item, qtbot)
    for _ in range(option):
        page.panel.card.next_option()
    qtbot.mouseClick(page.panel.card.accept_button, Qt.MouseButton.LeftButton)
    accepted = session.item(item.key)
    assert accepted is not None
    assert accepted.state is State.ACCEPTED
    assert rewrite.text in page.edit.toPlainText()

    desktop.window.actions_by_id["save"].trigger()
    assert not session.dirty
    assert rewrite.text in load(sample).text
    assert item.sentence not in load(sample).text

    desktop.window.close()
    decisions = stored(desktop, "SELECT finding_key, verdict, text FROM decisions")
    assert (item.key, "accepted", rewrite.text) in decisions
    assert stored(desktop, "SELECT essay_name FROM runs")[0] == (SAMPLE,)


def test_undoing_an_accepted_rewrite_opens_the_finding_again(
    start: Start, sample: Path, qtbot: QtBot
) -> None:
    desktop = start(SHIPPED, sample)
    page, session = desktop.window.editor, desktop.session
    item = next(item for item in open_and_check(desktop, qtbot) if item.finding.rewrites)
    before = session.text
    choose(desktop, item, qtbot)
    page.panel.card.accept()
    assert session.text != before
    desktop.window.actions_by_id["undo"].trigger()
    assert session.text == before
    again = session.item(item.key)
    assert again is not None
    assert not again.decided


def test_a_killed_child_is_told_of_and_nothing_is_lost(start: Start, qtbot: QtBot) -> None:
    desktop = start(fake_worker(delay=30))
    page, messages = desktop.window.editor, desktop.window.messages
    page.edit.insertPlainText(MIXED_ESSAY)
    page.check()
    with qtbot.waitSignal(desktop.session.progress, timeout=PATIENCE):
        pass
    os.kill(desktop.client.process_id, signal.SIGTERM if os.name == "nt" else signal.SIGKILL)
    qtbot.waitUntil(messages.isVisible, timeout=PATIENCE)
    assert messages.kind == "error"
    assert messages.text.text()
    assert page.edit.toPlainText() == desktop.session.text == MIXED_ESSAY
    assert not desktop.session.busy
    assert page.bar.check_button.isEnabled()


def test_stop_ends_a_check_and_keeps_the_text(start: Start, qtbot: QtBot) -> None:
    desktop = start(fake_worker(delay=30))
    page = desktop.window.editor
    page.edit.insertPlainText(MIXED_ESSAY)
    page.check()
    with qtbot.waitSignal(desktop.session.progress, timeout=PATIENCE):
        pass
    qtbot.mouseClick(page.bar.stop_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not desktop.session.busy, timeout=PATIENCE)
    assert page.edit.toPlainText() == MIXED_ESSAY


def test_closing_during_a_check_ends_child_and_window_within_seconds(
    start: Start, qtbot: QtBot
) -> None:
    desktop = start(fake_worker(delay=120))
    page = desktop.window.editor
    desktop.session.new(MIXED_ESSAY)
    page.check()
    with qtbot.waitSignal(desktop.session.progress, timeout=PATIENCE):
        pass
    child = desktop.client.process_id
    assert child
    started = time.monotonic()
    desktop.close()
    assert time.monotonic() - started < 8
    assert desktop.client.process_id == 0
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)


def test_an_unreadable_file_is_told_of_and_the_essay_stays(
    start: Start, tmp_path: Path, qtbot: QtBot
) -> None:
    wrong = tmp_path / "broken.docx"
    wrong.write_bytes(b"PK\x03\x04 half a file")
    desktop = start(SHIPPED)
    desktop.session.new(MIXED_ESSAY)
    desktop.session.save(tmp_path / "kept.txt")
    desktop.window.open_path(wrong)
    messages = desktop.window.messages
    qtbot.waitUntil(lambda: messages.kind == "error", timeout=PATIENCE)
    assert "broken.docx" in messages.text.text()
    assert messages.hint.text()
    assert desktop.window.editor.edit.toPlainText() == MIXED_ESSAY


def test_a_check_is_reopened_from_the_history(start: Start, sample: Path, qtbot: QtBot) -> None:
    desktop = start(SHIPPED, sample)
    window = desktop.window
    items = open_and_check(desktop, qtbot)
    window.actions_by_id["new"].trigger()
    assert window.editor.edit.toPlainText() == ""
    window.show_page(HISTORY)
    qtbot.waitUntil(lambda: window.history.model.rowCount() == 1, timeout=PATIENCE)
    window.history.reopen()
    qtbot.waitUntil(lambda: window.pages.currentIndex() == EDITOR, timeout=PATIENCE)
    qtbot.waitUntil(lambda: bool(desktop.session.findings()), timeout=PATIENCE)
    assert [item.key for item in desktop.session.findings()] == [item.key for item in items]


def test_a_draft_of_a_window_that_died_is_brought_back(start: Start, qtbot: QtBot) -> None:
    first = start(SHIPPED)
    first.window.editor.edit.insertPlainText(MIXED_ESSAY)
    with qtbot.waitSignal(first.autosave.saved, timeout=PATIENCE):
        pass
    orphan = first.autosave.file.read_bytes()
    file = first.autosave.file
    first.close()
    file.write_bytes(orphan)
    second = start(SHIPPED)
    qtbot.waitUntil(lambda: second.session.text == MIXED_ESSAY, timeout=PATIENCE)
    assert second.window.editor.edit.toPlainText() == MIXED_ESSAY
    assert second.session.dirty
