"""A session, a history and dialogs without threads or processes, for the views' tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from desktop.dialogs import Dialogs, Unsaved
from desktop.services.autosave import Draft
from desktop.services.finding_item import Change, FindingItem, State
from engine.analysis import (
    Action,
    Analysis,
    Edit,
    EditKind,
    Finding,
    Reason,
    Rewrite,
    replacement_span,
)
from engine.essay import Essay
from engine.history import RunKind, RunRecord, RunRow
from engine.scheme import ReasonCode

ESSAY = (
    "Many students work while they study. Work teaches them to plan their time. "
    "But it costs them hours of sleep. A volcano is very hot. "
    "Good plans make both possible."
)
LINK, ASIDE = "key-link", "key-aside"


def link_finding() -> Finding:
    """The third sentence: R3, with two rewrites."""
    change = Edit(EditKind.REPLACE, 0, 3, "But", "However,")
    drop = Edit(EditKind.REPLACE, 0, 6, "But it", "It")
    return Finding(
        sentence=2,
        probability=0.9,
        reasons=(Reason(ReasonCode.R3, 0.8), Reason(ReasonCode.R1, 0.1)),
        anchor=1,
        explanation="“But” is too informal here.",
        rewrites=(
            Rewrite(
                Action.REPLACE, "However, it costs them hours of sleep.", (change,), 0.1, "marker"
            ),
            Rewrite(Action.REPLACE, "It costs them hours of sleep.", (drop,), 0.2, "marker"),
        ),
        key=LINK,
        confidence="very likely",
    )


def aside_finding() -> Finding:
    """The fourth sentence: R6, to be deleted."""
    return Finding(
        sentence=3,
        probability=0.7,
        reasons=(Reason(ReasonCode.R6, 0.9),),
        anchor=None,
        explanation="The sentence moves away from your argument.",
        rewrites=(Rewrite(Action.DELETE, "", (), 0.0, "delete"),),
        key=ASIDE,
        confidence="likely",
    )


def items_of(essay: Essay, findings: Sequence[Finding]) -> list[FindingItem]:
    """The findings as open items at their places in the essay."""
    sentences = essay.sentences
    return [
        FindingItem(
            finding,
            sentences[finding.sentence].text,
            sentences[finding.sentence].span,
            State.OPEN,
            anchor_span=None if finding.anchor is None else sentences[finding.anchor].span,
            anchor_sentence="" if finding.anchor is None else sentences[finding.anchor].text,
        )
        for finding in findings
    ]


class FakeSession(QObject):
    """Holds what a test puts in and notes what the views ask for in `calls`."""

    text_replaced = Signal(object)
    findings_changed = Signal()
    finding_updated = Signal(str)
    busy_changed = Signal(bool)
    progress = Signal(str, int, int)
    writing = Signal(int, str)
    message = Signal(str, str, str)
    dirty_changed = Signal(bool)
    name_changed = Signal(str)
    topic_changed = Signal(str)
    analysis_finished = Signal(object)
    encoding_asked = Signal(object)

    def __init__(self, text: str = ESSAY) -> None:
        super().__init__()
        self.calls: list[tuple[Any, ...]] = []
        self.text = text
        self.topic = ""
        self.name = "Untitled"
        self.path: Path | None = None
        self.dirty = False
        self.busy = False
        self.analysis: Analysis | None = None
        self.can_save = True
        self._items: list[FindingItem] = []

    @property
    def essay(self) -> Essay:
        return Essay.from_text(self.text, topic=self.topic)

    def show(self, findings: Sequence[Finding] = ()) -> None:
        """Announce the essay and these findings on it."""
        self.text_replaced.emit(self.essay)
        self.put(items_of(self.essay, findings))

    def put(self, items: Sequence[FindingItem]) -> None:
        self._items = list(items)
        self.findings_changed.emit()

    def change(self, key: str, **fields: Any) -> None:
        """Give one finding's item other fields."""
        self._items = [replace(i, **fields) if i.key == key else i for i in self._items]
        self.finding_updated.emit(key)

    def set_busy(self, busy: bool) -> None:
        self.busy = busy
        self.busy_changed.emit(busy)

    def set_dirty(self, dirty: bool) -> None:
        self.dirty = dirty
        self.dirty_changed.emit(dirty)

    def findings(self) -> list[FindingItem]:
        return list(self._items)

    def item(self, key: str) -> FindingItem | None:
        return next((item for item in self._items if item.key == key), None)

    def open(self, path: Path, encoding: str | None = None) -> None:
        self.calls.append(("open", path) if encoding is None else ("open", path, encoding))

    def new(self, text: str = "", topic: str = "") -> None:
        self.calls.append(("new", text, topic))

    def open_run(self, record: RunRecord) -> None:
        self.calls.append(("open_run", record.row.id))

    def restore_draft(self, draft: Draft) -> None:
        self.calls.append(("restore_draft", draft.file))

    def set_topic(self, topic: str) -> None:
        self.topic = topic

    def text_edited(self, position: int, removed: int, added_text: str) -> None:
        self.calls.append(("text_edited", position, removed, added_text))
        self.text = self.text[:position] + added_text + self.text[position + removed :]

    def save(self, path: Path | None = None) -> bool:
        self.calls.append(("save", path))
        if self.can_save:
            self.path = path or self.path
            self.set_dirty(False)
        return self.can_save

    def check(self) -> None:
        self.calls.append(("check",))

    def stop(self) -> None:
        self.calls.append(("stop",))

    def accept(self, key: str, rewrite_index: int = 0) -> Change | None:
        self.calls.append(("accept", key, rewrite_index))
        item = self.item(key)
        if item is None or item.span is None or item.decided:
            return None
        rewrite = item.finding.rewrites[rewrite_index]
        change = Change(replacement_span(self.text, item.span, rewrite), rewrite.text)
        self.change(key, state=State.ACCEPTED)
        return change

    def accept_edited(self, key: str, text: str) -> Change | None:
        self.calls.append(("accept_edited", key, text))
        item = self.item(key)
        if item is None or item.span is None or item.decided:
            return None
        self.change(key, state=State.EDITED, decision=text)
        return Change(item.span, text)

    def reject(self, key: str, rewrite_index: int | None = None) -> None:
        self.calls.append(("reject", key, rewrite_index))
        self.change(key, state=State.REJECTED)

    def ignore(self, key: str) -> None:
        self.calls.append(("ignore", key))
        self.change(key, state=State.IGNORED)

    def reopen(self, key: str) -> None:
        self.calls.append(("reopen", key))
        self.change(key, state=State.OPEN)

    def close(self) -> None:
        self.calls.append(("close",))


