"""A sentence that is like no other of its essay is told from those that are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from engine.errors import Cancelled
from engine.tagger.similarity import Similarity, load_similarity

WORDS = (
    "the a is are my our has school teachers lessons uniforms clothes volcano lava hot it".split()
)
SUBJECT = {"school": 0, "teachers": 0, "lessons": 0, "uniforms": 0, "clothes": 0}
ESSAY = [
    "Our school has teachers lessons uniforms.",
    "The teachers are our school uniforms.",
    "My school lessons are our clothes.",
    "A volcano is hot lava volcano.",
    "Our lessons are the teachers clothes.",
    "The school uniforms are my clothes.",
]


class WordEncoder:
    """Hidden states that say which of two things a word is about; counts its passes."""

    def __init__(self) -> None:
        self.passes = 0

    def hidden(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        self.passes += 1
        rows = []
        for token in tokens:
            word = WORDS[token] if token < len(WORDS) else "the"
            about = 0 if word in SUBJECT else 1 if word in {"volcano", "lava", "hot"} else None
            rows.append([float(about == 0), float(about == 1), 0.01])
        return np.array(rows, dtype=np.float32)


@pytest.fixture
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.fixture
def strangers(encoder: WordEncoder) -> Callable[..., set[int]]:
    vocabulary = {word: number for number, word in enumerate(WORDS)} | {"[UNK]": len(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    similarity = Similarity(tokenizer, encoder)

    def find(essay: Sequence[str], topic: str = "", **options: object) -> set[int]:
        cancel = options.get("check_cancelled", lambda: None)
        asked = range(1, len(essay))
        return similarity.strangers(essay, topic, asked, check_cancelled=cancel)  # type: ignore[arg-type]

    return find


def test_a_sentence_about_something_else_is_a_stranger(strangers: Callable[..., set[int]]) -> None:
    assert strangers(ESSAY) == {3}


def test_what_the_topic_is_about_is_none(strangers: Callable[..., set[int]]) -> None:
    assert strangers(ESSAY, "The volcano is hot") == set()


def test_two_that_are_alike_are_none(strangers: Callable[..., set[int]]) -> None:
    assert strangers([*ESSAY, "The lava volcano is a hot volcano."]) == set()


def test_a_sentence_that_points_back_is_none(strangers: Callable[..., set[int]]) -> None:
    assert strangers([*ESSAY[:3], "It is a hot volcano lava.", *ESSAY[4:]]) == set()


def test_few_words_or_few_sentences_tell_nothing(strangers: Callable[..., set[int]]) -> None:
    assert strangers([*ESSAY[:3], "The volcano is hot.", *ESSAY[4:]]) == set()
    assert strangers(ESSAY[1:]) == set()


def test_each_text_is_read_once_however_often_it_is_asked_about(
    strangers: Callable[..., set[int]], encoder: WordEncoder
) -> None:
    strangers(ESSAY)
    assert encoder.passes == len(ESSAY)
    strangers([*ESSAY, "Our uniforms are the school clothes."])
    assert encoder.passes == len(ESSAY) + 1


def test_it_stops_before_the_next_text(
    strangers: Callable[..., set[int]], encoder: WordEncoder
) -> None:
    def stop() -> None:
        if encoder.passes == 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        strangers(ESSAY, check_cancelled=stop)
    assert encoder.passes == 2


def test_a_model_folder_without_the_file_has_none(tmp_path: Path) -> None:
    assert load_similarity(tmp_path) is None
