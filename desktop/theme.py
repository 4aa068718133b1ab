"""The look of the window: two palettes, sizes that follow the font, one style sheet.

Every pair of text and background that the window draws is listed in `TEXT_PAIRS` (needs 4.5:1)
or `SHAPE_PAIRS` (borders and focus rings, needs 3:1); a test holds both palettes to them.
Ratios: WCAG 2.2, success criteria 1.4.3 and 1.4.11.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from string import Template

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPalette, QTextCharFormat
from PySide6.QtWidgets import QApplication

from engine.resources import resources_folder
from engine.scheme import Group


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as `#rrggbb`."""

    name: str
    window: str
    surface: str
    hover: str
    text: str
    muted: str
    border: str
    line: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    on_accent_soft: str
    danger: str
    danger_soft: str
    warning_soft: str
    on_warning: str
    removed: str
    removed_soft: str
    added: str
    added_soft: str
    anchor_soft: str
    cohesion: str
    cohesion_soft: str
    consistency: str
    consistency_soft: str
    relevance: str
    relevance_soft: str
    others: str
    others_soft: str

    def ink(self, group: Group) -> str:
        """The colour of a reason group's tag and underline."""
        return str(getattr(self, group.value))

    def wash(self, group: Group) -> str:
        """The background of a sentence that a reason of this group flags."""
        return str(getattr(self, f"{group.value}_soft"))


LIGHT = Palette(
    name="light",
    window="#f3f4f6",
    surface="#ffffff",
    hover="#e7eaef",
    text="#1b1f24",
    muted="#545d68",
    border="#818a96",
    line="#d5d9e0",
    accent="#1d5bbf",
    accent_hover="#164a9e",
    on_accent="#ffffff",
    accent_soft="#e0eafb",
    on_accent_soft="#123f86",
    danger="#ad1f16",
    danger_soft="#fde8e6",
    warning_soft="#fdf1d3",
    on_warning="#5c4300",
    removed="#9f1f13",
    removed_soft="#fde5e1",
    added="#0d5f2b",
    added_soft="#dcf3e3",
    anchor_soft="#e9eaee",
    cohesion="#1d5bbf",
    cohesion_soft="#e4edfc",
    consistency="#a6241c",
    consistency_soft="#fdeae8",
    relevance="#8a4b00",
    relevance_soft="#fcf0dc",
    others="#6b3fa0",
    others_soft="#f1e9fa",
)

DARK = Palette(
    name="dark",
    window="#14171b",
    surface="#1c2026",
    hover="#2a3038",
    text="#e6e9ed",
    muted="#a8b1bc",
    border="#727c89",
    line="#333a44",
    accent="#82b1ff",
    accent_hover="#a5c8ff",
    on_accent="#0b1f3f",
    accent_soft="#223555",
    on_accent_soft="#cfe0ff",
    danger="#ff9c92",
    danger_soft="#46221f",
    warning_soft="#40340f",
    on_warning="#ffe2a0",
    removed="#ffaba0",
    removed_soft="#4a2420",
    added="#8fe0a8",
    added_soft="#163c25",
    anchor_soft="#343b46",
    cohesion="#8ab6ff",
    cohesion_soft="#1f3050",
    consistency="#ffa097",
    consistency_soft="#47231f",
    relevance="#f0bd6a",
    relevance_soft="#3f3014",
    others="#cfa8ff",
    others_soft="#35264c",
)

PALETTES = {palette.name: palette for palette in (LIGHT, DARK)}

TEXT_PAIRS: tuple[tuple[str, str], ...] = (
    ("text", "window"),
    ("text", "surface"),
    ("text", "hover"),
    ("text", "anchor_soft"),
    ("text", "cohesion_soft"),
    ("text", "consistency_soft"),
    ("text", "relevance_soft"),
    ("text", "others_soft"),
    ("text", "danger_soft"),
    ("muted", "window"),
    ("muted", "surface"),
    ("muted", "hover"),
    ("accent", "surface"),
    ("accent", "window"),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    ("on_accent_soft", "accent_soft"),
    ("danger", "surface"),
    ("danger", "danger_soft"),
    ("on_warning", "warning_soft"),
    ("removed", "removed_soft"),
    ("added", "added_soft"),
    ("cohesion", "cohesion_soft"),
    ("consistency", "consistency_soft"),
    ("relevance", "relevance_soft"),
    ("others", "others_soft"),
    ("cohesion", "surface"),
    ("consistency", "surface"),
    ("relevance", "surface"),
    ("others", "surface"),
)
SHAPE_PAIRS: tuple[tuple[str, str], ...] = (
    ("border", "surface"),
    ("border", "window"),
    ("accent", "surface"),
    ("accent", "window"),
)

