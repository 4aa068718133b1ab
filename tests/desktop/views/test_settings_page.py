"""The settings page shows every titled setting and stores what is chosen at once."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QScrollArea,
    QSpinBox,
    QStyle,
    QStyleOptionButton,
)
from pytestqt.qtbot import QtBot

from desktop.services.model_service import ModelListing
from desktop.services.settings import Choice, Settings
from desktop.theme import Theme
from desktop.views.settings.line_editor import LineEditor
from desktop.views.settings.page import MODEL_WAITING, STILL_WORKS, SettingsPage
from desktop.views.settings.writing_words import NO_MODEL, NO_SERVER
from engine.models.overview import ModelOverview, ModelState
from engine.models.speed import Machine


@pytest.fixture
def page(qtbot: QtBot, settings: Settings, theme: Theme) -> SettingsPage:
    made = SettingsPage(settings)
    qtbot.addWidget(made)
    made.resize(800, 700)
    made.show()
    qtbot.waitExposed(made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow, timeout=20_000)
    return made


def test_every_setting_with_a_title_has_an_editor(page: SettingsPage) -> None:
    titled = {name for name, option in Settings.options.items() if option.title}
    assert set(page.editors) == titled
    for name, editor in page.editors.items():
        assert editor.accessibleName() == Settings.options[name].title


def test_every_choice_can_be_chosen(page: SettingsPage, settings: Settings, qtbot: QtBot) -> None:
    for name, box in page.editors.items():
        option = Settings.options[name]
        if not isinstance(option, Choice) or not isinstance(box, QComboBox):
            continue
        for value in option.choices:
            box.setCurrentIndex(box.findData(value))
            box.activated.emit(box.currentIndex())
            assert settings.value(name) == value


def test_number_and_switch_are_stored(page: SettingsPage, settings: Settings, qtbot: QtBot) -> None:
    size, switch = page.editors["font_size"], page.editors["show_rewrites"]
    assert isinstance(size, QSpinBox)
    assert isinstance(switch, QCheckBox)
    size.setValue(20)
    switch.setFocus()
    qtbot.keyClick(switch, Qt.Key.Key_Space)
    assert settings.font_size == 20
    assert settings.show_rewrites is False
    assert Settings(settings.file).font_size == 20


def test_a_change_made_elsewhere_is_shown(page: SettingsPage, settings: Settings) -> None:
    settings.theme = "dark"
    settings.font_size = 18
    theme, size = page.editors["theme"], page.editors["font_size"]
    assert isinstance(theme, QComboBox)
    assert isinstance(size, QSpinBox)
    assert theme.currentData() == "dark"
    assert size.value() == 18


def test_the_device_is_shown_with_its_reason_and_the_model_with_its_licence(
    page: SettingsPage,
) -> None:
    assert page.model_words.text() == MODEL_WAITING
    page.show_engine(
        {
            "device": {"backend": "onnx", "device": "cpu", "reason": "No graphics card was found."},
            "model": {"id": "tagger-small", "version": "3", "licence": "MIT"},
        }
    )
    assert "No graphics card was found." in page.device_reason.text()
    assert "ONNX Runtime" in page.device_reason.text()
    for piece in ("tagger-small", "3", "MIT"):
        assert piece in page.model_words.text()


def test_where_no_model_can_be_used_it_says_why_and_what_works_all_the_same(
    page: SettingsPage,
) -> None:
    page.show_unusable({"code": "model", "message": "No model was found.", "hint": "Install one."})
    for piece in ("No model was found.", "Install one.", STILL_WORKS):
        assert piece in page.model_words.text()
    page.show_engine({"model": {"id": "tagger-small"}, "device": {}})
    assert page.model_words.text() == "Name: tagger-small"


@pytest.mark.parametrize("points", [9, 12, 24, 32])
def test_nothing_is_cut_at_the_side_whatever_the_text_size(
    page: SettingsPage, theme: Theme, points: int, qtbot: QtBot
) -> None:
    theme.apply("light", points)
    page.resize(640, 500)
    area = page.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    qtbot.waitUntil(lambda: page.editors["theme"].font().pointSize() == points)
    content = area.widget()
    assert content is not None
    qtbot.waitUntil(
        lambda: content.width() <= area.viewport().width() or area.horizontalScrollBar().isVisible()
    )


def test_reset_brings_the_defaults_back(
    page: SettingsPage, settings: Settings, qtbot: QtBot
) -> None:
    settings.strictness = "few"
    qtbot.mouseClick(page.reset_button, Qt.MouseButton.LeftButton)
    assert settings.strictness == "balanced"


def test_a_line_is_stored_when_the_field_is_left(qtbot: QtBot, settings: Settings) -> None:
    page = SettingsPage(settings)
    qtbot.addWidget(page)
    editor = page.editors["school_name"]
    assert isinstance(editor, LineEditor)
    editor.field.setText("  Lycée 学校 ")
    editor.field.editingFinished.emit()
    assert settings.school_name == "Lycée 学校"
    settings.reset()
    assert editor.field.text() == ""


def test_only_a_picture_has_a_button_to_choose_it(qtbot: QtBot, settings: Settings) -> None:
    page = SettingsPage(settings)
    qtbot.addWidget(page)
    logo, teacher = page.editors["school_logo"], page.editors["teacher_name"]
    assert isinstance(logo, LineEditor)
    assert isinstance(teacher, LineEditor)
    assert not logo.choose_button.isHidden()
    assert teacher.choose_button.isHidden()


def test_precision_and_recall_stand_beside_the_strictness(
    page: SettingsPage, settings: Settings
) -> None:
    assert page.strictness_figures.isHidden()
    points = {
        "balanced": {"precision": 0.5951, "recall": 0.5441, "n": 504},
        "few": {"precision": 0.6877, "recall": 0.323, "n": 504},
    }
    page.show_engine({"model": {}, "device": {}, "operating_points": points})
    assert "of 100 flags, 60 are right" in page.strictness_figures.text()
    settings.strictness = "few"
    assert "32 are found (recall)" in page.strictness_figures.text()
    settings.strictness = "thorough"
    assert page.strictness_figures.isHidden()


def listing(*models: ModelOverview) -> ModelListing:
    return ModelListing(models, Machine(8 << 30, 4 << 30, 2, 1e10))


def overview(model: str, *, role: str = "writer", here: bool = True) -> ModelOverview:
    state = ModelState.INSTALLED if here else ModelState.AVAILABLE
    return ModelOverview(model, model.title(), role, "", state, 1, 1, 1, "MIT", is_permissive=True)


def choose(page: SettingsPage, name: str, value: str) -> None:
    box = page.editors[name]
    assert isinstance(box, QComboBox)
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_generated_rewrites_are_off_and_show_nothing_more(page: SettingsPage) -> None:
    box = page.editors["writer"]
    assert isinstance(box, QComboBox)
    assert box.currentData() == "off"
    for name in ("writer_model", "server_address", "server_model"):
        assert page.editors[name].isHidden()
    assert page.writer_words.isHidden()


def test_a_server_is_marked_as_leaving_this_computer(
    page: SettingsPage, settings: Settings
) -> None:
    choose(page, "writer", "server")
    assert not page.editors["server_address"].isHidden()
    assert page.editors["writer_model"].isHidden()
    assert page.writer_words.text() == NO_SERVER
    settings.server_address = "https://school.example.org/v1"
    assert page.writer_words.text().startswith("Leaves this computer.")
    assert "school.example.org" in page.writer_words.text()
    settings.server_address = "http://127.0.0.1:8080/v1"
    assert "another program on this computer" in page.writer_words.text()
    choose(page, "writer", "off")
    assert page.writer_words.isHidden()


def test_the_model_is_one_of_those_installed_that_write(
    page: SettingsPage, settings: Settings, qtbot: QtBot
) -> None:
    with qtbot.waitSignal(page.models_asked):
        choose(page, "writer", "computer")
    page.show_models(
        listing(overview("small"), overview("judge", role="tagger"), overview("big", here=False))
    )
    box = page.editors["writer_model"]
    assert isinstance(box, QComboBox)
    assert [box.itemData(row) for row in range(box.count())] == ["", "small"]
    choose(page, "writer_model", "small")
    assert settings.writer_model == "small"
    assert page.writer_words.isHidden()
    page.show_models(listing(overview("other")))
    assert box.currentText() == "small (not installed)"


def test_without_a_model_that_writes_it_leads_to_where_there_are_some(
    page: SettingsPage, qtbot: QtBot
) -> None:
    choose(page, "writer", "computer")
    page.show_models(listing(overview("judge", role="tagger")))
    assert page.writer_words.text() == NO_MODEL
    with qtbot.waitSignal(page.models_page_asked):
        qtbot.mouseClick(page.models_button, Qt.MouseButton.LeftButton)
    page.show_models(listing(overview("small")))
    assert page.models_button.isHidden()


def test_the_tick_of_a_switch_stands_in_line_with_the_fields(
    qtbot: QtBot, settings: Settings, theme: Theme
) -> None:
    page = SettingsPage(settings)
    qtbot.addWidget(page)
    page.resize(800, 700)
    page.show()
    qtbot.waitExposed(page)
    switch, field = page.editors["show_rewrites"], page.editors["strictness"]
    option = QStyleOptionButton()
    option.initFrom(switch)
    part = QStyle.SubElement.SE_CheckBoxIndicator
    inside = switch.style().subElementRect(part, option, switch).x()
    assert abs(switch.x() + inside - field.x()) <= 1


def test_the_focus_on_a_switch_can_be_seen(qtbot: QtBot, settings: Settings, theme: Theme) -> None:
    page = SettingsPage(settings)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitExposed(page)
    switch = page.editors["show_rewrites"]
    without = switch.grab().toImage()
    page.activateWindow()
    switch.setFocus()
    qtbot.waitUntil(switch.hasFocus, timeout=20_000)
    assert switch.grab().toImage() != without
