"""How `segue rewrite` shows suggestions: side by side in columns, or as JSON (segue.rewrite/1)."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from engine.analysis import Action, Analysis, Finding, Rewrite
from engine.console import Paint, printable
from engine.reports.marking import new_pieces, old_pieces
from engine.reports.model import CheckedEssay
from engine.reports.text import marked_words
from engine.scheme import SCHEME

SCHEMA = "segue.rewrite/1"
_MARGIN = "   "
_GAP = " | "
_RULES = "Segue's own rules"


def suggestions_text(
    essay: CheckedEssay, findings: Sequence[Finding], writer: Mapping[str, Any], paint: Paint
) -> str:
    """Each sentence with its suggestions beside it, and who made them."""
    lines: list[str] = []
    analysis = essay.analysis
    if analysis is None:
        return ""
    for notice in essay.all_notices:
        lines += _wrapped(f"Note: {notice.message}", "", paint.width)
    for finding in findings:
        lines += _sentence_lines(finding, essay, analysis, paint)
        lines.append("")
    lines += _wrapped(_count_line(findings), "", paint.width)
    lines += _wrapped(_maker_line(writer), "", paint.width)
    return "\n".join(lines) + "\n"


def suggestions_json(
    essay: CheckedEssay,
    findings: Sequence[Finding],
    writer: Mapping[str, Any],
    *,
    is_complete: bool,
) -> str:
    """The same as the contract segue.rewrite/1. `is_complete` is false after a stop."""
    analysis = essay.analysis
    data = {
        "schema": SCHEMA,
        "model": dict(analysis.model) if analysis else {},
        "device": dict(analysis.device) if analysis else {},
        "writer": dict(writer),
        "path": essay.path,
        "notices": [notice.as_dict() for notice in essay.all_notices],
        "sentences": [_as_dict(one, analysis) for one in findings if analysis],
        "is_complete": is_complete,
    }
    # Half a surrogate pair can stand in a damaged essay, but not in UTF-8.
    text = json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _as_dict(finding: Finding, analysis: Analysis) -> dict[str, Any]:
    scored = analysis.sentences[finding.sentence]
    fields = finding.as_dict()
    before = fields["probability"]
    return {
        "sentence": finding.sentence,
        "start": scored.span.start,
        "end": scored.span.end,
        "text": scored.text,
        "probability": before,
        "is_flagged": finding.probability >= analysis.threshold,
        "reasons": fields["reasons"],
        "anchor": finding.anchor,
        "explanation": finding.explanation,
        "rewrites": [{**one, "probability_before": before} for one in fields["rewrites"]],
        "note": finding.note,
    }


def _sentence_lines(
    finding: Finding, essay: CheckedEssay, analysis: Analysis, paint: Paint
) -> Iterator[str]:
    info = SCHEME[finding.code]
    place = essay.place_of(finding.sentence).capitalize()
    head = f"{place}, sentence {finding.sentence + 1}: "
    if finding.probability >= analysis.threshold:
        yield head + paint(f"{info.tag} ({info.code})", "yellow", "bold")
    else:
        yield head + "not marked"
    sentence = analysis.sentences[finding.sentence].text
    if not finding.rewrites:
        yield from _wrapped(sentence, _MARGIN, paint.width)
    for rewrite in finding.rewrites:
        yield from _side_by_side(sentence, rewrite, paint)
        yield from _wrapped(_facts(finding, rewrite), _MARGIN, paint.width)
    if finding.note:
        yield from _wrapped(finding.note, _MARGIN, paint.width)


def _side_by_side(sentence: str, rewrite: Rewrite, paint: Paint) -> Iterator[str]:
    width = (paint.width - len(_MARGIN) - len(_GAP)) // 2
    left = _column(marked_words(old_pieces(sentence, rewrite), paint, "red"), width)
    if rewrite.action is Action.DELETE:
        words = "(delete this sentence)".split()
        right = _column([(word, paint(word, "green")) for word in words], width)
    else:
        right = _column(marked_words(new_pieces(sentence, rewrite), paint, "green"), width)
    for (plain, painted), (_, other) in zip_longest(left, right, fillvalue=("", "")):
        space = " " * max(0, width - len(plain))
        yield f"{_MARGIN}{painted}{space}{_GAP}{other}".rstrip()


def _column(words: Sequence[tuple[str, str]], width: int) -> list[tuple[str, str]]:
    """The words in lines of at most `width` columns, each line as (plain, painted)."""
    lines: list[tuple[str, str]] = []
    for plain, painted in words:
        if lines and len(lines[-1][0]) + 1 + len(plain) <= width:
            lines[-1] = (f"{lines[-1][0]} {plain}", f"{lines[-1][1]} {painted}")
        else:
            lines.append((plain, painted))
    return lines


def _facts(finding: Finding, rewrite: Rewrite) -> str:
    """What the suggestion answers, who made it, and what the tagger says before and after."""
    maker = "language model" if rewrite.operator == "generated" else f"rule: {rewrite.operator}"
    answers = (
        "" if rewrite.reason is None else f"answers {SCHEME[rewrite.reason].tag} ({rewrite.reason})"
    )
    chances = (
        f"chance that it breaks the flow {finding.probability:.2f} -> "
        f"{rewrite.probability_after:.2f}"
    )
    if rewrite.action is Action.DELETE:
        chances = (
            f"chance for the sentence {finding.probability:.2f}, for the next one then "
            f"{rewrite.probability_after:.2f}"
        )
    return "; ".join(part for part in (answers, maker, chances) if part)


def _count_line(findings: Sequence[Finding]) -> str:
    if not findings:
        return "No sentence is marked, so there is nothing to rewrite."
    mended = sum(bool(finding.rewrites) for finding in findings)
    return f"{mended} of {len(findings)} sentences have a suggestion."


def _maker_line(writer: Mapping[str, Any]) -> str:
    if writer["backend"] == "operators":
        return f"Made by {_RULES}."
    name = writer["model"] or "a language model"
    made = f"Made by {_RULES} and {name} ({writer['backend']}). {writer['reason']}"
    tokens, seconds = writer.get("tokens", 0), writer.get("seconds", 0.0)
    if tokens and seconds:
        made += f" {tokens} tokens in {seconds:.1f} s."
    return made


def _wrapped(text: str, margin: str, width: int) -> list[str]:
    return textwrap.wrap(
        printable(text),
        width,
        initial_indent=margin,
        subsequent_indent=margin,
        break_on_hyphens=False,
    )
