"""The teacher's review: what she changed of the machine's findings, kept apart from them.

`effective_findings` lays the two over each other for the page and the reports, and says of every
part whether it is the machine's or the teacher's. Nothing of the machine's is ever overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from engine.analysis import (
    Action,
    Analysis,
    Finding,
    Rewrite,
    finding_key,
    rewrite_from_dict,
)
from engine.diff import word_edits
from engine.errors import UsageError
from engine.scheme import CODES, SCHEME, ReasonCode

TEACHER_OPERATOR = "teacher"
"""`Rewrite.operator` of a teacher's own suggestion; its `probability_after` is not judged."""
ADDED_KEY = "teacher-"
"""What the keys of flags that the teacher added begin with."""


class Author(StrEnum):
    """Whose a part of a finding is."""

    MACHINE = "machine"
    TEACHER = "teacher"


class ChangeKind(StrEnum):
    """What the teacher did with a flag."""

    ADDED = "added"
    REMOVED = "removed"
    EDITED = "edited"


@dataclass(frozen=True, slots=True)
class Change:
    """What the teacher did with one flag; None in a field leaves what the machine says.

    `sentence_text` lets an added flag find its sentence again after the essay was edited.
    """

    key: str
    kind: ChangeKind
    sentence: int
    sentence_text: str = ""
    reasons: tuple[ReasonCode, ...] | None = None
    explanation: str | None = None
    rewrites: tuple[Rewrite, ...] | None = None
    comment: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the history."""
        rewrites = self.rewrites
        return {
            "key": self.key,
            "kind": self.kind.value,
            "sentence": self.sentence,
            "sentence_text": self.sentence_text,
            "reasons": None if self.reasons is None else [code.value for code in self.reasons],
            "explanation": self.explanation,
            "rewrites": None if rewrites is None else [one.as_dict() for one in rewrites],
            "comment": self.comment,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Change:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        reasons, rewrites = data["reasons"], data["rewrites"]
        return cls(
            key=data["key"],
            kind=ChangeKind(data["kind"]),
            sentence=data["sentence"],
            sentence_text=data["sentence_text"],
            reasons=None if reasons is None else tuple(ReasonCode(code) for code in reasons),
            explanation=data["explanation"],
            rewrites=None if rewrites is None else tuple(map(rewrite_from_dict, rewrites)),
            comment=data["comment"],
        )


@dataclass(frozen=True)
class Review:
    """All of a teacher's changes to one essay: by flag, and what she says of the whole.

    `remarks` are words on sentences that carry no flag, such as praise, by sentence index.
    Every method returns a new review.
    """

    changes: Mapping[str, Change] = field(default_factory=dict)
    comment: str = ""
    remarks: Mapping[int, str] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether the teacher has left everything as the machine said it."""
        return not (self.changes or self.comment.strip() or self.remarks)

    def with_comment(self, comment: str) -> Review:
        """The general comment on the essay."""
        return replace(self, comment=comment)

    def with_remark(self, sentence: int, remark: str) -> Review:
        """A word on a sentence without a flag; an empty one takes it back."""
        others = {index: text for index, text in self.remarks.items() if index != sentence}
        if remark.strip():
            others[sentence] = remark
        return replace(self, remarks=dict(sorted(others.items())))

    def added(
        self,
        analysis: Analysis,
        sentence: int,
        reasons: Sequence[ReasonCode],
        *,
        explanation: str | None = None,
        rewrites: Iterable[str] = (),
        comment: str = "",
    ) -> Review:
        """A flag of the teacher's own on a sentence; `rewrites` are new texts, "" is to delete.

        Raises UsageError where there is no such sentence, where it has a flag already, or
        without a reason.
        """
        if not 0 <= sentence < len(analysis.sentences):
            raise UsageError(f"The essay has no sentence {sentence + 1}.")
        if not reasons:
            raise UsageError("A flag needs a reason.")
        if any(one.sentence == sentence for one in effective_findings(analysis, self)):
            raise UsageError(f"Sentence {sentence + 1} has a flag already; edit that one.")
        texts = [one.text for one in analysis.sentences]
        change = Change(
            key=ADDED_KEY + finding_key(texts, sentence) + f"-{sentence}",
            kind=ChangeKind.ADDED,
            sentence=sentence,
            sentence_text=texts[sentence],
            reasons=tuple(reasons),
            explanation=explanation,
            rewrites=tuple(teacher_rewrite(texts[sentence], text) for text in rewrites),
            comment=comment,
        )
        return self._with(change)

    def removed(self, analysis: Analysis, key: str) -> Review:
        """A flag taken away; one that the teacher added is forgotten, the machine's crossed out."""
        change = self.changes.get(key)
        if change is not None and change.kind is ChangeKind.ADDED:
            return self.undone(key)
        finding = _machine_finding(analysis, key)
        comment = "" if change is None else change.comment
        text = _text(analysis, finding)
        return self._with(Change(key, ChangeKind.REMOVED, finding.sentence, text, comment=comment))

    def edited(
        self,
        analysis: Analysis,
        key: str,
        *,
        reasons: Sequence[ReasonCode] | None = None,
        explanation: str | None = None,
        rewrites: Sequence[Rewrite] | None = None,
        comment: str | None = None,
    ) -> Review:
        """A flag with some parts changed; None leaves a part as it is now.

        A list of rewrites takes the place of the whole list; make one's own with
        `teacher_rewrite`. Raises UsageError for a key without a flag, and for no reasons.
        """
        if reasons is not None and not reasons:
            raise UsageError("A flag needs a reason.")
        before = self.changes.get(key)
        if before is None or before.kind is ChangeKind.REMOVED:
            finding = _machine_finding(analysis, key)
            before = Change(key, ChangeKind.EDITED, finding.sentence, _text(analysis, finding))
        return self._with(
            replace(
                before,
                reasons=before.reasons if reasons is None else tuple(reasons),
                explanation=before.explanation if explanation is None else explanation,
                rewrites=before.rewrites if rewrites is None else tuple(rewrites),
                comment=before.comment if comment is None else comment,
            )
        )

    def undone(self, key: str) -> Review:
        """The flag as the machine has it; a flag that the teacher added is gone."""
        return replace(self, changes={k: one for k, one in self.changes.items() if k != key})

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the history."""
        return {
            "changes": [change.as_dict() for change in self.changes.values()],
            "comment": self.comment,
            "remarks": {str(index): text for index, text in self.remarks.items()},
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Review:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on other data."""
        changes = [Change.from_dict(change) for change in data["changes"]]
        return cls(
            changes={change.key: change for change in changes},
            comment=data["comment"],
            remarks={int(index): text for index, text in data["remarks"].items()},
        )

    def _with(self, change: Change) -> Review:
        return replace(self, changes={**self.changes, change.key: change})


