"""A report as one self-contained web page: no script, nothing fetched, safe with any essay."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.analysis import Finding
from engine.reports.marking import Piece, made_by, new_pieces, old_pieces
from engine.reports.model import CheckedEssay, CheckReport
from engine.resources import resources_folder
from engine.scheme import SCHEME


@dataclass(frozen=True)
class Passage:
    """A stretch of the essay's text; `number` is that of its finding, 0 where there is none."""

    text: str
    number: int = 0
    tag: str = ""


def report_html(report: CheckReport) -> str:
    """The page, with every essay of the report."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(resources_folder() / "reports"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("check.html.j2")
    page = template.render(
        report=report,
        essays=[_essay_view(number, essay) for number, essay in enumerate(report.essays, start=1)],
        scheme=SCHEME,
        counts=sorted(report.reason_counts().items()),
    )
    # Half a surrogate pair can stand in a damaged essay, but not in UTF-8.
    return page.encode("utf-8", "replace").decode("utf-8")


def _essay_view(number: int, essay: CheckedEssay) -> dict[str, Any]:
    return {
        "number": number,
        "name": "Standard input" if essay.path == "-" else essay.path,
        "essay": essay,
        "paragraphs": list(_paragraphs(essay)),
        "findings": [
            _finding_view(place, finding, essay)
            for place, finding in enumerate(_findings(essay), start=1)
        ],
    }


def _findings(essay: CheckedEssay) -> tuple[Finding, ...]:
    return () if essay.analysis is None else essay.analysis.findings


def _finding_view(number: int, finding: Finding, essay: CheckedEssay) -> dict[str, Any]:
    sentences = essay.analysis.sentences if essay.analysis is not None else ()
    sentence = sentences[finding.sentence].text
    anchor = None if finding.anchor is None else sentences[finding.anchor].text
    rewrites: list[dict[str, Any]] = []
    shown: tuple[Piece, ...] = ()
    for rewrite in finding.rewrites:
        old = old_pieces(sentence, rewrite)
        rewrites.append(
            {
                "action": rewrite.action.value,
                "old": () if old == shown else old,
                "new": new_pieces(sentence, rewrite),
                "maker": made_by(rewrite),
            }
        )
        shown = old
    return {
        "number": number,
        "finding": finding,
        "info": SCHEME[finding.code],
        "place": essay.place_of(finding.sentence),
        "sentence": sentence,
        "anchor": anchor,
        "rewrites": rewrites,
    }


def _paragraphs(essay: CheckedEssay) -> Iterator[list[Passage]]:
    """The essay's lines, each in passages: flagged sentences and what stands between them."""
    line: list[Passage] = []
    for passage in _passages(essay):
        first, *others = passage.text.split("\n")
        for number, piece in enumerate((first, *others)):
            if number and line:
                yield line
                line = []
            if piece.strip() or line:
                line.append(Passage(piece, passage.number, passage.tag))
    if line:
        yield line


def _passages(essay: CheckedEssay) -> Iterator[Passage]:
    at = 0
    for number, finding in enumerate(_findings(essay), start=1):
        if essay.analysis is None:
            return
        span = essay.analysis.sentences[finding.sentence].span
        if span.start > at:
            yield Passage(essay.text[at : span.start])
        yield Passage(span.of(essay.text), number, SCHEME[finding.code].tag)
        at = span.end
    if at < len(essay.text):
        yield Passage(essay.text[at:])
