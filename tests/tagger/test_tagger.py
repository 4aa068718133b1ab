"""The tagger around a small made-up encoder: order, `only`, anchors, pieces, cancelling."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, pre_tokenizers

from engine.errors import BackendError, Cancelled, ModelError
from engine.models.device import DeviceChoice
from engine.models.manifest import load_manifest, write_manifest
from engine.scheme import CODES, ReasonCode
from engine.tagger.heads import DERIVED, Heads
from engine.tagger.inputs import load_tokenizer
from engine.tagger.linking import LinkingHead
from engine.tagger.surface import FEATURES
from engine.tagger.tagger import REPEATED, Tagger, load

WIDTH = 6
FloatArray = NDArray[np.float32]


class ToyEncoder:
    """Hidden states that depend on the token and on its neighbours; counts its passes."""

    def __init__(self) -> None:
        self.passes = 0

    def hidden(self, tokens: Sequence[int]) -> FloatArray:
        self.passes += 1
        ids = np.array(tokens, dtype=np.float32)[:, None]
        waves = np.sin(ids * np.arange(1, WIDTH + 1, dtype=np.float32))
        result: FloatArray = (waves + 0.1 * np.roll(waves, 1, axis=0)).astype(np.float32)
        return result


def toy_tokenizer() -> Tokenizer:
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2}
    vocabulary |= {f"w{n}": n + 3 for n in range(97)}
    vocabulary["[UNK]"] = 104
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return tokenizer


def toy_arrays() -> dict[str, FloatArray]:
    chance = np.random.default_rng(3)
    count = WIDTH + len(DERIVED) + len(FEATURES)
    shapes: dict[str, tuple[int, ...]] = {
        "detection_weight": (WIDTH,),
        "detection_bias": (),
        "reasons_weight": (WIDTH, 7),
        "reasons_bias": (7,),
        "surprise_weight": (WIDTH,),
        "surprise_bias": (),
        "query_weight": (WIDTH, 4),
        "query_bias": (4,),
        "key_weight": (WIDTH, 4),
        "key_bias": (4,),
        "centre": (count,),
        "scale": (count,),
        "final_detection_weight": (count,),
        "final_detection_bias": (),
        "final_reasons_weight": (count, 7),
        "final_reasons_bias": (7,),
    }
    arrays = {
        name: np.asarray(chance.normal(size=shape), np.float32) for name, shape in shapes.items()
    }
    arrays["scale"] = np.ones(count, dtype=np.float32) * 5
    return arrays


@pytest.fixture
def encoder() -> ToyEncoder:
    return ToyEncoder()


@pytest.fixture
def tagger(encoder: ToyEncoder) -> Tagger:
    return Tagger(toy_tokenizer(), Heads(toy_arrays()), encoder)


def essay(count: int, words: int = 12) -> list[str]:
    return [
        " ".join(f"w{(7 * n + 13 * at) % 97}" for at in range(words + n % 5)) for n in range(count)
    ]


def test_every_sentence_is_judged_and_the_first_has_no_probability(tagger: Tagger) -> None:
    judged = tagger.judge(essay(9), "w1 w2")
    assert sorted(judged) == list(range(9))
    assert judged[0].probability is None
    assert all(0.0 < (judged[n].probability or 0.0) < 1.0 for n in range(1, 9))


def test_reasons_are_all_seven_most_likely_first_and_add_up_to_one(tagger: Tagger) -> None:
    reasons = tagger.judge(essay(4), "")[2].reasons
    values = [reason.probability for reason in reasons]
    assert {reason.code for reason in reasons} == set(CODES)
    assert values == sorted(values, reverse=True)
    assert sum(values) == pytest.approx(1.0, abs=1e-5)


def test_an_anchor_is_an_earlier_sentence(tagger: Tagger) -> None:
    judged = tagger.judge(essay(80), "w5")
    for index in range(1, 80):
        anchor = judged[index].anchor
        assert anchor is not None
        assert 0 <= anchor < index


def test_a_sentence_that_is_repeated_word_for_word_is_called_an_aside(tagger: Tagger) -> None:
    claim = "parks are good for all people"
    repeated = ["cities grow", claim, "people need parks"]
    essay = [*repeated, claim, "parks are green", "cities need people"]
    told = tagger.judge(essay, "")[len(repeated)]
    assert told.probability is not None
    assert told.probability >= REPEATED
    assert told.reasons[0].code is ReasonCode.R6
    assert sum(reason.probability for reason in told.reasons) == pytest.approx(1.0, abs=1e-5)


def test_asking_for_a_few_gives_what_asking_for_all_gives(tagger: Tagger) -> None:
    sentences = essay(120)
    everything = tagger.judge(sentences, "w4")
    assert tagger.judge(sentences, "w4", [3, 77]) == {n: everything[n] for n in (3, 77)}


def test_asking_for_a_few_reads_only_their_windows(tagger: Tagger, encoder: ToyEncoder) -> None:
    sentences = essay(300)
    tagger.judge(sentences, "")
    whole = encoder.passes
    tagger.judge(sentences, "", [150])
    assert encoder.passes == whole + 1


def test_the_same_words_give_the_same_judgements(tagger: Tagger) -> None:
    assert tagger.judge(essay(50), "w9") == tagger.judge(essay(50), "w9")


def test_three_hundred_sentences_are_all_judged(tagger: Tagger) -> None:
    assert len(tagger.judge(essay(300), "")) == 300


def test_a_sentence_longer_than_a_window_gets_one_judgement(tagger: Tagger) -> None:
    sentences = ["w1 w2 .", " ".join(["w3 w4 w5"] * 400), "w6"]
    assert sorted(tagger.judge(sentences, "")) == [0, 1, 2]


def test_sentences_of_unknown_signs_are_judged(tagger: Tagger) -> None:
    judged = tagger.judge(["w1", "👩‍👩‍👧 𝔘", "", "w2"], "")
    assert judged[1].probability is not None
    assert judged[2].probability is not None


def test_the_same_sentence_is_as_like_as_can_be_and_others_are_less(tagger: Tagger) -> None:
    assert tagger.likeness("w1 w2 w3", "w1 w2 w3") == pytest.approx(1, abs=1e-5)
    assert tagger.likeness("w1 w2 w3", "w40 w41 w42 w43") < 0.99
    assert tagger.likeness("", "w1") == pytest.approx(tagger.likeness("w1", ""))


def test_no_sentence_or_one_needs_no_pass(tagger: Tagger, encoder: ToyEncoder) -> None:
    assert tagger.judge([], "w1") == {}
    assert tagger.judge(["w1"], "w1")[0].probability is None
    assert encoder.passes == 0


def test_cancelling_is_asked_before_each_pass(tagger: Tagger, encoder: ToyEncoder) -> None:
    def stop_after_two() -> None:
        if encoder.passes == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        tagger.judge(essay(300), "", check_cancelled=stop_after_two)
    assert encoder.passes == 2


def test_heads_that_lack_an_array_are_a_model_error(tmp_path: Path) -> None:
    arrays = toy_arrays()
    del arrays["scale"]
    np.savez(tmp_path / "heads.npz", **arrays)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match=r"heads\.npz"):
        Heads.load(tmp_path / "heads.npz")


def test_heads_cut_short_are_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "heads.npz"
    np.savez(path, **toy_arrays())  # type: ignore[arg-type]
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ModelError, match=r"heads\.npz"):
        Heads.load(path)


def test_a_tokenizer_that_is_no_json_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        load_tokenizer(tmp_path / "tokenizer.json")


def test_a_weight_file_that_is_no_graph_is_a_model_error(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a graph")
    toy_tokenizer().save(str(tmp_path / "tokenizer.json"))
    np.savez(tmp_path / "heads.npz", **toy_arrays())  # type: ignore[arg-type]
    write_manifest(
        tmp_path,
        {
            "id": "toy",
            "role": "tagger",
            "version": "1",
            "formats": {"onnx": "model.onnx"},
            "labels": ["incoherent"],
            "thresholds": {"few": 0.6, "balanced": 0.5, "thorough": 0.4},
        },
    )
    manifest = load_manifest(tmp_path)
    with pytest.raises(ModelError, match=r"model\.onnx"):
        load(tmp_path, manifest, DeviceChoice("onnx", "cpu", ""))


def test_an_unknown_backend_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"")
    write_manifest(
        tmp_path,
        {
            "id": "toy",
            "role": "tagger",
            "version": "1",
            "formats": {"abacus": "model.bin"},
            "labels": ["incoherent"],
            "thresholds": {"few": 0.6, "balanced": 0.5, "thorough": 0.4},
        },
    )
    with pytest.raises(BackendError, match="abacus"):
        load(tmp_path, load_manifest(tmp_path), DeviceChoice("abacus", "cpu", ""))


def test_relations_are_read_from_the_sentence_and_the_one_before(encoder: ToyEncoder) -> None:
    sentences = [f"w{n} w{n + 1}" for n in range(8)]
    chance = np.random.default_rng(4)
    arrays = {
        "centre": np.zeros(2 * WIDTH, dtype=np.float32),
        "scale": np.ones(2 * WIDTH, dtype=np.float32),
        "weight": chance.normal(size=(2 * WIDTH, 2)).astype(np.float32),
        "bias": np.zeros(2, dtype=np.float32),
        "cue_weight": np.eye(2, dtype=np.float32),
    }
    head = LinkingHead(("contrast", "result"), arrays)
    tagger = Tagger(toy_tokenizer(), Heads(toy_arrays()), encoder, head)
    cued = {index: {"contrast": 0.5, "result": 0.5} for index in (1, 4, 5)}
    found = tagger.relations(sentences, "", cued)
    assert sorted(found) == [1, 4, 5]
    assert encoder.passes == 1
    vectors = tagger.read(sentences, "", [3, 4]).vectors
    assert found[4] == pytest.approx(head.chances(cued[4], vectors[1], vectors[0]))


def test_without_a_linking_head_the_cues_stand_and_nothing_is_read(encoder: ToyEncoder) -> None:
    tagger = Tagger(toy_tokenizer(), Heads(toy_arrays()), encoder)
    assert tagger.relations(["w1", "w2"], "", {1: {"result": 1.0}}) == {1: {"result": 1.0}}
    assert encoder.passes == 0
