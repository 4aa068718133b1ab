"""The essay: paragraphs, their kinds, sentences and hashes."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.essay import Essay, ParagraphKind, find_paragraphs

TITLE, HEADING, BODY, ITEM = (
    ParagraphKind.TITLE,
    ParagraphKind.HEADING,
    ParagraphKind.BODY,
    ParagraphKind.LIST_ITEM,
)
_PROSE = st.text(alphabet='aB .!?\n\n\t-#>*1)("“é😀\u00a0\u2028\r', max_size=120)


def kinds(text: str) -> list[tuple[ParagraphKind, str]]:
    return [(p.kind, p.span.of(text)) for p in find_paragraphs(text)]


@given(st.one_of(st.text(), _PROSE))
def test_paragraphs_are_ordered_apart_and_trimmed(raw: str) -> None:
    essay = Essay.from_text(raw)
    at = 0
    for paragraph in essay.paragraphs:
        assert at <= paragraph.span.start < paragraph.span.end <= len(essay.text)
        piece = paragraph.span.of(essay.text)
        assert piece == piece.strip()
        at = paragraph.span.end


@given(st.one_of(st.text(), _PROSE))
def test_sentences_are_exact_and_inside_their_paragraphs(raw: str) -> None:
    essay = Essay.from_text(raw)
    at = 0
    for number, sentence in enumerate(essay.sentences):
        assert sentence.index == number
        assert sentence.text == sentence.span.of(essay.text)
        assert sentence.span.start >= at
        paragraph = essay.paragraphs[sentence.paragraph]
        assert paragraph.is_judged
        assert (
            paragraph.span.start <= sentence.span.start <= sentence.span.end <= paragraph.span.end
        )
        at = sentence.span.end


def test_no_word_outside_titles_and_headings_is_lost() -> None:
    text = "Why I run\n\nI run daily. It helps!\n- legs\n\nResults\n\nI am fit. Run too."
    essay = Essay.from_text(text)
    covered = " ".join(sentence.text for sentence in essay.sentences)
    assert covered == "I run daily. It helps! legs I am fit. Run too."


def test_a_short_first_line_without_a_full_stop_is_the_title() -> None:
    text = "The Best Job\nMy father is a cook. He likes it."
    assert kinds(text) == [(TITLE, "The Best Job"), (BODY, "My father is a cook. He likes it.")]
    assert Essay.from_text(text).title == "The Best Job"


@pytest.mark.parametrize(
    "text",
    [
        "It is good.\nI like it.",
        "Is it good?\nYes, it is.",
        "Only one line without an end",
        "I wake up at six,\nthen I wash and go to school, as all of us do.",
        "Yesterday I went to the market with my mother and my sister and we bought a lot of fruit\nIt was good.",
    ],
)
def test_no_title(text: str) -> None:
    assert Essay.from_text(text).title == ""


def test_short_lines_before_a_paragraph_are_headings() -> None:
    text = "My Plan\nLi Wei, Class 3B\n\nIntroduction\nI will study. It is hard.\n\nConclusion:\nI can do it."
    assert [kind for kind, _ in kinds(text)] == [TITLE, HEADING, HEADING, BODY, HEADING, BODY]


def test_a_last_line_without_a_full_stop_is_still_judged() -> None:
    text = "I like dogs. They are kind.\n\nThat is all"
    assert kinds(text)[-1] == (BODY, "That is all")


def test_markdown_headings_lose_their_marks_and_are_not_judged() -> None:
    text = "# My Town\n\nIt is big.\n\n## The parks\n\nThey are green."
    assert kinds(text) == [
        (TITLE, "My Town"),
        (BODY, "It is big."),
        (HEADING, "The parks"),
        (BODY, "They are green."),
    ]


def test_bullets_stay_outside_and_numbers_inside() -> None:
    text = "I need:\n- a pen\n• a book\n1) a bag\n(b) a map\n2. a hat"
    assert kinds(text) == [
        (BODY, "I need:"),
        (ITEM, "a pen"),
        (ITEM, "a book"),
        (ITEM, "1) a bag"),
        (ITEM, "(b) a map"),
        (ITEM, "2. a hat"),
    ]


def test_a_line_of_marks_is_not_judged() -> None:
    assert kinds("I ran.\n\n* * *\n\nI slept.")[1][0] is HEADING


_LETTER = """Dear Mr. and Mrs. O'Neill,

