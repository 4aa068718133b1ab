"""`segue train markers`: examples from annotated essays, weights, honest figures beside them."""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import pytest

from engine.errors import ModelError, UnreadableFile, UsageError
from engine.research.data import DELETE, TrainingEssay, TrainingSentence
from engine.research.training import marker_command
from engine.research.training.marker_examples import MarkerExample, Origin, marker_examples
from engine.research.training.marker_fit import (
    MarkerRecipe,
    cross_validate,
    fit,
    measure,
    usual_markers,
)
from engine.resources import resources_folder
from engine.rewriter.prior import DROP, WEIGHTS_FILE, read_predictor, relation_probabilities
from engine.scheme import ReasonCode

_OPENING = TrainingSentence("Many students work.")


def _examples(*sentences: TrainingSentence) -> list[MarkerExample]:
    return marker_examples([TrainingEssay("1.txt", "", "", True, (_OPENING, *sentences))])


def _flagged(text: str, rewrite: str, code: ReasonCode = ReasonCode.R3) -> TrainingSentence:
    return TrainingSentence(text, 0.9, (code,), None, rewrite)


def test_a_repair_is_the_relation_that_the_annotator_wrote() -> None:
    (found,) = _examples(_flagged("But they are tired.", "Therefore, they are tired."))
    assert (found.relation, found.marker, found.origin) == ("result", "therefore", Origin.REPAIR)
    assert "marker but" in found.cues


def test_a_marker_taken_away_is_an_example_of_dropping_it() -> None:
    (found,) = _examples(_flagged("And they are tired.", "They are tired."))
    assert (found.relation, found.marker) == (DROP, "")


def test_repairs_for_another_reason_are_told_apart() -> None:
    sentence = TrainingSentence(
        "The sun is hot.", 0.8, (ReasonCode.R6,), None, DELETE, "For example, the sun is hot."
    )
    (found,) = _examples(sentence)
    assert (found.relation, found.origin) == ("example", Origin.ASIDE)


def test_the_marker_of_a_sentence_that_reads_well_is_hidden_and_to_be_found() -> None:
    (found,) = _examples(TrainingSentence("However, they are tired.", 0.1))
    assert (found.relation, found.origin) == ("contrast", Origin.MASKED)
    assert "had_none" in found.cues
    assert not any("however" in cue for cue in found.cues)


@pytest.mark.parametrize(
    "sentence",
    [
        TrainingSentence("However, they are tired.", 0.3),
        TrainingSentence("They are tired.", 0.1),
        TrainingSentence("Secondly, they are tired.", 0.1),
        _flagged("But they are tired.", "But they are very tired."),
        _flagged("They are tired.", "The students are tired."),
        TrainingSentence("However, they are tired."),
    ],
)
def test_nothing_else_is_an_example(sentence: TrainingSentence) -> None:
    assert _examples(sentence) == []


def _made_up(count: int = 60) -> list[TrainingEssay]:
    """Essays where "not" always calls for a contrast and "my" for an example."""
    chance = random.Random(3)
    essays = []
    for number in range(count):
        sentences = [_OPENING]
        for _ in range(3):
            noun = chance.choice(["shops", "cars", "parks", "trains"])
            if chance.random() < 0.5:
                sentences.append(_flagged(f"The {noun} do not help.", f"However, the {noun} fail."))
            else:
                rest = f"my {noun} help us."
                sentences.append(_flagged(f"M{rest[1:]}", f"For example, {rest}"))
        essays.append(TrainingEssay(f"{number}.txt", "", "", True, tuple(sentences)))
    return essays


def test_it_learns_what_the_words_tell() -> None:
    predictor = fit(marker_examples(_made_up()), MarkerRecipe())
    found = {
        example.relation: max(chances, key=lambda name: chances[name])
        for example in marker_examples(_made_up(5))
        for chances in [predictor.probabilities(example.cues)]
    }
    assert found == {"contrast": "contrast", "example": "example"}


def test_each_example_is_judged_once_by_a_predictor_that_never_saw_its_essay() -> None:
    examples = marker_examples(_made_up(20))
    guesses = cross_validate(examples, MarkerRecipe(folds=4))
    assert len(guesses) == len(examples)
    assert {id(guess.example) for guess in guesses} == {id(example) for example in examples}
    strangers = [
        MarkerExample(frozenset({f"clue {n}"}), "contrast" if n % 2 else "result", "", str(n), one)
        for n in range(40)
        for one in [Origin.REPAIR]
        for _ in range(6)
    ]
    by_heart = measure(cross_validate(strangers, MarkerRecipe(folds=4)))
    assert by_heart["repair"]["relation"]["at_1"] < 0.7


