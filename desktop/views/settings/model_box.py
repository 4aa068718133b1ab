"""A box to choose one of the installed models."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QWidget

from desktop.services.settings import Settings, StoredModel
from desktop.views.wheel import keep_from_wheel
from engine.models.overview import ModelOverview

FIRST = "The first one installed"


class ModelBox(QComboBox):
    """Edits one `StoredModel` of the settings; a chosen model that has gone stays in the list."""

    def __init__(
        self, settings: Settings, name: str, option: StoredModel, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._role = option.role
        self._installed: dict[str, str] = {}
        self.setMinimumContentsLength(24)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        keep_from_wheel(self)
        self.activated.connect(lambda _row: settings.set_value(name, self.currentData()))
        self.show_value(settings.value(name))

    @property
    def is_empty(self) -> bool:
        """Whether no such model is installed."""
        return not self._installed

    def show_models(self, models: Sequence[ModelOverview]) -> None:
        """Offer those that are installed."""
        fitting = (one for one in models if one.role == self._role and one.state.is_here)
        self._installed = {one.id: one.name for one in fitting}
        self.show_value(self.currentData() or "")

    def show_value(self, value: str) -> None:
        """Show this model as the chosen one."""
        self.clear()
        self.addItem(FIRST, "")
        for model, words in self._installed.items():
            self.addItem(words, model)
        if value and value not in self._installed:
            self.addItem(f"{value} (not installed)", value)
        self.setCurrentIndex(self.findData(value))
