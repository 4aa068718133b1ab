"""What the evaluation commands share: options that read alike, and results that are never lost."""

from __future__ import annotations

import argparse
import importlib
import json
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.research.evaluate_files import check_targets, write_json, write_lines


@pytest.mark.parametrize("command", ["evaluate_command", "evaluate_rewriting_command"])
def test_the_same_option_has_the_same_words_everywhere(command: str) -> None:
    parser = argparse.ArgumentParser()
    importlib.import_module(f"engine.research.{command}").add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    assert "--split FILE a CSV file in DECOR's format" in shown
    assert "also write the scores as JSON" in shown
    assert "whose threshold flags a sentence (default: balanced)" in shown


def test_results_are_json_with_a_last_newline_whatever_the_system(tmp_path: Path) -> None:
    write_json(tmp_path / "scores.json", {"école": 0.5})
    data = (tmp_path / "scores.json").read_bytes()
    assert data == '{\n  "école": 0.5\n}\n'.encode()
    assert json.loads(data) == {"école": 0.5}


def test_what_is_no_number_is_not_written_as_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "scores.json", {"f1": float("nan")})


def test_lines_may_come_from_anywhere(tmp_path: Path) -> None:
    write_lines(tmp_path / "lines.txt", (str(number) for number in range(3)))
    assert (tmp_path / "lines.txt").read_bytes() == b"0\n1\n2\n"


def test_a_folder_cannot_be_written_into_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        write_lines(tmp_path, ["a"])
    with pytest.raises(UsageError, match="no such folder"):
        check_targets(tmp_path, beside=[])


def test_no_result_takes_the_place_of_another(tmp_path: Path) -> None:
    one, other = tmp_path / "a.json", tmp_path / "b.json"
    check_targets(one, None, other, beside=[tmp_path / "corpus.csv"])
    with pytest.raises(UsageError, match="overwritten"):
        check_targets(one, tmp_path / "." / "a.json", beside=[])
    with pytest.raises(UsageError, match="overwritten"):
        check_targets(one, beside=[one])
