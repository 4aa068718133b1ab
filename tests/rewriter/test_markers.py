"""Changing, dropping and adding the opening marker."""

from __future__ import annotations

import pytest

from engine.rewriter.markers import leaves_a_fragment, propose
from engine.rewriter.ranking import candidates
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import ESSAY, situation, texts


@pytest.mark.parametrize(
    ("sentence", "first"),
    [
        ("But the ads never say so.", "However, the ads never say so."),
        ("So I believe it.", "Therefore, I believe it."),
        ("And now he is rich.", "Now he is rich."),
        ("And also they rest.", "In addition, they rest."),
        ("“But the ads say so.”", "“However, the ads say so.”"),
        (", so you rest here.", "Therefore, you rest here."),
        ("So in conclusion I agree.", "In conclusion, I agree."),
    ],
)
def test_the_first_choice_is_what_experts_usually_write(sentence: str, first: str) -> None:
    assert candidates(situation(sentence, ReasonCode.R3))[0].text == first


def test_names_and_i_keep_their_capital_inside() -> None:
    found = texts(candidates(situation("But Paris is far.", ReasonCode.R3)))
    assert "However, Paris is far." in found
    found = texts(candidates(situation("But I’m tired now.", ReasonCode.R3)))
    assert "However, I’m tired now." in found


def test_an_added_marker_takes_the_capital_from_the_next_word() -> None:
    found = texts(list(propose(situation("If you sleep, you learn.", ReasonCode.R3))))
    assert found
    assert all(", if you sleep, you learn." in text for text in found)
    assert all(text[0].isupper() for text in found)


def test_a_marker_is_never_put_before_a_marker() -> None:
    found = texts(candidates(situation("Therefore, we rest at home.", ReasonCode.R3)))
    assert not any("therefore, we" in text for text in found)


def test_a_marker_that_the_essay_leans_on_gives_way_to_another() -> None:
    worn = ("It is late.", "However, we work.", "However, we rest.")
    found = texts(candidates(situation("But the day is long.", ReasonCode.R3, context=worn)))
    assert found[0] == "On the other hand, the day is long."


def test_a_relation_that_the_sentence_already_signals_is_not_added() -> None:
    found = texts(list(propose(situation("Students, however, rest at home.", ReasonCode.R3))))
    assert not any(text.startswith(("However", "On the other hand")) for text in found)


def test_conclusions_are_only_offered_near_the_end() -> None:
    early = situation("Finally, we rest here.", ReasonCode.R3)
    assert not any(text.startswith("In conclusion") for text in texts(candidates(early)))


def test_a_second_enumerator_may_become_an_addition() -> None:
    context = (*ESSAY[:2], "First of all, work pays.")
    found = situation("First of all, we learn from work.", ReasonCode.R3, context=context)
    assert texts(candidates(found))[0].startswith("Moreover, we learn")


def test_nothing_is_put_before_a_word_that_may_be_a_name() -> None:
    unknown = situation("Bread was invented long ago.", ReasonCode.R3)
    assert not any("Bread" in text[1:] for text in texts(candidates(unknown)))
    told = situation(
        "Bread was invented long ago.", ReasonCode.R3, context=(*ESSAY[:2], "We eat bread.")
    )
    assert any(
        text.endswith(", bread was invented long ago.") for text in texts(list(propose(told)))
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "On the one hand, pupils become tired.",
        "The second benefit is that a student learns.",
        "Another reason is the price.",
    ],
)
def test_a_point_that_is_numbered_already_takes_no_further_marker(sentence: str) -> None:
    found = texts(candidates(situation(sentence, ReasonCode.R3)))
    assert not any(text.lower().endswith(", " + sentence.lower()) for text in found)


def test_a_question_does_not_follow_as_a_result() -> None:
    found = texts(candidates(situation("So why do people smoke?", ReasonCode.R3)))
    assert found[0] == "Why do people smoke?"
    assert not any(text.startswith(("Therefore", "As a result", "For example")) for text in found)


def test_a_conclusion_at_the_end_stays_a_conclusion() -> None:
    found = texts(candidates(situation("In summary, the ban protects us.", ReasonCode.R3)))
    assert not any(text.startswith(("Moreover", "However", "Therefore")) for text in found)


def test_a_reason_left_alone_becomes_a_sentence() -> None:
    found = texts(candidates(situation("Because I will lose power.", ReasonCode.R3)))
    assert found[0] == "This is because I will lose power."
    assert not any(", because" in text for text in found)


@pytest.mark.parametrize(
    ("sentence", "fragment"),
    [
        ("Because I will lose power.", True),
        ("Although the shops are far.", True),
        ("Because I was ill, I stayed.", False),
        ("Because of the rain we stayed.", False),
        ("We stayed because it rained.", False),
    ],
)
def test_a_clause_that_depends_on_another_is_a_fragment(sentence: str, fragment: bool) -> None:
    assert leaves_a_fragment(sentence) is fragment


def test_a_reason_with_its_main_clause_is_left_alone() -> None:
    found = texts(candidates(situation("Because I was ill, I stayed here.", ReasonCode.R3)))
    assert not any("because" in text.lower() for text in found)


@pytest.mark.parametrize(
    "sentence", ["But for me it is different here.", "Still the problem stays with us."]
)
def test_nothing_is_put_before_a_linking_word_in_disguise(sentence: str) -> None:
    found = texts(candidates(situation(sentence, ReasonCode.R3)))
    assert not any(text.lower().endswith(", " + sentence.lower()) for text in found)