I was ill last week. Can I take the exam later?

Best regards,
Maria Lopez
"""


def named(text: str) -> list[str]:
    return [paragraph.kind.value for paragraph in find_paragraphs(text)]


def test_a_letters_greeting_farewell_and_name_are_not_judged() -> None:
    assert named(_LETTER) == ["frame", "body", "frame", "frame"]
    assert Essay.from_text(_LETTER).sentences[0].text == "I was ill last week."


@pytest.mark.parametrize(
    "last",
    ["The end", "THE END.", "(245 words)", "Word count: 245", "See you soon!", "Yours, Ana"]
    + ["Love,\nAna", "With best wishes", "Thank you in advance."],
)
def test_a_last_line_that_is_no_part_of_what_is_said_is_not_judged(last: str) -> None:
    assert named(f"Lisbon is nice. It is warm.\n\n{last}")[1:] in (["frame"], ["frame", "frame"])


@pytest.mark.parametrize(
    "line",
    [
        "Love is the most important thing in life",
        "Thanks to my teacher I learned a lot.",
        "Thank you for reading.",
        "The end of the story is sad.",
        "See you soon is what people say.",
        "Hello is a word in English.",
        "Dear friends are rare.",
    ],
)
def test_what_only_begins_like_a_frame_is_judged(line: str) -> None:
    assert "frame" not in named(f"Lisbon is nice.\n\n{line}")
    assert "frame" not in named(f"{line}\n\nLisbon is nice. It is warm.")


def test_a_farewell_in_the_middle_is_judged() -> None:
    assert "frame" not in named("One is here.\n\nTake care.\n" + "\nMore is said.\n" * 6)


def test_lines_wrapped_by_hand_are_one_paragraph() -> None:
    sentences = [
        "Many people think that the city is a better place to live than the country.",
        "In the city there are more schools, and America has large ones.",
        "I do not agree with them.",
    ]
    wrapped = textwrap.fill(" ".join(sentences), 60)
    essay = Essay.from_text(wrapped + "\n\nThe country is quiet.")
    assert len(essay.paragraphs) == 2
    assert [s.text.replace("\n", " ") for s in essay.sentences] == [
        *sentences,
        "The country is quiet.",
    ]


def test_a_long_line_goes_on_where_the_next_begins_small() -> None:
    text = "I think that we all should learn to cook at school and\nnot at home. It is fun."
    assert [s.text for s in Essay.from_text(text).sentences] == [
        "I think that we all should learn to cook at school and\nnot at home.",
        "It is fun.",
    ]


@pytest.mark.parametrize("newline", ["\r\n", "\r", "\n"])
def test_newlines_are_normalised_once(newline: str) -> None:
    essay = Essay.from_text(f"One is here.{newline}Two is there.", topic="  Why?  ")
    assert essay.text == "One is here.\nTwo is there."
    assert essay.topic == "Why?"


def test_every_other_character_is_kept() -> None:
    text = "Cafe\u0301 a\u200bb x\u202ey.\u00a0Then\u202f5\u2028\u200d\ufeff\x0bend."
    assert Essay.from_text(text).text == text


def test_the_hash_names_the_text_and_nothing_else() -> None:
    one = Essay.from_text("I run. It helps.")
    assert one.content_hash == one.with_topic("Sport").content_hash
    assert one.content_hash != Essay.from_text("I run. It helped.").content_hash
    assert Essay.from_text("\ud800").content_hash


def test_words_are_counted_as_white_space_divides_them() -> None:
    assert Essay.from_text("I can't  go , now").word_count == 5


def test_importing_the_essay_is_light() -> None:
    code = (
        "import sys; import engine.essay; "
        "print([n for n in ('sentencex', 'lxml', 'docx', 'numpy') if n in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
