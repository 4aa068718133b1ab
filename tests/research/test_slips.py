"""Learners' slips put back: at the learners' rates, by seed, with labels untouched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import DamagedCorpus
from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.slips import Slips

ESSAY = AnnotatedEssay(
    "1.txt",
    "Trains are useful.",
    ("The government believes in trains.", "The people believe it."),
    (AnnotatedPair(1, True),),
)


def slips(tmp_path: Path, *pairs: tuple[str, str]) -> Slips:
    path = tmp_path / "originals.jsonl"
    lines = [json.dumps({"corrected": new, "original": old}) for new, old in pairs]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return Slips.read(path)


def test_a_word_that_is_always_mistyped_is_mistyped(tmp_path: Path) -> None:
    learned = slips(tmp_path, ("Our government helps.", "Our goverment helps."))
    slipped = learned.put_into([ESSAY], seed=1)
    assert slipped.essays[0].sentences[0] == "The goverment believes in trains."
    assert (slipped.words, slipped.changed) == (9, 1)


def test_a_word_that_is_left_out_leaves_no_gap_and_a_capital_stays(tmp_path: Path) -> None:
    learned = slips(
        tmp_path, ("He likes the city.", "He likes city."), ("I believe.", "I beleive.")
    )
    slipped = learned.put_into([ESSAY], seed=1).essays[0]
    assert slipped.sentences == ("government believes in trains.", "people beleive it.")


def test_rates_are_the_learners(tmp_path: Path) -> None:
    learned = slips(tmp_path, *[("I believe.", "I believe.")] * 9, ("I believe.", "I beleive."))
    many = [ESSAY] * 1000
    assert 60 <= learned.put_into(many, seed=0).changed <= 140


def test_labels_and_topics_stay_and_the_same_seed_makes_the_same_slips(tmp_path: Path) -> None:
    learned = slips(tmp_path, ("They believe.", "They believe."), ("They believe.", "They belive."))
    once, again = (learned.put_into([ESSAY] * 20, seed=5) for _ in range(2))
    assert once == again
    assert once != learned.put_into([ESSAY] * 20, seed=6)
    assert all(one.pairs == ESSAY.pairs and one.topic == ESSAY.topic for one in once.essays)


def test_a_reworded_stretch_teaches_nothing(tmp_path: Path) -> None:
    learned = slips(tmp_path, ("I think so now.", "In my opinion of it I say so now."))
    assert learned.put_into([ESSAY], seed=1).changed == 0


def test_a_line_without_both_versions_is_named(tmp_path: Path) -> None:
    path = tmp_path / "originals.jsonl"
    path.write_text('{"corrected": "A.", "original": "A."}\n{"corrected": "B."}\n', "utf-8")
    with pytest.raises(DamagedCorpus, match="line 2"):
        Slips.read(path)
