"""What a class report says, whatever its format: one pass over the students' reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from engine.analysis import Action
from engine.reports.discussion import Candidates, Example
from engine.reports.report_model import Cover, Mark, StudentReport
from engine.reports.wording import counted, one_line, shown
from engine.scheme import CODES, SCHEME, ReasonCode

CORRECTED = (
    "Each essay was judged after its sure mistakes of grammar and spelling had been corrected; "
    "each student’s report lists them."
)


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A submission without an analysis: the name to show, why, and what to do."""

    student: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One student of a class: the report, and what the class table adds.

    `student` is the name to show (an alias where the class is anonymous); `own_names` are real
    names, which never reach a report: they keep an essay that names its writer from being quoted.
    """

    student: str
    report: StudentReport
    state: str = ""
    own_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    """What the assignment before this one showed, for comparison."""

    assignment: str
    students: int
    sentences: int
    counts: Mapping[ReasonCode, int]


@dataclass(frozen=True, slots=True)
class StudentRow:
    """One row of the class table; `counts` are marks by first reason."""

    student: str
    words: int
    sentences: int
    marks: int
    counts: Mapping[ReasonCode, int]
    state: str
    is_reviewed: bool

    @property
    def per_hundred(self) -> float:
        """Marks for each hundred sentences."""
        return _per_hundred(self.marks, self.sentences)


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One mark of one student, for the table of findings."""

    student: str
    mark: Mark

    @property
    def suggestion(self) -> str:
        """The first suggestion in words; empty for none."""
        for one in self.mark.suggestions:
            return "Delete this sentence." if one.action is Action.DELETE else one.text
        return ""


@dataclass(frozen=True, slots=True)
class ReasonRow:
    """How often a reason is the first one: marks, students, marks for each hundred sentences."""

    code: ReasonCode
    marks: int
    students: int
    per_hundred: float
    earlier_per_hundred: float | None

    @property
    def tag(self) -> str:
        """The reason in two or three words."""
        return SCHEME[self.code].tag

    @property
    def meaning(self) -> str:
        """What the reason means."""
        return SCHEME[self.code].meaning

    @property
    def change(self) -> str:
        """The difference to the earlier assignment, with its sign; empty where there is none."""
        if self.earlier_per_hundred is None:
            return ""
        change = round(self.per_hundred, 1) - round(self.earlier_per_hundred, 1)
        if abs(change) < 0.05:
            return "0.0"
        return f"{'+' if change > 0 else '−'}{abs(change):.1f}"


@dataclass(frozen=True)
class ClassReport:
    """Everything that a report on a class says; `examples` name nobody.

    `is_corrected` tells that the essays were judged as if their sure mistakes were corrected.
    """

    cover: Cover
    topic: str
    students: tuple[StudentRow, ...]
    findings: tuple[FindingRow, ...]
    reasons: tuple[ReasonRow, ...]
    examples: tuple[Example, ...]
    not_checked: tuple[NotChecked, ...] = ()
    earlier: Earlier | None = None
    model: Mapping[str, str] = field(default_factory=dict)
    is_corrected: bool = False

    @property
    def heading(self) -> str:
        """The report's title."""
        name = self.cover.assignment
        return f"Class report: {name}" if name else "Class report"

    @property
    def words(self) -> int:
        """Words of all essays."""
        return sum(row.words for row in self.students)

    @property
    def sentences(self) -> int:
        """Sentences of all essays."""
        return sum(row.sentences for row in self.students)

    @property
    def reviewed(self) -> int:
        """How many essays a teacher has read."""
        return sum(row.is_reviewed for row in self.students)

    @property
    def standing(self) -> str:
        """Whose word the report is."""
        if self.students and self.reviewed == len(self.students):
            return "A teacher has read the marks on every essay of this report."
        if self.reviewed:
            return (
                f"A teacher has read the marks on {self.reviewed} of {len(self.students)} essays; "
                "those on the others are a program’s guesses."
            )
        return "No teacher has read these essays’ marks yet: they are a program’s guesses."

    @property
    def facts(self) -> tuple[str, ...]:
        """What stands under the title: the task, the day, the size of the class."""
        marks = sum(row.marks for row in self.students)
        size = [
            counted(len(self.students), "essay"),
            counted(self.words, "word"),
            counted(self.sentences, "sentence"),
            counted(marks, "mark"),
        ]
        if self.not_checked:
            size.append(f"{len(self.not_checked)} not checked")
        head = " · ".join(filter(None, (self.cover.day_in_words, self.cover.teacher)))
        topic = f"Topic: {self.topic}" if self.topic else ""
        corrected = CORRECTED if self.is_corrected else ""
        return tuple(filter(None, (head, topic, " · ".join(size), corrected)))

    @property
    def comparison(self) -> str:
        """What the numbers are compared with; empty where there is nothing before."""
        if self.earlier is None:
            return ""
        name = self.earlier.assignment or "the assignment before"
        essays = counted(self.earlier.students, "essay")
        sentences = counted(self.earlier.sentences, "sentence")
        return f"Compared with {name} ({essays}, {sentences})."

    @property
    def judge(self) -> str:
        """What judged the sentences; empty where that is not known."""
        return " ".join(filter(None, (self.model.get("id", ""), self.model.get("version", ""))))

    def marks_each(self) -> tuple[tuple[str, int], ...]:
        """How many students have 0, 1-2, 3-5, 6-10 and more marks."""
        steps = (("none", 0, 0), ("1–2", 1, 2), ("3–5", 3, 5), ("6–10", 6, 10))
        counts = [row.marks for row in self.students]
        found = [(label, sum(low <= n <= high for n in counts)) for label, low, high in steps]
        return (*found, ("over 10", sum(n > 10 for n in counts)))