@dataclass(frozen=True, slots=True)
class EffectiveRewrite:
    """A suggestion, and whose it is."""

    rewrite: Rewrite
    author: Author


@dataclass(frozen=True, slots=True)
class EffectiveFinding:
    """A flag as the student sees it, each part with its author.

    `probability`, `confidence` and `note` are the machine's, None and empty on a flag of the
    teacher's. `comment` is always the teacher's. `machine` is what the machine found, if it did.
    """

    key: str
    sentence: int
    flag_by: Author
    reasons: tuple[ReasonCode, ...]
    reasons_by: Author
    explanation: str
    explanation_by: Author
    anchor: int | None = None
    rewrites: tuple[EffectiveRewrite, ...] = ()
    comment: str = ""
    probability: float | None = None
    confidence: str = ""
    note: str = ""
    machine: Finding | None = None

    @property
    def code(self) -> ReasonCode:
        """The first reason."""
        return self.reasons[0]

    @property
    def is_touched(self) -> bool:
        """Whether any part is the teacher's."""
        authors = (self.flag_by, self.reasons_by, self.explanation_by)
        return (
            Author.TEACHER in authors
            or bool(self.comment.strip())
            or any(one.author is Author.TEACHER for one in self.rewrites)
        )


def teacher_rewrite(sentence: str, text: str, *, reason: ReasonCode | None = None) -> Rewrite:
    """A teacher's own suggestion for a sentence; an empty `text` is to delete it."""
    if not text.strip():
        return Rewrite(Action.DELETE, "", (), 0.0, TEACHER_OPERATOR, reason)
    edits = word_edits(sentence, text)
    return Rewrite(Action.REPLACE, text, edits, 0.0, TEACHER_OPERATOR, reason)


