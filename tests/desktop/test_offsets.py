"""Positions at the Qt boundary are exact for every text that a writer can type or paste."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor, QTextDocument

from desktop.offsets import Utf16Map, document_text, piece_of_document, showable
from engine.spans import Span

PIECES = (
    "a", "é", "e\u0301", "😀", "👩\u200d👩\u200d👧", "𝒜", "\n", " ", "\u00a0", "\u202f", "مرحبا", "\u202e",
    "\u200b", "中", "\t", "\r\n", "\u2028",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-16")).map("".join)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(TEXTS)
def test_a_position_is_the_number_of_units_before_it(text: str) -> None:
    offsets = Utf16Map(text)
    for at in range(len(text) + 1):
        assert offsets.to_qt(at) == units(text[:at])
        assert offsets.from_qt(units(text[:at])) == at
    assert (offsets.code_points, offsets.units) == (len(text), units(text))


@given(TEXTS)
def test_the_middle_of_a_pair_belongs_to_its_character(text: str) -> None:
    offsets = Utf16Map(text)
    for at, character in enumerate(text):
        if ord(character) > 0xFFFF:
            assert offsets.from_qt(units(text[:at]) + 1) == at


@given(TEXTS, st.data())
def test_the_map_of_an_edited_text_is_the_same_as_reading_the_new_text(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, len(text) - start))
    added = data.draw(TEXTS)
    offsets = Utf16Map(text).edited(start, removed, added)
    after = text[:start] + added + text[start + removed :]
    assert [offsets.to_qt(at) for at in range(len(after) + 1)] == [
        Utf16Map(after).to_qt(at) for at in range(len(after) + 1)
    ]


@pytest.mark.parametrize("lead", ["😀 ", "👩\u200d👩\u200d👧 ", "𝒜𝒷 ", "e\u0301 "])
def test_a_sentence_after_wide_characters_is_selected_exactly(lead: str) -> None:
    text = f"{lead}One. {lead}Two."
    document = QTextDocument()
    document.setPlainText(text)
    start, end = Utf16Map(text).span_to_qt(Span(text.index("Two."), len(text)))
    cursor = QTextCursor(document)
    cursor.setPosition(start)
    cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
    assert cursor.selectedText() == "Two."
    assert Utf16Map(text).span_from_qt(start, end).of(text) == "Two."


@given(TEXTS.map(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")))
def test_a_document_gives_back_the_text_that_it_was_given(text: str) -> None:
    document = QTextDocument()
    document.setPlainText(showable(text))
    assert document_text(document) == showable(text)
    assert len(showable(text)) == len(text)


def test_spaces_that_do_not_break_survive_the_document() -> None:
    text = "10\u00a0km and 5\u202f% of it.\u2028Next"
    document = QTextDocument()
    document.setPlainText(text)
    assert document.toPlainText() != text
    assert document_text(document) == text


def test_what_a_document_cannot_hold_is_replaced_one_for_one() -> None:
    assert showable("a\ud800b\u2029c\ufdd0d") == "a\ufffdb\nc\nd"


@given(TEXTS.map(lambda text: showable(text.replace("\r", "\n"))), st.data())
def test_a_piece_of_a_document_is_that_piece_of_its_text(text: str, data: st.DataObject) -> None:
    document = QTextDocument()
    document.setPlainText(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    offsets = Utf16Map(text)
    assert piece_of_document(document, offsets.to_qt(start), offsets.to_qt(end)) == text[start:end]
    assert piece_of_document(document, 0, offsets.units + 1) == text
