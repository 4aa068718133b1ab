"""The state of the essay being edited: its text of record, its findings and their decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.offsets import showable
from desktop.services.autosave import Autosave, Draft
from desktop.services.checker import Checker
from desktop.services.document import EssayDocument
from desktop.services.engine_client import EngineClient
from desktop.services.finding_book import DecisionRefusedError, FindingBook, Recorded
from desktop.services.finding_item import Change, FindingItem, State
from desktop.services.history_service import HistoryService
from desktop.services.marks import CheckedText, TextEdit, narrowed
from desktop.services.settings import Settings
from engine.analysis import Analysis, Decision, Finding, ScoredSentence, Verdict
from engine.essay import Essay
from engine.history import RunRecord

__all__ = ["Change", "EssaySession", "FindingItem", "State"]


class EssaySession(QObject):
    """One essay from opening to closing: what the views show and all that they may do to it.

    Positions and spans are code points of `text`, the text of record. The editor owns undo: it
    reports every change of its text through `text_edited`, and it applies what `accept` returns.
    """

    text_replaced = Signal(object)  # Essay, after open(), new(), restore_draft(), open_run()
    findings_changed = Signal()  # the list, or its order, is another one
    finding_updated = Signal(str)  # key of the one finding whose item changed
    busy_changed = Signal(bool)  # a check runs
    progress = Signal(str, int, int)  # stage, done, total
    writing = Signal(int, str)  # sentence of the checked text, a language model's edit so far
    message = Signal(str, str, str)  # kind "info" | "warning" | "error", text, hint
    dirty_changed = Signal(bool)
    name_changed = Signal(str)
    topic_changed = Signal(str)
    analysis_finished = Signal(object)  # Analysis
    encoding_asked = Signal(object)  # Path of a file to open again with an encoding

    def __init__(
        self,
        client: EngineClient,
        history: HistoryService,
        settings: Settings,
        autosave: Autosave,
        *,
        recheck_ms: int = 1500,
        parent: QObject | None = None,
    ) -> None:
        """`recheck_ms` is how long the text must rest before it is checked again by itself."""
        super().__init__(parent)
        self._history = history
        self._settings = settings
        self._document = EssayDocument(autosave, self)
        self._book = FindingBook()
        self._analysis: Analysis | None = None
        self._published: dict[str, FindingItem] = {}
        self._checker = Checker(
            client,
            history,
            settings,
            essay=lambda: self.essay,
            recheck_ms=recheck_ms,
            parent=self,
        )
        autosave.failed.connect(self._warn)
        self._listen()

    def _listen(self) -> None:
        self._document.dirty_changed.connect(self.dirty_changed)
        self._document.name_changed.connect(self.name_changed)
        self._document.message.connect(self.message)
        self._document.encoding_asked.connect(self.encoding_asked)
        self._checker.begun.connect(self._on_begun)
        self._checker.scored.connect(self._on_scored)
        self._checker.found.connect(self._on_found)
        self._checker.finished.connect(self._take)
        self._checker.ended.connect(self._on_ended)
        self._checker.busy_changed.connect(self.busy_changed)
        self._checker.progress.connect(self.progress)
        self._checker.writing.connect(self.writing)
        self._checker.message.connect(self.message)
        self._history.failed.connect(self._on_history_failed)
        self._history.decisions_found.connect(self._on_decisions_found)
        self._settings.changed.connect(self._on_setting_changed)
        self._settings.failed.connect(self._warn)

    # Reading

    @property
    def text(self) -> str:
        """The text of record."""
        return self._book.text

    @property
    def topic(self) -> str:
        """The essay prompt, empty if not given."""
        return self._book.topic

    @property
    def path(self) -> Path | None:
        """The essay's file, None while it has none."""
        return self._document.source.path

    @property
    def name(self) -> str:
        """The file's name, or "Untitled"."""
        return self._document.name

    @property
    def dirty(self) -> bool:
        """Whether the text differs from what was opened or last saved."""
        return self._document.is_dirty

    @property
    def busy(self) -> bool:
        """Whether a check of this essay runs."""
        return self._checker.busy

    @property
    def essay(self) -> Essay:
        """The essay with its current text and topic."""
        return self._document.with_text(self.text).with_topic(self.topic)

    @property
    def analysis(self) -> Analysis | None:
        """The last finished result, of the text as it was then."""
        return self._analysis

    def findings(self) -> list[FindingItem]:
        """All findings in text order."""
        return self._book.items()

    def item(self, key: str) -> FindingItem | None:
        """One finding, None if there is none with this key."""
        return self._book.item(key)

    def item_at(self, position: int) -> FindingItem | None:
        """The finding whose place holds this position."""
        for item in self.findings():
            if item.span is not None and item.span.start <= position < item.span.end:
                return item
        return None

    # The essay

    def open(self, path: Path, encoding: str | None = None) -> None:
        """Read an essay on a thread; `text_replaced`, `message` or `encoding_asked` follows."""
        text_before = self.text

        def show(essay: Essay) -> None:
            if self.text != text_before:
                self.message.emit(
                    "warning",
                    f"{path.name} was not opened, because you went on writing meanwhile.",
                    "Open it again when you have saved.",
                )
                return
            self._replace(essay, is_saved=True)
            for notice in essay.notices:
                self.message.emit("info", notice.message, "")

        self._document.read(path, show, encoding)

    def new(self, text: str = "", topic: str = "") -> None:
        """Begin an essay that has no file."""
        self._replace(Essay.from_text(text, topic=topic), is_saved=False)

    def restore_draft(self, draft: Draft) -> None:
        """Go on with a recovered draft; `text_replaced` follows.

        The draft's file gives its structure, so that saving keeps the formatting. Where it can no
        longer be read, the draft stands for itself and has no file.
        """
        self._document.read_draft(draft, lambda essay: self._replace(essay, is_saved=False))

    def open_run(self, record: RunRecord) -> None:
        """Show a past check: its text, its findings and the rejections among its decisions.

        Accepted findings are open again, because the text is the one that was checked.
        """
        row = record.row
        self._replace(Essay.from_text(record.text, topic=row.topic), is_saved=False)
        if record.analysis is None:
            return
        job_id = f"run-{row.id}"
        self._history.adopt_run(job_id, row.id)
        self._book.begin(
            CheckedText(self.text, self.topic, job_id, row.content_hash), expects_rewrites=False
        )
        self._book.adopt(record.decisions.values())
        self._take(record.analysis)

    def set_topic(self, topic: str) -> None:
        """Change the essay prompt; all findings go stale, because they were judged under it."""
        topic = topic.strip()
        if topic == self.topic:
            return
        self._book.topic = topic
        self.topic_changed.emit(topic)
        self._document.edited(self.text, topic)
        self._publish()
        self._plan_recheck()

    def text_edited(self, position: int, removed: int, added_text: str) -> None:
        """The editor's text changed: at `position`, `removed` code points gave way to the text.

        Called for every change, undo and redo included, once each.
        """
        edit = narrowed(self.text, TextEdit(position, removed, added_text))
        if not edit.removed and not edit.added:
            return
        for recorded in self._book.follow(edit):
            self._record(recorded)
        self._document.edited(self.text, self.topic)
        self._publish()
        self._plan_recheck()

    def save(self, path: Path | None = None) -> bool:
        """Write the essay to `path` or its own file; False if not, and a message says why."""
        return self._document.save(self.text, path)

    def close(self) -> None:
        """End cleanly: stop the check, and give up the draft."""
        self._checker.drop()
        self._document.close()

    # Checking

    def check(self) -> None:
        """Check the text as it is now; findings arrive one by one."""
        self._checker.check()

    def stop(self) -> None:
        """Stop the running check; what it has found so far stays."""
        self._checker.stop()

    # Deciding

    def accept(self, key: str, rewrite_index: int = 0) -> Change | None:
        """What the editor must change to put a rewrite in; None and a message if it may not.

        The finding counts as accepted once the editor reports the change through `text_edited`,
        in one call. The same change undone opens the finding again; redone, it is accepted.
        """
        try:
            return self._book.propose(key, rewrite_index)
        except DecisionRefusedError as refusal:
            self.message.emit("warning", refusal.message, refusal.hint)
            return None

    def accept_edited(self, key: str, text: str) -> Change | None:
        """As `accept`, with the writer's own words; no words at all delete the sentence."""
        try:
            change = self._book.propose_text(key, text)
        except DecisionRefusedError as refusal:
            self.message.emit("warning", refusal.message, refusal.hint)
            return None
        if change is None:
            self.message.emit("info", "The sentence is the same as before.", "")
        return change

    def reject(self, key: str, rewrite_index: int | None = None) -> None:
        """Turn the suggestion down."""
        self._decide(self._book.dismiss(key, Verdict.REJECTED, rewrite_index))

    def ignore(self, key: str) -> None:
        """Call the finding none."""
        self._decide(self._book.dismiss(key, Verdict.IGNORED, None))

    def reopen(self, key: str) -> None:
        """Take a rejection back. An accepted change is taken back by the editor's undo."""
        self._decide(self._book.reopen(key))

    # The essay, inside

    def _replace(self, essay: Essay, *, is_saved: bool) -> None:
        """Take up another essay; `is_saved` says whether its file holds its text."""
        self._checker.drop()
        text = showable(essay.text)
        self._book = FindingBook(text, essay.topic)
        self._analysis = None
        self.text_replaced.emit(replace(essay, text=text))
        self._document.take(essay, is_saved=is_saved)
        self.topic_changed.emit(self.topic)
        self._publish()

    # Checking, inside

    def _plan_recheck(self) -> None:
        if self._analysis is not None:
            self._checker.plan()

    @Slot(str)
    def _on_setting_changed(self, name: str) -> None:
        if name in ("strictness", "show_rewrites", "correct_grammar", "device"):
            self._plan_recheck()

    @Slot(object, bool)
    def _on_begun(self, checked: CheckedText, expects_rewrites: bool) -> None:
        self._book.begin(checked, expects_rewrites=expects_rewrites)

    @Slot(object)
    def _on_scored(self, sentences: Sequence[ScoredSentence]) -> None:
        self._book.scored(sentences)

    @Slot(object)
    def _on_found(self, finding: Finding) -> None:
        self._book.found(finding)
        self._publish()

    @Slot(object)
    def _take(self, analysis: Analysis) -> None:
        """Show a whole result."""
        self._analysis = analysis
        for recorded in self._book.finish(analysis):
            self._record(recorded)
        self._history.find_decisions([finding.key for finding in analysis.findings])
        self._publish()
        self.analysis_finished.emit(analysis)

    @Slot()
    def _on_ended(self) -> None:
        self._book.abandon()
        self._publish()

    # Deciding, inside

    def _decide(self, recorded: Recorded | None) -> None:
        if recorded is not None:
            self._record(recorded)
            self._publish()

    def _record(self, recorded: Recorded) -> None:
        finding, verdict = recorded.finding, recorded.verdict
        decision = None if verdict is None else Decision(finding.key, verdict, recorded.text)
        self._history.record_decision(recorded.job_id, finding, decision, recorded.rewrite_index)

    @Slot(object)
    def _on_decisions_found(self, decisions: dict[str, Decision]) -> None:
        self._book.adopt(decisions.values())
        self._publish()

    @Slot(object)
    def _on_history_failed(self, error: dict[str, str]) -> None:
        self.message.emit("warning", error["message"], error["hint"])

    @Slot(str)
    def _warn(self, text: str) -> None:
        self.message.emit("warning", text, "")

    def _publish(self) -> None:
        """Say what changed about the findings since last time; moved spans alone are no news."""
        items = {item.key: _without_moves(item) for item in self.findings()}
        published, self._published = self._published, items
        if list(items) != list(published):
            self.findings_changed.emit()
            return
        for key, item in items.items():
            if item != published[key]:
                self.finding_updated.emit(key)


def _without_moves(item: FindingItem) -> FindingItem:
    """The item with its places reduced to whether they are there."""
    return replace(
        item,
        span=item.span and replace(item.span, start=0, end=1),
        anchor_span=item.anchor_span and replace(item.anchor_span, start=0, end=1),
    )
