"""One finding as the window shows it: where it stands now, and what the writer did with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from engine.analysis import Finding
from engine.spans import Span


class State(StrEnum):
    """Where a finding stands.

    STALE: the text before it (or its own sentence, or the topic) changed since it was judged.
    REMOVED: a teacher crossed it out; students never see it.
    """

    OPEN = "open"
    STALE = "stale"
    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"
    IGNORED = "ignored"
    REMOVED = "removed"


DECIDED = frozenset({State.ACCEPTED, State.EDITED, State.REJECTED, State.IGNORED, State.REMOVED})
"""The states that come from a decision of the writer, or of a teacher."""


@dataclass(frozen=True, slots=True)
class FindingItem:
    """A snapshot of one finding.

    Spans are code points of the session's current text. `span` covers the flagged sentence or,
    after an accept, what stands in its place; None when the sentence is no longer there.
    `sentence` and `anchor_sentence` are the words that the engine judged. `decision` is what the
    writer put in the sentence's place (empty for a deletion and while there is no decision).
    `rewrites_pending` is True while the engine still looks for rewrites of this finding.
    """

    finding: Finding
    sentence: str
    span: Span | None
    state: State
    decision: str = ""
    anchor_span: Span | None = None
    anchor_sentence: str = ""
    rewrites_pending: bool = False

    @property
    def key(self) -> str:
        """What the session's methods and signals call this finding."""
        return self.finding.key

    @property
    def decided(self) -> bool:
        """Whether the writer has answered it."""
        return self.state in DECIDED


@dataclass(frozen=True, slots=True)
class Change:
    """What the editor is to do as one undo step: put `text` in the place of `span` (code points)."""

    span: Span
    text: str
