"""All findings of the essay being edited, with their places and decisions. No Qt.

The book never changes the text. It follows the edits that the editor makes, and it tells from
them when an accepted rewrite was applied, undone or redone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from desktop.services.finding_item import Change, FindingItem, State
from desktop.services.marks import CheckedText, Mark, TextEdit
from engine.analysis import (
    Action,
    Analysis,
    Decision,
    Finding,
    Rewrite,
    ScoredSentence,
    Verdict,
    replacement_span,
)
from engine.spans import Span

_APPLIED = frozenset({Verdict.ACCEPTED, Verdict.EDITED})


class DecisionRefusedError(Exception):
    """A decision that no longer fits the text; `hint` says what to do instead."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Recorded:
    """A decision for the history; `verdict` is None when one was taken back."""

    job_id: str
    finding: Finding
    verdict: Verdict | None
    text: str = ""
    rewrite_index: int | None = None


@dataclass(slots=True)
class _Applied:
    """A rewrite that the editor put in, or can put in again by redoing: `old` gave way to `new`.

    `offset` is how far into `old` the sentence begins; a deletion may take white space before it.
    `crossings` holds, for each edit that took `start` away, what would undo it (how much to remove,
    what to put in) and how far behind the edit the start was.
    """

    start: int
    offset: int
    old: str
    new: str
    verdict: Verdict
    rewrite_index: int | None
    crossings: list[tuple[tuple[int, str], int]] = field(default_factory=list)

    def follow(self, edit: TextEdit, before: str) -> None:
        """Move along with an edit of `before`.

        An edit that takes our start away is remembered, because its undoing, an insertion right
        at the place, would otherwise push the place behind the words instead of back to them.
        """
        if self.crossings and edit.position == self.start:
            back, offset = self.crossings[-1]
            if (edit.removed, edit.added) == back:
                self.crossings.pop()
                self.start += offset
                return
        if edit.position <= self.start < edit.end:
            back = (len(edit.added), before[edit.position : edit.end])
            self.crossings.append((back, self.start - edit.position))
        self.start = edit.moved(self.start)

    def turns(self, before: str, after: str, old: str, new: str) -> bool:
        """Whether `after` is `before` with `old` at our place replaced by `new`, exactly so."""
        if len(after) - len(before) != len(new) - len(old):
            return False
        if not (before.startswith(old, self.start) and after.startswith(new, self.start)):
            return False
        return before[: self.start] == after[: self.start] and (
            before[self.start + len(old) :] == after[self.start + len(new) :]
        )

    def is_done_by(self, before: str, after: str) -> bool:
        return self.turns(before, after, self.old, self.new)

    def is_undone_by(self, before: str, after: str) -> bool:
        return self.turns(before, after, self.new, self.old)


@dataclass(slots=True)
class _Record:
    """One finding: `finding.key` is unique in the book, `source_key` is the engine's."""

    finding: Finding
    source_key: str
    checked: CheckedText
    mark: Mark
    anchor: Mark | None
    is_pending: bool = False


@dataclass(slots=True)
class _Answer:
    """What the writer decided on a key; `verdict` None means that it was undone."""

    verdict: Verdict | None
    applied: _Applied | None = None


