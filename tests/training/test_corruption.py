"""Essays broken on purpose: what is broken is labelled, everything else stays as it was."""

from __future__ import annotations

from collections import Counter

from engine.research.data import TrainingEssay, TrainingSentence
from engine.research.training.corruption import CERTAINTY, Corrupter
from engine.rewriter.inventory import opening_marker
from engine.scheme import ReasonCode
from tests.training.conftest import made_up_essay

TEXTS = (
    "Cars will be common in twenty years.",
    "They are cheap and people like them.",
    "For example, my family bought two cars last year.",
    "We use them for travelling because buses never come.",
    "However, petrol becomes expensive.",
    "I think that cities should build more trains.",
)


def essay(number: int, topic: str, texts: tuple[str, ...] = TEXTS) -> TrainingEssay:
    told = [TrainingSentence(texts[0])]
    told += [TrainingSentence(f"{text}", 0.2, (ReasonCode.R1,), 0) for text in texts[1:]]
    return TrainingEssay(f"essay {number}", topic, "", True, tuple(told))


def essays() -> list[TrainingEssay]:
    made = [essay(n, "Trains are useful.", tuple(made_up_essay(n))) for n in range(30)]
    return [*made, *(essay(100 + n, "There will be fewer cars.") for n in range(60))]


def broken(share: float = 0.5, seed: int = 3) -> list[tuple[TrainingSentence, TrainingSentence]]:
    """Each sentence after an opening, before and after."""
    whole = essays()
    pairs: list[tuple[TrainingSentence, TrainingSentence]] = []
    for before, after in zip(
        whole, Corrupter(whole, share=share, seed=seed).essays_broken(), strict=True
    ):
        assert before.sentences[0] == after.sentences[0], "an opening has no context to break"
        pairs += zip(before.sentences[1:], after.sentences[1:], strict=True)
    return pairs


def test_what_is_broken_is_labelled_and_the_rest_keeps_its_soft_labels() -> None:
    for before, after in broken():
        if before.text == after.text:
            assert after == before
        else:
            assert after.p_incoherent == CERTAINTY
            assert len(after.reasons) == 1


def test_about_as_much_is_broken_as_asked_for_and_of_every_kind() -> None:
    changed = [after for before, after in broken() if before.text != after.text]
    kinds = Counter(after.reasons[0] for after in changed)
    assert 0.3 < len(changed) / len(broken()) <= 0.55
    assert set(kinds) == set(ReasonCode) - {ReasonCode.R1}
    assert not [1 for before, after in broken(share=0.0) if before.text != after.text]


def test_the_same_seed_breaks_the_same_sentences_and_another_one_others() -> None:
    assert broken(seed=3) == broken(seed=3)
    assert broken(seed=3) != broken(seed=4)


def test_a_wrong_linking_word_is_another_one_than_before() -> None:
    for before, after in broken():
        if after.reasons == (ReasonCode.R3,):
            was, now = opening_marker(before.text), opening_marker(after.text)
            assert (was and was.marker.text) != (now and now.marker.text)


def test_a_sentence_turned_round_or_with_another_word_differs_in_one_place() -> None:
    for before, after in broken():
        if after.reasons and after.reasons[0] in (ReasonCode.R7, ReasonCode.R2):
            old, new = before.text.split(), after.text.split()
            assert len(old) == len(new)
            assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
