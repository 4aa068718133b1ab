"""The state of the essay being edited: its text of record, its findings and their decisions."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from desktop.services.autosave import Autosave, Draft
from desktop.services.engine_client import EngineClient
from desktop.services.finding_item import Change, FindingItem
from desktop.services.history_service import HistoryService
from desktop.services.settings import Settings
from engine.analysis import Analysis
from engine.essay import Essay
from engine.history import RunRecord

__all__ = ["Change", "EssaySession", "FindingItem"]


class EssaySession(QObject):
    """SIGNATURES FIRST: bodies follow within the hour."""

    text_replaced = Signal(object)  # Essay, after open(), new(), restore_draft(), open_run()
    findings_changed = Signal()  # the list is another one
    finding_updated = Signal(str)  # key of the one finding whose item changed
    busy_changed = Signal(bool)  # a check runs
    progress = Signal(str, int, int)  # stage, done, total
    message = Signal(str, str, str)  # kind "info" | "warning" | "error", text, hint
    dirty_changed = Signal(bool)
    name_changed = Signal(str)
    topic_changed = Signal(str)
    analysis_finished = Signal(object)  # Analysis

    def __init__(
        self,
        client: EngineClient,
        history: HistoryService,
        settings: Settings,
        autosave: Autosave,
        *,
        recheck_ms: int = 1500,
        parent: QObject | None = None,
    ) -> None: ...

    # reading
    text: str
    topic: str
    name: str  # file name or "Untitled"
    path: Path | None
    dirty: bool
    busy: bool
    essay: Essay  # built from the current text
    analysis: Analysis | None  # the last finished one

    def findings(self) -> list[FindingItem]: ...  # in text order
    def item(self, key: str) -> FindingItem | None: ...
    def item_at(self, position: int) -> FindingItem | None: ...

    # the essay
    def open(self, path: Path) -> None: ...  # reads on a thread -> text_replaced or message
    def new(self, text: str = "", topic: str = "") -> None: ...
    def open_run(self, record: RunRecord) -> None: ...  # a run of the history
    def restore_draft(self, draft: Draft) -> None: ...
    def set_topic(self, topic: str) -> None: ...
    def text_edited(self, position: int, removed: int, added_text: str) -> None: ...  # code points
    def save(self, path: Path | None = None) -> bool: ...  # False: message was sent
    def close(self) -> None: ...  # clean end: stops timers, removes the draft

    # checking
    def check(self) -> None: ...
    def stop(self) -> None: ...

    # deciding; accept* return what the editor must apply as ONE undo step and report back through
    # ONE text_edited call (the same edit undone re-opens the finding, redone accepts it again)
    def accept(self, key: str, rewrite_index: int = 0) -> Change | None: ...
    def accept_edited(self, key: str, text: str) -> Change | None: ...
    def reject(self, key: str, rewrite_index: int | None = None) -> None: ...
    def ignore(self, key: str) -> None: ...
    def reopen(self, key: str) -> None: ...  # takes back reject and ignore
