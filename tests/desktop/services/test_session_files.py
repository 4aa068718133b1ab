"""Opening and saving: the file, its structure and what happens when it cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop.services.autosave import DraftContent
from desktop.services.essay_file import essay_of_draft, with_text
from engine.essay import Essay, Paragraph, ParagraphKind
from engine.spans import Span
from tests.desktop.services.desk import ESSAY, Desk

PATIENCE = 30_000


def opened(desk: Desk, path: Path) -> None:
    with desk.qtbot.waitSignal(desk.session.text_replaced, timeout=PATIENCE):
        desk.session.open(path)


def written(folder: Path, text: str = ESSAY) -> Path:
    path = folder / "essay.txt"
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_an_opened_essay_is_clean_and_named_after_its_file(desk: Desk, tmp_path: Path) -> None:
    names: list[str] = []
    desk.session.name_changed.connect(names.append)
    opened(desk, written(tmp_path))
    assert desk.text == ESSAY == desk.session.text
    assert (desk.session.name, desk.session.dirty, names) == ("essay.txt", False, ["essay.txt"])


def test_a_file_whose_encoding_cannot_be_told_is_opened_with_the_one_that_is_given(
    desk: Desk, tmp_path: Path
) -> None:
    path = tmp_path / "essay.txt"
    path.write_bytes(b"Caf\xe9 \x81 one. Two.")
    with desk.qtbot.waitSignal(desk.session.encoding_asked, timeout=PATIENCE) as asked:
        desk.session.open(path)
    assert asked.args == [path]
    assert desk.messages == []
    with desk.qtbot.waitSignal(desk.session.text_replaced, timeout=PATIENCE):
        desk.session.open(path, "cp1251")
    assert desk.session.text == "Cafй Ѓ one. Two."


def test_typing_makes_it_dirty_and_undoing_makes_it_clean(desk: Desk, tmp_path: Path) -> None:
    opened(desk, written(tmp_path))
    states: list[bool] = []
    desk.session.dirty_changed.connect(states.append)
    desk.edit(0, 0, "So. ")
    desk.edit(0, 0, "Well. ")
    desk.undo()
    desk.undo()
    assert states == [True, False]


def test_save_writes_the_text_as_it_is(desk: Desk, tmp_path: Path) -> None:
    path = written(tmp_path, ESSAY + " 10\u00a0km, 5\u202f%.")
    opened(desk, path)
    desk.edit(0, 0, "😀 ")
    assert desk.session.save()
    assert path.read_text(encoding="utf-8").rstrip("\n") == desk.text
    assert "\u00a0" in desk.text
    assert not desk.session.dirty


def test_a_copy_becomes_the_essays_file(desk: Desk, tmp_path: Path) -> None:
    desk.session.new(ESSAY)
    assert desk.session.dirty
    assert desk.session.name == "Untitled"
    assert not desk.session.save()
    assert desk.messages[-1][0] == "info"
    assert desk.session.save(tmp_path / "copy.txt")
    assert desk.session.path == tmp_path / "copy.txt"
    assert desk.session.name == "copy.txt"
    assert not desk.session.dirty


def test_a_file_that_cannot_be_read_leaves_the_essay_alone(desk: Desk, tmp_path: Path) -> None:
    desk.session.new(ESSAY)
    with desk.qtbot.waitSignal(desk.session.message, timeout=PATIENCE) as message:
        desk.session.open(tmp_path / "missing.txt")
    kind, text, hint = message.args
    assert kind == "error"
    assert "missing.txt" in text
    assert hint
    assert desk.session.text == ESSAY


def test_a_file_that_cannot_be_written_leaves_the_essay_dirty(desk: Desk, tmp_path: Path) -> None:
    desk.session.new(ESSAY)
    assert not desk.session.save(tmp_path / "no folder" / "essay.txt")
    assert desk.messages[-1][0] == "error"
    assert desk.session.dirty
    assert desk.session.path is None


def test_of_two_files_opened_in_a_row_the_last_is_shown(desk: Desk, tmp_path: Path) -> None:
    first = written(tmp_path, "First text.")
    second = tmp_path / "second.txt"
    second.write_text("Second text.", encoding="utf-8")
    shown: list[str] = []
    desk.session.text_replaced.connect(lambda essay: shown.append(essay.text))
    with desk.qtbot.waitSignal(desk.session.text_replaced, timeout=PATIENCE):
        desk.session.open(first)
        desk.session.open(second)
    desk.qtbot.wait(50)
    assert shown == ["Second text."]


def test_what_is_typed_while_a_file_is_read_is_not_lost(desk: Desk, tmp_path: Path) -> None:
    desk.session.new()
    with desk.qtbot.waitSignal(desk.session.message, timeout=PATIENCE) as message:
        desk.session.open(written(tmp_path))
        desk.edit(0, 0, "My words.")
    assert message.args[0] == "warning"
    assert desk.session.text == "My words."


def test_characters_that_a_widget_cannot_hold_are_replaced(desk: Desk) -> None:
    desk.session.new("One\u2029two \ud800.")
    assert desk.text == desk.session.text == "One\ntwo \ufffd."


def report() -> Essay:
    text = "My day\nA heading\nI wake up. I eat.\n\u2022 First point\nThe end is here."
    kinds = [
        ("My day", ParagraphKind.TITLE),
        ("A heading", ParagraphKind.HEADING),
        ("I wake up. I eat.", ParagraphKind.BODY),
        ("First point", ParagraphKind.LIST_ITEM),
        ("The end is here.", ParagraphKind.HEADING),
    ]
    paragraphs = tuple(
        Paragraph(Span(text.index(piece), text.index(piece) + len(piece)), kind)
        for piece, kind in kinds
    )
    return Essay(text, paragraphs, topic="Days", path=Path("day.docx"), format="docx")


def outline(essay: Essay) -> list[tuple[str, str]]:
    return [(p.kind.value, p.span.of(essay.text)) for p in essay.paragraphs]


def test_paragraphs_keep_their_kinds_while_they_are_edited() -> None:
    essay = report()
    text = essay.text.replace("A heading", "Another heading").replace("I eat.", "I eat a lot.")
    edited = with_text(essay, text)
    assert [kind for kind, _ in outline(edited)] == [kind for kind, _ in outline(essay)]
    assert edited.paragraphs[1].span.of(text) == "Another heading"
    assert edited.paragraphs[3].span.of(text) == "First point"
    assert (edited.topic, edited.path, edited.format) == ("Days", Path("day.docx"), "docx")


def test_new_lines_are_laid_out_by_their_looks() -> None:
    essay = report()
    text = essay.text.replace("I eat.\n", "I eat.\nThen I work. It is long.\n- Second point\n")
    assert outline(with_text(essay, text)) == [
        ("title", "My day"),
        ("heading", "A heading"),
        ("body", "I wake up. I eat."),
        ("body", "Then I work. It is long."),
        ("list-item", "Second point"),
        ("list-item", "First point"),
        ("heading", "The end is here."),
    ]


def test_removed_lines_take_their_paragraphs_along() -> None:
    essay = report()
    edited = with_text(essay, essay.text.replace("A heading\n", "").replace("My day\n", ""))
    assert outline(edited) == outline(essay)[2:]
    assert with_text(essay, "").paragraphs == ()


@pytest.mark.parametrize("text", ["", "\n\n", "All new. Every line."])
def test_any_text_gives_paragraphs_inside_it(text: str) -> None:
    for paragraph in with_text(report(), text).paragraphs:
        assert paragraph.span.of(text).strip()


def test_a_draft_whose_file_is_gone_stands_for_itself(tmp_path: Path) -> None:
    gone = DraftContent(ESSAY, "Work", "gone.txt", str(tmp_path / "gone.txt"))
    essay = essay_of_draft(gone)
    assert (essay.text, essay.topic, essay.path) == (ESSAY, "Work", None)


def test_a_draft_keeps_its_file_where_that_can_be_read(tmp_path: Path) -> None:
    path = written(tmp_path, "Old text.")
    essay = essay_of_draft(DraftContent(ESSAY, "Work", "essay.txt", str(path)))
    assert (essay.text, essay.topic, essay.path) == (ESSAY, "Work", path)
