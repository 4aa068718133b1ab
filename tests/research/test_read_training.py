"""CoheSentia and the soft-labelled essays."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import DamagedFile, InputError
from engine.research.data import DELETE, as_training
from engine.research.readers import read_cohesentia, read_synth
from engine.scheme import Group, ReasonCode
from tests.research.corpus_files import COHESENTIA_COLUMNS, as_csv

STORY = ["The king was old.", "He ate a sofa.", "His son laughed."]


def story_rows(number: str, flags: dict[int, tuple[str, str, str]]) -> list[dict[str, str]]:
    """One story; `flags` gives cohesion, consistency and relevance of its incoherent sentences."""
    rows = []
    for index, sentence in enumerate(STORY):
        groups = flags.get(index, ("False", "False", "False"))
        cells = (
            number,
            "The king",
            " ".join(STORY[:index]),
            sentence,
            str(index in flags),
            *groups,
        )
        rows.append(dict(zip(COHESENTIA_COLUMNS, cells, strict=True)))
    return rows


def write_stories(path: Path, rows: list[dict[str, str]]) -> Path:
    path.write_text(as_csv(rows, COHESENTIA_COLUMNS), encoding="utf-8")
    return path


def test_cohesentia_true_means_incoherent(tmp_path: Path) -> None:
    rows = story_rows("0", {1: ("False", "True", "True")}) + story_rows("1", {})
    first, second = read_cohesentia(write_stories(tmp_path / "c.csv", rows))
    assert first.sentences == tuple(STORY)
    assert [pair.index for pair in first.pairs] == [0, 1, 2]
    assert [pair.incoherent for pair in first.pairs] == [False, True, False]
    assert first.pairs[1].groups == {Group.CONSISTENCY, Group.RELEVANCE}
    assert not any(pair.incoherent for pair in second.pairs)


def test_cohesentia_openings_stay_unlabelled_for_training(tmp_path: Path) -> None:
    rows = story_rows("0", {1: ("True", "False", "False")})
    (essay,) = as_training(read_cohesentia(write_stories(tmp_path / "c.csv", rows)))
    assert [sentence.p_incoherent for sentence in essay.sentences] == [None, 1.0, 0.0]


def test_a_cohesentia_flag_that_is_no_flag_is_named(tmp_path: Path) -> None:
    rows = story_rows("0", {})
    rows[2]["relevance_per_sent"] = "perhaps"
    with pytest.raises(DamagedFile, match="row 4: relevance_per_sent"):
        read_cohesentia(write_stories(tmp_path / "c.csv", rows))


def essay(**changes: Any) -> dict[str, Any]:
    """A soft-labelled essay in the published form."""
    blank = dict.fromkeys(("p_incoherent", "reasons", "anchor", "rewrite", "alternative"))
    sentences = [
        blank | {"text": "Dogs are loyal."},
        blank | {"text": "They bark.", "p_incoherent": 0.2, "reasons": ["R2"]},
        {
            "text": "Cars are fast.",
            "p_incoherent": 0.9,
            "reasons": ["R6", "R1"],
            "anchor": 1,
            "rewrite": "DELETE",
            "alternative": "Dogs are fast.",
        },
    ]
    whole = {"essay_id": "7", "topic": "Pets.", "l1": "ITA", "complete": True}
    return whole | {"sentences": sentences} | changes


def write_lines(path: Path, *essays: object) -> Path:
    lines = [json.dumps(item, ensure_ascii=False) for item in essays]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_soft_labels_are_read_whole(tmp_path: Path) -> None:
    (read,) = read_synth(write_lines(tmp_path / "s.jsonl", essay()))
    assert (read.essay_id, read.topic, read.l1, read.complete) == ("7", "Pets.", "ITA", True)
    opening, _, last = read.sentences
    assert opening.p_incoherent is None
    assert (last.p_incoherent, last.anchor, last.rewrite) == (0.9, 1, DELETE)
    assert last.reasons == (ReasonCode.R6, ReasonCode.R1)
    assert last.alternative == "Dogs are fast."


@pytest.mark.parametrize("anchor", [-1, None, 2, 5])
def test_an_anchor_is_an_earlier_sentence_or_none(tmp_path: Path, anchor: int | None) -> None:
    item = essay()
    item["sentences"][2]["anchor"] = anchor
    (read,) = read_synth(write_lines(tmp_path / "s.jsonl", item))
    assert read.sentences[2].anchor is None


def test_an_unknown_first_language_is_empty(tmp_path: Path) -> None:
    (read,) = read_synth(write_lines(tmp_path / "s.jsonl", essay(l1=None, complete=False)))
    assert (read.l1, read.complete) == ("", False)


def test_a_line_separator_inside_a_text_does_not_end_the_line(tmp_path: Path) -> None:
    item = essay()
    item["sentences"][1]["text"] = "They\u2028bark."
    assert len(read_synth(write_lines(tmp_path / "s.jsonl", item, essay()))) == 2


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"p_incoherent": 1.5}, "sentence 1: p_incoherent"),
        ({"reasons": ["R9"]}, "sentence 1: 'R9' is no reason code"),
        ({"text": "  "}, "sentence 1 is empty"),
        ({"text": 3}, "a value is of the wrong kind"),
    ],
)
def test_a_damaged_sentence_is_named_by_its_line(
    tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    item = essay()
    item["sentences"][1] |= changes
    with pytest.raises(DamagedFile) as caught:
        read_synth(write_lines(tmp_path / "s.jsonl", essay(), item))
    assert f"line 2: {says}" in caught.value.message
    assert "word processor" not in caught.value.hint


@pytest.mark.parametrize("line", ['{"essay_id": "1", "sent', "[]", "3", '{"essay_id": "1"}'])
def test_a_line_that_is_no_essay_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(essay()) + "\n" + line, encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_synth(path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(DamagedFile):
        read_synth(path)
