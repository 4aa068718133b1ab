"""The form, the class page, the list of problems and the dialogs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from desktop.models.class_table import STUDENT, reason_column
from desktop.services.class_runner import ClassProgress
from desktop.services.classroom_service import ClassroomService, Export, NewClass
from desktop.theme import Theme
from desktop.views.classroom.bank import BankDialog
from desktop.views.classroom.class_page import ClassPage
from desktop.views.classroom.export_dialog import ExportDialog
from desktop.views.classroom.new_class import NewClassForm
from desktop.views.classroom.options_dialog import OptionsDialog
from desktop.views.classroom.run_bar import RunBar, in_words, time_in_words
from desktop.views.classroom.start_page import StartPage
from engine.classroom.model import AssignmentRow, AssignmentSettings, State
from engine.scheme import CODES, ReasonCode
from tests.desktop.classroom.conftest import PATIENCE
from tests.desktop.classroom.test_class_table import NOW, sample
from tests.desktop.tab_stops import check_tab_stops
from tests.desktop.views.view_fakes import Answers


@pytest.fixture
def form(qtbot: QtBot, tmp_path: Path) -> NewClassForm:
    made = NewClassForm(Answers(folder=tmp_path / "Class 8b", file=tmp_path / "roster.csv"))
    qtbot.addWidget(made)
    return made


@pytest.fixture
def class_page(qtbot: QtBot) -> ClassPage:
    made = ClassPage()
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    made.show_class(sample(), running=False, paused=False, elsewhere=False)
    return made


def test_the_form_hands_on_what_is_filled_in(
    form: NewClassForm, qtbot: QtBot, tmp_path: Path
) -> None:
    form.folder_button.click()
    form.roster_button.click()
    form.options.topic.setText(" Parks ")
    form.options.reasons[ReasonCode.R6].setChecked(False)
    form.options.anonymous.setChecked(True)
    with qtbot.waitSignal(form.wanted) as wanted:
        form.submit()
    assert wanted.args == [
        NewClass(
            source=tmp_path / "Class 8b",
            name="Class 8b",
            settings=AssignmentSettings(
                topic="Parks", anonymous=True, reasons=frozenset(CODES) - {ReasonCode.R6}
            ),
            roster=tmp_path / "roster.csv",
        )
    ]


def test_a_name_that_was_typed_is_not_overwritten(form: NewClassForm) -> None:
    form.name.setText("Mine")
    form.folder_button.click()
    assert form.name.text() == "Mine"


def test_without_a_source_or_a_reason_it_says_what_is_missing(form: NewClassForm) -> None:
    told: list[str] = []
    form.message.connect(lambda _kind, text, _hint: told.append(text))
    form.submit()
    form.folder_button.click()
    for box in form.options.reasons.values():
        box.setChecked(False)
    form.submit()
    assert told == ["Say where the essays are.", "Switch on at least one reason."]


def test_without_classes_it_says_what_to_do(qtbot: QtBot) -> None:
    page = StartPage(Answers())
    qtbot.addWidget(page)
    page.show()
    assert page.empty.isVisible()
    assert not page.open_button.isEnabled()
    page.show_classes([AssignmentRow(4, "Parks", "/c", NOW, 12, 9, 3, 0)])
    assert not page.empty.isVisible()
    with qtbot.waitSignal(page.opened) as opened:
        qtbot.keyClick(page.table, Qt.Key.Key_Return)
    assert opened.args == [4]


@pytest.mark.parametrize("yes", [True, False])
def test_a_class_is_deleted_only_after_a_second_yes(qtbot: QtBot, yes: bool) -> None:
    answers = Answers(yes=yes)
    page = StartPage(answers)
    qtbot.addWidget(page)
    page.show_classes([AssignmentRow(4, "Parks", "/c", NOW, 12, 9, 3, 0)])
    deleted: list[int] = []
    page.deleted.connect(deleted.append)
    page.delete()
    assert answers.asked == ["delete class"]
    assert deleted == ([4] if yes else [])


def test_what_needs_attention_is_listed_with_its_cause(class_page: ClassPage) -> None:
    problems = class_page.problems
    assert problems.heading.text() == "1 essay was not checked"
    assert "Not checked: 王小明. The file is damaged. Ask again." in problems.shown
    assert "Zoe: Two files." in problems.shown
    assert problems.retry_button.isEnabled()


def test_an_anonymous_class_names_nobody_among_the_problems(class_page: ClassPage) -> None:
    class_page.show_class(sample(anonymous=True), running=False, paused=False, elsewhere=False)
    assert not any("王小明" in line or "Zoe" in line for line in class_page.problems.shown)


def test_reasons_that_are_off_have_no_column(class_page: ClassPage) -> None:
    shown = sample()
    off = AssignmentSettings(reasons=frozenset({ReasonCode.R3}))
    class_page.show_class(
        type(shown)(**{**vars(shown), "settings": off}),
        running=False,
        paused=False,
        elsewhere=False,
    )
    assert class_page.table.isColumnHidden(reason_column(ReasonCode.R2))
    assert not class_page.table.isColumnHidden(reason_column(ReasonCode.R3))


def test_the_buttons_are_those_that_make_sense(class_page: ClassPage) -> None:
    bar = class_page.bar
    assert bar.start_button.isVisible()
    assert not bar.pause_button.isVisible()
    class_page.show_class(sample(), running=True, paused=True, elsewhere=False)
    assert not bar.start_button.isVisible()
    assert bar.pause_button.text() == "Go on"
    assert not class_page.problems.retry_button.isEnabled()
    class_page.show_class(sample(), running=False, paused=False, elsewhere=True)
    assert not bar.start_button.isEnabled()
    assert bar.status.text() == "Another class is being checked."


def test_a_search_without_a_match_says_so(class_page: ClassPage) -> None:
    class_page.search.setText("nobody of this name")
    assert class_page.empty.isVisible()
    class_page.search.clear()
    assert not class_page.empty.isVisible()
    class_page.state.setCurrentIndex(class_page.state.findData(State.RELEASED))
    assert class_page.proxy.rowCount() == 1


def test_the_neighbour_is_the_next_checked_student_of_the_table(class_page: ClassPage) -> None:
    # In the order of names: anna Kim (2), Zoe (4, waiting), Örs Nagy (1), 王小明 (3, failed).
    first = class_page.proxy.submission(0)
    other = class_page.neighbour(first.id, 1)
    assert {first.id, other.id if other else 0} == {1, 2}
    assert class_page.neighbour(first.id, -1) is None


def test_progress_is_said_in_words() -> None:
    assert in_words(ClassProgress(5, 12, 1, "Anna", 0.5, 41.0)) == (
        "5 of 12, 1 not checked, about 41 seconds left (Anna)"
    )
    assert in_words(ClassProgress(0, 12, 0)) == "0 of 12"
    assert time_in_words(1) == "about 1 second"
    assert time_in_words(90) == "about 2 minutes"
    assert time_in_words(7300) == "about 2 h 2 min"


def test_an_export_needs_a_format_and_a_folder(qtbot: QtBot, tmp_path: Path) -> None:
    dialog = ExportDialog(sample(), Answers(folder=tmp_path))
    qtbot.addWidget(dialog)
    assert not dialog.export_button.isEnabled()
    dialog.folder_button.click()
    assert dialog.export_button.isEnabled()
    with qtbot.waitSignal(dialog.wanted) as wanted:
        dialog.export_button.click()
    assert wanted.args == [Export(tmp_path, ("html", "csv"), only_released=True)]
    for box in dialog.formats.values():
        box.setChecked(False)
    assert not dialog.export_button.isEnabled()


def test_other_options_warn_where_everything_is_checked_again(qtbot: QtBot) -> None:
    dialog = OptionsDialog(sample())
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.change_button.isEnabled()
    dialog.options.reasons[ReasonCode.R5].setChecked(False)
    assert dialog.change_button.isEnabled()
    assert not dialog.warning.isVisible()
    dialog.options.topic.setText("Cities")
    assert dialog.warning.isVisible()
    with qtbot.waitSignal(dialog.wanted) as wanted:
        dialog.change_button.click()
    assert wanted.args is not None
    assert wanted.args[0].topic == "Cities"


def test_the_options_of_a_class_are_all_in_sight_with_and_without_the_warning(
    qtbot: QtBot, qapp: QApplication
) -> None:
    Theme(qapp).apply("light", 12)
    dialog = OptionsDialog(sample())
    qtbot.addWidget(dialog)
    parts: list[QAbstractButton | QLabel] = [
        *dialog.options.reasons.values(),
        dialog.options.anonymous,
        dialog.change_button,
    ]

    def cut() -> list[str]:
        return [one.text() for one in parts if one.visibleRegion().boundingRect() != one.rect()]

    dialog.show()
    qtbot.waitUntil(lambda: not cut(), timeout=20_000)
    dialog.options.topic.setText("Cities")
    parts.append(dialog.warning)
    qtbot.waitUntil(lambda: not cut(), timeout=20_000)


def test_grammar_correction_is_an_option_of_a_class_and_checks_again(qtbot: QtBot) -> None:
    dialog = OptionsDialog(sample())
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.options.correct_grammar.isChecked()
    dialog.options.correct_grammar.setChecked(True)
    assert dialog.warning.isVisible()
    with qtbot.waitSignal(dialog.wanted) as wanted:
        dialog.change_button.click()
    assert wanted.args is not None
    assert wanted.args[0].correct_grammar
    dialog.options.show_settings(AssignmentSettings())
    assert not dialog.options.correct_grammar.isChecked()


def test_the_bank_keeps_and_forgets(qtbot: QtBot, service: ClassroomService) -> None:
    dialog = BankDialog(service, "Name the person.")
    qtbot.addWidget(dialog)
    dialog.shortcut.setText("np")
    dialog.reason.setCurrentIndex(dialog.reason.findData(ReasonCode.R2))
    dialog.keep_button.click()
    qtbot.waitUntil(lambda: dialog.list.count() == 1, timeout=PATIENCE)
    assert dialog.list.item(0).text() == "np  –  Name the person.  [Unclear reference]"
    dialog.list.setCurrentRow(0)
    dialog.forget_button.click()
    qtbot.waitUntil(lambda: dialog.list.count() == 0, timeout=PATIENCE)


def test_a_very_long_name_leaves_room_for_the_other_columns(class_page: ClassPage) -> None:
    long = "Maximiliana-Alexandra von und zu Hohenstein-Wittgenstein de la Fuente y Rodriguez"
    assignment = sample()
    first, *others = assignment.submissions
    renamed = replace(first, student=replace(first.student, name=long))
    class_page.show_class(
        replace(assignment, name=long, submissions=(renamed, *others)),
        running=False,
        paused=False,
        elsewhere=False,
    )
    class_page.grab()
    header = class_page.table.horizontalHeader()
    assert header.sectionSize(STUDENT) < class_page.table.viewport().width() / 2
    bar = class_page.bar
    assert bar.name.text().startswith("Maximiliana-Alexandra von")
    assert bar.summary.text() == bar.summary.whole


def test_long_names_give_way_before_the_table_scrolls_sideways(
    class_page: ClassPage, qapp: QApplication, qtbot: QtBot
) -> None:
    Theme(qapp).apply("light", 12)
    assignment = sample()
    first, *others = assignment.submissions
    long = replace(first, student=replace(first.student, name="Maximiliana-Alexandra von " * 3))
    # As wide as the page is in a window of 1200 pixels.
    class_page.resize(1085, 600)
    class_page.show_class(
        replace(assignment, submissions=(long, *others)),
        running=False,
        paused=False,
        elsewhere=False,
    )
    bar = class_page.table.horizontalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0)
    width = class_page.table.horizontalHeader().sectionSize(STUDENT)
    assert width >= 6 * class_page.fontMetrics().height()


def first_ink(label: QLabel) -> int:
    """How far from the left the label's words begin, in pixels of the screen."""
    picture = label.grab().toImage()
    ground = picture.pixel(picture.width() - 1, 0)
    columns = range(picture.width())
    rows = range(picture.height())
    return next(x for x in columns if any(picture.pixel(x, y) != ground for y in rows))


