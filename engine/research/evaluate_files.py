"""What the evaluation commands share: the options that several have, and writing their results."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.models.manifest import STRICTNESS_LEVELS


def add_split(parser: argparse.ArgumentParser, *, holding: str) -> None:
    """Declare --split; `holding` says what the file must hold."""
    parser.add_argument(
        "--split",
        type=Path,
        required=True,
        metavar="FILE",
        help=f"a CSV file in DECOR's format {holding}",
    )


def add_json(parser: argparse.ArgumentParser, *, what: str) -> None:
    """Declare --json, for writing `what` was measured."""
    parser.add_argument("--json", type=Path, metavar="OUT", help=f"also write the {what} as JSON")


def add_strictness(parser: argparse.ArgumentParser) -> None:
    """Declare --strictness."""
    parser.add_argument(
        "--strictness",
        choices=STRICTNESS_LEVELS,
        default="balanced",
        help="whose threshold flags a sentence (default: %(default)s)",
    )


def check_targets(*targets: Path | None, beside: Sequence[Path]) -> None:
    """A target that cannot be written should not cost a whole run, nor one of the files read.

    Raises UsageError for one that is in no folder, is one of the files `beside`, or comes twice.
    """
    taken = {path.resolve() for path in beside}
    for target in targets:
        if target is None:
            continue
        if target.is_dir() or not target.absolute().parent.is_dir():
            raise UsageError(f"{target} cannot be written: there is no such folder.")
        if target.resolve() in taken:
            raise UsageError(
                f"{target} is needed for something else; it would be overwritten.",
                hint="Give the result another name.",
            )
        taken.add(target.resolve())


def write_json(target: Path, data: Mapping[str, Any]) -> None:
    """Write results as JSON. Raises UsageError where that cannot be done."""
    write_lines(target, [json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)])


def write_lines(target: Path, lines: Iterable[str]) -> None:
    """Write a text file. Raises UsageError where that cannot be done."""
    try:
        with target.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise UsageError(f"{target} cannot be written ({error.strerror}).") from error
