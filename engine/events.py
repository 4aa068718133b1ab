"""What a check reports while it runs: plain events, in-process and over the worker protocol.

A check sends `Progress` at each step, `Scored` once every sentence is judged, `Found` for each
finding (first without rewrites, then again, under the same key, with them) and `Finished` last.
While a language model writes, `Writing` comes between them from whoever listens to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.analysis import Analysis, Finding, ScoredSentence, finding_from_dict
from engine.essay import Essay
from engine.plain_data import read_back

STAGES = ("reading", "judging", "rewriting")
"""The stages of a check, in order."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the check is: `done` of `total` sentences in this stage."""

    stage: str
    done: int
    total: int

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {"event": "progress", "stage": self.stage, "done": self.done, "total": self.total}


@dataclass(frozen=True, slots=True)
class Scored:
    """Every sentence of the essay with its probability."""

    sentences: tuple[ScoredSentence, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {"event": "scored", "sentences": [s.as_dict() for s in self.sentences]}


@dataclass(frozen=True, slots=True)
class Found:
    """One finding; a later one with the same key replaces it."""

    finding: Finding

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {"event": "found", "finding": self.finding.as_dict()}


@dataclass(frozen=True, slots=True)
class Writing:
    """A language model is editing a sentence: its index, and the draft as far as it is written.

    Later ones on the same sentence take its place; what becomes of the draft, `Found` tells.
    """

    sentence: int
    text: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {"event": "writing", "sentence": self.sentence, "text": self.text}


@dataclass(frozen=True, slots=True)
class Finished:
    """The check is done; nothing follows."""

    analysis: Analysis

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {"event": "finished", "analysis": self.analysis.as_dict()}


Event = Progress | Scored | Found | Writing | Finished
EventListener = Callable[[Event], None]


def event_from_dict(data: Mapping[str, Any]) -> Event:
    """Read back what `as_dict` wrote; keys that are not the event's own are passed over.

    Raises ValueError on an event that is not one of these or a value of another type, KeyError
    on a missing field.
    """
    name = data["event"]
    if name == "progress":
        return read_back(Progress, data)
    if name == "scored":
        return Scored(tuple(ScoredSentence.from_dict(s) for s in data["sentences"]))
    if name == "found":
        return Found(finding_from_dict(data["finding"]))
    if name == "writing":
        return read_back(Writing, data)
    if name == "finished":
        return Finished(Analysis.from_dict(data["analysis"]))
    raise ValueError(f"unknown event {name!r}")


class ChecksEssays(Protocol):
    """What commands, the class queue and the worker need of `engine.pipeline.Engine`."""

    def warm(self) -> None:
        """Load the model."""

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        rewrites: bool = True,
        correct_grammar: bool = False,
        on_event: EventListener | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        """Judge an essay."""
        ...
