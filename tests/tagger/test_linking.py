"""The head that corrects what word cues say of the relation between two sentences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.tagger.heads import FloatArray
from engine.tagger.linking import LinkingHead

NAMES = ("contrast", "result")


def arrays(*, vector: float = 0.0, cues: float = 1.0) -> dict[str, FloatArray]:
    """A head over vectors of width 2: the first number of the sentence's speaks for a result."""
    weight = np.zeros((4, 2), dtype=np.float32)
    weight[0] = (-vector, vector)
    return {
        "centre": np.zeros(4, dtype=np.float32),
        "scale": np.ones(4, dtype=np.float32),
        "weight": weight,
        "bias": np.zeros(2, dtype=np.float32),
        "cue_weight": np.eye(2, dtype=np.float32) * cues,
    }


def _say(head: LinkingHead, cued: dict[str, float], first: float = 1.0) -> dict[str, float]:
    vector = np.array([first, 0.0], dtype=np.float32)
    return head.chances(cued, vector, np.zeros(2, dtype=np.float32))


def test_without_weights_on_vectors_the_cues_are_the_answer() -> None:
    found = _say(LinkingHead(NAMES, arrays()), {"contrast": 0.3, "result": 0.7})
    assert found == pytest.approx({"contrast": 0.3, "result": 0.7})


def test_the_vector_can_turn_what_the_cues_say() -> None:
    head = LinkingHead(NAMES, arrays(vector=2.0))
    cued = {"contrast": 0.7, "result": 0.3}
    assert _say(head, cued)["result"] > 0.9
    assert _say(head, cued, first=-1.0)["contrast"] > 0.9


def test_a_relation_that_the_cues_do_not_know_is_unlikely_not_an_error() -> None:
    found = _say(LinkingHead(NAMES, arrays()), {"contrast": 1.0})
    assert found["result"] < 0.001
    assert sum(found.values()) == pytest.approx(1.0)


def test_a_written_head_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "linking.npz"
    np.savez(path, names=np.array(NAMES), **arrays(vector=2.0))  # type: ignore[arg-type]
    cued = {"contrast": 0.5, "result": 0.5}
    written = LinkingHead(NAMES, arrays(vector=2.0))
    assert _say(LinkingHead.load(path), cued) == pytest.approx(_say(written, cued))


@pytest.mark.parametrize("damage", ["cut", "missing", "shape", "scalar", "width", "nan"])
def test_a_damaged_head_is_a_model_error(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "linking.npz"
    held = arrays()
    if damage == "missing":
        del held["bias"]
    if damage == "shape":
        held["bias"] = np.zeros(3, dtype=np.float32)
    if damage == "scalar":
        held["weight"] = np.zeros((), dtype=np.float32)
    if damage == "width":
        held["weight"] = np.zeros((3, 2), dtype=np.float32)
    if damage == "nan":
        held["weight"] = held["weight"] * np.float32("nan")
    np.savez(path, names=np.array(NAMES), **held)  # type: ignore[arg-type]
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ModelError, match=r"linking\.npz"):
        LinkingHead.load(path)
