"""Reports with everything in them, for the tests of every writer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.analysis import (
    Action,
    Analysis,
    Finding,
    Reason,
    Rewrite,
    ScoredSentence,
    finding_key,
)
from engine.diff import word_edits
from engine.essay import Essay
from engine.reports.class_model import ClassReport, Earlier, Entry, NotChecked, class_report
from engine.reports.report_model import Cover, School, StudentReport, student_report
from engine.scheme import ReasonCode

TEXT = """Working while you study

Many students have a part-time job during the semester. A job teaches them to plan their week. \
But they lose many hours of sleep. Sleep is necessary for a healthy memory. \
My cousin has a red bicycle.

Some employers understand this problem. For example, they let students choose their own shifts. \
They should be free before an exam. However, other employers do not care about exams at all.

In conclusion, a job is useful if the hours are fair. Students must never work."""

TOPIC = "Should university students have a part-time job?"

SCHOOL = School(
    "Riverside Language School",
    b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 40" width="64" height="40">'
    b'<rect width="64" height="40" rx="6" fill="#0b5cad"/>'
    b'<path d="M6 26 q10 -12 20 0 t20 0 t12 -4" stroke="#fff" stroke-width="4" fill="none"/>'
    b"</svg>",
)

COVER = Cover(
    student="Li Wei",
    assignment="Essay 2: Working while you study",
    day=date(2026, 3, 7),
    school=SCHOOL,
    teacher="Ms Okafor",
    is_reviewed=True,
)


def replacing(old: str, new: str, reason: ReasonCode = ReasonCode.R3) -> Rewrite:
    return Rewrite(Action.REPLACE, new, word_edits(old, new), 0.1, "marker-change", reason)


def deletion() -> Rewrite:
    return Rewrite(Action.DELETE, "", (), 0.1, "delete", ReasonCode.R6)


def finding(
    essay: Essay,
    index: int,
    code: ReasonCode,
    *rewrites: Rewrite,
    explanation: str = "",
    anchor: int | None = -1,
) -> Finding:
    texts = [one.text for one in essay.sentences]
    return Finding(
        sentence=index,
        probability=0.8,
        reasons=(Reason(code, 0.7), Reason(ReasonCode.R1, 0.1)),
        anchor=index - 1 if anchor == -1 else anchor,
        explanation=explanation or f"Sentence {index + 1} does not follow.",
        rewrites=rewrites,
        key=finding_key(texts, index),
        confidence="likely",
        note="" if rewrites else "No small change clears this flag; think about it anew.",
    )


def analysis_of(essay: Essay, *findings: Finding) -> Analysis:
    marked = {one.sentence for one in findings}
    return Analysis(
        content_hash=essay.content_hash,
        topic=essay.topic,
        sentences=tuple(
            ScoredSentence(s.span, s.text, None if not s.index else 0.8 * (s.index in marked))
            for s in essay.sentences
        ),
        findings=findings,
        threshold=0.5,
        model={"id": "segue-tagger", "version": "1.0"},
        device={"reason": "Runs on the processor."},
    )


def checked() -> tuple[Essay, Analysis]:
    """The essay above with five findings of different kinds."""
    essay = Essay.from_text(TEXT, topic=TOPIC)
    texts = [one.text for one in essay.sentences]
    return essay, analysis_of(
        essay,
        finding(
            essay,
            2,
            ReasonCode.R3,
            replacing(texts[2], "However, they lose many hours of sleep."),
            replacing(texts[2], "Nevertheless, they lose many hours of sleep."),
            explanation="“But” is too informal to open a sentence in an essay. "
            "Use a formal linking word, or none.",
        ),
        finding(
            essay,
            4,
            ReasonCode.R6,
            deletion(),
            explanation="This sentence seems to move away from the point in “Sleep is necessary "
            "for a healthy memory”. Delete it, or show how it supports your point.",
        ),
        finding(
            essay,
            7,
            ReasonCode.R2,
            replacing(texts[7], "Students should be free before an exam.", ReasonCode.R2),
            explanation="It is not clear what “They” means here: it could be “employers” or "
            "“students”. Use the noun instead.",
        ),
        finding(
            essay,
            10,
            ReasonCode.R4,
            explanation="This sentence seems to go against “In conclusion, a job is useful if the "
            "hours…”. Make the sentence agree with your earlier point.",
        ),
    )


@dataclass(frozen=True)
class Given:
    """A suggestion as a review hands it over."""

    rewrite: Rewrite
    author: str = "machine"


@dataclass(frozen=True)
class Flag:
    """A flag as a review hands it over."""

    sentence: int
    reasons: tuple[ReasonCode, ...]
    explanation: str
    anchor: int | None = None
    rewrites: tuple[Given, ...] = ()
    comment: str = ""
    confidence: str = ""
    note: str = ""
    flag_by: str = "machine"
    reasons_by: str = "machine"
    explanation_by: str = "machine"


def flag(found: Finding, **changes: object) -> Flag:
    """The finding as a review without changes hands it over, and then those changes."""
    values: dict[str, object] = {
        "sentence": found.sentence,
        "reasons": tuple(one.code for one in found.reasons),
        "explanation": found.explanation,
        "anchor": found.anchor,
        "rewrites": tuple(Given(one) for one in found.rewrites),
        "confidence": found.confidence,
        "note": found.note,
    }
    return Flag(**{**values, **changes})  # type: ignore[arg-type]


def reviewed_report(cover: Cover = COVER) -> StudentReport:
    """The essay above after a teacher's review: a comment, a changed mark, one of her own."""
    essay, analysis = checked()
    texts = [one.text for one in essay.sentences]
    own = replacing(texts[7], "These students should be free before an exam.", ReasonCode.R2)
    flags = [
        flag(analysis.findings[0], comment="You use “But” at the start quite often. Good catch?"),
        flag(analysis.findings[1]),
        flag(
            analysis.findings[2],
            rewrites=(Given(own, "teacher"), Given(analysis.findings[2].rewrites[0])),
        ),
        flag(analysis.findings[3]),
        Flag(
            8,
            (ReasonCode.R1,),
            "Say why you speak of other employers now.",
            flag_by="teacher",
            reasons_by="teacher",
            explanation_by="teacher",
        ),
    ]
    return student_report(
        essay,
        analysis,
        cover,
        findings=flags,
        remarks={6: "A clear example, well placed."},
        comment="A well planned essay, Li Wei.\nPlease rewrite the ending: it says the opposite.",
    )