class FakeHistory(QObject):
    """Lists `rows` at once and notes what it is asked for."""

    opened = Signal(object)
    runs_listed = Signal(object)
    run_loaded = Signal(object)
    failed = Signal(object)

    def __init__(self, rows: Sequence[RunRow] = ()) -> None:
        super().__init__()
        self.rows = list(rows)
        self.calls: list[tuple[Any, ...]] = []

    def list_runs(self, search: str = "", *, kind: RunKind = RunKind.ALL) -> None:
        self.calls.append(("list_runs", search))
        found = [
            row
            for row in self.rows
            if search.lower() in row.essay_name.lower()
            and (kind is RunKind.ALL or bool(row.class_name) == (kind is RunKind.CLASS))
        ]
        self.runs_listed.emit(found)

    def load_run(self, run_id: int) -> None:
        self.calls.append(("load_run", run_id))
        row = next(row for row in self.rows if row.id == run_id)
        self.run_loaded.emit(RunRecord(row, ESSAY, {}, None))

    def delete_run(self, run_id: int) -> None:
        self.calls.append(("delete_run", run_id))
        self.rows = [row for row in self.rows if row.id != run_id]


class FakeAutosave(QObject):
    """Offers `drafts`."""

    failed = Signal(str)

    def __init__(self, drafts: Sequence[Draft] = ()) -> None:
        super().__init__()
        self.drafts = list(drafts)
        self.discarded: list[Draft] = []

    def recover(self) -> list[Draft]:
        return list(self.drafts)

    def discard(self, draft: Draft) -> None:
        self.discarded.append(draft)


class Answers(Dialogs):
    """Answers every question as the test says, and counts the questions in `asked`."""

    def __init__(
        self,
        *,
        open_path: Path | None = None,
        save_path: Path | None = None,
        unsaved: Unsaved = Unsaved.CANCEL,
        yes: bool = True,
        folder: Path | None = None,
        file: Path | None = None,
    ) -> None:
        super().__init__(native=False)
        self.open_path = open_path
        self.save_path = save_path
        self.unsaved = unsaved
        self.yes = yes
        self.folder = folder
        self.file = file
        self.asked: list[str] = []
        self.encoding: str | None = None

    def ask_open(self, parent: QWidget, folder: Path) -> Path | None:
        self.asked.append("open")
        return self.open_path

    def ask_save(self, parent: QWidget, suggested: Path) -> Path | None:
        self.asked.append("save")
        return self.save_path

    def ask_unsaved(self, parent: QWidget, name: str) -> Unsaved:
        self.asked.append("unsaved")
        return self.unsaved

    def ask_encoding(self, parent: QWidget, name: str) -> str | None:
        self.asked.append("encoding")
        return self.encoding

    def ask_recover(self, parent: QWidget, draft: Draft) -> bool:
        self.asked.append("recover")
        return self.yes

    def ask_folder(self, parent: QWidget, title: str) -> Path | None:
        self.asked.append("folder")
        return self.folder

    def ask_file(self, parent: QWidget, title: str, kinds: str) -> Path | None:
        self.asked.append("file")
        return self.file

    def ask_licence(self, parent: QWidget, name: str, licence: str, address: str) -> bool:
        self.asked.append(f"licence: {licence}")
        return self.yes

    def confirm_remove_model(self, parent: QWidget, name: str, size: str) -> bool:
        self.asked.append(f"remove model: {name}")
        return self.yes

    def confirm_delete_class(self, parent: QWidget, name: str) -> bool:
        self.asked.append("delete class")
        return self.yes

    def confirm_delete(self, parent: QWidget, name: str) -> bool:
        self.asked.append("delete")
        return self.yes