def effective_findings(
    analysis: Analysis,
    review: Review | None = None,
    *,
    reasons: Collection[ReasonCode] = CODES,
) -> tuple[EffectiveFinding, ...]:
    """The flags that hold after the review, in text order.

    `reasons` are the codes switched on: a flag of the machine's whose most likely reason is off
    is left out, and less likely ones that are off are not named. What the teacher put there
    herself is always shown.
    """
    review = review or Review()
    found: list[EffectiveFinding] = []
    for finding in analysis.findings:
        change = review.changes.get(finding.key)
        if change is not None and change.kind is ChangeKind.REMOVED:
            continue
        if change is not None:
            found.append(_edited(finding, change, reasons))
        elif finding.code in reasons:
            found.append(_untouched(finding, reasons))
    taken = {one.sentence for one in found}
    for change in review.changes.values():
        place = _place(analysis, change) if change.kind is ChangeKind.ADDED else None
        if place is not None and place not in taken:
            found.append(_added(change, place))
    return tuple(sorted(found, key=lambda one: one.sentence))


def lost_changes(analysis: Analysis, review: Review) -> tuple[Change, ...]:
    """The teacher's changes that no longer belong anywhere, as after a changed essay."""
    keys = {finding.key for finding in analysis.findings}
    return tuple(
        change
        for change in review.changes.values()
        if (
            _place(analysis, change) is None
            if change.kind is ChangeKind.ADDED
            else change.key not in keys
        )
    )


def _untouched(finding: Finding, switched_on: Collection[ReasonCode]) -> EffectiveFinding:
    named = (reason.code for reason in finding.reasons)
    return EffectiveFinding(
        key=finding.key,
        sentence=finding.sentence,
        flag_by=Author.MACHINE,
        reasons=tuple(code for code in named if code in switched_on),
        reasons_by=Author.MACHINE,
        explanation=finding.explanation,
        explanation_by=Author.MACHINE,
        anchor=finding.anchor,
        rewrites=_authored(finding.rewrites),
        probability=finding.probability,
        confidence=finding.confidence,
        note=finding.note,
        machine=finding,
    )


def _edited(
    finding: Finding, change: Change, switched_on: Collection[ReasonCode]
) -> EffectiveFinding:
    # The teacher worked on it, so it stays even where its reason is switched off.
    base = _untouched(finding, {*switched_on, finding.code})
    if change.reasons is not None and change.reasons != base.reasons:
        base = replace(base, reasons=change.reasons, reasons_by=Author.TEACHER)
        if change.reasons[0] is not finding.code and change.explanation is None:
            # The machine's words are about its own reason and would contradict hers.
            base = replace(base, explanation=SCHEME[change.reasons[0]].meaning)
    if change.explanation is not None and change.explanation != finding.explanation:
        base = replace(base, explanation=change.explanation, explanation_by=Author.TEACHER)
    if change.rewrites is not None:
        base = replace(base, rewrites=_authored(change.rewrites))
        if change.rewrites:
            base = replace(base, note="")
    return replace(base, comment=change.comment)


def _added(change: Change, sentence: int) -> EffectiveFinding:
    reasons = change.reasons or ()
    words = change.explanation
    return EffectiveFinding(
        key=change.key,
        sentence=sentence,
        flag_by=Author.TEACHER,
        reasons=reasons,
        reasons_by=Author.TEACHER,
        explanation=SCHEME[reasons[0]].meaning if words is None else words,
        explanation_by=Author.MACHINE if words is None else Author.TEACHER,
        rewrites=_authored(change.rewrites or ()),
        comment=change.comment,
    )


def _authored(rewrites: Iterable[Rewrite]) -> tuple[EffectiveRewrite, ...]:
    return tuple(
        EffectiveRewrite(
            one, Author.TEACHER if one.operator == TEACHER_OPERATOR else Author.MACHINE
        )
        for one in rewrites
    )


def _place(analysis: Analysis, change: Change) -> int | None:
    """Where an added flag's sentence stands now: the same words, nearest to the old place."""
    places = [
        index for index, one in enumerate(analysis.sentences) if one.text == change.sentence_text
    ]
    return min(places, key=lambda index: abs(index - change.sentence), default=None)


def _machine_finding(analysis: Analysis, key: str) -> Finding:
    for finding in analysis.findings:
        if finding.key == key:
            return finding
    raise UsageError("There is no such flag in this essay.")


def _text(analysis: Analysis, finding: Finding) -> str:
    return analysis.sentences[finding.sentence].text