def test_the_word_for_the_reasons_stands_at_the_first_of_them(
    form: NewClassForm, qapp: QApplication, qtbot: QtBot
) -> None:
    Theme(qapp).apply("light", 12)
    form.resize(560, 800)
    form.show()
    qtbot.waitExposed(form)
    label = next(one for one in form.findChildren(QLabel) if one.text() == "Reasons")
    boxes = list(form.options.reasons.values())
    assert boxes[-1].y() > boxes[0].y(), "the boxes need several rows"
    middles = [one.mapTo(form, one.rect().center()).y() for one in (label, boxes[0])]
    assert abs(middles[0] - middles[1]) <= 2
    above = next(one for one in form.findChildren(QLabel) if one.text() == "Show")
    assert abs(first_ink(label) - first_ink(above)) <= 1


@pytest.mark.parametrize("size", [12, 18])
def test_in_a_small_window_nothing_over_a_class_is_cut_and_every_stop_of_tab_is_seen(
    class_page: ClassPage, qtbot: QtBot, qapp: QApplication, size: int
) -> None:
    Theme(qapp).apply("light", size)
    # What the rail and the menus leave of 900 x 600.
    class_page.resize(780, 560)
    class_page.show_class(sample(), running=True, paused=False, elsewhere=False)
    class_page.activateWindow()
    qtbot.waitUntil(class_page.isActiveWindow, timeout=20_000)

    def cut() -> list[str]:
        buttons = class_page.bar.findChildren(QAbstractButton)
        return [
            one.text()
            for one in buttons
            if one.isVisible()
            and (
                one.visibleRegion().boundingRect() != one.rect()
                or one.width() < one.sizeHint().width()
            )
        ]

    qtbot.waitUntil(lambda: not cut(), timeout=20_000)
    check_tab_stops(class_page, qtbot)


def test_the_words_over_the_columns_are_whole_after_the_text_has_grown(
    class_page: ClassPage, qapp: QApplication
) -> None:
    theme, header = Theme(qapp), class_page.table.horizontalHeader()
    column = reason_column(ReasonCode.R2)
    theme.apply("light", 12)
    class_page.restyle()
    before = header.sectionSize(column)
    theme.apply("light", 20)
    class_page.restyle()
    font = header.font()
    font.setBold(True)
    assert header.sectionSize(column) > before
    assert header.sectionSize(column) > QFontMetrics(font).horizontalAdvance("reference")


def test_where_room_is_short_the_numbers_give_way_before_the_name(
    qapp: QApplication, qtbot: QtBot
) -> None:
    Theme(qapp).apply("light", 12)
    bar = RunBar()
    qtbot.addWidget(bar)
    bar.show_class(replace(sample(), name="Big cities, 8b"))
    bar.resize(420, 120)
    bar.show()
    qtbot.waitUntil(lambda: bar.summary.text() != bar.summary.whole, timeout=20_000)
    assert bar.name.text() == bar.name.whole
