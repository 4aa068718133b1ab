"""Every command of the window, declared once: menu, title with mnemonic, shortcut.

The menus, the buttons' tool tips and the keyboard page are all made from this table, so none of
them can disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar


@dataclass(frozen=True, slots=True)
class Command:
    """One command. `keys` are portable shortcuts; Qt turns Ctrl into the Command key on a Mac."""

    id: str
    menu: str
    title: str
    keys: tuple[str, ...]
    opens_group: bool = False

    @property
    def plain_title(self) -> str:
        """The title without its mnemonic mark."""
        return self.title.replace("&", "")


FILE, EDIT, CHECK, FINDING, VIEW, HELP = "&File", "Edi&t", "&Check", "Fi&nding", "&View", "&Help"
TEACHING = "T&eaching"

COMMANDS: tuple[Command, ...] = (
    Command("new", FILE, "&New essay", ("Ctrl+N",)),
    Command("open", FILE, "&Open…", ("Ctrl+O",)),
    Command("save", FILE, "&Save", ("Ctrl+S",), opens_group=True),
    Command("save_copy", FILE, "Save a &copy…", ("Ctrl+Shift+S",)),
    Command("quit", FILE, "&Quit", ("Ctrl+Q",), opens_group=True),
    Command("undo", EDIT, "&Undo", ("Ctrl+Z",)),
    Command("redo", EDIT, "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y")),
    Command("check", CHECK, "&Check the essay", ("Ctrl+Return", "Ctrl+Enter")),
    Command("stop", CHECK, "&Stop the check", ("Ctrl+.",)),
    Command("next", FINDING, "&Next finding", ("F8",)),
    Command("previous", FINDING, "&Previous finding", ("Shift+F8",)),
    Command("anchor", FINDING, "&Jump to the earlier sentence", ("Ctrl+J",)),
    Command("other_option", FINDING, "Next &option", ("F9",)),
    Command("accept", FINDING, "&Accept", ("Ctrl+Shift+A",), opens_group=True),
    Command("edit", FINDING, "&Edit the rewrite…", ("Ctrl+Shift+E",)),
    Command("reject", FINDING, "&Reject", ("Ctrl+Shift+R",)),
    Command("ignore", FINDING, "&Ignore", ("Ctrl+Shift+I",)),
    Command("class_start", TEACHING, "&Check the class", ("Ctrl+Shift+Return",)),
    Command("class_pause", TEACHING, "&Pause the class or go on", ("Ctrl+Shift+P",)),
    Command("class_stop", TEACHING, "&Stop checking the class", ("Ctrl+Shift+K",)),
    Command("class_export", TEACHING, "E&xport reports…", ("Ctrl+Shift+X",)),
    Command("previous_student", TEACHING, "Pre&vious student", ("Ctrl+PgUp",), opens_group=True),
    Command("next_student", TEACHING, "&Next student", ("Ctrl+PgDown",)),
    Command("flag_add", TEACHING, "&Add a flag", ("Ctrl+Shift+F",), opens_group=True),
    Command("flag_edit", TEACHING, "&Edit the flag…", ("Ctrl+E",)),
    Command("flag_remove", TEACHING, "&Remove the flag or bring it back", ("Ctrl+D",)),
    Command("write_comment", TEACHING, "C&omment on flag or sentence", ("Ctrl+Shift+M",)),
    Command("write_general", TEACHING, "Comment on the &whole essay", ("Ctrl+Shift+G",)),
    Command("comment_bank", TEACHING, "Comment &bank…", ("Ctrl+Shift+B",)),
    Command("mark_reviewed", TEACHING, "&Mark as reviewed", ("Ctrl+Shift+V",), opens_group=True),
    Command("mark_released", TEACHING, "Re&lease", ("Ctrl+Shift+L",)),
    Command("show_editor", VIEW, "&Editor", ("Ctrl+1",)),
    Command("show_classroom", VIEW, "&Classroom", ("Ctrl+2",)),
    Command("show_history", VIEW, "&History", ("Ctrl+3",)),
    Command("show_models", VIEW, "&Models", ("Ctrl+4",)),
    Command("show_settings", VIEW, "&Settings", ("Ctrl+5", "Ctrl+,")),
    Command("larger", VIEW, "&Larger text", ("Ctrl++", "Ctrl+="), opens_group=True),
    Command("smaller", VIEW, "S&maller text", ("Ctrl+-",)),
    Command("focus_essay", VIEW, "Go to the essa&y", ("F6",), opens_group=True),
    Command("focus_findings", VIEW, "Go to the &findings", ("Shift+F6",)),
    Command("keyboard", HELP, "&Keyboard", ("F1",)),
    Command("about", HELP, "&About Segue", ("Shift+F1",)),
)


def build_actions(window: QMainWindow) -> dict[str, QAction]:
    """One action a command, owned by the window so that its shortcut works on every page."""
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        action = QAction(command.title, window)
        action.setObjectName(command.id)
        action.setShortcuts([QKeySequence(keys) for keys in command.keys])
        window.addAction(action)
        actions[command.id] = action
    return actions


def fill_menu_bar(bar: QMenuBar, actions: Mapping[str, QAction]) -> dict[str, QMenu]:
    """The menus, in the table's order; returns them by their title."""
    menus: dict[str, QMenu] = {}
    for command in COMMANDS:
        if command.menu not in menus:
            menus[command.menu] = bar.addMenu(command.menu)
        if command.opens_group:
            menus[command.menu].addSeparator()
        menus[command.menu].addAction(actions[command.id])
    return menus


def shortcut_text(command_id: str) -> str:
    """The command's first shortcut as this system writes it, such as "Ctrl+S"."""
    command = next(command for command in COMMANDS if command.id == command_id)
    return QKeySequence(command.keys[0]).toString(QKeySequence.SequenceFormat.NativeText)