def test_the_figures_stand_beside_those_of_a_guesser_without_eyes() -> None:
    figures = measure(cross_validate(marker_examples(_made_up()), MarkerRecipe()))
    repair = figures["repair"]
    assert repair["relation"]["n"] == 180
    assert repair["relation"]["at_1"] > 0.95
    assert repair["majority"]["at_1"] < 0.7
    assert repair["marker"]["at_1"] > 0.95
    assert "masked" not in figures


def test_the_usual_marker_comes_first() -> None:
    rewrites = ["However, no.", "However, no.", "Nevertheless, no."]
    found = usual_markers(_examples(*[_flagged("But no.", one) for one in rewrites]))
    assert found == {"contrast": ("however", "nevertheless")}


def _as_file(essays: list[TrainingEssay], path: Path) -> Path:
    with path.open("w", encoding="utf-8") as file:
        for essay in essays:
            sentences = [
                {
                    "text": one.text,
                    "p_incoherent": one.p_incoherent,
                    "reasons": [code.value for code in one.reasons] or None,
                    "anchor": None,
                    "rewrite": one.rewrite,
                    "alternative": one.alternative,
                }
                for one in essay.sentences
            ]
            record = {"essay_id": essay.essay_id, "topic": "", "l1": "ARA", "complete": True}
            file.write(json.dumps({**record, "sentences": sentences}) + "\n")
    return path


def _arguments(tmp_path: Path, output: str, **changes: object) -> argparse.Namespace:
    synth = tmp_path / "synth.jsonl"
    if not synth.exists():
        _as_file(_made_up(), synth)
    values = {"synth": synth, "dev": None, "output": tmp_path / output, "seed": 7, **changes}
    return argparse.Namespace(**values)


def test_the_command_writes_weights_and_figures_and_does_so_again_alike(tmp_path: Path) -> None:
    assert marker_command.run(_arguments(tmp_path, "one")) == 0
    assert marker_command.run(_arguments(tmp_path, "two")) == 0
    first, second = tmp_path / "one", tmp_path / "two"
    for name in (WEIGHTS_FILE, marker_command.METRICS_FILE):
        assert (first / name).read_bytes() == (second / name).read_bytes()
    told = json.loads((first / marker_command.METRICS_FILE).read_text(encoding="utf-8"))
    assert told["recipe"]["seed"] == 7
    assert told["examples"]["repair"].keys() == {"contrast", "example"}
    assert told["metrics"]["cross_validation"]["all"]["relation"]["n"] == 180
    assert set(read_predictor(first / WEIGHTS_FILE).relations) == {"contrast", "example"}


def test_expert_essays_are_only_measured_on(tmp_path: Path, corpora: tuple[Path, Path]) -> None:
    marker_command.run(_arguments(tmp_path, "with", dev=corpora[1]))
    marker_command.run(_arguments(tmp_path, "without"))
    weights = [(tmp_path / name / WEIGHTS_FILE).read_bytes() for name in ("with", "without")]
    assert weights[0] == weights[1]
    text = (tmp_path / "with" / marker_command.METRICS_FILE).read_text(encoding="utf-8")
    assert "masked" in json.loads(text)["metrics"]["expert"]


def test_essays_without_rewrites_teach_nothing(tmp_path: Path) -> None:
    bare = _as_file([TrainingEssay("1", "", "", True, (_OPENING,))], tmp_path / "bare.jsonl")
    with pytest.raises(UsageError):
        marker_command.run(_arguments(tmp_path, "none", synth=bare))
    with pytest.raises(UnreadableFile):
        marker_command.run(_arguments(tmp_path, "none", synth=tmp_path / "missing.jsonl"))


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"relations": ["a", "b"], "weights": {"bias": [1]}}', '{"relations": []}'],
)
def test_damaged_weights_are_a_model_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / WEIGHTS_FILE
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError):
        read_predictor(path)


def test_what_ships_beats_the_guesser_without_eyes_and_says_so() -> None:
    folder = resources_folder() / "markers"
    told = json.loads((folder / marker_command.METRICS_FILE).read_text(encoding="utf-8"))
    for figures in told["metrics"]["cross_validation"].values():
        assert figures["relation"]["at_1"] > figures["majority"]["at_1"]
    chances = relation_probabilities(["Many students work.", "But they are never tired."], 1)
    assert sum(chances.values()) == pytest.approx(1)
    assert set(told["examples"]["repair"]) == set(chances)
