"""One student's essay on the teacher's desk: the flags that hold, and what she changes of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, QTimer, Signal

from desktop.services.classroom_service import ClassroomService
from desktop.services.finding_item import FindingItem
from desktop.services.finding_item import State as ItemState
from engine.analysis import Analysis, Finding, Reason, Rewrite
from engine.classroom.model import State, Submission
from engine.classroom.review import (
    Author,
    EffectiveFinding,
    Review,
    effective_findings,
    lost_changes,
)
from engine.errors import UsageError
from engine.essay import Essay
from engine.history.assignment_rows import SubmissionRecord
from engine.scheme import CODES, ReasonCode

SAVE_MS = 700
YOURS = "your flag"
CHANGED = "changed by you"


class Origin(StrEnum):
    """Whose a flag is, in words for the teacher."""

    MACHINE = "Segue found this flag."
    CHANGED = "Segue found this flag, and you changed it: "
    TEACHER = "You added this flag."
    REMOVED = "Segue found this flag, and you removed it."


@dataclass(frozen=True, slots=True)
class FlagDraft:
    """A flag as the teacher fills it in: most important reason first, her words, what to write.

    An empty `explanation` leaves the words to the scheme. `rewrites` is the whole list.
    """

    reasons: tuple[ReasonCode, ...]
    explanation: str = ""
    rewrites: tuple[Rewrite, ...] = ()


class ReviewDesk(QObject):
    """Holds the open review, keeps it in the history while she works, and says what to show.

    `items` are the flags in text order, those that she removed among them; a flag's `confidence`
    says whose it is where that is not the machine alone.
    """

    opened = Signal()  # another essay is on the desk, or none
    changed = Signal()  # the flags are others
    state_changed = Signal(str)  # the submission's State
    message = Signal(str, str, str)

    def __init__(
        self, service: ClassroomService, *, save_ms: int = SAVE_MS, parent: QObject | None = None
    ) -> None:
        """`save_ms` is how long typing must rest before it is kept."""
        super().__init__(parent)
        self._service = service
        self._assignment = 0
        self._reasons: Collection[ReasonCode] = CODES
        self._record: SubmissionRecord | None = None
        self._review = Review()
        self._is_dirty = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(save_ms)
        self._timer.timeout.connect(self.flush)

    @property
    def submission(self) -> Submission | None:
        """Whose essay it is, None while the desk is empty."""
        return None if self._record is None else self._record.submission

    @property
    def essay(self) -> Essay | None:
        """The essay on the desk."""
        return None if self._record is None else self._record.essay

    @property
    def review(self) -> Review:
        """The review as it stands."""
        return self._review

    def open(
        self, assignment: int, record: SubmissionRecord, reasons: Collection[ReasonCode]
    ) -> None:
        """Lay an essay on the desk; `reasons` are those that are switched on."""
        self.flush()
        self._assignment, self._record, self._reasons = assignment, record, reasons
        self._review = record.review
        self.opened.emit()
        self.changed.emit()
        lost = 0 if record.analysis is None else len(lost_changes(record.analysis, record.review))
        if lost:
            self.message.emit(
                "warning",
                f"{lost} of your changes no longer fit, because the essay or its check is newer.",
                "They are kept, but they show nowhere.",
            )

    def close(self) -> None:
        """Keep what is to be kept, and clear the desk."""
        self.flush()
        self._record, self._review = None, Review()
        self.opened.emit()

    def flush(self) -> None:
        """Keep the review now."""
        self._timer.stop()
        if self._is_dirty and self._record is not None:
            self._is_dirty = False
            self._service.save_review(self._assignment, self._record.submission, self._review)

    # Reading

    def items(self) -> list[FindingItem]:
        """The flags as the views show them."""
        analysis = self._analysis()
        if analysis is None:
            return []
        shown = [_item(analysis, one) for one in self._effective()]
        there = {item.key for item in shown}
        for finding in analysis.findings:
            change = self._review.changes.get(finding.key)
            if change is not None and finding.key not in there:
                shown.append(_placed(analysis, finding, ItemState.REMOVED))
        return sorted(shown, key=lambda item: item.finding.sentence)

    def flag(self, key: str) -> EffectiveFinding | None:
        """A flag that holds; None for one that was removed or is not there."""
        return next((one for one in self._effective() if one.key == key), None)

    def origin(self, key: str) -> str:
        """Whose a flag is, in a sentence; empty for none."""
        flag = self.flag(key)
        if flag is None:
            return Origin.REMOVED if key in self._review.changes else ""
        if flag.flag_by is Author.TEACHER:
            return Origin.TEACHER
        changed = _changed_parts(flag)
        return f"{Origin.CHANGED}{', '.join(changed)}." if changed else Origin.MACHINE

    def is_touched(self, key: str) -> bool:
        """Whether the teacher changed anything about a flag of the machine's."""
        flag = self.flag(key)
        is_own = flag is not None and flag.flag_by is Author.TEACHER
        return key in self._review.changes and not is_own

    def sentence_at(self, position: int) -> int | None:
        """The index of the sentence at, or the nearest one before, a place in the text."""
        analysis = self._analysis()
        if analysis is None or not analysis.sentences:
            return None
        before = [n for n, one in enumerate(analysis.sentences) if one.span.start <= position]
        return before[-1] if before else 0

    def sentence(self, index: int) -> str:
        """A sentence's words."""
        analysis = self._analysis()
        return "" if analysis is None else analysis.sentences[index].text

    def key_at(self, sentence: int) -> str:
        """The key of the flag that a sentence carries, also of a removed one; empty for none."""
        found = (item.key for item in self.items() if item.finding.sentence == sentence)
        return next(found, "")

    # Changing

    def add(self, sentence: int, draft: FlagDraft) -> str:
        """Flag a sentence; the new flag's key, or empty and a `message`."""
        analysis = self._analysis()
        if analysis is None:
            return ""
        try:
            after = self._review.added(
                analysis,
                sentence,
                draft.reasons,
                explanation=draft.explanation.strip() or None,
                rewrites=[one.text for one in draft.rewrites],
            ).with_remark(sentence, "")
        except UsageError as error:
            self.message.emit("warning", error.message, error.hint)
            return ""
        key = next(key for key in after.changes if key not in self._review.changes)
        # A note on the sentence goes along as the flag's comment.
        remark = self._review.remarks.get(sentence, "")
        self._take(after.edited(analysis, key, comment=remark) if remark else after)
        return key

    def edit(self, key: str, draft: FlagDraft) -> None:
        """Change a flag; what is as before stays the machine's."""
        analysis, flag = self._analysis(), self.flag(key)
        if analysis is None or flag is None:
            return
        explanation = draft.explanation.strip()
        rewrites = tuple(one.rewrite for one in flag.rewrites)
        try:
            self._take(
                self._review.edited(
                    analysis,
                    key,
                    reasons=None if draft.reasons == flag.reasons else draft.reasons,
                    explanation=None if explanation in ("", flag.explanation) else explanation,
                    rewrites=None if draft.rewrites == rewrites else draft.rewrites,
                )
            )
        except UsageError as error:
            self.message.emit("warning", error.message, error.hint)

    def remove(self, key: str) -> None:
        """Take a flag away; the machine's stays in the list, crossed out."""
        analysis = self._analysis()
        if analysis is not None and self.flag(key) is not None:
            self._take(self._review.removed(analysis, key))

    def restore(self, key: str) -> None:
        """Put a flag back to what the machine says."""
        self._take(self._review.undone(key))

    def set_flag_comment(self, key: str, comment: str) -> None:
        """The teacher's words on a flag; the flags are not drawn anew for it."""
        analysis, flag = self._analysis(), self.flag(key)
        if analysis is not None and flag is not None and comment != flag.comment:
            self._keep(self._review.edited(analysis, key, comment=comment))

    def set_comment(self, comment: str) -> None:
        """The teacher's words on the whole essay."""
        if comment != self._review.comment:
            self._keep(self._review.with_comment(comment))

    def set_remark(self, sentence: int, remark: str) -> None:
        """The teacher's words on a sentence without a flag."""
        if remark != self._review.remarks.get(sentence, ""):
            self._keep(self._review.with_remark(sentence, remark))

    def mark(self, state: State) -> None:
        """Say that the essay is reviewed, released, or open again."""
        self.flush()
        if self._record is not None:
            self._service.mark(self._assignment, self._record.submission, state)
            self.state_changed.emit(state.value)

    def _take(self, review: Review) -> None:
        self._keep(review)
        self.flush()
        self.changed.emit()

    def _keep(self, review: Review) -> None:
        self._review = review
        self._is_dirty = True
        self._timer.start()

    def _analysis(self) -> Analysis | None:
        return None if self._record is None else self._record.analysis

    def _effective(self) -> Sequence[EffectiveFinding]:
        analysis = self._analysis()
        if analysis is None:
            return ()
        return effective_findings(analysis, self._review, reasons=self._reasons)


