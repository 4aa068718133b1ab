"""Hard inputs 1 to 10: sentence splitting that breaks tools like ours."""

from __future__ import annotations

import time

import pytest

from engine.essay import Essay, ParagraphKind
from engine.sentences import split_sentences


def texts(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ('"I love this. It\'s great."', '"I love this.'),
        ("“I love this. It’s great.”", "“I love this."),
    ],
)
def test_1_two_sentences_in_one_pair_of_quotes(text: str, first: str) -> None:
    spans = split_sentences(text)
    assert [span.of(text) for span in spans] == [first, text[len(first) + 1 :]]
    assert [(span.start, span.end) for span in spans] == [(0, 13), (14, len(text))]


def test_2_a_closing_quote_is_no_sentence() -> None:
    assert texts("'hello. And then world.'") == ["'hello.", "And then world.'"]
    assert texts("He said: 'hello. And then world. '") == ["He said: 'hello.", "And then world. '"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Can we do it?I think so.", ["Can we do it?", "I think so."]),
        ("It began in 2017.The firm grew.", ["It began in 2017.", "The firm grew."]),
        ("I study abroad! apply.Are you?", ["I study abroad!", "apply.", "Are you?"]),
        (
            "It works.It is good.I like it!We go.",
            ["It works.", "It is good.", "I like it!", "We go."],
        ),
    ],
)
def test_3_a_missing_space(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Yan et al. [2004] analysed the data.",
        "Some animals, e.g. cats, sleep a lot.",
        "The U.S. economy grew.",
        "I asked Dr. Chen about it.",
        "He lives at No. 5 in our street.",
        "I like my P.E. class most.",
        "Prices rose by 3.5% last year.",
        "I found it on www.site.com last week.",
        "We went, i.e. my sister and I, to St. Petersburg.",
    ],
)
def test_4_no_false_split(text: str) -> None:
    assert texts(text) == [text]


def test_5_numbered_items_on_one_line() -> None:
    text = "1) The first item. 2) The second item."
    spans = split_sentences(text)
    assert [span.of(text) for span in spans] == ["1) The first item.", "2) The second item."]
    assert spans[1].start == 19


@pytest.mark.parametrize("gap", ["  ", "\r\n", "\u00a0", "\u202f", "\t", " \u00a0 ", "\r\n\r\n"])
def test_6_white_space_between_sentences(gap: str) -> None:
    text = f"One is here.{gap}Two is there.{gap}Three is nowhere."
    spans = split_sentences(text)
    assert texts(text) == ["One is here.", "Two is there.", "Three is nowhere."]
    assert spans[1].start == len("One is here." + gap)


def test_7_a_title_bullets_and_a_paragraph_of_one_line() -> None:
    essay = Essay.from_text(
        "My Best Holiday\nLast year I went home. It was good.\n\n- the sea\n* the food\n• the sun\n\nI liked it."
    )
    assert essay.title == "My Best Holiday"
    assert [p.kind for p in essay.paragraphs] == [
        ParagraphKind.TITLE,
        ParagraphKind.BODY,
        *[ParagraphKind.LIST_ITEM] * 3,
        ParagraphKind.BODY,
    ]
    assert [s.text for s in essay.sentences] == [
        "Last year I went home.",
        "It was good.",
        "the sea",
        "the food",
        "the sun",
        "I liked it.",
    ]


def test_8_a_run_on_lower_case_and_a_space_before_the_comma() -> None:
    run_on = " and ".join(["we went to the market to buy fruit"] * 12) + "."
    assert len(run_on.split()) > 97
    assert texts(run_on) == [run_on]
    assert texts("i think so , but my friend does not.") == ["i think so , but my friend does not."]


def test_9_nothing_and_one_sentence() -> None:
    assert texts("") == texts("  \n \t ") == []
    assert texts("Only one sentence") == ["Only one sentence"]


def test_10_three_hundred_sentences_and_a_hundred_times_as_many() -> None:
    essay = Essay.from_text(
        "\n".join(f"Sentence number {n} is here. It is good." for n in range(150))
    )
    assert len(essay.sentences) == 300
    begun = time.perf_counter()
    long = Essay.from_text(
        "\n".join(f"Sentence number {n} is here. It is good." for n in range(15_000))
    )
    assert len(long.sentences) == 30_000
    assert time.perf_counter() - begun < 10.0
