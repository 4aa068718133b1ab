from pathlib import Path

import numpy as np
import pytest

from engine.errors import ModelError
from engine.tagger.edit_head import EditHead, phrase
from engine.tagger.edit_labels import LABELS_FILE, PLAIN, write_labels

LABELS = (*PLAIN, "replace:however ,", "append:not", "prepend:for example ,", "append:,")
TEXT = "But parks help people a lot."
OFFSETS = [(0, 3), (4, 9), (10, 14), (15, 21), (22, 23), (24, 27), (27, 28)]


def head() -> EditHead:
    """A head whose states are the logits themselves."""
    return EditHead(
        np.eye(len(LABELS), dtype=np.float32), np.zeros(len(LABELS), np.float32), LABELS
    )


def states(chances: dict[tuple[int, str], float]) -> np.ndarray:
    """Logits by which each word keeps what is left over."""
    table = np.full((len(OFFSETS), len(LABELS)), 1e-6)
    for (word, label), chance in chances.items():
        table[word, LABELS.index(label)] = chance
    table[:, 0] = 1.0 - table[:, 1:].sum(axis=1)
    return np.log(table).astype(np.float32)


def told(chances: dict[tuple[int, str], float]) -> list[tuple[str, float]]:
    """The sentence after each likely edit, with its chance."""
    found = head().likely(states(chances), TEXT, OFFSETS)
    return [
        (TEXT[: edit.start] + edit.new + TEXT[edit.end :], round(edit.chance, 3)) for edit in found
    ]


def test_nothing_is_changed_where_every_word_is_kept() -> None:
    assert told({}) == []


def test_the_likeliest_edit_comes_first() -> None:
    assert told({(0, "replace:however ,"): 0.6, (2, "append:not"): 0.1}) == [
        ("however, parks help people a lot.", 0.6),
        ("But parks help not people a lot.", 0.1),
    ]


def test_words_deleted_after_a_replaced_one_go_with_it() -> None:
    chances = {(0, "replace:however ,"): 0.4, (1, "delete"): 0.7}
    assert ("however, help people a lot.", 0.4) in told(chances)


def test_a_run_of_deleted_words_is_one_edit_without_its_space() -> None:
    assert told({(4, "delete"): 0.8, (5, "delete"): 0.2 + 0.6}) == [("But parks help people.", 0.8)]


def test_a_deleted_opening_leaves_no_space() -> None:
    assert told({(0, "delete"): 0.9}) == [("parks help people a lot.", 0.9)]


def test_only_the_opening_word_has_something_put_before_it() -> None:
    chances = {(0, "prepend:for example ,"): 0.3, (3, "prepend:for example ,"): 0.3}
    assert told(chances) == [("for example, But parks help people a lot.", 0.3)]


def test_a_comma_is_appended_without_a_space() -> None:
    assert told({(0, "append:,"): 0.5}) == [("But, parks help people a lot.", 0.5)]


def test_a_sentence_without_words_has_no_edits() -> None:
    assert head().likely(np.zeros((0, len(LABELS)), np.float32), "", []) == ()


def test_commas_stand_close() -> None:
    assert phrase("however , it is") == "however, it is"


def test_a_model_without_labels_has_no_edit_head(tmp_path: Path) -> None:
    assert EditHead.load(tmp_path) is None


def test_labels_that_do_not_fit_the_weights_are_a_model_error(tmp_path: Path) -> None:
    write_labels(tmp_path / LABELS_FILE, LABELS)
    np.savez(tmp_path / "heads.npz", edits_weight=np.zeros((4, 3)), edits_bias=np.zeros(3))
    with pytest.raises(ModelError, match="do not fit"):
        EditHead.load(tmp_path)
    (tmp_path / "heads.npz").write_bytes(b"no archive")
    with pytest.raises(ModelError, match=r"heads\.npz"):
        EditHead.load(tmp_path)
