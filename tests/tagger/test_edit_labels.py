from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ModelError
from engine.tagger.edit_labels import (
    DELETE,
    KEEP,
    first_tokens,
    labels_between,
    read_labels,
    word_spans,
    write_labels,
)

WORDS = st.lists(
    st.sampled_from("but however , so the a park parks is good bad not".split()), max_size=7
)


def changed(old: str, new: str) -> dict[str, str]:
    """The labels that are not "keep", by the word that has them."""
    words = [old[start:end] for start, end in word_spans(old)]
    labels = labels_between(old, new)
    return {word: label for word, label in zip(words, labels, strict=True) if label != KEEP}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("But parks help.", "However, parks help.", {"But": "replace:however ,"}),
        ("Parks help.", "For example, parks help.", {"Parks": "prepend:for example ,"}),
        ("And now parks help.", "Now parks help.", {"And": DELETE}),
        ("Parks help people.", "Parks do not help people.", {"Parks": "append:do not"}),
        ("It is the main part of it.", "It is most of it.", {"the": "replace:most", "main": DELETE, "part": DELETE}),
        ("if parks help", "If parks help", {}),
        ("I don’t help.", "I don’t help them.", {"help": "append:them"}),
        ("", "New words.", {}),
    ],
)  # fmt: skip
def test_each_word_says_what_becomes_of_it(old: str, new: str, expected: dict[str, str]) -> None:
    assert changed(old, new) == expected


@given(WORDS, WORDS)
def test_labels_tell_the_new_sentence_from_the_old(old: list[str], new: list[str]) -> None:
    labels = labels_between(" ".join(old), " ".join(new))
    assert len(labels) == len(old)
    rebuilt: list[str] = []
    for word, label in zip(old, labels, strict=True):
        kind, _, phrase = label.partition(":")
        if kind == "other":
            return
        if kind in {"replace", "prepend"}:
            rebuilt += phrase.split()
        if kind in {"keep", "append", "prepend"}:
            rebuilt.append(word)
        if kind == "append":
            rebuilt += phrase.split()
    if old:
        assert rebuilt == new


def test_a_word_is_found_at_the_first_of_its_tokens_and_a_hidden_one_not_at_all() -> None:
    assert first_tokens([(0, 5), (6, 9), (10, 11)], [(0, 3), (3, 5), (6, 9), (9, 9)]) == [0, 2, -1]


def test_labels_are_read_back_as_written(tmp_path: Path) -> None:
    labels = ("keep", "delete", "other", "replace:however ,", "append:é")
    write_labels(tmp_path / "labels.json", labels)
    assert read_labels(tmp_path / "labels.json") == labels


@pytest.mark.parametrize("text", ["", "[1, 2]", '{"keep": 0}', "\x00"])
def test_a_damaged_file_of_labels_is_a_model_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match=r"labels\.json"):
        read_labels(path)
