"""An evaluation of rewrites as text, at most 80 columns wide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.research.evaluate_rewriting import OWN, SETTINGS, RewritingReport, SystemScores
from engine.research.evaluate_tables import table_lines
from engine.research.rewrites.systems import OPERATORS, PRODUCT, PURPOSES
from engine.scheme import SCHEME

_EDIT_SCORES = {
    "prec": "edit_precision",
    "rec": "edit_recall",
    "F0.5": "edit_f05",
    "95%": "edit_f05",
    "first": "first_edit_f05",
    "exact": "exact",
    "med": "changed_median",
    "mean": "changed_mean",
    "edits": "edits_mean",
    "cos": "meaning",
}
_DECISION_SCORES = {
    "del": "deletions",
    "prec": "delete_precision",
    "rec": "delete_recall",
    "F1": "delete_f1",
    "95%": "delete_f1",
    "accept": "accepted",
    "clear": "clears",
    "any": "answered",
    "sec": "seconds_median",
    "tok/s": "tokens_per_second",
}
_CODE_SCORES = {
    "n": "items",
    "texts": "text_items",
    "F0.5": "edit_f05",
    "exact": "exact",
    "med": "changed_median",
    "dF1": "delete_f1",
    "flag": "flagged_findings",
    "accept": "accepted",
    "clear": "clears",
}
_WHOLE = frozenset({"items", "text_items", "flagged_findings", "deletions", "tokens_per_second"})

LEGEND = """\
Edits, on the sentences that the experts rewrote. prec, rec, F0.5: edits that
are exactly the expert's, for the first suggestion that keeps the sentence;
first: the same F0.5 for the very first one, where a deletion is one edit;
exact: the expert's very words. Where something changed: med and mean share of
the words changed, edits: in how many places, cos: meaning kept (cosine of the
sentences' vectors).
Decisions, on all sentences with an expert's answer. del: deletions suggested
first; prec, rec, F1: against the expert's DELETE. On what the tagger flags:
accept: the first suggestion clears the flag and raises no other; clear: any
of them does. On all findings: any: has a suggestion; sec: median seconds.
The 95% intervals are bootstrapped over essays."""


def rewriting_lines(report: RewritingReport) -> Iterator[str]:
    """The whole report: for each setting edits, decisions, and the last system by reason."""
    yield from LEGEND.splitlines()
    yield ""
    names = {name: None for systems in report.settings.values() for name in systems}
    width = max(len(name) for name in names)
    for name in names:
        yield f"{name.ljust(width)}  {PURPOSES.get(name, '')}".rstrip()
    for setting, systems in report.settings.items():
        yield ""
        yield from _setting_lines(setting, systems)


def _setting_lines(setting: str, systems: Mapping[str, SystemScores]) -> Iterator[str]:
    some = next(iter(systems.values())).values
    yield SETTINGS[setting]
    yield (
        f"{_count(some['items'])} sentences, {_count(some['text_items'])} of them rewritten; "
        f"{_count(some['findings'])} findings, {_count(some['flagged_findings'])} flagged"
    )
    yield ""
    yield from table_lines(_rows("edits", _EDIT_SCORES, systems))
    yield ""
    yield from table_lines(_rows("decisions", _DECISION_SCORES, systems))
    yield ""
    yield from _code_lines(evaluated(systems))
    if setting == OWN:
        yield ""
        yield from _everywhere_lines(systems)


def evaluated(systems: Mapping[str, SystemScores]) -> SystemScores:
    """The system that the evaluation is about: the product, or the operators without a model."""
    return next(systems[name] for name in (PRODUCT, OPERATORS, *systems) if name in systems)


def _rows(
    title: str, scores: Mapping[str, str], systems: Mapping[str, SystemScores]
) -> list[list[str]]:
    rows = [[title, *scores]]
    for system in systems.values():
        cells = [
            _interval(system, score) if head == "95%" else _cell(score, system.values[score])
            for head, score in scores.items()
        ]
        rows.append([system.name, *cells])
    return rows


def _code_lines(system: SystemScores) -> Iterator[str]:
    rows = [["", "", *_CODE_SCORES]]
    for code, values in system.codes.items():
        cells = [_cell(score, values[score]) for score in _CODE_SCORES.values()]
        rows.append([code.value, SCHEME[code].name, *cells])
    yield f"{system.name}, by the expert's reason (dF1: F1 of deletions; flag: flagged)"
    yield from table_lines(rows, left=2)


def _everywhere_lines(systems: Mapping[str, SystemScores]) -> Iterator[str]:
    """Edits and deletions over all judged sentences, those found coherent included."""
    names = ("edit_precision", "edit_recall", "edit_f05", "first_edit_f05")
    deletes = ("deletions", "delete_precision", "delete_recall", "delete_f1")
    rows = [["everywhere", "n", "prec", "rec", "F0.5", "first", "del", "prec", "rec", "F1"]]
    for system in systems.values():
        if system.everywhere is not None:
            cells = [_cell(name, system.everywhere[name]) for name in ("items", *names, *deletes)]
            rows.append([system.name, *cells])
    yield "The same over all judged sentences, where coherent ones should stay as they are"
    yield from table_lines(rows)


def _cell(score: str, value: float | None) -> str:
    if value is None:
        return "-"
    if score in _WHOLE:
        return _count(value)
    return f"{value:.2f}"


def _count(value: float | None) -> str:
    return "-" if value is None else str(round(value))


def _interval(system: SystemScores, score: str) -> str:
    found = system.intervals.get(score)
    return "-" if found is None else f"{found.low:.2f}..{found.high:.2f}"
