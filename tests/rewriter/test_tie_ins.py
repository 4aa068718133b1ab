"""Who is told to delete a sentence can keep it instead, and is told what that does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.analysis import Action, Judgement, Rewrite
from engine.rewriter import Rewriter, markers
from engine.rewriter.candidates import Situation
from engine.rewriter.guard import allows
from engine.rewriter.inventory import Relation, opening_marker
from engine.rewriter.tie_ins import repeated, tie_ins
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import (
    ESSAY,
    THRESHOLD,
    TOPIC,
    ScriptedScorer,
    judgement,
    situation,
    texts,
)

_VOLCANO = "The volcano is very hot."
_FINE = Judgement(0.05)


def _suggest(
    essay: Sequence[str], strays: Sequence[int], score: ScriptedScorer, *, limit: int = 3
) -> dict[int, tuple[Rewrite, ...]]:
    judgements = [
        judgement(ReasonCode.R6) if index in strays else _FINE for index in range(len(essay))
    ]
    return dict(
        Rewriter(limit=limit).suggest_all(
            essay, TOPIC, judgements, strays, score=score, threshold=THRESHOLD
        )
    )


def _with(sentence: str) -> tuple[str, ...]:
    return (*ESSAY[:2], sentence, *ESSAY[3:])


def _only_untouched(essay: Sequence[str]) -> ScriptedScorer:
    """Finds nothing wrong with what the writer wrote unflagged, and flags everything else."""
    fine = {text for index, text in enumerate(essay) if index != 2}
    return ScriptedScorer(lambda s, i: 0.1 if s[i] in fine else 0.8)


def test_a_deletion_is_followed_by_a_way_to_keep_the_sentence_even_where_none_clears_it() -> None:
    essay = _with(_VOLCANO)
    found = _suggest(essay, [2], _only_untouched(essay))[2]
    assert [one.action for one in found] == [Action.DELETE, Action.REPLACE]
    assert [one.clears for one in found] == [True, False]
    assert found[1].probability_after == 0.8
    assert found[1].text.lower().endswith(_VOLCANO.lower())


def test_of_several_ways_that_leave_the_mark_the_one_that_fits_best_is_offered() -> None:
    sentence = "Work needs a good plan on every day of the week."
    essay = _with(sentence)
    told = _only_untouched(essay)
    found = _suggest(essay, [2], told)[2]
    tried = [s[2] for s, _ in told.passes if s[2] not in essay]
    ties = texts(tie_ins(Situation(essay, TOPIC, 2, judgement(ReasonCode.R6))))
    tried_ties = [text for text in tried if text in ties]
    assert len(tried_ties) > 1
    assert found[1].text == min(tried_ties, key=ties.index)


def test_a_way_that_clears_the_flag_is_offered_as_one_that_does() -> None:
    found = _suggest(_with(_VOLCANO), [2], ScriptedScorer(lambda s, i: 0.1))[2]
    assert [one.clears for one in found] == [True, True]


def test_a_way_that_flags_a_later_sentence_leaves_a_mark() -> None:
    essay = _with(_VOLCANO)

    def rule(sentences: Sequence[str], index: int) -> float:
        changed = sentences[2] not in (essay[2], essay[3])
        return 0.9 if index == 3 and changed else 0.1

    found = _suggest(essay, [2], ScriptedScorer(rule))[2]
    assert [one.clears for one in found] == [True, False]


def test_neighbours_that_stray_each_get_one() -> None:
    essay = [f"Sentence {n} is blue." for n in range(9)]
    strays = range(1, 9)
    told = ScriptedScorer(lambda s, i: 0.1 if s[i] in essay else 0.9)
    found = _suggest(essay, strays, told)
    for index in strays:
        actions = [one.action for one in found[index]]
        assert Action.DELETE not in actions or Action.REPLACE in actions
    assert len(told.passes) <= 6


def test_who_asks_for_one_suggestion_gets_one() -> None:
    found = _suggest(_with(_VOLCANO), [2], ScriptedScorer(lambda s, i: 0.1), limit=1)[2]
    assert [one.action for one in found] == [Action.DELETE]


def test_nothing_is_tied_in_where_the_deletion_itself_does_harm() -> None:
    essay = _with(_VOLCANO)
    told = ScriptedScorer(lambda s, i: 0.9 if i == 2 else 0.1)
    assert _suggest(essay, [2], told)[2] == ()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (_VOLCANO, "In fact, the volcano is very hot."),
        ("Bread is cheap.", "A related point: Bread is cheap."),
        ("Is a volcano hot?", "A question arises: is a volcano hot?"),
        ("But it is very hot.", "However, it is very hot."),
        ("But for me it is hot.", "In fact, for me it is hot."),
        ("Or it is very hot.", "In fact, it is very hot."),
        ("Because they are poor.", "This is because they are poor."),
        ("I hope that it is not hot.", "Therefore, I hope that it is not hot."),
        ("A volcano should not be hot.", "Therefore, a volcano should not be hot."),
        ("Moreover, the volcano is hot.", "In addition, the volcano is hot."),
        ("For example, they work at night.", "For instance, they work at night."),
        (
            "Many poor students work hard while they study.",
            "As mentioned above, many poor students work hard while they study.",
        ),
    ],
)
def test_the_ways_to_tie_in(sentence: str, expected: str) -> None:
    context = ("Poor students work hard while they study.", "Work costs the students sleep.")
    here = situation(sentence, ReasonCode.R6, context=context)
    found = texts(tie_ins(here))
    assert expected in found


def _adding(sentence: str) -> list[str]:
    """The ways to tie in a sentence that most likely adds to the text before."""
    here = situation(sentence, ReasonCode.R6)
    return texts(tie_ins(replace(here, linked={Relation.ADDITION.value: 0.8})))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The work is often hard.", "The work is also often hard."),
        ("They work at night.", "They also work at night."),
        ("For example, they work at night.", "For example, they also work at night."),
    ],
)
def test_also_says_that_something_is_added(sentence: str, expected: str) -> None:
    assert expected in _adding(sentence)
    unlikely = texts(tie_ins(replace(situation(sentence, ReasonCode.R6), linked={})))
    assert expected not in unlikely


@pytest.mark.parametrize(
    "sentence",
    [
        "The man who is my uncle works there.",
        "Cities have many advantages.",
        "Only then can people enjoy it.",
        "My will is strong.",
        "Moreover, it is hot.",
        "In my village is a school.",
        "The thing is he came late.",
        "They too work at night.",
        "The work is not hard.",
        "Who can say this?",
    ],
)
def test_also_is_put_only_where_the_verb_is_plain_to_see(sentence: str) -> None:
    assert not any(" also " in text for text in _adding(sentence))


def test_also_adds_nothing_to_a_text_about_something_else() -> None:
    assert "The volcano is also very hot." not in _adding(_VOLCANO)


@pytest.mark.parametrize(
    ("relation", "chance", "expected"),
    [
        (Relation.RESULT, 0.3, "Therefore"),
        (Relation.RESULT, 0.2, "In fact"),
        (Relation.CONTRAST, 0.3, "In fact"),
        (Relation.CONTRAST, 0.4, "However"),
    ],
)
def test_a_linking_word_claims_only_what_is_likely(
    relation: Relation, chance: float, expected: str
) -> None:
    here = situation("Work is good for the students.", ReasonCode.R6)
    found = texts(tie_ins(replace(here, linked={relation.value: chance})))
    assert found[0] == f"{expected}, work is good for the students."


@pytest.mark.parametrize(
    "sentence",
    [
        "But But I like it very much.",
        "And so also it is hot.",
        "Also, moreover, it is hot.",
        "As for cars, they are blue.",
        '"I agree with him," he said.',
    ],
)
def test_an_opening_joins_no_other_linking_word(sentence: str) -> None:
    found = texts(tie_ins(situation(sentence, ReasonCode.R6)))
    assert found
    for text in found:
        first = opening_marker(text)
        assert first is None or opening_marker(text[first.body :]) is None


@pytest.mark.parametrize(
    "sentence",
    [
        "In my opinion, the students work hard.",
        "Unfortunately the students work hard.",
        "Regarding the second point students work hard.",
        "Even students work hard.",
    ],
)
def test_no_linking_word_stands_before_a_comment_on_the_sentence(sentence: str) -> None:
    for relation in (Relation.CONTRAST, Relation.EXAMPLE, Relation.ADDITION):
        here = replace(situation(sentence, ReasonCode.R6), linked={relation.value: 0.8})
        assert not [text for text in texts(tie_ins(here)) if opening_marker(text)]
        assert not [text for text in texts(list(markers.propose(here))) if opening_marker(text)]


def test_a_sure_linking_word_stands_after_the_comment() -> None:
    here = situation("In my opinion, the students work hard.", ReasonCode.R6)
    contrast = replace(here, linked={Relation.CONTRAST.value: 0.8})
    assert texts(tie_ins(contrast)) == ["In my opinion, however, the students work hard."]


def test_a_question_objects_or_arises_but_follows_from_nothing() -> None:
    here = situation("Do students work hard?", ReasonCode.R6)
    follows = texts(tie_ins(replace(here, linked={Relation.RESULT.value: 0.8})))
    assert follows == ["A question arises: do students work hard?"]
    objects = texts(tie_ins(replace(here, linked={Relation.CONTRAST.value: 0.8})))
    assert objects[0] == "However, do students work hard?"


@pytest.mark.parametrize(
    "sentence",
    ["Could you send me the homework?", "Thank you for your help.", "It was a fox!"]
    + ["Then we saw two eyes.", "In conclude, the city is good."],
)
def test_requests_thanks_exclamations_and_ends_are_not_tied_in(sentence: str) -> None:
    assert tie_ins(situation(sentence, ReasonCode.R6)) == []


@pytest.mark.parametrize(
    "sentence", ["Yes.", "Oh no!", "مرحبا بالعالم هذا نص.", "我喜欢城市。", "😀😀"]
)
def test_what_is_no_english_sentence_is_not_tied_in(sentence: str) -> None:
    assert tie_ins(situation(sentence, ReasonCode.R6)) == []


def test_of_the_ways_that_leave_the_mark_one_that_makes_it_worse_comes_last() -> None:
    sentence = "Work needs a good plan on every day of the week."
    essay = _with(sentence)
    ties = texts(tie_ins(Situation(essay, TOPIC, 2, judgement(ReasonCode.R6))))
    flagged = judgement(ReasonCode.R6).probability or 0.0
    untouched = _only_untouched(essay).rule

    def rule(sentences: Sequence[str], index: int) -> float:
        worst = sentences[index] == ties[0]
        return min(1.0, flagged + 0.05) if worst else untouched(sentences, index)

    found = _suggest(essay, [2], ScriptedScorer(rule))[2]
    assert found[1].text != ties[0]


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("So far, nobody has complained.", "so far, nobody has complained."),
        ("So many people run that the parks are full.", "so many people run"),
        ("But for the rain, I would run today.", "but for the rain, I would run today."),
    ],
)
def test_no_word_is_taken_out_of_an_idiom(sentence: str, kept: str) -> None:
    found = texts(tie_ins(situation(sentence, ReasonCode.R6)))
    assert found
    assert all(kept in text for text in found)


@pytest.mark.parametrize(
    "sentence",
    [
        "So do I.",
        "Neither does the volcano.",
        "Loans, however, discourage poor students.",
        "We should, therefore, run more.",
        "The city, for example, has no trains.",
        "In spite of that, students work.",
        "To summarise, the volcano is hot.",
        "According to the mayor, the volcano is hot.",
    ],
)
def test_what_is_linked_already_gets_no_second_linking_word(sentence: str) -> None:
    assert tie_ins(situation(sentence, ReasonCode.R6)) == []


def test_a_word_between_commas_further_on_is_no_link() -> None:
    assert tie_ins(situation("The volcano that we saw, however hot, is old.", ReasonCode.R6))


def test_nobody_is_quoted_with_other_words() -> None:
    sentence = '"And I agree with him," he said.'
    found = texts(tie_ins(situation(sentence, ReasonCode.R6)))
    assert found
    assert all(sentence in text for text in found)


def test_a_sentence_that_says_nothing_new_points_back() -> None:
    here = situation("Work teaches them to plan time.", ReasonCode.R6)
    assert repeated(here) == ESSAY[1]
    assert repeated(situation(_VOLCANO, ReasonCode.R6)) == ""


_LEARNER_SENTENCES = st.lists(
    st.sampled_from(
        "But So And They It This you we people company car the a is are makes never because , "
        "“quote” (aside) Paris 1950 é don't which and to first banana".split()
    ),
    min_size=3,
    max_size=18,
).map(lambda parts: "The volcano " + " ".join(parts) + ".")


@settings(max_examples=60, deadline=None)
@given(_LEARNER_SENTENCES)
def test_there_is_nearly_always_a_way_and_the_guard_allows_it(sentence: str) -> None:
    here = situation(sentence, ReasonCode.R6)
    found = tie_ins(here)
    assert found
    assert all(allows(candidate, here) for candidate in found)
