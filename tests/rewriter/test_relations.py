"""A model may know better than word cues how a sentence follows from the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.analysis import Judgement, Relater
from engine.rewriter import Rewriter
from engine.rewriter.prior import relation_probabilities
from engine.rewriter.relations import related, unmarked
from engine.scheme import ReasonCode
from tests.rewriter.rewriter_helpers import ESSAY, THRESHOLD, TOPIC, ScriptedScorer, judgement

_CONTRAST = "Some students like to work in the evening."
_LATER = "But the students need more sleep than that."


class _Model:
    """Finds a contrast everywhere and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], str, Mapping[int, Mapping[str, float]]]] = []

    def __call__(
        self, sentences: Sequence[str], topic: str, cued: Mapping[int, Mapping[str, float]]
    ) -> Mapping[int, Mapping[str, float]]:
        self.asked.append((list(sentences), topic, cued))
        return {index: {"contrast": 1.0} for index in cued}


def test_the_model_reads_flagged_sentences_without_their_linking_words() -> None:
    essay = (*ESSAY[:2], _CONTRAST, _LATER, *ESSAY[3:])
    model = _Model()
    found = related(essay, TOPIC, [2, 3], model)
    (sentences, topic, cued) = model.asked[0]
    assert sentences == [
        *ESSAY[:2],
        _CONTRAST,
        "The students need more sleep than that.",
        *ESSAY[3:],
    ]
    assert topic == TOPIC
    assert cued[3] == relation_probabilities(essay, 3)
    assert found == {2: {"contrast": 1.0}, 3: {"contrast": 1.0}}


def test_the_opening_of_an_essay_follows_nothing_and_nothing_is_asked() -> None:
    model = _Model()
    assert related(ESSAY, TOPIC, [0], model) == {}
    assert model.asked == []


def test_without_a_model_the_cues_decide() -> None:
    assert related(ESSAY, TOPIC, [1, 2], None) == {}


def test_a_sentence_that_is_only_a_linking_word_stays() -> None:
    assert unmarked(["One.", "However."], [1]) == ["One.", "However."]


def test_what_the_model_says_decides_the_linking_word() -> None:
    essay = (*ESSAY[:2], _CONTRAST, *ESSAY[3:])
    judgements = [
        judgement(ReasonCode.R3) if index == 2 else Judgement(0.05) for index in range(len(essay))
    ]

    def openings(relate: Relater | None) -> list[str]:
        answers = Rewriter().suggest_all(
            essay,
            TOPIC,
            judgements,
            [2],
            score=ScriptedScorer(lambda s, i: 0.1),
            threshold=THRESHOLD,
            relate=relate,
        )
        return [rewrite.text.split(",")[0] for rewrite in dict(answers)[2]]

    assert openings(_Model()) == ["However"]
    assert openings(None) != ["However"]
