"""What a check finds, and what the writer decides: plain data that no model runtime touches.

Offsets are code points of the essay's text. The JSON form is the public contract
`segue.check/1`; see `Analysis.as_dict`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from engine import layout
from engine.essay import Notice
from engine.plain_data import read_back
from engine.scheme import ReasonCode
from engine.spans import Span

SCHEMA = "segue.check/1"


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason code with the probability that it applies, given that the sentence is flagged."""

    code: ReasonCode
    probability: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the tagger says of one sentence.

    `probability` is P(incoherent), None for the first sentence, which has no context. `reasons`
    holds all seven codes, most likely first. `anchor` is the index of the earlier sentence that
    this one should connect to, None where there is none.
    """

    probability: float | None
    reasons: tuple[Reason, ...] = ()
    anchor: int | None = None


Scorer = Callable[[Sequence[str], str, Collection[int]], Mapping[int, Judgement]]
"""All sentences of an essay in order, its topic, and the indexes to judge -> their judgements.

Only the stretches of text that the asked-for sentences need are read, so asking for a few
sentences of a long essay is cheap. One call costs one pass however many are asked for.
"""

Relater = Callable[
    [Sequence[str], str, Mapping[int, Mapping[str, float]]], Mapping[int, Mapping[str, float]]
]
"""sentences without linking words, topic, P(relation) by word cues -> P(relation), by index."""


class Action(StrEnum):
    """What a rewrite does with the sentence."""

    REPLACE = "replace"
    DELETE = "delete"


class EditKind(StrEnum):
    """What a word-level edit does."""

    INSERT = "insert"
    DELETE = "delete"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class Edit:
    """One word-level change inside a sentence; offsets count from the sentence's start."""

    kind: EditKind
    start: int
    end: int
    old: str
    new: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON output."""
        return {
            "kind": self.kind.value,
            "start": self.start,
            "end": self.end,
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A minimal rewrite, or the suggestion to delete.

    `text` is the new sentence, empty for a deletion. `probability_after` is the tagger's
    P(incoherent) with the rewrite in place; for a deletion, that of the sentence that then
    follows the gap (0.0 where none does). `operator` names the kind of edit and `reason` the
    code that it answers. `clears` is False where a mark would remain: such a rewrite is offered
    beside a deletion, as the way to keep the sentence, or alone, where it is sure to be better and
    nothing clears the flag. `writer` names the language model that wrote it, and is empty where a
    rule did.
    """

    action: Action
    text: str
    edits: tuple[Edit, ...]
    probability_after: float
    operator: str = ""
    reason: ReasonCode | None = None
    clears: bool = True
    writer: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON output."""
        told: dict[str, Any] = {
            "action": self.action.value,
            "text": self.text,
            "edits": [edit.as_dict() for edit in self.edits],
            "probability_after": round(self.probability_after, 4),
            "operator": self.operator,
            "reason": None if self.reason is None else self.reason.value,
            "clears": self.clears,
        }
        if self.writer:
            told["writer"] = self.writer
        return told


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence that breaks the flow, why, and what would mend it.

    `sentence` and `anchor` are sentence indexes. `key` identifies the finding by its own words
    and those around it, so that a decision survives edits elsewhere. `rewrites` is empty where
    nothing clears the flag; `note` then says so, and likewise where keeping the sentence does not.
    """

    sentence: int
    probability: float
    reasons: tuple[Reason, ...]
    anchor: int | None
    explanation: str
    rewrites: tuple[Rewrite, ...] = ()
    key: str = ""
    confidence: str = ""
    note: str = ""

    @property
    def code(self) -> ReasonCode:
        """The most likely reason."""
        return self.reasons[0].code

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON output."""
        return {
            "sentence": self.sentence,
            "probability": round(self.probability, 4),
            "reasons": [
                {"code": r.code.value, "probability": round(r.probability, 4)} for r in self.reasons
            ],
            "anchor": self.anchor,
            "explanation": self.explanation,
            "rewrites": [rewrite.as_dict() for rewrite in self.rewrites],
            "key": self.key,
            "confidence": self.confidence,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence's place, its text and its P(incoherent) (None for the first)."""

    span: Span
    text: str
    probability: float | None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON output."""
        probability = None if self.probability is None else round(self.probability, 4)
        return {
            "start": self.span.start,
            "end": self.span.end,
            "text": self.text,
            "probability": probability,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ScoredSentence:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        return cls(read_back(Span, data), data["text"], data["probability"])


@dataclass(frozen=True, slots=True)
class Correction:
    """A mistake that was corrected in what the model read; the writer's own text keeps it.

    `start` and `end` are code points of the essay's text, `sentence` is an index.
    """

    sentence: int
    start: int
    end: int
    old: str
    new: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON output."""
        return {
            "sentence": self.sentence,
            "start": self.start,
            "end": self.end,
            "old": self.old,
            "new": self.new,
        }