class FindingBook:
    """The findings of one essay, from the last check and from the one that runs.

    `text` and `topic` are the current ones and are kept up to date by `follow` and `set_topic`.
    """

    def __init__(self, text: str = "", topic: str = "") -> None:
        self.text = text
        self.topic = topic
        self._records: dict[str, _Record] = {}
        self._answers: dict[str, _Answer] = {}
        self._incoming: CheckedText | None = None
        self._incoming_keys: dict[tuple[str, int], str] = {}
        self._scored: Sequence[ScoredSentence] = ()
        self._expects_rewrites = False
        self._proposed: tuple[str, _Applied] | None = None

    # Reading

    def items(self) -> list[FindingItem]:
        """All findings in text order."""
        records = sorted(self._records.values(), key=self._place)
        return [self._item(record) for record in records]

    def item(self, key: str) -> FindingItem | None:
        """One finding."""
        record = self._records.get(key)
        return None if record is None else self._item(record)

    # Following the text

    def follow(self, edit: TextEdit) -> list[Recorded]:
        """Take note of an edit of the text; returns the decisions that it makes or takes back."""
        before, self.text = self.text, edit.apply(self.text)
        checked = {id(record.checked): record.checked for record in self._records.values()}
        if self._incoming is not None:
            checked[id(self._incoming)] = self._incoming
        for text in checked.values():
            text.follow(edit, self.text)
        for record in self._records.values():
            record.mark.follow(edit, self.text)
            if record.anchor is not None:
                record.anchor.follow(edit, self.text)
        self._close_proposal(before)
        recorded: list[Recorded] = []
        for key, answer in self._answers.items():
            if answer.applied is None:
                continue
            turned = self._turn(key, answer, answer.applied, before)
            if turned is None:
                answer.applied.follow(edit, before)
            else:
                recorded.append(turned)
        return recorded

    def _close_proposal(self, before: str) -> None:
        """The edit just made is either the one that was proposed, or it cancels the proposal."""
        proposed, self._proposed = self._proposed, None
        if proposed is not None and proposed[1].is_done_by(before, self.text):
            key, applied = proposed
            self._answers[key] = _Answer(None, applied)

    def _turn(self, key: str, answer: _Answer, applied: _Applied, before: str) -> Recorded | None:
        """The decision that the edit just made carries out or takes back on this key, if any."""
        record = self._records.get(key)
        if record is None:
            return None
        if answer.verdict in _APPLIED:
            if not applied.is_undone_by(before, self.text):
                return None
            answer.verdict = None
            record.mark.start = applied.start + applied.offset
            record.mark.look(self.text)
            return Recorded(record.checked.job_id, self._source(record), None)
        if not applied.is_done_by(before, self.text):
            return None
        answer.verdict = applied.verdict
        return self._recorded(record, applied)

    # Checks

    def begin(self, checked: CheckedText, *, expects_rewrites: bool) -> None:
        """A check of `checked` has started; its results will be carried over to later texts."""
        self.abandon()
        self._incoming = checked
        self._expects_rewrites = expects_rewrites

    def scored(self, sentences: Sequence[ScoredSentence]) -> None:
        """The running check's sentences."""
        self._scored = sentences

    def found(self, finding: Finding) -> None:
        """A finding of the running check, first without its rewrites, then with them."""
        checked = self._incoming
        if checked is None or finding.sentence >= len(self._scored):
            return
        place = (finding.key, finding.sentence)
        is_second = place in self._incoming_keys
        key = self._incoming_keys.get(place) or self._unique(finding, self._incoming_keys.values())
        self._incoming_keys[place] = key
        pending = self._expects_rewrites and not is_second
        self._put(key, finding, self._scored, checked, is_pending=pending)

    def finish(self, analysis: Analysis) -> list[Recorded]:
        """The running check's whole result: what it does not find any more goes.

        Accepted and edited findings stay, so that undoing them finds its way back. Returns the
        dismissals that go over to a finding's new key.
        """
        checked = self._incoming
        if checked is None:
            return []
        self._incoming_keys = {}
        keys: set[str] = set()
        for finding in analysis.findings:
            key = self._unique(finding, keys)
            keys.add(key)
            self._put(key, finding, analysis.sentences, checked, is_pending=False)
            self._reconsider(key)
        recorded: list[Recorded] = []
        for key in [key for key in self._records if key not in keys]:
            answer = self._answers.get(key)
            if answer is None or answer.verdict not in _APPLIED:
                recorded += self._hand_over(self._records.pop(key), keys)
        self.abandon()
        return recorded

    def _hand_over(self, old: _Record, keys: Collection[str]) -> list[Recorded]:
        """Keep a dismissal when a change next to the sentence has given its finding a new key."""
        answer = self._answers.get(old.finding.key)
        if answer is None or answer.verdict is None or old.mark.is_lost:
            return []
        for key in keys:
            new = self._records[key]
            is_same = new.mark.span == old.mark.span and new.finding.code is old.finding.code
            if is_same and key not in self._answers:
                self._answers[key] = _Answer(answer.verdict)
                return [Recorded(new.checked.job_id, self._source(new), answer.verdict)]
        return []

    def abandon(self) -> None:
        """The running check is over, with or without a result; what it found so far stays."""
        if self._incoming is not None:
            self._incoming.settle()
        self._incoming = None
        self._incoming_keys = {}
        self._scored = ()
        for record in self._records.values():
            record.is_pending = False

    # Decisions

    def propose(self, key: str, rewrite_index: int) -> Change:
        """The change that puts a rewrite in. Raises DecisionRefusedError when it does not fit."""
        record, span = self._decidable(key)
        if not 0 <= rewrite_index < len(record.finding.rewrites):
            raise DecisionRefusedError("This finding has no such rewrite any more.")
        rewrite = record.finding.rewrites[rewrite_index]
        return self._propose(record, span, rewrite, Verdict.ACCEPTED, rewrite_index)

    def propose_text(self, key: str, text: str) -> Change | None:
        """The change that puts the writer's own words in; no words delete the sentence.

        None when the words are those that stand there. Raises DecisionRefusedError.
        """
        record, span = self._decidable(key)
        words = " ".join(text.split("\n")).strip()
        if words == record.mark.piece:
            return None
        action = Action.REPLACE if words else Action.DELETE
        rewrite = Rewrite(action, words, (), 0.0)
        return self._propose(record, span, rewrite, Verdict.EDITED, None)

    def dismiss(self, key: str, verdict: Verdict, rewrite_index: int | None) -> Recorded | None:
        """Reject or ignore a finding; None when there is nothing to change."""
        record, answer = self._records.get(key), self._answers.get(key)
        if record is None or (answer and answer.verdict in (*_APPLIED, verdict)):
            return None
        self._answers[key] = _Answer(verdict, answer.applied if answer else None)
        return Recorded(
            record.checked.job_id,
            self._source(record),
            verdict,
            rewrite_index=rewrite_index,
        )

    def reopen(self, key: str) -> Recorded | None:
        """Take back a rejection; None when there is none. An accept is taken back by undoing."""
        record, answer = self._records.get(key), self._answers.get(key)
        if record is None or answer is None or answer.verdict in (*_APPLIED, None):
            return None
        answer.verdict = None
        return Recorded(record.checked.job_id, self._source(record), None)

    def adopt(self, decisions: Iterable[Decision]) -> None:
        """Take over rejections of earlier checks, where no decision has been made since."""
        for decision in decisions:
            if decision.verdict not in _APPLIED and decision.key not in self._answers:
                self._answers[decision.key] = _Answer(decision.verdict)

    # Inside

    def _decidable(self, key: str) -> tuple[_Record, Span]:
        record, answer = self._records.get(key), self._answers.get(key)
        if record is None:
            raise DecisionRefusedError("This finding is gone: the text has changed since.")
        is_proposed = self._proposed is not None and self._proposed[0] == key
        if is_proposed or (answer and answer.verdict in _APPLIED):
            raise DecisionRefusedError(
                "You have already accepted a change of this sentence.",
                hint="Undo takes it back.",
            )
        span = record.mark.span
        if span is None or not record.mark.stands_at(self.text, span.start):
            raise DecisionRefusedError(
                "You have changed this sentence since it was checked, so the rewrite does not fit.",
                hint="Check again to get a fresh one.",
            )
        return record, span

    def _propose(
        self,
        record: _Record,
        span: Span,
        rewrite: Rewrite,
        verdict: Verdict,
        rewrite_index: int | None,
    ) -> Change:
        gap = replacement_span(self.text, span, rewrite)
        applied = _Applied(
            start=gap.start,
            offset=span.start - gap.start,
            old=gap.of(self.text),
            new=rewrite.text,
            verdict=verdict,
            rewrite_index=rewrite_index,
        )
        self._proposed = (record.finding.key, applied)
        return Change(gap, rewrite.text)

    def _put(
        self,
        key: str,
        finding: Finding,
        sentences: Sequence[ScoredSentence],
        checked: CheckedText,
        *,
        is_pending: bool,
    ) -> None:
        known = self._records.get(key)
        place = sentences[finding.sentence].span
        finding, source_key = replace(finding, key=key), finding.key
        if known is not None and is_pending and known.mark.piece == place.of(checked.text):
            # Not a moment without suggestions only because the check has not got that far again.
            finding = replace(finding, rewrites=known.finding.rewrites, note=known.finding.note)
        if known and known.checked is checked and known.finding.sentence == finding.sentence:
            known.finding, known.is_pending = finding, is_pending
            return
        anchor = None if finding.anchor is None else sentences[finding.anchor].span
        self._records[key] = _Record(
            finding,
            source_key,
            checked,
            Mark.in_checked(checked, place, self.text),
            None if anchor is None else Mark.in_checked(checked, anchor, self.text),
            is_pending,
        )

    def _reconsider(self, key: str) -> None:
        """A sentence that was replaced but stands there again is open again."""
        answer = self._answers.get(key)
        if answer and answer.verdict in _APPLIED and not self._records[key].mark.is_lost:
            answer.verdict = None

    def _item(self, record: _Record) -> FindingItem:
        answer = self._answers.get(record.finding.key)
        verdict = answer.verdict if answer else None
        applied = answer.applied if answer and verdict in _APPLIED else None
        return FindingItem(
            record.finding,
            record.mark.piece,
            self._applied_span(applied) if applied else record.mark.span,
            State(verdict.value) if verdict else self._freshness(record),
            decision=applied.new if applied else "",
            anchor_span=record.anchor.span if record.anchor else None,
            anchor_sentence=record.anchor.piece if record.anchor else "",
            rewrites_pending=record.is_pending,
        )

    def _applied_span(self, applied: _Applied) -> Span | None:
        if not applied.new or not self.text.startswith(applied.new, applied.start):
            return None
        return Span(applied.start, applied.start + len(applied.new))

    def _freshness(self, record: _Record) -> State:
        span = record.mark.span
        is_fresh = (
            span is not None
            and record.checked.agrees >= span.end
            and record.checked.topic == self.topic
        )
        return State.OPEN if is_fresh else State.STALE

    def _place(self, record: _Record) -> tuple[int, int]:
        answer = self._answers.get(record.finding.key)
        if answer and answer.applied and answer.verdict in _APPLIED:
            return answer.applied.start, record.finding.sentence
        return record.mark.start, record.finding.sentence

    @staticmethod
    def _unique(finding: Finding, taken: Collection[str]) -> str:
        key, number = finding.key, 2
        while key in taken:
            key, number = f"{finding.key}-{number}", number + 1
        return key

    @staticmethod
    def _source(record: _Record) -> Finding:
        """The finding under the key that the engine and the history know."""
        return replace(record.finding, key=record.source_key)

    def _recorded(self, record: _Record, applied: _Applied) -> Recorded:
        return Recorded(
            record.checked.job_id,
            self._source(record),
            applied.verdict,
            applied.new,
            applied.rewrite_index,
        )
