"""What a student's report says, whatever its format: built once, written by many.

`student_report` lays an essay, its analysis and a teacher's review together. Everything in the
result is plain data, cleaned by `wording.shown`, so that a writer only has to lay it out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from typing import Protocol

from engine.analysis import Action, Analysis, Finding, Rewrite
from engine.essay import Essay
from engine.reports.marking import Piece, made_by, new_pieces, old_pieces
from engine.reports.passages import Line, Tab, lines_of
from engine.reports.practice import Practice, things_to_practise
from engine.reports.strengths import strengths_of
from engine.reports.wording import counted, listed, long_date, one_line, shown
from engine.scheme import CODES, SCHEME, ReasonCode

MACHINE_ORIGIN = "Found by Segue"
"""What a mark says that no teacher has changed."""

_MOST_OTHERS = 2


class Source(StrEnum):
    """Whose a part of a report is."""

    MACHINE = "machine"
    TEACHER = "teacher"


class ShownRewrite(Protocol):
    """A suggestion as a review hands it over."""

    @property
    def rewrite(self) -> Rewrite:
        """What is suggested."""

    @property
    def author(self) -> str:
        """A `Source`."""


class ShownFinding(Protocol):
    """A flag as a review hands it over: `engine.classroom.review.EffectiveFinding` is one."""

    @property
    def sentence(self) -> int:
        """The sentence's index."""

    @property
    def flag_by(self) -> str:
        """A `Source`: who marked the sentence."""

    @property
    def reasons(self) -> tuple[ReasonCode, ...]:
        """Most important first; never empty."""

    @property
    def reasons_by(self) -> str:
        """A `Source`."""

    @property
    def explanation(self) -> str:
        """Why, in plain English."""

    @property
    def explanation_by(self) -> str:
        """A `Source`."""

    @property
    def anchor(self) -> int | None:
        """The index of the earlier sentence to connect to."""

    @property
    def rewrites(self) -> Sequence[ShownRewrite]:
        """Best first."""

    @property
    def comment(self) -> str:
        """The teacher's words on this flag."""

    @property
    def confidence(self) -> str:
        """How sure the machine is, in words."""

    @property
    def note(self) -> str:
        """What the machine adds, as when it has no suggestion."""


@dataclass(frozen=True, slots=True)
class _MachineRewrite:
    rewrite: Rewrite
    author: str = Source.MACHINE


@dataclass(frozen=True, slots=True)
class _MachineFinding:
    """A finding that no teacher has looked at."""

    sentence: int
    reasons: tuple[ReasonCode, ...]
    explanation: str
    anchor: int | None
    rewrites: tuple[_MachineRewrite, ...]
    confidence: str
    note: str
    flag_by: str = Source.MACHINE
    reasons_by: str = Source.MACHINE
    explanation_by: str = Source.MACHINE
    comment: str = ""


@dataclass(frozen=True, slots=True)
class School:
    """Whose report it is: a name and a logo (the bytes of a PNG, JPEG or SVG), both optional."""

    name: str = ""
    logo: bytes = b""


@dataclass(frozen=True, slots=True)
class Cover:
    """What a report's head says: for whom, on what, when, from whom.

    `is_reviewed` says that the teacher has read the marks and stands behind them.
    """

    student: str = ""
    assignment: str = ""
    day: date | None = None
    school: School = field(default_factory=School)
    teacher: str = ""
    is_reviewed: bool = False

    @property
    def day_in_words(self) -> str:
        """The day as "7 March 2026"; empty for none."""
        return long_date(self.day)

    def cleaned(self) -> Cover:
        """The same, fit to be shown."""
        school = replace(self.school, name=one_line(self.school.name))
        return replace(
            self,
            student=one_line(self.student),
            assignment=one_line(self.assignment),
            teacher=one_line(self.teacher),
            school=school,
        )


@dataclass(frozen=True, slots=True)
class Suggestion:
    """What to write instead, and what to call it.

    `old` and `new` are the sentence in pieces, changed ones marked; `old` is empty where the
    suggestion before changes the same pieces. `maker` says which language model wrote it, empty
    where a rule or the teacher did.
    """

    label: str
    action: Action
    text: str
    old: tuple[Piece, ...]
    new: tuple[Piece, ...]
    source: Source
    maker: str = ""

    @property
    def is_deletion(self) -> bool:
        """Whether the sentence should go."""
        return self.action is Action.DELETE


