"""Pronouns named, persons shifted, verbs made to agree."""

from __future__ import annotations

import pytest

from engine.rewriter.agreement import agree, base_form, third_person
from engine.rewriter.nouns import noun_phrases
from engine.rewriter.persons import shift_person
from engine.rewriter.ranking import candidates
from engine.rewriter.references import opening_pronoun
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import situation, texts


@pytest.mark.parametrize(
    ("rest", "plural", "expected"),
    [
        (" makes noise", True, " make noise"),
        (" make noise", False, " makes noise"),
        (" is also late", True, " are also late"),
        (" also tries", True, " also try"),
        (" don’t go", False, " doesn’t go"),
        (" need rest", False, " needs rest"),
        (" went home", False, " went home"),
        (" can go", False, " can go"),
        (" zorble", False, " zorble"),
    ],
)
def test_the_verb_agrees_with_its_new_subject(rest: str, plural: bool, expected: str) -> None:
    assert agree(rest, plural=plural) == expected


@pytest.mark.parametrize("verb", ["make", "try", "go", "watch", "need", "study", "bring"])
def test_verb_forms_go_there_and_back(verb: str) -> None:
    assert base_form(third_person(verb)) == verb


@pytest.mark.parametrize(
    ("sentence", "source", "target", "expected"),
    [
        ("You lose your time.", "you", "we", "We lose our time."),
        ("This helps you.", "you", "we", "This helps us."),
        ("You’re late if you rest.", "you", "people", "People are late if they rest."),
        ("We all need our rest.", "we", "people", "People need their rest."),
        ("Trust yourself.", "you", "we", "Trust ourselves."),
        ("They rest.", "you", "we", "They rest."),
    ],
)
def test_a_sentence_changes_person_throughout(
    sentence: str, source: str, target: str, expected: str
) -> None:
    assert shift_person(sentence, source=source, target=target) == expected


def test_a_pronoun_is_replaced_by_a_noun_of_the_same_number() -> None:
    context = ("Companies make the new car.", "Companies sell the car to young people.")
    found = texts(candidates(situation("It makes noise.", ReasonCode.R2, context=context)))
    assert found[0] == "The car makes noise."
    found = texts(candidates(situation("They never rest.", ReasonCode.R2, context=context)))
    assert found[0] in {"Companies never rest.", "Young people never rest."}


def test_the_verb_follows_a_bare_this() -> None:
    found = texts(candidates(situation("This is why we rest.", ReasonCode.R2)))
    assert "This situation is why we rest." in found


@pytest.mark.parametrize(
    "sentence",
    [
        "It is important to rest.",
        "It seems late.",
        "It’s true that we rest.",
        "This car is new.",
        "Those people rest.",
    ],
)
def test_empty_and_bound_pronouns_are_left_alone(sentence: str) -> None:
    assert opening_pronoun(sentence) is None


def test_noun_phrases_know_determiner_number_and_place() -> None:
    subject, thing = noun_phrases("However, young people like the new car.")
    assert (subject.again(), subject.is_plural, subject.is_subject) == ("young people", True, True)
    assert (thing.again(), thing.is_plural, thing.is_subject) == ("the new car", False, False)


def test_a_person_shift_needs_the_text_before_to_use_that_person() -> None:
    we = ("We need rest.", "We like our work.")
    found = texts(candidates(situation("You sleep too little.", ReasonCode.R2, context=we)))
    assert "We sleep too little." in found
    found = texts(candidates(situation("You sleep too little.", ReasonCode.R2)))
    assert "We sleep too little." not in found
