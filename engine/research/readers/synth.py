"""Soft-labelled training essays: JSON lines, one essay a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import DamagedCorpus
from engine.research.data import TrainingEssay, TrainingSentence
from engine.research.readers.tables import read_text
from engine.scheme import ReasonCode


def read_synth(path: Path) -> list[TrainingEssay]:
    """Every essay of the file, in order; keys that are not known are passed over.

    An anchor of -1, or one that does not come before its sentence, is None. Raises InputError
    naming the line that cannot be read.
    """
    essays = []
    # Only "\n" ends a line: str.splitlines also breaks at U+2028, which JSON allows in a string.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            essays.append(_essay(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedCorpus(f"{path.name}, line {number}: {_reason(error)}.") from error
    if not essays:
        raise DamagedCorpus(f"{path.name} holds no essays.")
    return essays


def _reason(error: Exception) -> str:
    """What is wrong, without any of the essay's words."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg} at column {error.colno})"
    if isinstance(error, KeyError):
        return f"{error.args[0]} is missing"
    if isinstance(error, ValueError):
        return str(error)
    return "a value is of the wrong kind"


def _essay(data: Mapping[str, Any]) -> TrainingEssay:
    sentences = tuple(_sentence(index, item) for index, item in enumerate(data["sentences"]))
    if not sentences:
        raise ValueError("the essay has no sentences")
    return TrainingEssay(
        essay_id=str(data["essay_id"]),
        topic=data.get("topic") or "",
        l1=data.get("l1") or "",
        complete=bool(data.get("complete", True)),
        sentences=sentences,
    )


def _sentence(index: int, data: Mapping[str, Any]) -> TrainingSentence:
    text = data["text"].strip()
    if not text:
        raise ValueError(f"sentence {index} is empty")
    chance = data.get("p_incoherent")
    if chance is not None and not 0.0 <= float(chance) <= 1.0:
        raise ValueError(f"sentence {index}: p_incoherent is not between 0 and 1")
    anchor = data.get("anchor")
    return TrainingSentence(
        text=text,
        p_incoherent=None if chance is None or index == 0 else float(chance),
        reasons=tuple(_code(index, code) for code in data.get("reasons") or ()),
        anchor=anchor if anchor is not None and 0 <= int(anchor) < index else None,
        rewrite=data.get("rewrite"),
        alternative=data.get("alternative"),
    )


def _code(index: int, code: str) -> ReasonCode:
    try:
        return ReasonCode(code)
    except ValueError as error:
        raise ValueError(f"sentence {index}: {code!r} is no reason code") from error