@dataclass(frozen=True, slots=True)
class Mark:
    """One numbered mark on the essay, from 1 in text order.

    `sentence` and `anchor` count from 1, as a reader does. `origin` says in words whose it is;
    `comment` is the teacher's.
    """

    number: int
    sentence: int
    text: str
    code: ReasonCode
    also: tuple[ReasonCode, ...]
    explanation: str
    anchor: int | None
    anchor_text: str
    suggestions: tuple[Suggestion, ...]
    note: str
    confidence: str
    comment: str
    source: Source
    origin: str

    @property
    def tag(self) -> str:
        """The reason in two or three words."""
        return SCHEME[self.code].tag

    @property
    def also_in_words(self) -> str:
        """The less likely reasons in a sentence; empty where there are none."""
        tags = [SCHEME[code].tag.lower() for code in self.also]
        return f"Perhaps also: {listed(tags)}." if tags else ""

    @property
    def place(self) -> str:
        """Where the sentence stands and how sure the machine is."""
        sure = f", {self.confidence}" if self.confidence else ""
        return f"Sentence {self.sentence}{sure}"

    @property
    def anchor_label(self) -> str:
        """What to call the earlier sentence; empty where there is none."""
        return f"Connect to sentence {self.anchor}" if self.anchor else ""


@dataclass(frozen=True, slots=True)
class Remark:
    """The teacher's words on a sentence without a mark, lettered from A in text order."""

    letter: str
    sentence: int
    text: str
    comment: str


@dataclass(frozen=True)
class StudentReport:
    """Everything that a report on one essay says.

    `texts` are the sentences. `strengths` come before `practise` in every format: what is done well is said first.
    """

    cover: Cover
    topic: str
    title: str
    words: int
    sentences: int
    lines: tuple[Line, ...]
    marks: tuple[Mark, ...]
    remarks: tuple[Remark, ...]
    comment: str
    strengths: tuple[str, ...]
    practise: tuple[Practice, ...]
    notices: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    model: Mapping[str, str] = field(default_factory=dict)

    @property
    def heading(self) -> str:
        """The report's title."""
        student = self.cover.student
        return f"Feedback for {student}" if student else "Feedback on your essay"

    @property
    def standing(self) -> str:
        """Whose word the report is."""
        if self.cover.is_reviewed:
            name = self.cover.teacher or "Your teacher"
            return (
                f"{name} has read this report. Each mark says whether Segue, a program, "
                "or your teacher made it."
            )
        return (
            "A program made this report and no teacher has read it yet. Each mark is a guess about "
            "how the text flows: read it, think about it, and decide for yourself."
        )

    @property
    def facts(self) -> tuple[str, ...]:
        """What stands under the title: the assignment, the day, the essay's size."""
        size = (
            counted(self.words, "word"),
            counted(self.sentences, "sentence"),
            counted(len(self.marks), "mark"),
        )
        head = " · ".join(filter(None, (self.cover.assignment, self.cover.day_in_words)))
        return tuple(filter(None, (head, " · ".join(size))))

    @property
    def nothing(self) -> str:
        """What to say where there is no mark; empty where there are some."""
        if self.marks:
            return ""
        return (
            "Nothing was marked in this essay. A program does not notice everything: read the "
            "essay once more with fresh eyes."
        )

    @property
    def judge(self) -> str:
        """What judged the sentences; empty where that is not known."""
        return " ".join(filter(None, (self.model.get("id", ""), self.model.get("version", ""))))

    def counts(self) -> dict[ReasonCode, int]:
        """How many marks there are of each first reason, in the scheme's order."""
        codes = [mark.code for mark in self.marks]
        return {code: codes.count(code) for code in CODES if code in codes}


def student_report(
    essay: Essay,
    analysis: Analysis,
    cover: Cover | None = None,
    *,
    findings: Sequence[ShownFinding] | None = None,
    remarks: Mapping[int, str] | None = None,
    comment: str = "",
    reasons: Collection[ReasonCode] = CODES,
) -> StudentReport:
    """The report on one essay.

    `findings` are the flags that hold after the review (of the analysis, where there was none),
    `remarks` the teacher's words on other sentences by index, `comment` those on the whole essay,
    `reasons` the codes that were looked for. Raises ValueError where the analysis is not of this
    essay's text.
    """
    if essay.content_hash != analysis.content_hash:
        raise ValueError("the analysis is of another text")
    if findings is None:
        findings = [_machine_finding(one, reasons) for one in analysis.findings]
        findings = [one for one in findings if one.reasons]
    texts = [one_line(sentence.text) for sentence in analysis.sentences]
    ordered = sorted(findings, key=lambda one: one.sentence)
    marks = tuple(_mark(number, one, texts) for number, one in enumerate(ordered, start=1))
    noted = _remarks(remarks or {}, texts, {mark.sentence for mark in marks})
    return StudentReport(
        cover=(cover or Cover()).cleaned(),
        topic=shown(essay.topic or analysis.topic),
        title=one_line(essay.title),
        words=essay.word_count,
        sentences=len(texts),
        lines=lines_of(essay, analysis, _tabs(marks, noted)),
        marks=marks,
        remarks=noted,
        comment=shown(comment).strip(),
        strengths=strengths_of(
            essay, texts, {mark.sentence - 1: mark.code for mark in marks}, reasons
        ),
        practise=things_to_practise([(mark.number, mark.code) for mark in marks]),
        notices=tuple(shown(one.message) for one in (*essay.notices, *analysis.notices)),
        texts=tuple(texts),
        model={key: str(analysis.model[key]) for key in ("id", "version") if key in analysis.model},
    )


