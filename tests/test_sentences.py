"""Sentence splitting: exact spans, whatever the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.sentences import split_sentences
from engine.spans import Span

# Letters and marks that meet in essays, so that random texts have boundaries to get wrong.
_PROSE = st.text(
    alphabet=st.sampled_from(
        "abI TheDr. ?!…,;:\"'“”‘’()[]«»-–—0123\n\r\t\u00a0\u202f\u2028\u200b\u202e\u0301😀é中。१۔\x00`<>"
    ),
    max_size=200,
)


def texts(text: str) -> list[str]:
    return [span.of(text) for span in split_sentences(text)]


def assert_exact(text: str, spans: list[Span]) -> None:
    """Spans are in order, apart, not empty, trimmed, and only white space lies between them."""
    at = 0
    rebuilt = ""
    for span in spans:
        assert at <= span.start < span.end <= len(text)
        gap = text[at : span.start]
        assert not gap.strip()
        assert span.of(text) == span.of(text).strip()
        rebuilt += gap + span.of(text)
        at = span.end
    assert not text[at:].strip()
    assert rebuilt + text[at:] == text


@given(st.one_of(st.text(), _PROSE))
def test_spans_and_gaps_rebuild_any_text(text: str) -> None:
    assert_exact(text, split_sentences(text))


@given(st.lists(_PROSE, min_size=1, max_size=5))
def test_a_blank_line_always_parts_sentences(parts: list[str]) -> None:
    text = "\n\n".join(parts)
    inside = [span.of(text) for span in split_sentences(text)]
    assert not any("\n\n" in sentence for sentence in inside)


def test_a_lone_surrogate_is_kept() -> None:
    assert texts("A \ud800 bee. Then c.") == ["A \ud800 bee.", "Then c."]


@pytest.mark.parametrize("text", ["", " ", "\n\n\t", "\u00a0"])
def test_nothing_gives_no_sentences(text: str) -> None:
    assert split_sentences(text) == []


def test_marks_without_words_join_a_neighbour() -> None:
    assert texts("Well. !! Then go. 😀") == ["Well. !!", "Then go. 😀"]
    assert texts("***") == ["***"]
    assert texts("— It rained.") == ["— It rained."]


def test_a_quotation_is_split_inside_and_its_reporting_clause_is_not_cut_off() -> None:
    text = 'She asked, "Why? I do not know." Then he left. "Go!" he said. "Stay."'
    assert texts(text) == [
        'She asked, "Why?',
        'I do not know."',
        "Then he left.",
        '"Go!" he said.',
        '"Stay."',
    ]


def test_a_quotation_without_a_space_before_it_opens_the_next_sentence() -> None:
    assert texts('He said."Then we go." End.') == ["He said.", '"Then we go."', "End."]


def test_brackets() -> None:
    assert texts("He is old (he said it. Twice). Good.") == [
        "He is old (he said it. Twice).",
        "Good.",
    ]
    assert texts("It is ok. (See below.) Then go.") == ["It is ok.", "(See below.)", "Then go."]
    assert texts("I was (Oh. The thing fell.") == ["I was (Oh.", "The thing fell."]


def test_a_citation_stays_with_its_sentence() -> None:
    assert texts("He said so.[1] Then he left. [2] And so on") == [
        "He said so.[1]",
        "Then he left. [2]",
        "And so on",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "We met Mr. Smith and Prof. Li.",
        "J. K. Rowling wrote it.",
        "They sell fruit, e.g. Apples and Pears.",
        "See Fig. 3 and pp. 4-5.",
        "It opens at 5 p.m. on Monday.",
        "Send it to A.Person@Example.Com today.",
        "Look at http://Example.Com/a?b=C.D and at www.Site.Org now.",
        "I use Node.js and Booking.com.",
        "the huge no. of cars is bad.",
        "He laughed (ha! ha!) and left.",
        "Well... so it goes.",
    ],
)
def test_one_sentence(text: str) -> None:
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is for me. Thinking helps.", ["It is for me.", "Thinking helps."]),
        ("She loves art. because it is fun.", ["She loves art.", "because it is fun."]),
        ("Do I agree? No. Schools matter.", ["Do I agree?", "No.", "Schools matter."]),
        ("My brother and I. We went.", ["My brother and I.", "We went."]),
        ("Books, toys, etc. They are cheap.", ["Books, toys, etc.", "They are cheap."]),
        ("He lives in the U.S. The firm grew.", ["He lives in the U.S.", "The firm grew."]),
        ("i like it. but not you", ["i like it.", "but not you"]),
        ("Really?! Yes!!! Ok.", ["Really?!", "Yes!!!", "Ok."]),
        ("end .Then start . Next one", ["end .", "Then start .", "Next one"]),
        ("他来了。我走了。", ["他来了。", "我走了。"]),
    ],
)
def test_boundaries_that_learners_write(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_list_numbers_stay_with_their_items() -> None:
    assert texts("1. The first. 2. The second. a) Third. b) Fourth.") == [
        "1. The first.",
        "2. The second.",
        "a) Third.",
        "b) Fourth.",
    ]


def test_time_grows_with_the_text_and_not_faster() -> None:
    paragraph = (
        'Dr. Li said "it works. Really" (see Fig. 3) to me.Then we left the U.S. So it was. '
    )

    def seconds(times: int) -> float:
        text = paragraph * times
        best = 9.0
        for _ in range(3):
            begun = time.perf_counter()
            split_sentences(text)
            best = min(best, time.perf_counter() - begun)
        return best

    small, large = seconds(250), seconds(2000)
    assert large < 2.0  # 34,000 words
    assert large < 8 * 4 * small


def test_an_unbalanced_bracket_or_quote_at_every_word_stays_fast() -> None:
    begun = time.perf_counter()
    split_sentences('word ( " [ ' * 20_000)
    assert time.perf_counter() - begun < 5.0
