"""The few line icons of the window, drawn in the theme's colours."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

_SHAPES = {
    "editor": '<path d="M5 3h9l5 5v13H5z"/><path d="M14 3v5h5M8.5 12h7M8.5 16h5"/>',
    "classroom": '<circle cx="9" cy="8.5" r="3.2"/><path d="M3 19.5c.5-4 2.8-6 6-6s5.5 2 6 6"/>'
    '<path d="M15.5 5.6a3.1 3.1 0 0 1 0 5.8M17.5 14.1c2 .8 3.2 2.6 3.5 5.4"/>',
    "history": '<path d="M4 12a8 8 0 1 0 2.6-5.9"/><path d="M4 4v4h4M12 7.5V12l3.2 2"/>',
    "models": '<path d="M12 3l8 4.5v9L12 21l-8-4.5v-9z"/><path d="M4 7.5l8 4.5 8-4.5M12 12v9"/>',
    "settings": '<path d="M4 7h9M17 7h3M4 17h3M11 17h9"/><circle cx="15" cy="7" r="2"/>'
    '<circle cx="9" cy="17" r="2"/>',
    "segue": '<path d="M3 8h7c5 0 3 8 8 8h3"/><path d="M18 12.5l3.5 3.5-3.5 3.5"/>'
    '<circle cx="3.5" cy="8" r="1.2"/>',
}
_RATIO = 3


def icon(name: str, *, ink: str, ink_on: str, size: int = 24) -> QIcon:
    """The icon `name` in `ink`, and in `ink_on` where its button is checked; size in pixels."""
    result = QIcon()
    result.addPixmap(_drawn(name, ink, size), QIcon.Mode.Normal, QIcon.State.Off)
    result.addPixmap(_drawn(name, ink_on, size), QIcon.Mode.Normal, QIcon.State.On)
    return result


def _drawn(name: str, ink: str, size: int) -> QPixmap:
    source = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" '
        f'stroke="{ink}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round">'
        f"{_SHAPES[name]}</svg>"
    )
    pixmap = QPixmap(size * _RATIO, size * _RATIO)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(source.encode())).render(
        painter, QRectF(0, 0, pixmap.width(), pixmap.height())
    )
    painter.end()
    pixmap.setDevicePixelRatio(_RATIO)
    return pixmap
