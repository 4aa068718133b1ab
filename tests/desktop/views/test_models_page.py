"""The Models page: what it says of each model, and what its buttons ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractButton, QScrollArea
from pytestqt.qtbot import QtBot

from desktop.services.model_service import ModelListing, Task, Work
from desktop.theme import Theme
from desktop.views.models.page import LOADING, WAITING, ModelsPage
from engine.models.device import DeviceChoice
from engine.models.overview import ModelOverview, ModelState
from engine.models.progress import ModelProgress, Stage
from engine.models.speed import Expectation, Machine
from tests.desktop.views.view_fakes import Answers

MACHINE = Machine(8_000_000_000, 4_000_000_000, 2, 1e10)
SHIPPED = ModelOverview(
    id="segue-tagger",
    name="segue-tagger",
    role="tagger",
    job="Finds the sentences that break the flow.",
    state=ModelState.SHIPPED,
    bytes=113_000_000,
    done_bytes=113_000_000,
    memory_bytes=500_000_000,
    licence="Apache-2.0",
    is_permissive=True,
    device=DeviceChoice("onnx", "cpu", "Runs on the processor: no supported GPU was found."),
)
WRITER = replace(
    SHIPPED,
    id="writer",
    name="Tiny Writer",
    role="writer",
    job="Rewrites sentences.",
    state=ModelState.AVAILABLE,
    bytes=100_000_000,
    done_bytes=0,
    expectation=Expectation(2.4, fits=True, is_tight=False),
    device=None,
    is_offered=True,
)
RESEARCH = replace(
    WRITER,
    id="research",
    name="Big Writer",
    licence="Llama 2 Community License",
    is_permissive=False,
    licence_url="https://example.org",
    note="For research.",
    expectation=Expectation(90, fits=False, is_tight=True),
)


class FakeModels(QObject):
    """A service that lists what it is told to and notes what it is asked for."""

    listed = Signal(object)
    progressed = Signal(object, object)
    changed = Signal()
    message = Signal(str, str, str)

    def __init__(self, *models: ModelOverview) -> None:
        super().__init__()
        self.models = models
        self.calls: list[tuple[Any, ...]] = []
        self.running: Task | None = None
        self.waiting: set[str] = set()
        self.is_stopping = False
        self.damaged: dict[str, str] = {}

    def refresh(self) -> None:
        self.listed.emit(ModelListing(self.models, MACHINE))

    def is_running(self, model: str) -> bool:
        return self.running is not None and self.running.model == model

    def is_waiting(self, model: str) -> bool:
        return model in self.waiting

    def run(self, work: Work, model: str, name: str = "") -> None:
        """Let this work be the one that runs."""
        self.running = Task(work, model, name)
        self.changed.emit()

    def change(self, model: str, **fields: Any) -> None:
        """Let a model be another than before."""
        self.models = tuple(replace(m, **fields) if m.id == model else m for m in self.models)
        self.refresh()

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name not in ("install", "stop", "delete_part", "verify", "remove", "bring_in"):
            raise AttributeError(name)
        return lambda *arguments, **options: self.calls.append(
            (name, *arguments, *options.values())
        )


@pytest.fixture
def models() -> FakeModels:
    return FakeModels(SHIPPED, WRITER, RESEARCH)


@pytest.fixture
def answers() -> Answers:
    return Answers()


@pytest.fixture
def page(qtbot: QtBot, models: FakeModels, answers: Answers, theme: Theme) -> ModelsPage:
    made = ModelsPage(models, answers)  # type: ignore[arg-type]
    qtbot.addWidget(made)
    assert made.empty.text() == LOADING
    made.resize(900, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
    return made


def buttons(page: ModelsPage, model: str) -> list[str]:
    return [
        one.text()
        for one in page.card(model).findChildren(QAbstractButton)
        if one.isVisibleTo(page.card(model))
    ]


def test_each_model_says_its_job_size_licence_memory_and_speed(page: ModelsPage) -> None:
    card = page.card("writer")
    assert card.name.text() == "Tiny Writer"
    assert card.job.text() == "Rewrites sentences."
    for piece in ("100 MB", "Apache-2.0", "500 MB of memory", "about 2 s a sentence"):
        assert piece in card.facts.text()


def test_the_device_is_shown_with_the_reason(page: ModelsPage) -> None:
    assert page.device.text() == WAITING
    page.show_engine({"device": {"backend": "onnx", "reason": "No graphics card was found."}})
    assert page.device.text() == "No graphics card was found. (ONNX Runtime)"
    assert "no supported GPU was found. (ONNX Runtime)" in page.card("segue-tagger").where.text()
    assert "8.0 GB of memory" in page.machine.text()
    page.show_unusable({"message": "No model.", "hint": "Install one."})
    assert page.device.text() == "No model. Install one."


def test_what_can_be_done_depends_on_where_a_model_stands(
    page: ModelsPage, models: FakeModels
) -> None:
    assert buttons(page, "segue-tagger") == ["Check the files"]
    assert buttons(page, "writer") == ["Download"]
    models.change("writer", state=ModelState.PARTIAL, done_bytes=40_000_000)
    assert buttons(page, "writer") == ["Go on", "Delete the download"]
    assert "40 MB of 100 MB" in page.card("writer").status.text()
    models.change("writer", state=ModelState.INSTALLED)
    assert buttons(page, "writer") == ["Check the files", "Remove…"]
    models.change("writer", state=ModelState.DAMAGED, problem="A file is missing.")
    assert buttons(page, "writer") == ["Repair", "Remove…"]
    assert page.card("writer").remark.text() == "A file is missing."


def test_a_running_download_can_be_paused_or_deleted(page: ModelsPage, models: FakeModels) -> None:
    card = page.card("writer")
    models.run(Work.INSTALL, "writer")
    assert buttons(page, "writer") == ["Pause", "Delete the download"]
    assert card.status.text() == "Starting…"
    progress = ModelProgress("writer", Stage.DOWNLOADING, 50_000_000, 100_000_000, 5_000_000.0)
    models.progressed.emit(models.running, progress)
    words = "Downloading: 50 MB of 100 MB, 5 MB a second, about 10 seconds left"
    assert card.status.text() == words
    assert card.progress.value() == card.progress.maximum() // 2
    models.changed.emit()
    assert card.status.text() == words
    models.is_stopping = True
    models.changed.emit()
    assert card.status.text() == "Stopping…"
    assert not card.stop_button.isEnabled()


def test_a_download_that_waits_says_so(page: ModelsPage, models: FakeModels) -> None:
    models.waiting = {"writer"}
    models.changed.emit()
    assert "Waits" in page.card("writer").status.text()
    assert "Pause" in buttons(page, "writer")


def test_every_button_asks_for_its_own_model(
    qtbot: QtBot, page: ModelsPage, models: FakeModels, answers: Answers
) -> None:
    card = page.card("writer")
    card.install_button.click()
    models.change("writer", state=ModelState.PARTIAL)
    card.delete_part_button.click()
    models.run(Work.INSTALL, "writer")
    card.stop_button.click()
    models.running = None
    models.change("writer", state=ModelState.INSTALLED)
    card.verify_button.click()
    card.remove_button.click()
    assert models.calls == [
        ("install", "writer", "Tiny Writer", False),
        ("delete_part", "writer"),
        ("stop", "writer"),
        ("verify", "writer", "Tiny Writer"),
        ("remove", "writer", "Tiny Writer"),
    ]
    assert answers.asked == ["remove model: Tiny Writer"]


def test_nothing_is_removed_against_the_users_word(
    page: ModelsPage, models: FakeModels, answers: Answers
) -> None:
    answers.yes = False
    models.change("writer", state=ModelState.INSTALLED)
    page.card("writer").remove_button.click()
    assert models.calls == []


@pytest.mark.parametrize("agrees", [True, False])
def test_a_licence_with_conditions_is_asked_about(
    page: ModelsPage, models: FakeModels, answers: Answers, agrees: bool
) -> None:
    answers.yes = agrees
    page.card("research").install_button.click()
    assert answers.asked == ["licence: Llama 2 Community License"]
    assert models.calls == ([("install", "research", "Big Writer", True)] if agrees else [])


def test_a_model_that_is_too_large_for_this_computer_is_marked(page: ModelsPage) -> None:
    card = page.card("research")
    assert "too little memory" in card.remark.text()
    assert card.note.text() == "For research."


def test_a_model_that_was_found_damaged_is_marked(page: ModelsPage, models: FakeModels) -> None:
    models.damaged["writer"] = "Its checksum is wrong."
    models.change("writer", state=ModelState.INSTALLED)
    card = page.card("writer")
    assert card.state.text() == "Damaged"
    assert card.remark.text() == "Its checksum is wrong."
    assert buttons(page, "writer") == ["Repair", "Check the files", "Remove…"]


def test_a_file_and_a_folder_can_be_added(
    page: ModelsPage, models: FakeModels, answers: Answers, tmp_path: Path
) -> None:
    answers.file, answers.folder = tmp_path / "m.gguf", tmp_path
    page.file_button.click()
    page.folder_button.click()
    assert models.calls == [("bring_in", tmp_path / "m.gguf"), ("bring_in", tmp_path)]
    answers.file = None
    page.file_button.click()
    assert len(models.calls) == 2


def test_a_copy_shows_its_own_progress(page: ModelsPage, models: FakeModels) -> None:
    assert page.copying.isHidden()
    models.run(Work.IMPORT, "", "m.gguf")
    assert "m.gguf" in page.copy_words.text()
    progress = ModelProgress("m", Stage.COPYING, 30_000_000, 100_000_000)
    models.progressed.emit(models.running, progress)
    assert page.copy_words.text() == "m.gguf: Copying: 30 MB of 100 MB"
    page.copy_stop.click()
    assert models.calls == [("stop", "")]
    models.running = None
    models.changed.emit()
    assert page.copying.isHidden()


def test_the_keyboard_goes_on_where_the_pressed_button_was(
    qtbot: QtBot, page: ModelsPage, models: FakeModels
) -> None:
    card = page.card("writer")
    card.install_button.setFocus()
    qtbot.keyClick(card.install_button, Qt.Key.Key_Space)
    assert models.calls[-1][0] == "install"
    models.run(Work.INSTALL, "writer")
    assert card.stop_button.hasFocus()


def test_what_comes_with_segue_stands_first_and_research_last(page: ModelsPage) -> None:
    heights = [
        page.card(model).mapTo(page, page.card(model).rect().topLeft()).y()
        for model in ("segue-tagger", "writer", "research")
    ]
    assert heights == sorted(heights)


def test_a_model_that_is_gone_leaves_the_page(page: ModelsPage, models: FakeModels) -> None:
    models.models = (SHIPPED, WRITER)
    models.refresh()
    with pytest.raises(KeyError):
        page.card("research")


def test_every_button_names_its_model_for_screen_readers(page: ModelsPage) -> None:
    names = [
        one.accessibleName() for one in page.findChildren(QAbstractButton) if one.isVisibleTo(page)
    ]
    assert len(names) == len(set(names))
    assert "Download: Tiny Writer" in names


@pytest.mark.parametrize("points", [9, 12, 24, 32])
def test_nothing_is_cut_at_the_side_and_the_end_is_not_empty(
    page: ModelsPage, theme: Theme, points: int, qtbot: QtBot
) -> None:
    theme.apply("light", points)
    page.resize(640, 500)
    area = page.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    qtbot.waitUntil(lambda: page.device.font().pointSize() == points)
    content = area.widget()
    assert content is not None
    qtbot.waitUntil(
        lambda: content.width() <= area.viewport().width() or area.horizontalScrollBar().isVisible()
    )
    last = page.card("research")
    qtbot.waitUntil(
        lambda: (
            content.height() - last.mapTo(content, last.rect().bottomLeft()).y() < 80
            or content.height() <= area.viewport().height()
        )
    )
