"""The window: pages, commands, files and leaving."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from desktop.actions import COMMANDS
from desktop.dialogs import ENCODINGS, Unsaved
from desktop.main_window import CLASSROOM, EDITOR, HISTORY, MODELS, SETTINGS, MainWindow
from desktop.services.autosave import Draft, DraftContent
from desktop.services.settings import Settings
from desktop.views.keyboard import KeyboardDialog
from tests.desktop.views.test_item_models import run_row
from tests.desktop.views.view_fakes import (
    ESSAY,
    LINK,
    Answers,
    FakeAutosave,
    FakeHistory,
    FakeSession,
    link_finding,
)

Window = Callable[..., MainWindow]
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def draft(name: str = "Untitled") -> Draft:
    content = DraftContent("Some text.", "", name)
    return Draft(content, datetime(2026, 1, 1, tzinfo=UTC), Path(f"/nowhere/{name}"))


def test_no_two_commands_share_a_shortcut() -> None:
    keys = [keys for command in COMMANDS for keys in command.keys]
    assert len(keys) == len(set(keys))
    assert all(not QKeySequence(each).isEmpty() for each in keys)


def test_every_command_has_a_shortcut_a_mnemonic_and_a_line_on_the_keyboard_page(
    qtbot: QtBot, window: Window
) -> None:
    made = window()
    dialog = KeyboardDialog(made)
    qtbot.addWidget(dialog)
    page = dialog.text.toPlainText()
    for command in COMMANDS:
        assert command.keys
        assert "&" in command.title
        assert command.plain_title.rstrip("…") in page
        assert made.actions_by_id[command.id].shortcuts()


def test_no_two_mnemonics_clash_where_both_can_be_pressed(window: Window) -> None:
    made = window()
    for row, page in (
        (EDITOR, made.editor),
        (CLASSROOM, made.classroom.start),
        (CLASSROOM, made.classroom.klass),
        (CLASSROOM, made.classroom.review),
        (HISTORY, made.history),
        (MODELS, made.models),
        (SETTINGS, made.settings_page),
    ):
        made.show_page(row)
        texts = [action.text() for action in made.menuBar().actions()]
        buttons = page.findChildren(QAbstractButton)
        # A teacher's card shows no buttons to decide.
        card = made.classroom.review.panel.card
        texts += [b.text() for b in buttons if b.text() and not card.isAncestorOf(b)]
        texts += [label.text() for label in page.findChildren(QLabel) if label.buddy() is not None]
        letters = [QKeySequence.mnemonic(text).toString() for text in texts if "&" in text]
        assert len(letters) == len(set(letters)), letters


def test_every_control_has_a_name_for_screen_readers(window: Window) -> None:
    made = window()
    kinds = (QAbstractButton, QComboBox, QLineEdit, QPlainTextEdit, QAbstractSpinBox)
    for page in (made.editor, made.classroom, made.history, made.models, made.settings_page):
        for widget in page.findChildren(QWidget):
            if not isinstance(widget, kinds) or widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
                continue
            if widget.objectName().startswith("qt_"):
                continue
            text = widget.text() if isinstance(widget, QAbstractButton) else ""
            assert widget.accessibleName() or text, widget


def test_pages_open_by_rail_and_by_keyboard(window: Window, qtbot: QtBot) -> None:
    made = window()
    qtbot.keyClick(made, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier)
    assert made.pages.currentIndex() == CLASSROOM
    qtbot.keyClick(made, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert made.pages.currentIndex() == HISTORY
    qtbot.keyClick(made, Qt.Key.Key_4, Qt.KeyboardModifier.ControlModifier)
    assert made.pages.currentIndex() == MODELS
    made.rail.chosen.emit(SETTINGS)
    assert made.pages.currentIndex() == SETTINGS
    qtbot.keyClick(made, Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    assert made.pages.currentIndex() == EDITOR
    assert made.focusWidget() is made.editor.edit


@pytest.mark.parametrize(
    ("key", "call"),
    [
        (Qt.Key.Key_A, ("accept", LINK, 0)),
        (Qt.Key.Key_R, ("reject", LINK, 0)),
        (Qt.Key.Key_I, ("ignore", LINK)),
    ],
)
def test_decisions_by_keyboard_from_within_the_essay(
    window: Window, session: FakeSession, qtbot: QtBot, key: Qt.Key, call: tuple[object, ...]
) -> None:
    made = window()
    session.show([link_finding()])
    qtbot.waitUntil(lambda: made.editor.panel.card.item is not None)
    made.editor.edit.setFocus()
    qtbot.keyClick(made.editor.edit, key, CONTROL_SHIFT)
    assert call in session.calls


def test_check_by_keyboard(window: Window, session: FakeSession, qtbot: QtBot) -> None:
    made = window()
    qtbot.keyClick(made.editor.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert ("check",) in session.calls
    assert made.editor.edit.toPlainText() == ""


def test_the_sessions_messages_come_to_one_place(window: Window, session: FakeSession) -> None:
    made = window()
    assert not made.messages.isVisible()
    session.message.emit("error", "The engine stopped.", "Press Check again.")
    assert made.messages.isVisible()
    assert made.messages.text.text() == "The engine stopped."
    assert made.messages.hint.text() == "Press Check again."
    session.message.emit("info", "A passing note.", "")
    assert made.messages.text.text() == "The engine stopped."
    made.messages.dismiss_button.click()
    assert not made.messages.isVisible()


@pytest.mark.parametrize("encoding", [None, "cp1251"])
def test_where_the_encoding_cannot_be_told_it_is_asked_for(
    window: Window, session: FakeSession, encoding: str | None
) -> None:
    answers = Answers()
    answers.encoding = encoding
    made = window(dialogs=answers)
    session.encoding_asked.emit(Path("/nowhere/essay.txt"))
    assert answers.asked == ["encoding"]
    opened = [call for call in session.calls if call[0] == "open"]
    assert opened == ([] if encoding is None else [("open", Path("/nowhere/essay.txt"), encoding)])
    assert made.isVisible()


def test_every_encoding_to_choose_from_is_known_to_python() -> None:
    assert all(codecs.lookup(encoding) for encoding in ENCODINGS.values())


def test_a_warning_is_not_lost_to_the_next_one(window: Window, session: FakeSession) -> None:
    made = window()
    for text in ("No draft can be kept.", "The history is full.", "No draft can be kept."):
        session.message.emit("warning", text, "")
    session.message.emit("error", "The engine stopped.", "")
    shown = []
    while made.messages.isVisible():
        shown.append(made.messages.text.text())
        made.messages.dismiss_button.click()
    assert shown == ["The engine stopped.", "No draft can be kept.", "The history is full."]


def test_what_the_history_found_when_it_opened_is_shown(window: Window) -> None:
    history = FakeHistory()
    made = window(history=history)
    history.opened.emit(("The history was damaged and set aside.",))
    assert made.messages.text.text() == "The history was damaged and set aside."


def test_opening_asks_for_a_file_and_remembers_it(
    window: Window, session: FakeSession, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "essay.txt"
    file.write_text(ESSAY, encoding="utf-8")
    made = window(dialogs=Answers(open_path=file))
    made.actions_by_id["open"].trigger()
    assert ("open", file) in session.calls
    session.path = file
    session.show()
    assert settings.recent_files == [str(file)]


def test_a_dropped_file_is_opened(window: Window, session: FakeSession, tmp_path: Path) -> None:
    made = window()
    made.editor.edit.file_dropped.emit(str(tmp_path / "essay.odt"))
    assert ("open", tmp_path / "essay.odt") in session.calls


def test_save_asks_where_only_if_the_essay_has_no_file(
    window: Window, session: FakeSession, tmp_path: Path
) -> None:
    answers = Answers(save_path=tmp_path / "new.docx")
    made = window(dialogs=answers)
    made.actions_by_id["save"].trigger()
    made.actions_by_id["save"].trigger()
    assert answers.asked == ["save"]
    assert [call for call in session.calls if call[0] == "save"] == [
        ("save", tmp_path / "new.docx"),
        ("save", None),
    ]


def test_unsaved_changes_are_asked_about_before_they_are_lost(
    window: Window, session: FakeSession
) -> None:
    answers = Answers(unsaved=Unsaved.CANCEL)
    made = window(dialogs=answers)
    session.set_dirty(True)
    made.actions_by_id["new"].trigger()
    assert answers.asked == ["unsaved"]
    assert not any(call[0] == "new" for call in session.calls)
    answers.unsaved = Unsaved.DISCARD
    made.actions_by_id["new"].trigger()
    assert any(call[0] == "new" for call in session.calls)


def test_closing_with_unsaved_changes_can_be_called_off(
    window: Window, session: FakeSession, qtbot: QtBot
) -> None:
    answers = Answers(unsaved=Unsaved.CANCEL)
    made = window(dialogs=answers)
    session.set_dirty(True)
    with qtbot.assertNotEmitted(made.closing):
        assert not made.close()
    answers.unsaved = Unsaved.SAVE
    session.path = Path("essay.txt")
    session.can_save = False
    assert not made.close()
    session.can_save = True
    with qtbot.waitSignal(made.closing):
        assert made.close()


def test_size_and_place_are_remembered(window: Window, settings: Settings, qtbot: QtBot) -> None:
    made = window()
    made.resize(777, 555)
    made.close()
    assert settings.window_geometry
    again = window()
    again.restoreGeometry(again.saveGeometry())
    assert Settings(settings.file).window_geometry == settings.window_geometry


def test_drafts_are_offered_and_the_refused_deleted(window: Window, session: FakeSession) -> None:
    first, second = draft("one"), draft("two")
    yes = FakeAutosave([first, second])
    window(autosave=yes, dialogs=Answers(yes=True)).files.offer_drafts()
    assert ("restore_draft", first.file) in session.calls
    assert yes.discarded == []
    no = FakeAutosave([first, second])
    window(autosave=no, dialogs=Answers(yes=False)).files.offer_drafts()
    assert no.discarded == [first, second]


def test_a_run_of_the_history_is_reopened_in_the_editor(
    window: Window, session: FakeSession
) -> None:
    made = window(history=FakeHistory([run_row(7)]))
    made.show_page(HISTORY)
    made.history.reopen()
    assert ("open_run", 7) in session.calls
    assert made.pages.currentIndex() == EDITOR


def test_text_grows_and_stops_at_the_limit(window: Window, settings: Settings) -> None:
    made = window()
    for _ in range(40):
        made.actions_by_id["larger"].trigger()
    assert settings.font_size == 32
    for _ in range(40):
        made.actions_by_id["smaller"].trigger()
    assert settings.font_size == 9


def test_recent_files_that_are_gone_are_left_out(
    window: Window, settings: Settings, session: FakeSession, tmp_path: Path
) -> None:
    file = tmp_path / "there.txt"
    file.write_text(ESSAY, encoding="utf-8")
    settings.recent_files = [str(tmp_path / "gone.txt"), str(file)]
    made = window()
    menu = made.menuBar().addMenu("recent")
    made.files.fill_recent(menu)
    assert len(menu.actions()) == 1
    menu.actions()[0].trigger()
    assert ("open", file) in session.calls
