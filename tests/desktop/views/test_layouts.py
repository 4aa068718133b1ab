"""What the pages share: the frame that scrolls, and the scroll area that keeps its lines."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop.views.layouts import SteadyScrollArea, titled_page


def test_a_titled_page_scrolls_under_its_title_and_is_no_wider_than_can_be_read(
    qtbot: QtBot,
) -> None:
    page, content = QWidget(), QWidget()
    qtbot.addWidget(page)
    column = titled_page(page, "Models", content, spacing=10)
    for number in range(80):
        column.addWidget(QLabel(f"Line {number}"))
    page.resize(1600, 400)
    page.show()
    qtbot.waitExposed(page)
    scroll = page.findChild(QScrollArea)
    assert isinstance(scroll, QScrollArea)
    assert scroll.widget() is content
    assert scroll.verticalScrollBar().maximum() > 0
    first = next(label for label in content.findChildren(QLabel) if label.y() < 40)
    assert (first.text(), first.property("role")) == ("Models", "title")
    assert content.width() == 900


def test_what_is_revealed_is_seen_from_its_beginning(qtbot: QtBot) -> None:
    area, content, field = SteadyScrollArea(), QWidget(), QPlainTextEdit()
    qtbot.addWidget(area)
    column = QVBoxLayout(content)
    for number in range(10):
        column.addWidget(QLabel(f"Line {number}"))
    field.setMinimumHeight(400)
    column.addWidget(field)
    column.addWidget(QLabel("After it"))
    area.setWidget(content)
    area.resize(300, 150)
    area.show()
    qtbot.waitExposed(area)
    area.reveal(field)
    top = field.mapTo(area.viewport(), field.rect().topLeft()).y()
    assert 0 <= top <= 2 * area.fontMetrics().height()