UNDERLINES: dict[Group, QTextCharFormat.UnderlineStyle] = {
    Group.COHESION: QTextCharFormat.UnderlineStyle.SingleUnderline,
    Group.CONSISTENCY: QTextCharFormat.UnderlineStyle.WaveUnderline,
    Group.RELEVANCE: QTextCharFormat.UnderlineStyle.DashUnderline,
    Group.OTHERS: QTextCharFormat.UnderlineStyle.DotLine,
}
"""A line style for each group, so that the groups differ without colour too."""


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two `#rrggbb` colours, 1 to 21 (WCAG 2.2, relative luminance)."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def resolve(theme: str, *, system_is_dark: bool) -> Palette:
    """The palette for a theme setting: "light", "dark", or "system" for what the desktop uses."""
    if theme == "system":
        return DARK if system_is_dark else LIGHT
    return PALETTES.get(theme, LIGHT)


class Theme:
    """The palette and font size in use; views ask it when they paint."""

    def __init__(self, application: QApplication) -> None:
        self._application = application
        self.palette = LIGHT
        self.font_size = 11
        application.setStyle("Fusion")

    def apply(self, theme: str, font_size: int) -> None:
        """Dress the whole application; `font_size` is in points."""
        hints = self._application.styleHints()
        self.palette = resolve(theme, system_is_dark=hints.colorScheme() is Qt.ColorScheme.Dark)
        self.font_size = font_size
        font = QFont(self._application.font())
        font.setPointSize(font_size)
        self._application.setFont(font)
        self._application.setPalette(qt_palette(self.palette))
        self._application.setStyleSheet(style_sheet(self.palette, font_size))


def qt_palette(palette: Palette) -> QPalette:
    """The Qt palette for parts that the style sheet does not reach."""
    result = QPalette()
    role = QPalette.ColorRole
    for target, colour in (
        (role.Window, palette.window),
        (role.WindowText, palette.text),
        (role.Base, palette.surface),
        (role.AlternateBase, palette.hover),
        (role.Text, palette.text),
        (role.Button, palette.surface),
        (role.ButtonText, palette.text),
        (role.ToolTipBase, palette.surface),
        (role.ToolTipText, palette.text),
        (role.PlaceholderText, palette.muted),
        (role.Highlight, palette.accent),
        (role.HighlightedText, palette.on_accent),
        (role.Link, palette.accent),
    ):
        result.setColor(target, QColor(colour))
    disabled = QPalette.ColorGroup.Disabled
    for target in (role.WindowText, role.Text, role.ButtonText):
        result.setColor(disabled, target, QColor(palette.muted))
    return result


def style_sheet(palette: Palette, font_size: int) -> str:
    """The application's style sheet; all lengths are shares of the font size (points)."""
    values = {f.name: str(getattr(palette, f.name)) for f in fields(palette)}
    values.update(
        size=str(font_size),
        small=str(max(8, round(font_size * 0.88))),
        large=str(round(font_size * 1.2)),
        title=str(round(font_size * 1.45)),
        xs=str(round(font_size * 0.3)),
        s=str(round(font_size * 0.55)),
        m=str(round(font_size * 0.9)),
        radius=str(max(4, round(font_size * 0.5))),
        control=str(round(font_size * 1.75)),
        em=str(round(font_size * 4 / 3)),
        em_in_frame=str(round(font_size * 4 / 3) - 2),
        box=str(round(font_size * 2.1)),
        pad=str(round(font_size * 0.55) + 3),
        icons=(resources_folder() / "icons").as_posix(),
    )
    return _SHEET.substitute(values)


