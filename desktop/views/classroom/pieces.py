"""Small pieces that the classroom's pages share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHeaderView, QLabel, QPushButton, QTableView, QWidget

from desktop.actions import shortcut_text
from desktop.views.layouts import fit_height
from desktop.views.wheel import keep_from_wheel
from engine.scheme import ReasonCode


def words_label(text: str = "", *, role: str = "", name: str = "") -> QLabel:
    """A label that wraps, shows plain text and is as high as it needs."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if role:
        label.setProperty("role", role)
    if name:
        label.setAccessibleName(name)
    fit_height(label)
    return label


def caption(text: str, buddy: QWidget | None = None) -> QLabel:
    """A small heading over a field; `buddy` is the field."""
    label = QLabel(text)
    label.setProperty("role", "caption")
    if buddy is not None:
        label.setBuddy(buddy)
    return label


def push_button(text: str, *, command: str = "", role: str = "", name: str = "") -> QPushButton:
    """A button; `command` puts its shortcut into the tool tip."""
    button = QPushButton(text)
    if role:
        button.setProperty("role", role)
    if command:
        button.setToolTip(shortcut_text(command))
    if name:
        button.setAccessibleName(name)
    return button


def label_width(widget: QWidget) -> int:
    """Pixels for a column of field labels, so that two forms stand in line."""
    return widget.fontMetrics().averageCharWidth() * 10


def combo_box(name: str) -> QComboBox:
    """A box with a choice, no wider than a few words."""
    box = QComboBox()
    box.setAccessibleName(name)
    box.setMinimumContentsLength(10)
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    keep_from_wheel(box)
    return box


def chosen_reason(box: QComboBox) -> ReasonCode | None:
    """The reason that is chosen in a box; Qt hands the codes back as plain strings."""
    code: str | None = box.currentData()
    return None if code is None else ReasonCode(code)


def set_up_table(table: QTableView, name: str) -> None:
    """Rows are chosen whole, one at a time; Tab leaves the table."""
    table.setAccessibleName(name)
    table.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QTableView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
    table.verticalHeader().hide()
    table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setProperty("role", "tight")
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)


def redress(widget: QWidget) -> None:
    """Have the style sheet look at a widget's properties again."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