def class_report(
    cover: Cover,
    entries: Iterable[Entry | NotChecked],
    *,
    topic: str = "",
    earlier: Earlier | None = None,
    names: Collection[str] = (),
    reasons: Collection[ReasonCode] = CODES,
    is_corrected: bool = False,
) -> ClassReport:
    """The report on a class; `entries` are taken one by one and not kept.

    `names` are all names of the class: a sentence that holds one is never quoted. `reasons` are
    the codes that were looked for. `is_corrected` as in `ClassReport`.
    """
    rows: list[StudentRow] = []
    findings: list[FindingRow] = []
    failed: list[NotChecked] = []
    model: Mapping[str, str] = {}
    candidates = Candidates(names)
    for entry in entries:
        if isinstance(entry, NotChecked):
            failed.append(
                NotChecked(one_line(entry.student), shown(entry.message), shown(entry.hint))
            )
            continue
        model = model or entry.report.model
        row = _row(entry)
        rows.append(row)
        findings += [FindingRow(row.student, mark) for mark in entry.report.marks]
        candidates.add(entry.report, (*entry.own_names, entry.student))
    return ClassReport(
        cover=cover.cleaned(),
        topic=shown(topic),
        students=tuple(rows),
        findings=tuple(findings),
        reasons=_reason_rows(rows, earlier, reasons),
        examples=candidates.chosen(),
        not_checked=tuple(failed),
        earlier=earlier and replace(earlier, assignment=one_line(earlier.assignment)),
        model=model,
        is_corrected=is_corrected,
    )


def _row(entry: Entry) -> StudentRow:
    report = entry.report
    return StudentRow(
        student=one_line(entry.student),
        words=report.words,
        sentences=report.sentences,
        marks=len(report.marks),
        counts=report.counts(),
        state=entry.state,
        is_reviewed=report.cover.is_reviewed,
    )


def _reason_rows(
    rows: list[StudentRow], earlier: Earlier | None, reasons: Collection[ReasonCode]
) -> tuple[ReasonRow, ...]:
    """Every reason that was looked for or found, most frequent first."""
    sentences = sum(row.sentences for row in rows)
    marks: Counter[ReasonCode] = Counter()
    students: Counter[ReasonCode] = Counter()
    for row in rows:
        marks.update(row.counts)
        students.update(row.counts.keys())
    found = [
        ReasonRow(
            code,
            marks[code],
            students[code],
            _per_hundred(marks[code], sentences),
            _per_hundred(earlier.counts.get(code, 0), earlier.sentences) if earlier else None,
        )
        for code in CODES
        if code in reasons or marks[code]
    ]
    return tuple(sorted(found, key=lambda row: -row.marks))


def _per_hundred(marks: int, sentences: int) -> float:
    return 100 * marks / sentences if sentences else 0.0
