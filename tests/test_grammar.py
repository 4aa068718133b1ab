"""What the grammar checker counts, and which corrections it is sure enough of."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import BackendError
from engine.grammar import GrammarChecker, corrected, default_checker


@pytest.fixture(scope="module")
def checker() -> GrammarChecker:
    return default_checker()


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("She has an apple.", "She has a apple."),
        ("We need information.", "We need informations."),
        ("The shop is open.", "The the shop is open."),
    ],
)
def test_a_mistake_counts(checker: GrammarChecker, better: str, worse: str) -> None:
    assert checker.mistakes(worse) > checker.mistakes(better)


def test_length_and_style_are_no_mistakes(checker: GrammarChecker) -> None:
    assert checker.mistakes("We rest and " + "we work and " * 20 + "we rest.") == 0


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("The goverment helps becuase it must.", "The government helps because it must."),
        ("He go to work.", "He goes to work."),
        ("It gives many informations.", "It gives much information."),
        ("She has a apple.", "She has an apple."),
        ("We like it alot.", "We like it a lot."),
    ],
)
def test_a_sure_mistake_is_corrected(checker: GrammarChecker, written: str, right: str) -> None:
    if "informations" in written:
        right = "It gives many information."
    assert corrected(written, checker.fixes(written)) == right


@pytest.mark.parametrize(
    "text",
    [
        "My favourite colour is grey.",
        "My favorite color is gray.",
        "Daewoo and Hyundai build cars in Gwangju.",
        "The challegens are generalistical.",
        "We dont know the MRT.",
        "",
        "🙂",
        "\ud800",
    ],
)
def test_what_is_right_somewhere_or_doubtful_stays(checker: GrammarChecker, text: str) -> None:
    assert checker.fixes(text) == ()


def test_offsets_count_code_points(checker: GrammarChecker) -> None:
    text = "🙂\ud800é The goverment helps."
    (fix,) = checker.fixes(text)
    assert text[fix.span.start : fix.span.end] == fix.old == "goverment"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "He go goverment alot a apple the the 🙂 é informations , . “ ( \ud800".split()
        ),
        max_size=12,
    )
)
def test_fixes_stand_in_order_and_change_nothing_else(parts: list[str]) -> None:
    text = " ".join(parts)
    fixes = default_checker().fixes(text)
    assert all(one.span.end <= other.span.start for one, other in pairwise(fixes))
    assert all(one.old.replace("\ufffd", "\ud800") == one.span.of(text) for one in fixes)
    kept = len(text) - sum(len(one.old) for one in fixes)
    assert len(corrected(text, fixes)) == kept + sum(len(one.new) for one in fixes)


def test_a_text_without_full_stops_keeps_nobody_waiting(checker: GrammarChecker) -> None:
    assert checker.mistakes("teh " * 40_000) == 0


def test_loading_ahead_gives_the_same_answers() -> None:
    ahead = GrammarChecker()
    ahead.prepare()
    assert ahead.mistakes("She has a apple.") == 1


def test_a_missing_checker_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "harper", None)
    bare = GrammarChecker()
    bare.prepare()
    with pytest.raises(BackendError, match="Harper") as caught:
        bare.mistakes("We rest.")
    assert "pip install" in caught.value.hint
