"""Essays as typed: every labelled sentence is found again, slips and all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import DamagedCorpus
from engine.research.data import TrainingEssay, TrainingSentence
from engine.research.training.as_written import as_written, read_originals
from engine.scheme import ReasonCode

CORRECTED = (
    "Young people enjoy life.",
    "They have a strong body and they play sports.",
    "However, older people are not active.",
    "They need rest.",
)


def essay(essay_id: str = "1.txt") -> TrainingEssay:
    told = (TrainingSentence(text, 0.3, (ReasonCode.R6,), 0) for text in CORRECTED)
    return TrainingEssay(essay_id, "Young people enjoy life more.", "ARA", True, tuple(told))


def typed(original: str) -> TrainingEssay:
    (found,) = as_written([essay()], {"1.txt": original})
    return found


def test_every_sentence_is_found_as_typed_with_the_labels_of_the_corrected_one() -> None:
    found = typed(
        "Young peole enjoy live.They has strong body and  they plays\nsports. "
        "However the older people is not active.They need to rest."
    )
    assert [sentence.text for sentence in found.sentences] == [
        "Young peole enjoy live.",
        "They has strong body and they plays sports.",
        "However the older people is not active.",
        "They need to rest.",
    ]
    assert [s.p_incoherent for s in found.sentences] == [0.3] * 4
    assert all(s.reasons == (ReasonCode.R6,) and s.anchor == 0 for s in found.sentences)


def test_a_word_too_many_belongs_to_the_sentence_that_it_begins() -> None:
    found = typed(
        "Young people enjoy life. And they have a strong body and they play sports. "
        + " ".join(CORRECTED[2:])
    )
    assert found.sentences[0].text == "Young people enjoy life."
    assert found.sentences[1].text.startswith("And they have")


def test_another_essay_is_not_laid_beside() -> None:
    assert as_written([essay()], {"1.txt": "Buses are slow. I never take a bus to work."}) == []
    assert as_written([essay()], {"2.txt": " ".join(CORRECTED)}) == []


def test_an_essay_that_lost_a_sentence_is_left_out() -> None:
    assert as_written([essay()], {"1.txt": " ".join(CORRECTED[:3])}) == []


def test_a_line_that_is_no_essay_is_named(tmp_path: Path) -> None:
    path = tmp_path / "originals.jsonl"
    path.write_text(json.dumps({"essay_id": "1", "original": "A."}) + "\n[]\n", encoding="utf-8")
    with pytest.raises(DamagedCorpus, match="line 2"):
        read_originals(path)
