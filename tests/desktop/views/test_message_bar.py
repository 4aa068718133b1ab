"""The message bar, where it is read: its words stand in line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from desktop.views.message_bar import MessageBar


@pytest.mark.parametrize("hint", ["", "Try again."])
def test_the_kind_stands_on_the_first_line_of_the_message(qtbot: QtBot, hint: str) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.resize(700, 60)
    bar.show_message("info", "Reading the class…", hint)
    bar.show()
    qtbot.waitExposed(bar)
    kind = next(label for label in bar.findChildren(QLabel) if label.text() == "Note")
    tops = [label.mapTo(bar, QPoint(0, 0)).y() for label in (kind, bar.text)]
    assert abs(tops[0] - tops[1]) <= 1


def test_it_says_how_many_messages_wait_behind_the_one_on_show(qtbot: QtBot) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.show_message("warning", "One.")
    assert bar.waiting.isHidden()
    bar.show_message("warning", "Two.")
    bar.show_message("error", "Three.")
    assert (bar.text.text(), bar.waiting.text()) == ("Three.", "2 more")
    assert bar.accessibleName().endswith("(2 more)")
    bar.dismiss()
    assert (bar.text.text(), bar.waiting.text()) == ("Two.", "1 more")
    bar.dismiss()
    assert bar.waiting.isHidden()
