"""Of candidates that change as many words, the one that a language model finds likelier is first."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.errors import Cancelled
from engine.rewriter.candidates import Candidate
from engine.rewriter.fluency import measure, tied
from engine.rewriter.ranking import offer
from engine.scheme import ReasonCode
from tests.rewriter.test_generated import ESSAY, Model, situation, suggest

STUDENTS = "The moon affects the plans of students."
SCHOLARS = "The moon affects the plans of scholars."
LONGER = "The moon affects the plans of some young scholars."


class FluentModel(Model):
    """Finds what holds a certain word the most fluent."""

    def __init__(self, *written: str, likes: str, fails: bool = False) -> None:
        super().__init__(*written)
        self.likes = likes
        self.fails = fails
        self.read: list[tuple[str, str]] = []

    def fluency(
        self, text: str, *, context: str, check_cancelled: Callable[[], None]
    ) -> float | None:
        check_cancelled()
        self.read.append((context, text))
        return None if self.fails else (-1.0 if self.likes in text else -3.0)


def accepted(*texts: str) -> list[tuple[Candidate, float]]:
    """Candidates that cleared the flag, each a little better than the one before."""
    return [
        (Candidate(text, "generated", ReasonCode.R1, 0.3), 0.3 - place / 10)
        for place, text in enumerate(texts)
    ]


@pytest.mark.parametrize("likes", ["students", "scholars"])
def test_a_tie_goes_to_the_more_fluent(likes: str) -> None:
    told = suggest(FluentModel(STUDENTS, SCHOLARS, likes=likes), good="plans of s")
    assert likes in told[-1][1][0].text
    assert len(told[-1][1]) == 2


def test_fewer_changed_words_count_for_more() -> None:
    (first, *_) = offer(
        accepted(LONGER, STUDENTS), situation(), 3, fluency={LONGER: -0.1, STUDENTS: -9.0}
    )
    assert first.text == STUDENTS


def test_without_fluency_the_lower_probability_decides() -> None:
    (first, *_) = offer(accepted(STUDENTS, SCHOLARS), situation(), 3)
    assert first.text == SCHOLARS


def test_only_those_that_tie_are_read_and_in_their_place() -> None:
    model = FluentModel(likes="students")
    assert tied(accepted(LONGER, STUDENTS), situation()) == []
    found = measure(
        model, accepted(LONGER, STUDENTS, SCHOLARS), situation(), check_cancelled=lambda: None
    )
    assert found == {STUDENTS: -1.0, SCHOLARS: -3.0}
    assert model.read == [(" ".join(ESSAY[:2]), text) for text in (STUDENTS, SCHOLARS)]


def test_a_model_that_cannot_tell_changes_nothing() -> None:
    two = accepted(STUDENTS, SCHOLARS)
    mute = FluentModel(likes="students", fails=True)
    for model in (Model(), mute):
        assert measure(model, two, situation(), check_cancelled=lambda: None) == {}
    assert len(mute.read) == 1


def test_measuring_can_be_stopped() -> None:
    def stop() -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        measure(
            FluentModel(likes="x"),
            accepted(STUDENTS, SCHOLARS),
            situation(),
            check_cancelled=stop,
        )
