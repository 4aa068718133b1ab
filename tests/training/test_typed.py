"""What is typed comes to be read as what is meant, and what is corrected is read as before."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import torch

from engine.research.data import TrainingEssay, TrainingSentence
from engine.research.training.config import TrainingConfig
from engine.research.training.examples import Example, make_examples
from engine.research.training.judging import FloatArray, read_windows
from engine.research.training.network import EssayTagger
from engine.research.training.typed import (
    CORRECTED_EVERY,
    between_weights,
    learn,
    lessons,
)
from engine.tagger.inputs import load_tokenizer
from tests.training.conftest import made_up_essay

CONFIG = TrainingConfig(batch=2, learning_rate=1e-3, frozen_layers=0, typed_epochs=12)
Pair = tuple[list[Example], list[Example]]


def pairs(base: Path) -> list[Pair]:
    """Essays in which some words are always typed as ones that nobody knows."""
    tokenizer = load_tokenizer(base / "tokenizer.json")
    made = []
    for number in range(12):
        texts = made_up_essay(number)
        slips = [re.sub(r"eople|need|tudents", "eole", text) for text in texts]
        corrected, typed = (
            TrainingEssay("1", "", "", True, tuple(TrainingSentence(t, 0.5) for t in each))
            for each in (texts, slips)
        )
        made.append(
            (make_examples(tokenizer, corrected, None), make_examples(tokenizer, typed, None))
        )
    return made


def vectors(model: EssayTagger, windows: list[Example]) -> FloatArray:
    model.eval()
    return read_windows(model, windows, len(windows[0].targets)).vectors


def distance(model: EssayTagger, both: list[Pair], meant: list[FloatArray], *, of: int) -> float:
    """How far the essays' vectors are from what they should be: corrected (0) or typed (1)."""
    return float(
        np.mean(
            [
                np.abs(vectors(model, pair[of]) - wanted).mean()
                for pair, wanted in zip(both, meant, strict=True)
            ]
        )
    )


def test_typed_essays_come_closer_to_the_corrected_ones_which_stay_where_they_were(
    base: Path,
) -> None:
    torch.manual_seed(1)
    model = EssayTagger.from_base(base)
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0  # its noise would be larger than a network this small
    both = pairs(base)
    meant = [vectors(model, corrected) for corrected, _ in both]
    before = distance(model, both, meant, of=1)
    assert learn(model, CONFIG, lessons(model, both))
    assert distance(model, both, meant, of=1) < 0.8 * before
    assert distance(model, both, meant, of=0) < before


def test_some_corrected_essays_are_read_again_so_that_nothing_is_forgotten(base: Path) -> None:
    both = pairs(base)
    told = lessons(EssayTagger.from_base(base), both)
    corrected = {id(window) for windows, _ in both for window in windows}
    again = sum(id(one.example) in corrected for one in told)
    assert again == len(range(0, len(both), CORRECTED_EVERY))
    assert len(told) == len(both) + again


def test_when_time_is_up_it_says_so(base: Path) -> None:
    model = EssayTagger.from_base(base)
    assert not learn(model, CONFIG, lessons(model, pairs(base)), minutes=0.0)


def test_weights_between_two_networks_lie_on_the_line_from_one_to_the_other() -> None:
    first = {"layer": torch.tensor([0.0, 4.0]), "places": torch.arange(3)}
    then = {"layer": torch.tensor([2.0, 0.0]), "places": torch.arange(3)}
    between = between_weights(first, then, 0.25)
    assert between["layer"].tolist() == [0.5, 3.0]
    assert between["places"].tolist() == [0, 1, 2]