_SHEET = Template(
    """
QWidget { color: $text; font-size: ${size}pt; }
QMainWindow, QDialog, QMessageBox, QStackedWidget { background: $window; }
QToolTip { background: $surface; color: $text; border: 1px solid $border; padding: ${xs}px; }
QMenuBar { background: $window; border-bottom: 1px solid $line; }
QMenuBar::item { padding: ${xs}px ${m}px; background: transparent; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $surface; border: 1px solid $border; padding: ${xs}px; }
QMenu::item { padding: ${xs}px ${m}px; border-radius: ${radius}px; }
QMenu::item:selected { background: $accent; color: $on_accent; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $line; margin: ${xs}px; }

QFrame[role="surface"] { background: $surface; border: 1px solid $line;
    border-radius: ${radius}px; }
QScrollArea, QScrollArea > QWidget > QWidget[role="plain"] { background: transparent; border: 0; }
QLabel { background: transparent; }
QLabel[role="title"] { font-size: ${title}pt; font-weight: 600; }
QLabel[role="heading"] { font-size: ${large}pt; font-weight: 600; }
QLabel[role="caption"] { font-size: ${small}pt; font-weight: 600; color: $muted; }
QLabel[role="muted"] { color: $muted; }
QLabel[role="small"] { color: $muted; font-size: ${small}pt; }
QLabel[role="notice"] { background: $warning_soft; color: $on_warning;
    border-radius: ${radius}px; padding: ${s}px; }
QLabel[role="beside"] { padding: ${xs}px 0; }
QLabel[role="anchor"] { padding: 0; border: 2px solid transparent; border-radius: ${radius}px; }
QLabel[role="anchor"]:focus { border-color: $accent; }
QLabel[role="tag"] { font-weight: 600; border-radius: ${radius}px; padding: ${xs}px ${s}px; }
QLabel[group="cohesion"] { background: $cohesion_soft; color: $cohesion; }
QLabel[group="consistency"] { background: $consistency_soft; color: $consistency; }
QLabel[group="relevance"] { background: $relevance_soft; color: $relevance; }
QLabel[group="others"] { background: $others_soft; color: $others; }
QLabel[state="good"] { background: $accent_soft; color: $on_accent_soft; }
QLabel[state="plain"] { background: $hover; color: $text; }
QLabel[state="bad"] { background: $danger_soft; color: $danger; }
QLabel[role="before"], QLabel[role="after"] { background: $window; border: 1px solid $line;
    border-radius: ${radius}px; padding: ${s}px; }

QLineEdit, QComboBox, QSpinBox, QPlainTextEdit, QListView, QTableView {
    background: $surface; border: 1px solid $border; border-radius: ${radius}px;
    selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit, QComboBox, QSpinBox { padding: ${xs}px ${s}px; min-height: ${control}px; }
QLineEdit, QPlainTextEdit { placeholder-text-color: $muted; }
QComboBox::drop-down { border: 0; width: ${box}px; subcontrol-position: center right; }
QComboBox::down-arrow { image: url("$icons/down-$name.svg"); width: ${size}px; height: ${size}px; }
QSpinBox { padding: 0 ${box}px 0 ${s}px; }
QSpinBox QLineEdit { border: 0; background: transparent; min-height: 0; }
QSpinBox::up-button, QSpinBox::down-button { border: 0; subcontrol-origin: border; width: ${box}px;
    background: transparent; }
QSpinBox::up-button { subcontrol-position: top right; }
QSpinBox::down-button { subcontrol-position: bottom right; }
QSpinBox::up-arrow { image: url("$icons/up-$name.svg"); width: ${size}px; height: ${size}px; }
QSpinBox::down-arrow { image: url("$icons/down-$name.svg"); width: ${size}px; height: ${size}px; }
QCheckBox { spacing: ${s}px; padding: ${xs}px 2px ${xs}px 0; border: 0; }
QCheckBox:focus { text-decoration: underline; }
QCheckBox::indicator { width: ${em}px; height: ${em}px; border: 1px solid $border;
    border-radius: 3px; background: $surface; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent;
    image: url("$icons/tick-$name.svg"); }
QCheckBox::indicator:focus { border: 2px solid $accent; width: ${em_in_frame}px;
    height: ${em_in_frame}px; }
QCheckBox::indicator:checked:focus { border: 2px solid $text; }
QPlainTextEdit[role="essay"] { border-color: $line; }
QLineEdit:focus, QComboBox:focus, QSpinBox:focus, QPlainTextEdit:focus, QListView:focus,
QTableView:focus { border: 2px solid $accent; }
QComboBox QAbstractItemView { background: $surface; border: 1px solid $border;
    selection-background-color: $accent; selection-color: $on_accent; }
QListView, QTableView { outline: 0; }
QTextBrowser[role="lines"] { background: $surface; border: 1px solid $line;
    border-radius: ${radius}px; }
QTextBrowser[role="lines"]:focus { border: 2px solid $accent; }
QTableView { gridline-color: $line; alternate-background-color: $window; }
QTableView::item { padding: ${s}px; }
QTableView::item:selected { background: $accent_soft; color: $on_accent_soft; }
QHeaderView { background: $surface; }
QHeaderView::section { background: $surface; color: $muted; border: 0;
    border-bottom: 1px solid $line; padding: ${s}px ${pad}px; font-weight: 600; }
QHeaderView[role="tight"]::section { padding: ${m}px ${pad}px ${xs}px ${pad}px; }
QHeaderView[role="tight"]::up-arrow { image: url("$icons/up-$name.svg"); width: ${size}px;
    height: ${size}px; subcontrol-position: top center; }
QHeaderView[role="tight"]::down-arrow { image: url("$icons/down-$name.svg"); width: ${size}px;
    height: ${size}px; subcontrol-position: top center; }

QPushButton { background: $surface; border: 1px solid $border; border-radius: ${radius}px;
    padding: ${xs}px ${m}px; min-height: ${control}px; }
QPushButton:hover { background: $hover; }
QPushButton:focus { border: 2px solid $accent; }
QPushButton:disabled { color: $muted; background: $window; border-color: $line; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent;
    font-weight: 600; }
QPushButton[role="primary"]:hover { background: $accent_hover; }
QPushButton[role="primary"]:focus { border: 2px solid $text; }
QPushButton[role="primary"]:disabled { background: $hover; color: $muted; border-color: $line; }
QPushButton[role="danger"] { color: $danger; border-color: $danger; }
QPushButton[role="danger"]:disabled { color: $muted; border-color: $line; }
QPushButton[role="option"] { text-align: left; }
QPushButton[role="option"]:checked { background: $accent_soft; color: $on_accent_soft;
    border-color: $accent; font-weight: 600; }
QPushButton[role="link"] { background: transparent; color: $accent; border: 1px solid transparent;
    text-align: left; padding: ${xs}px; text-decoration: underline; }
QPushButton[role="link"]:hover { background: $hover; }
QPushButton[role="link"]:focus { border: 2px solid $accent; }

QWidget[role="rail"] { background: $surface; border-right: 1px solid $line; }
QToolButton[role="rail"] { background: transparent; border: 2px solid transparent;
    border-radius: ${radius}px; padding: ${s}px ${xs}px; color: $muted; }
QToolButton[role="rail"]:hover { background: $hover; color: $text; }
QToolButton[role="rail"]:checked { background: $accent_soft; color: $on_accent_soft;
    font-weight: 600; }
QToolButton[role="rail"]:focus { border-color: $accent; }

QFrame[role="message"] { background: $warning_soft; border-radius: ${radius}px; }
QFrame[role="message"] QLabel { color: $on_warning; }
QFrame[role="message"][kind="error"] { background: $danger_soft; }
QFrame[role="message"][kind="error"] QLabel { color: $text; }
QFrame[role="message"][kind="info"] { background: $accent_soft; }
QFrame[role="message"][kind="info"] QLabel { color: $on_accent_soft; }

QProgressBar { background: $line; border: 0; border-radius: 2px; max-height: ${xs}px;
    min-height: ${xs}px; }
QProgressBar::chunk { background: $accent; border-radius: 2px; }
QSplitter::handle { background: transparent; }
QSplitter::handle:hover { background: $accent_soft; }
QScrollBar:vertical { background: transparent; width: ${m}px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: ${m}px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: ${xs}px; min-height: 24px;
    min-width: 24px; margin: 2px; }
QScrollBar::handle:hover { background: $muted; }
QAbstractScrollArea::corner { background: transparent; border: 0; }
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {
    background: transparent; border: 0; width: 0; height: 0; }
QStatusBar { background: $window; border-top: 1px solid $line; }
QStatusBar::item { border: 0; }
QStatusBar QLabel { color: $muted; }
"""
)
