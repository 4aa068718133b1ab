"""`segue train tagger` from corpora to a model folder, in small."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
import torch

from engine.errors import UnreadableFile, UsageError
from engine.models.device import DeviceChoice
from engine.models.manifest import load_manifest, verify
from engine.research.training.command import run
from engine.research.training.config import TrainingConfig, read_config
from engine.resources import resources_folder
from engine.tagger import load
from engine.tagger.linking import LINKING_FILE, LinkingHead
from tests.training.conftest import made_up_essay


def judged(folder: Path, backend: str) -> dict[int, tuple[float, ...]]:
    tagger = load(folder, load_manifest(folder), DeviceChoice(backend, "cpu", ""))
    return {
        index: (judgement.probability or 0.0, *(r.probability for r in judgement.reasons))
        for index, judgement in tagger.judge(made_up_essay(77, 120), "Cities change.").items()
    }


def test_one_command_leaves_a_model_that_judges_and_says_how_it_was_made(
    arguments: argparse.Namespace,
) -> None:
    assert run(arguments) == 0
    manifest = load_manifest(arguments.output)
    verify(arguments.output, manifest, again=True, cache=arguments.work / "verified.json")
    assert manifest.thresholds["few"] > manifest.thresholds["balanced"]
    assert manifest.thresholds["balanced"] > manifest.thresholds["thorough"]
    assert set(manifest.settings["group_thresholds"]) == {
        "cohesion", "consistency", "relevance", "others",
    }  # fmt: skip
    card = (arguments.output / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| detection | 96 |" in card
    assert "`seed`: 3" in card
    assert "## Linking words" in card
    assert "linking.npz" in manifest.files
    loaded = load(arguments.output, manifest, DeviceChoice("onnx", "cpu", ""))
    even = dict.fromkeys(LinkingHead.load(arguments.output / LINKING_FILE).names, 0.25)
    chances = loaded.relations(made_up_essay(77), "Cities change.", {3: even})[3]
    assert sum(chances.values()) == pytest.approx(1.0, abs=1e-5)
    assert chances != pytest.approx(even)
    probabilities = [
        values[0] for index, values in judged(arguments.output, "onnx").items() if index
    ]
    assert len(set(probabilities)) > 60


def test_both_runtimes_read_the_same_file_and_agree(arguments: argparse.Namespace) -> None:
    run(arguments)
    by_onnx, by_torch = judged(arguments.output, "onnx"), judged(arguments.output, "torch")
    for index, values in by_onnx.items():
        assert values[0] == pytest.approx(by_torch[index][0], abs=0.05)


def test_a_stopped_run_goes_on_and_ends_where_an_unbroken_one_does(
    arguments: argparse.Namespace, tmp_path: Path
) -> None:
    run(arguments)
    whole = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
    arguments.work, arguments.output = tmp_path / "broken", tmp_path / "again"
    arguments.minutes = 0.0
    stops = 0
    while run(arguments) == 1:
        stops += 1
    assert stops == 10
    broken = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
    for one, other in zip(whole["history"], broken["history"], strict=True):
        assert one == pytest.approx(other, abs=1e-3)


def test_essays_broken_on_purpose_and_as_typed_are_learned_from_and_a_stopped_run_ends_alike(
    arguments: argparse.Namespace, tmp_path: Path
) -> None:
    recipe = arguments.config.read_text(encoding="utf-8").replace("epochs = 2", "epochs = 1")
    more = "corrupted_epochs = 1\ntyped_epochs = 2\ntyped_share = 0.5\n"
    arguments.config.write_text(recipe + more, encoding="utf-8")
    arguments.originals = tmp_path / "originals.jsonl"
    lines = []
    for line in arguments.synth.read_text(encoding="utf-8").splitlines()[:4]:
        essay = json.loads(line)
        text = " ".join(sentence["text"] for sentence in essay["sentences"])
        original = text.replace("need", "nead").replace("people", "peole")
        both = {"original": original, "corrected": text}
        lines.append(json.dumps({"essay_id": essay["essay_id"], **both}))
    arguments.originals.write_text("\n".join(lines), encoding="utf-8")
    assert run(arguments) == 0
    assert (arguments.work / "corrupted" / "best.pt").exists()
    best, typed, exported = (
        torch.load(arguments.work / name, weights_only=True)
        for name in ("best.pt", "typed.pt", "typed-0.5.pt")
    )
    card = (arguments.output / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "| detection, with slips | " in card
    for name, value in exported.items():
        assert torch.allclose(value, (best[name] + typed[name]) / 2)
    assert any(not torch.equal(value, best[name]) for name, value in exported.items())
    whole = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
    arguments.work, arguments.output = tmp_path / "broken", tmp_path / "again"
    arguments.minutes = 0.0
    for _ in range(100):
        if (arguments.work / "progress.json").exists():
            told = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
            arguments.minutes = float("inf") if told["epoch"] else 0.0
        if run(arguments) == 0:
            break
    broken = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
    assert whole["history"][0] == pytest.approx(broken["history"][0], abs=1e-3)


def test_a_finished_training_is_not_trained_again(arguments: argparse.Namespace) -> None:
    run(arguments)
    before = (arguments.work / "best.pt").stat().st_mtime_ns
    assert run(arguments) == 0
    assert (arguments.work / "best.pt").stat().st_mtime_ns == before


def test_training_stops_early_when_the_expert_essays_say_so(
    arguments: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = iter([0.9, 0.8, 0.7, 0.6])

    def fall(*_: object) -> dict[str, float]:
        return {"detection": 0.5, "criterion": next(figures)}

    monkeypatch.setattr("engine.research.training.judging.DevJudge.__call__", fall)
    arguments.config.write_text("epochs = 4\nbatch = 4\npatience = 1\n", encoding="utf-8")
    run(arguments)
    progress = json.loads((arguments.work / "progress.json").read_text(encoding="utf-8"))
    assert progress["best_epoch"] == 0
    assert len(progress["history"]) == 3


def test_a_missing_corpus_is_named_before_anything_is_done(arguments: argparse.Namespace) -> None:
    arguments.dev = arguments.dev.with_name("nowhere.csv")
    with pytest.raises(UnreadableFile, match=r"nowhere\.csv"):
        run(arguments)
    assert not arguments.work.exists()


def test_the_shipped_recipe_is_a_recipe() -> None:
    assert isinstance(read_config(resources_folder() / "training" / "tagger.toml"), TrainingConfig)


@pytest.mark.parametrize("text", ["epoch = 3", "epochs = 'three'", "epochs ="])
def test_a_recipe_with_a_mistake_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"recipe\.toml"):
        read_config(path)
