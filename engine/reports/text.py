"""A report as text for a terminal: 80 columns, changed words in brackets as well as in colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from engine.analysis import Action, Analysis, Finding
from engine.console import Paint, printable
from engine.reports.marking import Piece, new_pieces, old_pieces
from engine.reports.model import CheckedEssay, CheckReport
from engine.scheme import SCHEME

_LABEL = 11  # width of "Instead of " and the other labels
_SHORT = 60  # how much of an earlier sentence is enough to recognise it


def essay_text(essay: CheckedEssay, *, paint: Paint | None = None) -> str:
    """One essay: its name, notices, findings in text order."""
    paint = paint or Paint()
    return "\n".join(_essay_lines(essay, paint)) + "\n"


def summary_text(report: CheckReport, *, paint: Paint | None = None) -> str:
    """What was checked, how many findings of each kind there are, what judged them."""
    paint = paint or Paint()
    return "\n".join(_summary_lines(report, paint)) + "\n"


def report_text(report: CheckReport, *, paint: Paint | None = None) -> str:
    """All essays and the summary."""
    essays = [essay_text(essay, paint=paint) for essay in report.essays]
    return "\n".join([*essays, summary_text(report, paint=paint)])


def _essay_lines(essay: CheckedEssay, paint: Paint) -> Iterator[str]:
    name = "standard input" if essay.path == "-" else printable(essay.path)
    if essay.error is not None:
        yield f"{paint(name, 'bold')}: {paint('not checked', 'red')}"
        yield from _wrap(essay.error["message"], indent=2, width=paint.width)
        if essay.error["hint"]:
            yield from _wrap(essay.error["hint"], indent=2, width=paint.width)
        return
    analysis = essay.analysis
    if analysis is None:
        yield paint(name, "bold")
        return
    counted = _count(len(analysis.sentences), "sentence")
    found = _count(len(analysis.findings), "finding") if analysis.findings else "nothing found"
    yield f"{paint(name, 'bold')}: {counted}, {found}"
    for notice in essay.all_notices:
        yield from _wrap(f"Note: {notice.message}", indent=2, width=paint.width)
    for number, finding in enumerate(analysis.findings, start=1):
        yield ""
        yield from _finding_lines(number, finding, essay, analysis, paint)


def _finding_lines(
    number: int, finding: Finding, essay: CheckedEssay, analysis: Analysis, paint: Paint
) -> Iterator[str]:
    info = SCHEME[finding.code]
    place = f"{essay.place_of(finding.sentence).capitalize()}, sentence {finding.sentence + 1}"
    reason = f"{info.tag} ({info.code}, {info.name.lower()})"
    head = f"{number}. {place}: {paint(reason, 'yellow', 'bold')}"
    yield head + (f", {finding.confidence}" if finding.confidence else "")
    others = ", ".join(f"{SCHEME[r.code].tag.lower()} ({r.code})" for r in finding.reasons[1:])
    sentence = analysis.sentences[finding.sentence].text
    yield from _quoted(sentence, width=paint.width)
    yield from _wrap(finding.explanation, indent=3, width=paint.width)
    if others:
        yield from _wrap(f"Perhaps also: {others}.", indent=3, width=paint.width)
    if finding.anchor is not None:
        earlier = _shortened(analysis.sentences[finding.anchor].text)
        yield from _wrap(
            f"Should connect to sentence {finding.anchor + 1}: “{earlier}”",
            indent=3,
            width=paint.width,
        )
    shown: tuple[Piece, ...] = ()
    for rank, rewrite in enumerate(finding.rewrites):
        label = "Or" if rank else "Try"
        if rewrite.action is Action.DELETE:
            yield f"   {label:<{_LABEL}}{paint('delete this sentence', 'green')}"
            continue
        if old_pieces(sentence, rewrite) != shown:
            shown = old_pieces(sentence, rewrite)
            yield from _labelled("Instead of", marked_words(shown, paint, "red"), width=paint.width)
        yield from _labelled(
            label, marked_words(new_pieces(sentence, rewrite), paint, "green"), width=paint.width
        )
    if finding.note:
        yield from _wrap(finding.note, indent=3, width=paint.width)


def marked_words(pieces: Iterable[Piece], paint: Paint, colour: str) -> list[tuple[str, str]]:
    """The words of pieces as (plain, painted); brackets mark a change, since colour may not be seen."""
    plain = "".join(_bracketed(text) if changed else printable(text) for text, changed in pieces)
    words: list[tuple[str, str]] = []
    is_inside = False
    for word in plain.split():
        is_inside = is_inside or "\ue000" in word
        shown = word.replace("\ue000", "[").replace("\ue001", "]")
        words.append((shown, paint(shown, colour) if is_inside else shown))
        if "\ue001" in word:
            is_inside = "\ue000" in word.rpartition("\ue001")[2]
    return words


def _bracketed(text: str) -> str:
    """The text between private marks, its outer white space left outside."""
    core = printable(text).strip()
    if not core:
        return text
    before, _, after = printable(text).partition(core)
    return f"{before}\ue000{core}\ue001{after}"


def _labelled(label: str, words: list[tuple[str, str]], *, width: int) -> Iterator[str]:
    room = width - 3 - _LABEL
    lines: list[list[str]] = [[]]
    used = 0
    for plain, painted in words:
        if lines[-1] and used + 1 + len(plain) > room:
            lines.append([])
            used = 0
        lines[-1].append(painted)
        used += len(plain) + (1 if used else 0)
    for number, line in enumerate(lines):
        yield f"   {label if number == 0 else '':<{_LABEL}}{' '.join(line)}"


def _summary_lines(report: CheckReport, paint: Paint) -> Iterator[str]:
    checked = [essay.analysis for essay in report.essays if essay.analysis is not None]
    sentences = sum(len(analysis.sentences) for analysis in checked)
    findings = sum(len(analysis.findings) for analysis in checked)
    facts = [
        f"{_count(len(checked), 'essay')} checked",
        _count(sentences, "sentence"),
        _count(findings, "finding") if findings else "nothing found",
    ]
    if report.failures:
        facts.append(f"{report.failures} not checked")
    yield paint("Summary", "bold") + f": {', '.join(facts)}."
    for code, count in sorted(report.reason_counts().items()):
        yield f"  {count:>3}  {SCHEME[code].tag} ({code})"
        yield from _wrap(SCHEME[code].meaning, indent=7, width=paint.width)
    if report.model:
        judge = f"Judged by {report.model.get('id')} {report.model.get('version', '')}".strip()
        yield from _wrap(f"{judge}. {report.device.get('reason', '')}", indent=2, width=paint.width)
        yield from _wrap(
            "A finding is a guess to think about, not a mistake for certain.",
            indent=2,
            width=paint.width,
        )


def _wrap(text: str, *, indent: int, width: int) -> list[str]:
    margin = " " * indent
    return textwrap.wrap(
        printable(text),
        width,
        initial_indent=margin,
        subsequent_indent=margin,
        break_on_hyphens=False,
    )


def _quoted(sentence: str, *, width: int) -> list[str]:
    return textwrap.wrap(
        printable(sentence),
        width,
        initial_indent="   | ",
        subsequent_indent="   | ",
        break_on_hyphens=False,
    )


def _shortened(sentence: str) -> str:
    return textwrap.shorten(printable(sentence), _SHORT, placeholder=" …")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
