"""A field for a line of text, with a button that picks a picture where one is meant."""

from __future__ import annotations

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLineEdit, QPushButton, QWidget

from desktop.services.settings import Line, Settings

PICTURES = "Pictures (*.png *.jpg *.jpeg *.svg)"


class LineEditor(QWidget):
    """Edits one `Line` of the settings; stored when the field is left or Enter is pressed."""

    def __init__(
        self, settings: Settings, name: str, option: Line, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._settings = settings
        self._name = name
        self.field = QLineEdit(settings.value(name))
        self.field.setMaxLength(500)
        self.field.setMinimumWidth(320)
        self.field.setCursorPosition(0)
        self.field.setAccessibleName(option.title)
        self.field.editingFinished.connect(self._store)
        self.setFocusProxy(self.field)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.field, 1)
        self.choose_button = QPushButton("Choose…")
        self.choose_button.setAccessibleName(f"Choose a picture: {option.title}")
        self.choose_button.clicked.connect(self._choose)
        self.choose_button.setVisible(option.picture)
        row.addWidget(self.choose_button)

    def show_value(self, value: str) -> None:
        """Show a value that was set elsewhere."""
        if self.field.text() != value:
            self.field.setText(value)
            self.field.setCursorPosition(0)

    def _store(self) -> None:
        self._settings.set_value(self._name, self.field.text().strip())
        if not self.field.hasFocus():
            self.field.setCursorPosition(0)

    def _choose(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, "Choose a picture", "", PICTURES)
        if path:
            self.field.setText(path)
            self._store()