def _tabs(marks: Sequence[Mark], remarks: Sequence[Remark]) -> dict[int, Tab]:
    tabs = {mark.sentence - 1: Tab(str(mark.number), mark.tag) for mark in marks}
    tabs |= {one.sentence - 1: Tab(one.letter, "Teacher’s note") for one in remarks}
    return tabs


def _machine_finding(finding: Finding, reasons: Collection[ReasonCode]) -> _MachineFinding:
    named = tuple(one.code for one in finding.reasons if one.code in reasons)
    return _MachineFinding(
        sentence=finding.sentence,
        reasons=named if finding.code in reasons else (),
        explanation=finding.explanation,
        anchor=finding.anchor,
        rewrites=tuple(_MachineRewrite(one) for one in finding.rewrites),
        confidence=finding.confidence,
        note=finding.note,
    )


def _mark(number: int, finding: ShownFinding, texts: Sequence[str]) -> Mark:
    sentence = texts[finding.sentence]
    anchor = finding.anchor
    return Mark(
        number=number,
        sentence=finding.sentence + 1,
        text=sentence,
        code=finding.reasons[0],
        also=tuple(finding.reasons[1 : 1 + _MOST_OTHERS]),
        explanation=shown(finding.explanation).strip(),
        anchor=None if anchor is None else anchor + 1,
        anchor_text="" if anchor is None else texts[anchor],
        suggestions=tuple(_suggestions(finding.rewrites, sentence)),
        note=shown(finding.note),
        confidence=finding.confidence,
        comment=shown(finding.comment).strip(),
        source=Source(finding.flag_by),
        origin=_origin(finding),
    )


def _suggestions(given: Sequence[ShownRewrite], sentence: str) -> Iterator[Suggestion]:
    last: tuple[Piece, ...] = ()
    for place, one in enumerate(given):
        rewrite = one.rewrite
        old = _cleaned(old_pieces(sentence, rewrite))
        word = "or" if place else "try"
        is_teachers = one.author == Source.TEACHER
        yield Suggestion(
            label=f"Teacher: {word}" if is_teachers else word.capitalize(),
            action=rewrite.action,
            text=one_line(rewrite.text),
            old=() if old == last or rewrite.action is Action.DELETE else old,
            new=_cleaned(new_pieces(sentence, rewrite)),
            source=Source(one.author),
            maker="" if is_teachers else made_by(rewrite),
        )
        last = old if rewrite.action is Action.REPLACE else last


def _cleaned(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    return tuple((one_line(text), changed) for text, changed in pieces)


def _origin(finding: ShownFinding) -> str:
    if finding.flag_by == Source.TEACHER:
        return "Marked by your teacher"
    changed = [
        part
        for part, author in (("reason", finding.reasons_by), ("text", finding.explanation_by))
        if author == Source.TEACHER
    ]
    if any(one.author == Source.TEACHER for one in finding.rewrites):
        changed.append("suggestion")
    if not changed:
        return MACHINE_ORIGIN
    return f"{MACHINE_ORIGIN}, {' and '.join(changed)} changed by your teacher"


def _remarks(
    remarks: Mapping[int, str], texts: Sequence[str], marked: Collection[int]
) -> tuple[Remark, ...]:
    kept = [
        (index, text.strip())
        for index, text in sorted(remarks.items())
        if 0 <= index < len(texts) and index + 1 not in marked and text.strip()
    ]
    return tuple(
        Remark(_letters(place), index + 1, texts[index], shown(text))
        for place, (index, text) in enumerate(kept)
    )


def _letters(place: int) -> str:
    """A to Z, then AA, AB and so on."""
    name = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