def plain_report(text: str, *, topic: str = "", student: str = "", count: int = 0) -> StudentReport:
    """A report on any text; its second sentence and those after it carry `count` marks."""
    essay = Essay.from_text(text, topic=topic)
    found = [finding(essay, index, ReasonCode.R6, deletion()) for index in range(1, count + 1)]
    return student_report(essay, analysis_of(essay, *found), Cover(student=student))


def small_class(**options: object) -> ClassReport:
    """A class of four, one of them not checked, after an earlier assignment."""
    report = reviewed_report()
    second = plain_report(
        "Cities grow fast. New houses need water. A dog can swim. Rain is not enough.", count=2
    )
    third = plain_report("Trains are quiet. Cars are loud. People like quiet streets.")
    entries = (
        Entry("Li Wei", report, "released", ("Li Wei",)),
        Entry("عمر حسن", second, "checked"),
        Entry("=SUM(A1)", third, "checked"),
        NotChecked("Ana Silva", "essay.doc is damaged.", "Ask for the file again."),
    )
    earlier = Earlier(
        "Essay 1: City life", 4, 60, {ReasonCode.R3: 9, ReasonCode.R6: 2, ReasonCode.R5: 1}
    )
    cover = Cover(assignment="Essay 2: Working while you study", day=COVER.day, school=SCHOOL)
    values: dict[str, object] = {"topic": TOPIC, "earlier": earlier, "names": ("Li Wei",)}
    return class_report(cover, entries, **{**values, **options})  # type: ignore[arg-type]
