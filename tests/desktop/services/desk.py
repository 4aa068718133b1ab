"""What the tests of the session work with: a scripted engine, and a plain-string editor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytestqt.qtbot import QtBot

from desktop.services.autosave import Autosave
from desktop.services.engine_client import EngineClient
from desktop.services.finding_item import Change, FindingItem, State
from desktop.services.history_service import HistoryService
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from engine.analysis import (
    Action,
    Analysis,
    Finding,
    Reason,
    Rewrite,
    ScoredSentence,
    finding_key,
)
from engine.essay import Essay, Notice
from engine.history import RunRecord, RunRow
from engine.scheme import ReasonCode
from engine.writing import RULES_ALONE, WriterChoice

ESSAY = "Many students work. They plan well. But it costs sleep. A volcano is hot. Plans help."
"""Sentences 1 (They), 2 (But) and 3 (volcano) are flagged by `analyse`."""

REPLACEMENTS = {"They": "These students", "But": "However,", "And": "In addition,"}


def rewrites_for(sentence: str) -> tuple[Rewrite, ...]:
    """A replacement of the first word where there is one, and always the deletion."""
    first, _, rest = sentence.partition(" ")
    delete = Rewrite(Action.DELETE, "", (), 0.1)
    if first not in REPLACEMENTS:
        return (delete,)
    return (Rewrite(Action.REPLACE, f"{REPLACEMENTS[first]} {rest}", (), 0.2), delete)


def analyse(essay: Essay, *, notices: tuple[Notice, ...] = ()) -> Analysis:
    """Flags sentences that start with They, But or And, or that know of a volcano."""
    texts = [sentence.text for sentence in essay.sentences]
    findings = []
    for index, text in enumerate(texts):
        if index and (text.split()[0] in REPLACEMENTS or "volcano" in text):
            reasons = (Reason(ReasonCode.R3, 0.8),)
            findings.append(
                Finding(
                    index,
                    0.9,
                    reasons,
                    index - 1,
                    "Why.",
                    rewrites_for(text),
                    finding_key(texts, index),
                )
            )
    scored = tuple(ScoredSentence(s.span, s.text, 0.1) for s in essay.sentences)
    return Analysis(essay.content_hash, essay.topic, scored, tuple(findings), 0.5, notices=notices)


class ScriptedClient(EngineClient):
    """Takes checks and says nothing until the test has it speak."""

    def __init__(self) -> None:
        super().__init__()
        self.essays: dict[str, Essay] = {}
        self.requests: list[dict[str, Any]] = []
        self.stopped: list[str] = []

    @property
    def last(self) -> str:
        """The newest job's id."""
        return list(self.essays)[-1]

    def check(
        self,
        essay: Essay,
        *,
        strictness: str,
        rewrites: bool = True,
        correct_grammar: bool = False,
        writer: WriterChoice = RULES_ALONE,
    ) -> str:
        job_id = f"job-{len(self.essays) + 1}"
        self.essays[job_id] = essay
        self.requests.append(
            {
                "strictness": strictness,
                "rewrites": rewrites,
                "correct_grammar": correct_grammar,
                "writer": writer,
            }
        )
        return job_id

    def cancel(self, job_id: str) -> None:
        self.stopped.append(job_id)

    def finish(self, job_id: str | None = None, *, notices: tuple[Notice, ...] = ()) -> Analysis:
        """Answer a check as `analyse` does."""
        job_id = job_id or self.last
        analysis = analyse(self.essays[job_id], notices=notices)
        self.finished.emit(job_id, analysis)
        return analysis

    def stream(self, job_id: str | None = None, *, upto: int | None = None) -> list[Finding]:
        """Send the sentences and the first findings without their rewrites."""
        job_id = job_id or self.last
        analysis = analyse(self.essays[job_id])
        self.scored.emit(job_id, analysis.sentences)
        sent = [replace(finding, rewrites=()) for finding in analysis.findings[:upto]]
        for finding in sent:
            self.found.emit(job_id, finding)
        return sent


@dataclass
class Desk:
    """A session with everything around it, and an editor that is a plain string with undo."""

    qtbot: QtBot
    client: ScriptedClient
    history: HistoryService
    settings: Settings
    autosave: Autosave
    session: EssaySession
    text: str = ""
    messages: list[tuple[str, str, str]] = field(default_factory=list)
    updated: list[str] = field(default_factory=list)
    undo_steps: list[tuple[int, str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.session.message.connect(lambda *message: self.messages.append(message))
        self.session.finding_updated.connect(self.updated.append)
        self.session.text_replaced.connect(self._take_text)

    def _take_text(self, essay: Essay) -> None:
        self.text = essay.text
        self.undo_steps.clear()

    def edit(self, position: int, removed: int, added: str) -> None:
        """What the editor does when the writer changes something."""
        old = self.text[position : position + removed]
        self.undo_steps.append((position, old, added))
        self._splice(position, old, added)

    def _splice(self, position: int, old: str, new: str) -> None:
        self.text = self.text[:position] + new + self.text[position + len(old) :]
        self.session.text_edited(position, len(old), new)
        assert self.session.text == self.text

    def undo(self) -> tuple[int, str, str]:
        step = self.undo_steps.pop()
        self._splice(step[0], step[2], step[1])
        return step

    def redo(self, step: tuple[int, str, str]) -> None:
        self.undo_steps.append(step)
        self._splice(*step)

    def apply(self, change: Change | None) -> None:
        """What the editor does with an accepted change."""
        assert change is not None
        self.edit(change.span.start, len(change.span), change.text)

    def replace(self, old: str, new: str) -> None:
        """The writer changes a piece of the text by hand."""
        self.edit(self.text.index(old), len(old), new)

    def is_busy(self) -> bool:
        return self.session.busy

    def check(self) -> Analysis:
        """A whole check of the text as it is."""
        self.session.check()
        return self.client.finish()

    def states(self) -> list[State]:
        return [item.state for item in self.session.findings()]

    def of(self, word: str) -> FindingItem:
        """The finding whose judged sentence holds a word."""
        return next(item for item in self.session.findings() if word in item.sentence)

    def recorded_runs(self) -> list[RunRow]:
        """The history's runs, newest first."""
        with self.qtbot.waitSignal(self.history.runs_listed, timeout=20_000) as listed:
            self.history.list_runs()
        rows: list[RunRow] = listed.args[0]
        return rows

    def recorded(self, run_id: int) -> RunRecord:
        with self.qtbot.waitSignal(self.history.run_loaded, timeout=20_000) as loaded:
            self.history.load_run(run_id)
        record: RunRecord = loaded.args[0]
        return record

    def last_run(self) -> RunRecord:
        return self.recorded(self.recorded_runs()[0].id)


def words_of(items: Sequence[FindingItem]) -> list[str]:
    """The first word of each finding's sentence."""
    return [item.sentence.split()[0] for item in items]
