"""The model in the box: whole, deterministic, the same in both runtimes, every sentence judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.analysis import Judgement
from engine.documents import load as load_essay
from engine.models.device import DeviceChoice
from engine.models.manifest import STRICTNESS_LEVELS, Manifest, load_manifest, verify
from engine.models.store import default_store
from engine.resources import resources_folder
from engine.rewriter.checks import LEAST_LIKENESS
from engine.scheme import ReasonCode
from engine.tagger import Tagger, load

TOLERANCE = 0.04
"""Probabilities of the two runtimes differ by less: one rounds activations to 8 bits, one not."""
MEAN_TOLERANCE = 0.01

EMOJI_ESSAY = [
    "I like living in the city 🏙️ because there is always something to do.",
    "My family 👨‍👩‍👧‍👦 and my friends live near me, so we meet every day.",
    "But the prices are 𝓿𝓮𝓻𝔂 high, e.g. a café costs five euros.",
    "Dogs have four legs.",
    "للمدينة مزايا كثيرة and many people know it.",
]


@pytest.fixture(scope="module")
def folder() -> Path:
    return default_store().find("tagger")


@pytest.fixture(scope="module")
def manifest(folder: Path) -> Manifest:
    return load_manifest(folder)


@pytest.fixture(scope="module")
def tagger(folder: Path, manifest: Manifest) -> Tagger:
    return load(folder, manifest, DeviceChoice("onnx", "cpu", ""))


def long_essay() -> list[str]:
    names = ("city-life.txt", "studying-abroad.docx")
    essays = [load_essay(resources_folder() / "samples" / name) for name in names]
    return [sentence.text for essay in essays for sentence in essay.sentences] * 3


def test_the_folder_is_what_its_manifest_says(
    folder: Path, manifest: Manifest, tmp_path: Path
) -> None:
    verify(folder, manifest, again=True, cache=tmp_path / "verified.json")
    assert manifest.licence == "Apache-2.0"
    assert (folder / "MODEL_CARD.md").is_file()


def test_it_fits_in_the_box(manifest: Manifest) -> None:
    assert sum(record.bytes for record in manifest.files.values()) < 150_000_000


def test_strictness_moves_from_sure_to_thorough(manifest: Manifest) -> None:
    points = [manifest.operating_points[level] for level in STRICTNESS_LEVELS]
    precision = [point["precision"] for point in points]
    recall = [point["recall"] for point in points]
    assert precision == sorted(precision, reverse=True)
    assert recall == sorted(recall)
    assert all(point["n"] == 504 for point in points)


def test_emoji_and_other_scripts_are_judged(tagger: Tagger) -> None:
    judged = tagger.judge(EMOJI_ESSAY, "City life is better than country life.")
    assert sorted(judged) == list(range(len(EMOJI_ESSAY)))
    assert all(judged[index].probability is not None for index in range(1, len(EMOJI_ESSAY)))


def test_an_intruder_is_more_suspicious_than_what_fits_its_place(tagger: Tagger) -> None:
    essay = [
        "I believe that public transport should be free in big cities.",
        "First, free buses and trains would help people who do not have much money.",
        "My cat likes to sleep on the yellow sofa in the afternoon.",
        "For example, students could travel to school without paying every day.",
    ]
    fitting = [*essay[:2], "They could spend that money on food and rent instead.", essay[3]]
    topic = "Public transport should be free."
    intruder, plain = (chance(tagger.judge(each, topic)[2]) for each in (essay, fitting))
    assert intruder > plain + 0.1


def test_judging_twice_gives_the_same(tagger: Tagger) -> None:
    sentences = long_essay()
    assert tagger.judge(sentences, "City life") == tagger.judge(sentences, "City life")


def test_every_sentence_of_a_long_essay_is_judged_once(tagger: Tagger) -> None:
    sentences = long_essay()
    assert sorted(tagger.judge(sentences, "")) == list(range(len(sentences)))


@pytest.mark.parametrize("name", ["emoji", "long"])
def test_torch_gives_what_onnx_gives(
    folder: Path, manifest: Manifest, tagger: Tagger, name: str
) -> None:
    sentences = EMOJI_ESSAY if name == "emoji" else long_essay()
    by_torch = load(folder, manifest, DeviceChoice("torch", "cpu", "")).judge(
        sentences, "City life"
    )
    by_onnx = tagger.judge(sentences, "City life")
    gaps = [abs(chance(by_torch[n]) - chance(by_onnx[n])) for n in range(1, len(sentences))]
    assert max(gaps) < TOLERANCE
    assert sum(gaps) / len(gaps) < MEAN_TOLERANCE
    cut = manifest.thresholds["balanced"]
    for n in range(1, len(sentences)):
        clear = abs(chance(by_onnx[n]) - cut) > TOLERANCE
        same = (chance(by_onnx[n]) >= cut) == (chance(by_torch[n]) >= cut)
        assert same or not clear


def chance(judgement: Judgement) -> float:
    return judgement.probability or 0.0


def test_a_rewrite_is_more_like_its_sentence_than_another_sentence_is(tagger: Tagger) -> None:
    sentence = "But the rents in the city are too high for students."
    same = tagger.likeness(sentence, "However, rents in the city are too high for students.")
    other = tagger.likeness(sentence, "My grandmother keeps three cats on her farm.")
    assert same > LEAST_LIKENESS > other


@pytest.mark.parametrize(
    ("name", "planted"),
    [
        ("city-life.txt", "My cousin has a red car"),
        ("studying-abroad.docx", "A café usually sells coffee"),
        ("learning-with-computers.txt", "Therefore, my little brother is eleven"),
    ],
)
def test_a_plain_sentence_from_elsewhere_is_off_topic(
    tagger: Tagger, manifest: Manifest, name: str, planted: str
) -> None:
    essay = load_essay(resources_folder() / "samples" / name)
    texts = [sentence.text for sentence in essay.sentences]
    at = next(number for number, text in enumerate(texts) if text.startswith(planted))
    told = tagger.judge(texts, essay.topic)[at]
    assert told.probability is not None
    assert told.probability >= manifest.thresholds["balanced"]
    assert told.reasons[0].code is ReasonCode.R5
