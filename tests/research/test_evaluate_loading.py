"""`segue evaluate decor` from the command line down to the model folder."""

import argparse
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from engine import tagger
from engine.console import Console
from engine.errors import ModelError
from engine.models.device import DeviceChoice
from engine.models.manifest import Manifest, write_manifest
from engine.research.evaluate_command import add_arguments, load_tagger, run
from engine.scheme import CODES
from tests.fakes import FakeTagger
from tests.research.corpus_files import decor_rows, write_csv

CATS = ["Cats are quiet.", "But they sleep.", "A volcano is hot.", "I like cats."]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model folder whose tagger is the fake one."""
    monkeypatch.setenv("SEGUE_HOME", str(tmp_path / "home"))
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"weights")
    write_manifest(
        folder,
        {
            "id": "segue-tagger-test",
            "role": "tagger",
            "version": "7",
            "formats": {"onnx": "model.onnx"},
            "labels": ["incoherent", *CODES],
            "thresholds": {"few": 0.95, "balanced": 0.5, "thorough": 0.01},
            "settings": {"group_thresholds": {"relevance": 0.99}},
        },
    )

    def load(folder: Path, manifest: Manifest, choice: DeviceChoice) -> FakeTagger:
        assert (folder.name, manifest.id, choice.device) == ("model", "segue-tagger-test", "cpu")
        return FakeTagger()

    monkeypatch.setattr(tagger, "load", load, raising=False)
    return folder


def options(*arguments: object) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args([str(argument) for argument in arguments])


def test_the_model_folder_that_is_named_is_measured(model: Path, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "split.csv", decor_rows("1.txt", CATS, {1: "R3", 2: "R6"}))
    target = tmp_path / "scores.json"
    arguments = options("--split", file, "--model", model, "--device", "cpu", "--json", target)
    assert run(arguments, Console(io.StringIO(), io.StringIO())) == 0
    data = json.loads(target.read_text(encoding="utf-8"))
    assert data["detection"]["weighted_f1"] == 100.0
    assert data["details"]["model"]["version"] == "7"
    # The manifest's threshold for relevance lies above what the fake tagger ever gives.
    assert data["details"]["tasks"]["relevance"]["predicted_positives"] == 0


def test_a_model_that_was_altered_is_refused(model: Path, tmp_path: Path) -> None:
    (model / "model.onnx").write_bytes(b"weighty")
    with pytest.raises(ModelError):
        load_tagger(options("--split", tmp_path / "x.csv", "--model", model, "--device", "cpu"))


@pytest.mark.parametrize(
    ("data", "option"), [("decor", "--plot"), ("rewriting", "--versions"), ("judge", "--against")]
)
def test_the_help_costs_no_library(data: str, option: str) -> None:
    code = (
        "import sys; from engine.cli import main\n"
        f"try: main(['evaluate', '{data}', '--help'])\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'matplotlib', 'torch', 'onnxruntime', 'sklearn'} & set(sys.modules)\n"
        "sys.exit(', '.join(heavy) or 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert option in done.stdout
