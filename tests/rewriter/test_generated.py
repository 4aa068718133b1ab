"""Generated edits: tidied, guarded, judged like any other, and asked for last."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.analysis import Action, Judgement, Reason, Rewrite
from engine.errors import Cancelled
from engine.rewriter import Rewriter
from engine.rewriter.candidates import Situation
from engine.rewriter.generated import EditTask, candidates, is_wanted, tidied
from engine.scheme import CODES, ReasonCode

OPENING = "Many students work while they study."
SENTENCE = "The moon affects the plans of people."
ESSAY = (OPENING, "Work teaches them to plan.", SENTENCE, "Good plans save time.")


def judgement(code: ReasonCode, probability: float = 0.9) -> Judgement:
    others = tuple(Reason(other, 0.02) for other in CODES if other is not code)
    return Judgement(probability, (Reason(code, 0.88), *others), 1)


def situation(code: ReasonCode = ReasonCode.R1, sentence: str = SENTENCE) -> Situation:
    sentences = (*ESSAY[:2], sentence, ESSAY[3])
    return Situation(sentences, "Students", 2, judgement(code))


@pytest.mark.parametrize(
    "written",
    [
        "The moon affects the plans of students.",
        '"The moon affects the plans of students."',
        "Sure! Here is the edited sentence: “The moon affects the plans of students.”",
        "Here's a version that follows: The moon affects the plans of students.",
        "Edited sentence: The moon affects the plans of students",
        "Rewritten: the moon affects the plans of students.",
        "The moon affects the plans of students. I changed the last word.",
        "  The moon affects\nthe plans of students. ",
        "**The moon affects the plans of students.**",
    ],
)
def test_chatter_around_the_sentence_is_taken_off(written: str) -> None:
    assert tidied(written, SENTENCE) == "The moon affects the plans of students."


def test_a_sentence_with_its_own_colon_or_quotes_keeps_them() -> None:
    old = '"Time flies," she said: it does.'
    assert tidied('"Time flies," he said: it does.', old) == '"Time flies," he said: it does.'
    assert tidied("People need one thing: sleep.", "We need one thing: sleep.") == (
        "People need one thing: sleep."
    )


def test_closing_marks_and_apostrophes_are_those_of_the_old_sentence() -> None:
    assert tidied("Does it help students.", "Does it help?") == "Does it help students?"
    assert tidied("It doesn't help them.", "It doesn’t help.") == "It doesn’t help them."
    assert tidied("It doesn’t help them.", "It doesn't help.") == "It doesn't help them."


def test_line_breaks_and_double_spaces_of_the_old_sentence_stay() -> None:
    old = "The moon affects\nthe  plans of people."
    assert tidied("The moon affects the plans of students.", old) == (
        "The moon affects\nthe  plans of students."
    )


@given(st.text(max_size=60), st.text(max_size=60))
def test_whatever_is_written_tidying_does_not_fail(written: str, sentence: str) -> None:
    assert isinstance(tidied(written, sentence), str)


@given(st.lists(st.sampled_from(["The", "moon", "affects", "plans", "of", "a"]), min_size=1))
def test_repeating_a_hard_wrapped_sentence_changes_nothing(words: list[str]) -> None:
    sentence = "\n ".join(words) + "."
    assert tidied(" ".join(words) + ".", sentence).lower() == sentence.lower()


def test_the_guard_has_its_say() -> None:
    written = [
        SENTENCE,  # no change
        "In 1969 the moon affects the plans of people.",  # a number from nowhere
        "The moon affects the plans of Armstrong.",  # a name from nowhere
        "Nobody ever asked why night skies move every single student so deeply.",  # too much
        "",
        "The moon affects the plans of students.",
        "The moon affects the plans of students",
    ]
    found = candidates(situation(), written)
    assert [one.text for one in found] == ["The moon affects the plans of students."]
    assert (found[0].operator, found[0].reason) == ("generated", ReasonCode.R1)


def test_a_model_that_would_delete_proposes_to_delete() -> None:
    (found,) = candidates(situation(ReasonCode.R6), ["DELETE"])
    assert (found.action, found.text) == (Action.DELETE, "")


def test_a_task_holds_what_a_prompt_needs_and_nothing_after_the_sentence() -> None:
    task = EditTask.of(situation())
    assert task == EditTask("Students", ESSAY[:2], SENTENCE, ReasonCode.R1, 1)


@pytest.mark.parametrize(
    ("code", "keeps", "count", "wanted"),
    [
        (ReasonCode.R3, True, 1, False),
        (ReasonCode.R3, False, 0, True),
        (ReasonCode.R6, False, 1, True),
        (ReasonCode.R1, True, 1, True),
        (ReasonCode.R1, True, 3, False),
        (ReasonCode.R7, True, 2, True),
    ],
)
def test_the_model_is_asked_where_rules_fail_and_for_reasons_that_they_hardly_reach(
    code: ReasonCode, keeps: bool, count: int, wanted: bool
) -> None:
    assert is_wanted(situation(code), keeps=keeps, count=count, limit=3) is wanted


class Model:
    """Writes what it is told, and keeps what it was asked."""

    def __init__(self, *written: str, at_once: int = 1) -> None:
        self.written = written
        self.at_once = at_once
        self.asked: list[list[EditTask]] = []

    def write(
        self, asked: Sequence[EditTask], *, check_cancelled: Callable[[], None]
    ) -> list[tuple[str, ...]]:
        check_cancelled()
        self.asked.append(list(asked))
        return [self.written for _ in asked]


def suggest(
    model: Model | None,
    *,
    code: ReasonCode = ReasonCode.R4,
    flagged: Sequence[int] = (2,),
    good: str = "students",
    check_cancelled: Callable[[], None] = lambda: None,
) -> list[tuple[int, tuple[Rewrite, ...]]]:
    """What is offered when a sentence with the word `good` in it clears the flag."""
    judgements = [Judgement(None)] + [
        judgement(code, 0.9 if index in flagged else 0.1) for index in range(1, len(ESSAY))
    ]

    def score(
        sentences: Sequence[str], topic: str, only: Collection[int]
    ) -> Mapping[int, Judgement]:
        untouched = {ESSAY[i] for i in range(len(ESSAY)) if i not in flagged}
        fine = {
            index for index in only if sentences[index] in untouched or good in sentences[index]
        }
        return {index: judgement(code, 0.2 if index in fine else 0.8) for index in only}

    return list(
        Rewriter(generator=model).suggest_all(
            ESSAY,
            "",
            judgements,
            flagged,
            score=score,
            threshold=0.5,
            check_cancelled=check_cancelled,
        )
    )


def test_a_generated_edit_that_clears_the_flag_is_offered() -> None:
    model = Model("The moon affects the plans of students.")
    ((index, rewrites),) = suggest(model)
    assert index == 2
    assert [(one.operator, one.text) for one in rewrites] == [
        ("generated", "The moon affects the plans of students.")
    ]
    assert rewrites[0].probability_after == 0.2


def test_one_that_does_not_clear_the_flag_is_not_offered() -> None:
    assert suggest(Model("The moon affects the plans of women.")) == [(2, ())]


def test_without_a_model_the_rules_work_alone() -> None:
    assert suggest(None) == [(2, ())]


def test_the_model_sees_the_sentence_in_its_essay() -> None:
    model = Model("x")
    suggest(model)
    ((task,),) = model.asked
    assert (task.sentence, task.context, task.anchor) == (SENTENCE, ESSAY[:2], 1)


def test_what_the_rules_found_comes_at_once_and_again_with_the_models_edit() -> None:
    model = Model("The moon affects the plans of students.")
    told = suggest(model, code=ReasonCode.R5, good="")
    deletions = [any(one.action is Action.DELETE for one in rewrites) for _, rewrites in told]
    assert deletions == [True] * len(told)
    assert not any(one.operator == "generated" for one in told[0][1])


def test_as_many_sentences_as_the_model_wants_are_given_together() -> None:
    one_by_one, together = Model("x"), Model("x", at_once=2)
    suggest(one_by_one, flagged=(1, 2, 3))
    suggest(together, flagged=(1, 2, 3))
    assert [len(asked) for asked in one_by_one.asked] == [1, 1, 1]
    assert [len(asked) for asked in together.asked] == [2, 1]


def test_cancelling_reaches_the_model() -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        suggest(Model("x"), check_cancelled=stop)