@dataclass(frozen=True)
class Analysis:
    """The result of checking one essay: every sentence judged, findings in text order.

    `threshold` is the probability from which a sentence is flagged; `model` and `device` say
    what judged it, and why there. `notices` say what the check itself wants known, such as that
    an essay of one sentence has nothing to judge. `corrections` are what was corrected in the text
    before it was judged, None where it was judged as it stands. `writer` says which language model
    wrote beside the rules, None where there was none.
    """

    content_hash: str
    topic: str
    sentences: tuple[ScoredSentence, ...]
    findings: tuple[Finding, ...]
    threshold: float
    model: Mapping[str, Any] = field(default_factory=dict)
    device: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    notices: tuple[Notice, ...] = ()
    corrections: tuple[Correction, ...] | None = None
    writer: Mapping[str, Any] | None = None

    def essay_dict(self) -> dict[str, Any]:
        """This essay's part of the JSON output, without path, notices and error."""
        told: dict[str, Any] = {
            "sentences": [sentence.as_dict() for sentence in self.sentences],
            "findings": [finding.as_dict() for finding in self.findings],
        }
        if self.corrections is not None:
            told["corrections"] = [correction.as_dict() for correction in self.corrections]
        if self.writer is not None:
            told["writer"] = dict(self.writer)
        return told

    def as_dict(self) -> dict[str, Any]:
        """Everything, for the worker protocol and the history; `from_dict` reads it back."""
        return {
            "schema": SCHEMA,
            "content_hash": self.content_hash,
            "topic": self.topic,
            "threshold": self.threshold,
            "model": dict(self.model),
            "device": dict(self.device),
            "seconds": round(self.seconds, 4),
            "notices": [notice.as_dict() for notice in self.notices],
            **self.essay_dict(),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Analysis:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        corrections = data.get("corrections")
        return cls(
            content_hash=data["content_hash"],
            topic=data["topic"],
            sentences=tuple(ScoredSentence.from_dict(s) for s in data["sentences"]),
            findings=tuple(finding_from_dict(f) for f in data["findings"]),
            threshold=data["threshold"],
            model=data["model"],
            device=data["device"],
            seconds=data["seconds"],
            notices=tuple(read_back(Notice, notice) for notice in data["notices"]),
            corrections=None
            if corrections is None
            else tuple(read_back(Correction, one) for one in corrections),
            writer=data.get("writer"),
        )


def finding_from_dict(data: Mapping[str, Any]) -> Finding:
    """Read back what `Finding.as_dict` wrote."""
    return Finding(
        sentence=data["sentence"],
        probability=data["probability"],
        reasons=tuple(read_back(Reason, reason) for reason in data["reasons"]),
        anchor=data["anchor"],
        explanation=data["explanation"],
        rewrites=tuple(rewrite_from_dict(r) for r in data["rewrites"]),
        key=data["key"],
        confidence=data["confidence"],
        note=data["note"],
    )


def rewrite_from_dict(data: Mapping[str, Any]) -> Rewrite:
    """Read back what `Rewrite.as_dict` wrote."""
    reason = data["reason"]
    return Rewrite(
        action=Action(data["action"]),
        text=data["text"],
        edits=tuple(read_back(Edit, edit) for edit in data["edits"]),
        probability_after=data["probability_after"],
        operator=data["operator"],
        reason=None if reason is None else ReasonCode(reason),
        clears=bool(data.get("clears", True)),
        writer=str(data.get("writer", "")),
    )


class Verdict(StrEnum):
    """What the writer did with a finding."""

    ACCEPTED = "accepted"
    EDITED = "edited"
    REJECTED = "rejected"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class Decision:
    """The writer's answer to a finding, keyed by `Finding.key`; `text` is what now stands there."""

    key: str
    verdict: Verdict
    text: str = ""


_WORD = re.compile(r"\w+(?:['’]\w+)*")


def finding_key(sentences: Sequence[str], index: int, *, around: int = 4) -> str:
    """A key for the finding on `sentences[index]` that survives edits elsewhere.

    It covers the sentence's own words and `around` words on either side, lower-cased, so that
    white space, quotes and changes further away do not alter it.
    """
    before = _WORD.findall(sentences[index - 1].lower())[-around:] if index else []
    after = (
        _WORD.findall(sentences[index + 1].lower())[:around] if index + 1 < len(sentences) else []
    )
    own = _WORD.findall(sentences[index].lower())
    joined = " ".join(before) + "|" + " ".join(own) + "|" + " ".join(after)
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def replacement_span(text: str, span: Span, rewrite: Rewrite) -> Span:
    """The span of `text` that the rewrite takes the place of.

    A deletion also takes the white space on one side: that after the sentence, or, at the end of
    a paragraph, that before it, so that no double space or trailing space is left. A sentence
    that is a paragraph of its own takes its newline along, and its bullet.
    """
    if rewrite.action is Action.REPLACE:
        return span
    start, end = span.start, span.end
    opens_line = layout.opens_line(text, start)
    while end < len(text) and text[end] != "\n" and text[end].isspace():
        end += 1
    if end < len(text) and text[end] != "\n":
        return Span(start, end)
    if opens_line:
        start = text.rfind("\n", 0, start) + 1
        while end < len(text) and text[end] == "\n":
            end += 1
        if end == len(text):
            while start and text[start - 1] == "\n":
                start -= 1
        return Span(start, end)
    while start and text[start - 1] != "\n" and text[start - 1].isspace():
        start -= 1
    return Span(start, end)


def apply_rewrite(text: str, span: Span, rewrite: Rewrite) -> str:
    """The text with the rewrite in place of the sentence at `span`."""
    gap = replacement_span(text, span, rewrite)
    return text[: gap.start] + rewrite.text + text[gap.end :]


def reanchor(text: str, finding_text: str, near: int) -> Span | None:
    """Where `finding_text` stands in a text that was edited; None if it is no longer there.

    Of several places the one nearest to `near` is taken.
    """
    if not finding_text:
        return None
    places: list[int] = []
    at = text.find(finding_text)
    while at >= 0:
        places.append(at)
        at = text.find(finding_text, at + 1)
    if not places:
        return None
    best = min(places, key=lambda place: abs(place - near))
    return Span(best, best + len(finding_text))