def _changed_parts(flag: EffectiveFinding) -> list[str]:
    parts = (
        ("the reason", flag.reasons_by is Author.TEACHER),
        ("the explanation", flag.explanation_by is Author.TEACHER),
        ("the suggestions", any(one.author is Author.TEACHER for one in flag.rewrites)),
    )
    return [words for words, is_changed in parts if is_changed]


def _item(analysis: Analysis, flag: EffectiveFinding) -> FindingItem:
    """A flag in the shape of a finding, so that the learners' views can show it."""
    sure = flag.confidence
    if flag.flag_by is Author.TEACHER:
        sure = YOURS
    elif _changed_parts(flag):
        sure = f"{flag.confidence}, {CHANGED}" if flag.confidence else CHANGED
    finding = Finding(
        sentence=flag.sentence,
        probability=1.0 if flag.probability is None else flag.probability,
        reasons=tuple(Reason(code, 1.0) for code in flag.reasons),
        anchor=flag.anchor,
        explanation=flag.explanation,
        rewrites=tuple(one.rewrite for one in flag.rewrites),
        key=flag.key,
        confidence=sure,
        note=flag.note,
    )
    return _placed(analysis, finding, ItemState.OPEN)


def _placed(analysis: Analysis, finding: Finding, state: ItemState) -> FindingItem:
    sentence = analysis.sentences[finding.sentence]
    anchor = None if finding.anchor is None else analysis.sentences[finding.anchor]
    return FindingItem(
        finding,
        sentence.text,
        sentence.span,
        state,
        anchor_span=None if anchor is None else anchor.span,
        anchor_sentence="" if anchor is None else anchor.text,
    )
