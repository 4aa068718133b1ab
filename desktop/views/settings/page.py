"""The settings page, made from the declarations in `Settings`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QWidget,
)

from desktop.services.model_service import ModelListing
from desktop.services.settings import Choice, Line, Number, Settings, StoredModel, Switch
from desktop.services.writing import NAMES as WRITING
from desktop.views.layouts import fit_height, titled_page
from desktop.views.settings.line_editor import LineEditor
from desktop.views.settings.model_box import ModelBox
from desktop.views.settings.writing_words import words_on_writing
from desktop.views.wheel import keep_from_wheel

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Look", ("theme", "font_size")),
    ("Checking", ("strictness", "show_rewrites", "correct_grammar", "recheck", "device")),
    ("Generated rewrites", ("writer", "writer_model", "server_address", "server_model")),
    ("Reports on a class", ("school_name", "school_logo", "teacher_name")),
    ("Downloading models", ("download_mirror", "download_proxy")),
)
PRIVACY = (
    "Your essays stay on this computer, unless you choose a server for generated rewrites. Segue "
    "checks them here, without the internet, and sends nothing to anybody else. It uses the internet "
    "only for that server, and while it downloads a model that you asked for on the Models page. "
    "The History page keeps the text of every checked essay in a file in your "
    "own user folder, so that you can reopen it; delete what you do not want to keep there. "
    "Segue writes a log for finding faults, and essay text is never in it."
)
ONLY_WITH = {"writer_model": "computer", "server_address": "server", "server_model": "server"}
"""Settings that matter only with one choice of who generates rewrites."""
STILL_WORKS = "Writing, opening and saving essays and the History page work without a model."
_BACKENDS = {"onnx": "(ONNX Runtime)", "torch": "(PyTorch)"}
MODEL_WAITING = "The model has not been loaded yet."


class SettingsPage(QWidget):
    """Shows every titled setting; a change is stored at once.

    `models_asked` wants to know which models are installed; `models_page_asked` wants to go to
    where more can be had.
    """

    models_asked = Signal()
    models_page_asked = Signal()

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self.editors: dict[str, QWidget] = {}
        self._rows: dict[str, list[QWidget]] = {}
        self.writer_words = _paragraph("", role="notice")
        self.writer_words.setAccessibleName("What generated rewrites need, and what they send")
        self.models_button = QPushButton("Open the &Models page")
        self.models_button.clicked.connect(self.models_page_asked)
        self.device_reason = _paragraph("", role="small")
        self.device_reason.setAccessibleName("Why this device")
        self.strictness_figures = _paragraph("", role="small")
        self.strictness_figures.setAccessibleName("How right the flags are")
        self._points: Mapping[str, Any] = {}
        self._has_models = False
        self.model_words = _paragraph(MODEL_WAITING)
        self.model_words.setAccessibleName("About the model")
        self.reset_button = QPushButton("Put everything &back to the defaults")
        self.reset_button.clicked.connect(settings.reset)
        self._arrange()
        # Work starts at the first field, where the focus can be seen.
        self.setFocusProxy(self.editors[SECTIONS[0][1][0]])
        self._show_writing()
        settings.changed.connect(self._show)

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: the list of models is fresh whenever it is on show."""
        super().showEvent(event)
        if self._settings.writer == "computer":
            self.models_asked.emit()

    def show_models(self, listing: ModelListing) -> None:
        """Offer the models that are installed."""
        for editor in self.editors.values():
            if isinstance(editor, ModelBox):
                editor.show_models(listing.models)
        self._has_models = True
        self._show_writing()

    def show_engine(self, description: Mapping[str, Any]) -> None:
        """Show what `Engine.describe` says of the model and the device."""
        device: Mapping[str, Any] = description.get("device") or {}
        reason = str(device.get("reason") or "")
        backend = _BACKENDS.get(str(device.get("backend") or ""), "")
        self.device_reason.setText(" ".join(part for part in (reason, backend) if part))
        self.device_reason.setVisible(bool(self.device_reason.text()))
        self._points = description.get("operating_points") or {}
        self._show_figures()
        self.model_words.setProperty("role", "")
        self._polish()
        model: Mapping[str, Any] = description.get("model") or {}
        self.model_words.setText(_about_model(model) or MODEL_WAITING)

    def _show_writing(self) -> None:
        """Show the settings of who generates rewrites, and what the user should know of it."""
        writer = self._settings.writer
        for name, needed in ONLY_WITH.items():
            for widget in self._rows[name]:
                widget.setVisible(writer == needed)
        box = self.editors["writer_model"]
        is_empty = isinstance(box, ModelBox) and box.is_empty and self._has_models
        words = words_on_writing(writer, self._settings.server_address, has_model=not is_empty)
        self.writer_words.setText(words)
        self.writer_words.setVisible(bool(words))
        self.models_button.setVisible(writer == "computer" and is_empty)

    def _show_figures(self) -> None:
        """Say how right and how complete the flags are at the chosen strictness."""
        point: Mapping[str, Any] = self._points.get(self._settings.strictness) or {}
        self.strictness_figures.setText(figures_in_words(point) if point else "")
        self.strictness_figures.setVisible(bool(point))

    def show_unusable(self, error: Mapping[str, str]) -> None:
        """Say why no check can work, and what works all the same."""
        self.device_reason.hide()
        parts = (error.get("message"), error.get("hint"), STILL_WORKS)
        self.model_words.setText("\n".join(part for part in parts if part))
        self.model_words.setProperty("role", "notice")
        self._polish()

    def _polish(self) -> None:
        self.model_words.style().unpolish(self.model_words)
        self.model_words.style().polish(self.model_words)

    def _arrange(self) -> None:
        column = titled_page(self, "Settings", QWidget(), spacing=12)
        for heading, names in SECTIONS:
            column.addWidget(self._section(heading, names))
        column.addWidget(_words_section("Privacy", _paragraph(PRIVACY)))
        column.addWidget(_words_section("About the model", self.model_words))
        column.addWidget(self.reset_button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)

    def _section(self, heading: str, names: tuple[str, ...]) -> QWidget:
        box, grid = _section_box(heading)
        for name in names:
            row = grid.rowCount()
            option = Settings.options[name]
            editor = self._editor(name)
            self.editors[name] = editor
            label = QLabel(option.title)
            label.setBuddy(editor)
            label.setWordWrap(True)
            grid.addWidget(label, row, 0)
            grid.addWidget(editor, row, 1, Qt.AlignmentFlag.AlignLeft)
            editor.setAccessibleName(option.title)
            self._rows[name] = [label, editor]
            if option.help:
                words = _paragraph(option.help, role="small")
                grid.addWidget(words, row + 1, 1)
                self._rows[name].append(words)
            if name == "writer":
                grid.addWidget(self.writer_words, row + 2, 1)
                grid.addWidget(self.models_button, row + 3, 1, Qt.AlignmentFlag.AlignLeft)
            if name == "strictness":
                grid.addWidget(self.strictness_figures, row + 2, 1)
                self.strictness_figures.hide()
            if name == "device":
                grid.addWidget(self.device_reason, row + 1, 1)
        return box

    def _editor(self, name: str) -> QWidget:
        option = Settings.options[name]
        value = self._settings.value(name)
        if isinstance(option, Choice):
            return self._choice(name, option, value)
        if isinstance(option, Number):
            number = QSpinBox()
            number.setRange(option.minimum, option.maximum)
            number.setSuffix(f" {option.unit}" if option.unit else "")
            number.setKeyboardTracking(False)
            # The style sheet's padding does not reach the field inside.
            number.lineEdit().setTextMargins(6, 4, 0, 4)
            number.setValue(value)
            keep_from_wheel(number)
            number.valueChanged.connect(lambda new: self._settings.set_value(name, new))
            return number
        if isinstance(option, Switch):
            switch = QCheckBox("Yes")
            switch.setChecked(value)
            switch.toggled.connect(lambda on: self._settings.set_value(name, on))
            return switch
        if isinstance(option, StoredModel):
            return ModelBox(self._settings, name, option)
        if isinstance(option, Line):
            return LineEditor(self._settings, name, option)
        raise TypeError(f"The settings page has no editor for {name!r}.")

    def _choice(self, name: str, option: Choice, value: str) -> QComboBox:
        box = QComboBox()
        for key, words in option.choices.items():
            box.addItem(words, key)
        box.setCurrentIndex(box.findData(value))
        box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        keep_from_wheel(box)
        box.activated.connect(lambda _row: self._settings.set_value(name, box.currentData()))
        return box

    def _show(self, name: str) -> None:
        if name == "strictness":
            self._show_figures()
        if name == "writer" and self._settings.writer == "computer":
            self.models_asked.emit()
        if name in WRITING:
            self._show_writing()
        editor = self.editors.get(name)
        value = self._settings.value(name)
        if isinstance(editor, ModelBox):
            editor.show_value(value)
        elif isinstance(editor, QComboBox):
            editor.setCurrentIndex(editor.findData(value))
        elif isinstance(editor, QSpinBox):
            editor.setValue(value)
        elif isinstance(editor, QCheckBox):
            editor.setChecked(value)
        elif isinstance(editor, LineEditor):
            editor.show_value(value)


