"""One model on the Models page: what it is, how far it is, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from desktop.views.classroom.pieces import push_button, words_label
from desktop.views.layouts import FlowLayout
from desktop.views.models.words import STATES, facts, how_far, notes, remark, where
from engine.models.overview import ModelOverview, ModelState
from engine.models.placing import in_words
from engine.models.progress import ModelProgress

_STEPS = 1000


class ModelCard(QFrame):
    """Shows one model; each signal carries nothing, the card knows its model."""

    install_asked = Signal()
    stop_asked = Signal()
    delete_part_asked = Signal()
    verify_asked = Signal()
    remove_asked = Signal()

    def __init__(self, overview: ModelOverview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.overview = overview
        self.setProperty("role", "surface")
        self.name = words_label(role="heading")
        self.state = QLabel()
        self.state.setProperty("role", "tag")
        self.job = words_label()
        self.facts = words_label(role="small")
        self.where = words_label(role="small")
        self.note = words_label(role="small")
        self.remark = words_label(role="notice")
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setRange(0, _STEPS)
        self.status = words_label(role="small")
        self.install_button = push_button("Download")
        self.stop_button = push_button("Pause")
        self.delete_part_button = push_button("Delete the download", role="danger")
        self.verify_button = push_button("Check the files")
        self.remove_button = push_button("Remove…", role="danger")
        for button, signal in (
            (self.install_button, self.install_asked),
            (self.stop_button, self.stop_asked),
            (self.delete_part_button, self.delete_part_asked),
            (self.verify_button, self.verify_asked),
            (self.remove_button, self.remove_asked),
        ):
            button.clicked.connect(signal)
        self._arrange()

    def show_model(
        self,
        overview: ModelOverview,
        *,
        running: bool = False,
        waiting: bool = False,
        stopping: bool = False,
        damage: str = "",
    ) -> None:
        """Show a model as it is now, and what is done with it."""
        self.overview = overview
        self.name.setText(overview.name)
        self.job.setText(overview.job)
        for label, text in (
            (self.facts, facts(overview)),
            (self.where, where(overview)),
            (self.note, notes(overview)),
            (self.remark, remark(overview, damage)),
        ):
            label.setText(text)
            label.setVisible(bool(text))
        busy = running or waiting
        self._show_state(busy=busy, damage=damage)
        self._show_progress(running=running, waiting=waiting, stopping=stopping)
        self._show_buttons(busy=busy, stopping=stopping, damage=damage)
        self._name_for_readers()

    def hear(self, progress: ModelProgress) -> None:
        """Show how far the work on this model is."""
        total = progress.total
        self.progress.setValue(round(_STEPS * progress.done / total) if total else 0)
        self.status.setText(how_far(progress))

    def _show_state(self, *, busy: bool, damage: str) -> None:
        state = ModelState.DAMAGED if damage else self.overview.state
        text = "" if busy and not state.is_here else STATES[state]
        self.state.setText(text)
        self.state.setVisible(bool(text))
        kind = {ModelState.DAMAGED: "bad", ModelState.PARTIAL: "plain"}.get(state, "good")
        if self.state.property("state") != kind:
            self.state.setProperty("state", kind)
            self.state.style().unpolish(self.state)
            self.state.style().polish(self.state)

    def _show_progress(self, *, running: bool, waiting: bool, stopping: bool) -> None:
        one = self.overview
        is_part = one.state is ModelState.PARTIAL
        self.progress.setVisible(running or (is_part and not waiting))
        if not running:
            self.progress.setValue(round(_STEPS * one.done_bytes / one.bytes) if one.bytes else 0)
        if stopping:
            text = "Stopping…"
        elif waiting:
            text = "Waits until the one before is done."
        elif running:
            # The words of the last progress stay until the next comes.
            text = self.status.text() if self.status.property("live") else "Starting…"
        elif is_part:
            text = f"{in_words(one.done_bytes)} of {in_words(one.bytes)} are here."
        else:
            text = ""
        self.status.setProperty("live", running and not stopping)
        self.status.setText(text)
        self.status.setVisible(bool(text))

    def _show_buttons(self, *, busy: bool, stopping: bool, damage: str) -> None:
        one = self.overview
        had_focus = self._focused()
        here = one.state.is_here
        is_part = one.state is ModelState.PARTIAL
        is_bad = bool(damage) or one.state is ModelState.DAMAGED
        self.install_button.setText("Repair" if is_bad else "Go on" if is_part else "Download")
        self.install_button.setVisible(one.is_offered and not busy and (is_bad or not here))
        self.stop_button.setText("Pause" if not here else "Stop")
        self.stop_button.setVisible(busy)
        self.stop_button.setEnabled(not stopping)
        self.delete_part_button.setVisible(not here and not is_bad and (is_part or busy))
        self.delete_part_button.setEnabled(not stopping)
        self.verify_button.setVisible(here and not busy)
        removable = one.state in (ModelState.INSTALLED, ModelState.DAMAGED)
        self.remove_button.setVisible(removable and not busy)
        if had_focus and self._focused() is None:
            # The button that was pressed is gone: the next one takes its place.
            for button in self._buttons:
                if button.isVisibleTo(self) and button.isEnabled():
                    button.setFocus()
                    break

    def _focused(self) -> QPushButton | None:
        return next((one for one in self._buttons if one.hasFocus() and one.isVisible()), None)

    def _name_for_readers(self) -> None:
        name = self.overview.name
        self.progress.setAccessibleName(f"How far {name} is")
        self.setAccessibleName(name)
        for button in self._buttons:
            button.setAccessibleName(f"{button.text().rstrip('…')}: {name}")

    def _arrange(self) -> None:
        self._buttons = (
            self.install_button,
            self.stop_button,
            self.delete_part_button,
            self.verify_button,
            self.remove_button,
        )
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.state, 0, Qt.AlignmentFlag.AlignTop)
        buttons = FlowLayout()
        buttons.setSpacing(8)
        for button in self._buttons:
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(6)
        column.addLayout(head)
        for widget in (
            self.job,
            self.facts,
            self.where,
            self.note,
            self.remark,
            self.progress,
            self.status,
        ):
            column.addWidget(widget)
        column.addSpacing(2)
        column.addLayout(buttons)
