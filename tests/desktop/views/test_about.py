"""The box that says what Segue is."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from desktop.theme import Theme
from desktop.views.about import AboutDialog
from engine import __version__


@pytest.mark.parametrize("name", ["light", "dark"])
def test_it_says_the_version_beside_a_sign_in_the_theme_s_colour(
    qtbot: QtBot, theme: Theme, name: str
) -> None:
    theme.apply(name, 12)
    dialog = AboutDialog(theme)
    qtbot.addWidget(dialog)
    dialog.show()
    assert f"Segue {__version__}" in dialog.words.text()
    picture = dialog.sign.pixmap().toImage()
    solid = {
        QColor.fromRgba(picture.pixel(x, y)).name()
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y).alpha() == 255
    }
    assert solid == {theme.palette.accent.lower()}


def test_its_lines_are_long_enough_to_read_and_all_are_in_sight(qtbot: QtBot, theme: Theme) -> None:
    dialog = AboutDialog(theme)
    qtbot.addWidget(dialog)
    dialog.show()
    words = dialog.words
    assert words.width() >= 50 * words.fontMetrics().averageCharWidth()
    assert words.height() >= words.heightForWidth(words.width())