def figures_in_words(point: Mapping[str, Any]) -> str:
    """An operating point (precision, recall, n) as a sentence that needs no statistics."""
    right, found = round(100 * point["precision"]), round(100 * point["recall"])
    return (
        f"Measured on {point['n']} sentences that experts judged: of 100 flags, {right} are right "
        f"(precision); of 100 sentences that break the flow, {found} are found (recall)."
    )


def _section_box(heading: str) -> tuple[QFrame, QGridLayout]:
    box = QFrame()
    box.setProperty("role", "surface")
    grid = QGridLayout(box)
    grid.setContentsMargins(16, 12, 16, 14)
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(8)
    # Room for the longest title in one line in a window of 900 pixels.
    grid.setColumnStretch(0, 3)
    grid.setColumnStretch(1, 5)
    title = QLabel(heading)
    title.setProperty("role", "heading")
    grid.addWidget(title, 0, 0, 1, 2)
    return box, grid


def _words_section(heading: str, words: QLabel) -> QFrame:
    box, grid = _section_box(heading)
    grid.addWidget(words, 1, 0, 1, 2)
    return box


def _paragraph(text: str, *, role: str = "") -> QLabel:
    label = QLabel(text)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if role:
        label.setProperty("role", role)
    fit_height(label)
    return label


def _about_model(model: Mapping[str, Any]) -> str:
    known = (
        ("id", "Name"),
        ("version", "Version"),
        ("base_model", "Built on"),
        ("licence", "Licence"),
        ("hash", "Fingerprint"),
    )
    lines = [f"{title}: {model[key]}" for key, title in known if model.get(key)]
    return "\n".join(lines)
