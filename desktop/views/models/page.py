"""The Models page: what runs where and why, the models here, and those that can be fetched."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QLabel,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from desktop.dialogs import Dialogs
from desktop.services.model_service import ModelListing, ModelService, Task, Work
from desktop.views.classroom.pieces import push_button, words_label
from desktop.views.layouts import FlowLayout, titled_page
from desktop.views.models.card import ModelCard
from desktop.views.models.words import engine_words, how_far, machine_words
from engine.models.overview import ModelOverview, ModelState
from engine.models.placing import in_words
from engine.models.progress import ModelProgress

LOADING = "Looking at the models…"
WAITING = "The model that checks essays has not been loaded yet."
INTRODUCTION = (
    "Segue checks essays with the model that comes with it. A model that writes can suggest more "
    "rewrites. Nothing is downloaded unless you ask for it here, and everything runs on this "
    "computer afterwards."
)
GGUF = "Models (*.gguf)"
SECTIONS = {
    "here": "On this computer",
    "offered": "To download",
    "research": "To download for research: licences with conditions",
}
_HERE = (ModelState.SHIPPED, ModelState.INSTALLED, ModelState.DAMAGED)


class _Content(QWidget):
    """What scrolls: as high as its words need at its width, and no higher.

    Qt would add up how high every label might be if it were narrow.
    """

    def minimumSizeHint(self) -> QSize:
        """Qt: only the width is a matter of minimums."""
        return QSize(super().minimumSizeHint().width(), 0)


class ModelsPage(QWidget):
    """Joins the cards with the service; `message(kind, text, hint)` is for the window's bar."""

    message = Signal(str, str, str)

    def __init__(
        self, service: ModelService, dialogs: Dialogs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._service = service
        self._dialogs = dialogs
        self._cards: dict[str, ModelCard] = {}
        self._listing: ModelListing | None = None
        self.device = words_label(WAITING, name="Where essays are checked and why")
        self.machine = words_label(role="small", name="This computer")
        self.file_button = push_button("Add from a fi&le…", name="Add a model from a file")
        self.folder_button = push_button("Add from a fol&der…", name="Add a model from a folder")
        self.empty = words_label(LOADING, role="muted")
        self.copying = QFrame()
        self.copy_words = words_label()
        self.copy_bar = QProgressBar()
        self.copy_stop = push_button("Stop", name="Stop copying")
        self._boxes: dict[str, QVBoxLayout] = {}
        self._heads: dict[str, QLabel] = {}
        self._arrange()
        self.file_button.clicked.connect(self.ask_file)
        self.folder_button.clicked.connect(self.ask_folder)
        self.copy_stop.clicked.connect(lambda: service.stop(""))
        service.listed.connect(self._show)
        service.progressed.connect(self._hear)
        service.changed.connect(self._show_work)
        service.message.connect(self.message)

    @property
    def is_read(self) -> bool:
        """Whether the page shows what there is."""
        return self._listing is not None

    def card(self, model: str) -> ModelCard:
        """The card of a model. Raises KeyError where there is none."""
        return self._cards[model]

    def start_focus(self) -> QWidget:
        """Where work starts."""
        return self.file_button

    def show_engine(self, description: Mapping[str, Any]) -> None:
        """Show on which device essays are checked, and why."""
        self.device.setText(engine_words(description) or WAITING)

    def show_unusable(self, error: Mapping[str, str]) -> None:
        """Say why no essay can be checked."""
        self.device.setText(" ".join(filter(None, (error.get("message"), error.get("hint")))))

    def ask_file(self) -> None:
        """Ask for a model's file and bring it in."""
        path = self._dialogs.ask_file(self, "Add a model", GGUF)
        self._bring_in(path)

    def ask_folder(self) -> None:
        """Ask for a model's folder and bring it in."""
        self._bring_in(self._dialogs.ask_folder(self, "Add a model: choose its folder"))

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: the list is fresh whenever the page comes up."""
        super().showEvent(event)
        self._service.refresh()

    def _bring_in(self, path: Path | None) -> None:
        if path is not None:
            self._service.bring_in(path)

    def _install(self, one: ModelOverview) -> None:
        if not one.is_permissive and not self._dialogs.ask_licence(
            self, one.name, one.licence, one.licence_url
        ):
            return
        self._service.install(one.id, one.name, accept_licence=not one.is_permissive)

    def _remove(self, one: ModelOverview) -> None:
        if self._dialogs.confirm_remove_model(self, one.name, in_words(one.bytes)):
            self._service.remove(one.id, one.name)

    def _show(self, listing: ModelListing) -> None:
        self._listing = listing
        self.machine.setText(machine_words(listing.machine))
        self.empty.hide()
        wanted = {one.id for one in listing.models}
        for model in self._cards.keys() - wanted:
            card = self._cards.pop(model)
            card.hide()
            card.deleteLater()
        places = dict.fromkeys(SECTIONS, 0)
        # What comes with Segue stands first.
        for one in sorted(listing.models, key=lambda one: one.state is not ModelState.SHIPPED):
            section = _section(one)
            card = self._cards.get(one.id) or self._new_card(one)
            box = self._boxes[section]
            if box.indexOf(card) != places[section]:
                box.insertWidget(places[section], card)
            places[section] += 1
        for section, count in places.items():
            self._heads[section].setVisible(bool(count))
        self._show_work()

    def _new_card(self, one: ModelOverview) -> ModelCard:
        service, card = self._service, ModelCard(one)
        card.install_asked.connect(lambda: self._install(card.overview))
        card.stop_asked.connect(lambda: service.stop(card.overview.id))
        card.delete_part_asked.connect(lambda: service.delete_part(card.overview.id))
        card.verify_asked.connect(lambda: service.verify(card.overview.id, card.overview.name))
        card.remove_asked.connect(lambda: self._remove(card.overview))
        self._cards[one.id] = card
        return card

    def _show_work(self) -> None:
        service = self._service
        for one in self._listing.models if self._listing else ():
            running = service.is_running(one.id)
            self._cards[one.id].show_model(
                one,
                running=running,
                waiting=service.is_waiting(one.id),
                stopping=running and service.is_stopping,
                damage=service.damaged.get(one.id, ""),
            )
        task = service.running
        copies = task is not None and task.work is Work.IMPORT
        if task is not None and copies and self.copying.isHidden():
            self.copy_words.setText(f"Bringing in {task.name}…")
            self.copy_bar.setValue(0)
        self.copying.setVisible(copies)
        self.copy_stop.setEnabled(not service.is_stopping)

    def _hear(self, task: Task, progress: ModelProgress) -> None:
        if task.work is Work.IMPORT:
            self.copy_words.setText(f"{task.name}: {how_far(progress)}")
            total = progress.total
            self.copy_bar.setValue(round(1000 * progress.done / total) if total else 0)
        elif task.model in self._cards:
            self._cards[task.model].hear(progress)

    def _arrange(self) -> None:
        column = titled_page(self, "Models", _Content(), spacing=10)
        column.addWidget(words_label(INTRODUCTION))
        column.addWidget(self._device_box())
        buttons = FlowLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.file_button)
        buttons.addWidget(self.folder_button)
        column.addLayout(buttons)
        column.addWidget(self._copy_box())
        column.addWidget(self.empty)
        for section, heading in SECTIONS.items():
            head = words_label(heading, role="heading")
            head.hide()
            box = QVBoxLayout()
            box.setSpacing(10)
            self._heads[section], self._boxes[section] = head, box
            column.addSpacing(4)
            column.addWidget(head)
            column.addLayout(box)
        column.addStretch(1)

    def _device_box(self) -> QFrame:
        box = QFrame()
        box.setProperty("role", "surface")
        column = QVBoxLayout(box)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(4)
        caption = QLabel("Where essays are checked")
        caption.setProperty("role", "caption")
        column.addWidget(caption)
        column.addWidget(self.device)
        caption = QLabel("This computer")
        caption.setProperty("role", "caption")
        column.addSpacing(4)
        column.addWidget(caption)
        column.addWidget(self.machine)
        return box

    def _copy_box(self) -> QFrame:
        self.copying.setProperty("role", "surface")
        self.copy_bar.setTextVisible(False)
        self.copy_bar.setRange(0, 1000)
        self.copy_bar.setAccessibleName("How far the copy is")
        row = FlowLayout()
        row.addWidget(self.copy_stop)
        column = QVBoxLayout(self.copying)
        column.setContentsMargins(16, 12, 16, 12)
        column.addWidget(self.copy_words)
        column.addWidget(self.copy_bar)
        column.addLayout(row)
        self.copying.hide()
        return self.copying


def _section(one: ModelOverview) -> str:
    if one.state in _HERE:
        return "here"
    return "offered" if one.is_permissive else "research"
