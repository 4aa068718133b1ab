"""The editor page: joins the essay field, the findings and the session."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from desktop.services.finding_item import Change
from desktop.services.session import EssaySession
from desktop.services.settings import Settings
from desktop.theme import Theme
from desktop.views.editor.check_bar import CheckBar
from desktop.views.editor.essay_edit import EssayEdit
from desktop.views.editor.findings_panel import FindingsPanel
from desktop.views.editor.text_bridge import TextBridge
from desktop.views.layouts import PageScrollArea
from engine.analysis import Analysis
from engine.essay import Essay

NARROW = 36
"""Below this many line heights of width, the findings go below the essay."""
ESSAY_LINES, PANEL_LINES = 6, 13
"""The least height of each, in line heights."""
SHORT_ESSAY_LINES, SHORT_PANEL_LINES = 4, 11
"""The same where that keeps the buttons to decide in sight, as under a message of some lines."""


class EditorPage(QWidget):
    """Shows what the session holds and asks it for what the writer wants.

    `file_dropped(path)`: a file was dropped on the essay.
    """

    file_dropped = Signal(str)

    def __init__(
        self,
        session: EssaySession,
        settings: Settings,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._settings = settings
        self.bar = CheckBar()
        self.edit = EssayEdit(theme)
        self.panel = FindingsPanel(theme)
        self.bridge = TextBridge(self.edit, session, self)
        self._summary = ""
        # One redraw a turn of the event loop, however many findings a keystroke touches.
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(0)
        self._redraw.timeout.connect(self._show_findings)
        self._arrange()
        self._listen_to_views()
        self._listen_to_session()
        self.bar.show_strictness(settings.strictness)
        self.bar.show_name(session.name, dirty=session.dirty)

    def check(self) -> None:
        """Check the essay as it stands."""
        self._session.set_topic(self.bar.topic.text())
        self._session.check()

    def next_finding(self) -> None:
        """Choose the next finding that waits for a decision."""
        self.panel.list.step(1)

    def previous_finding(self) -> None:
        """Choose the one before."""
        self.panel.list.step(-1)

    def restyle(self) -> None:
        """Draw everything in the theme's colours and sizes."""
        self.edit.restyle()
        self.panel.restyle()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt: in a narrow window the findings go below the essay."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Share the room out; where there is too little for both, the page scrolls."""
        line = self.fontMetrics().height()
        narrow = self.width() < NARROW * line
        self._splitter.setOrientation(
            Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal
        )
        self.panel.set_wide(wide=narrow)
        essay, panel = ESSAY_LINES * line, PANEL_LINES * line
        short_essay, short_panel = SHORT_ESSAY_LINES * line, SHORT_PANEL_LINES * line
        short = _together(short_essay, short_panel, stacked=narrow)
        room = self._scroll.viewport().height() - self._splitter.handleWidth()
        if _together(essay, panel, stacked=narrow) > room >= short:
            essay, panel = short_essay, short_panel
        self.edit.setMinimumHeight(essay)
        self.panel.setMinimumHeight(panel)

    def _arrange(self) -> None:
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.edit)
        self._splitter.addWidget(self.panel)
        self._splitter.setStretchFactor(0, 1)
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([500, 500])
        self._splitter.setHandleWidth(12)
        self._scroll = scroll = PageScrollArea()
        scroll.setWidget(self._splitter)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.addWidget(self.bar)
        column.addWidget(scroll, 1)

    def _listen_to_views(self) -> None:
        session, card = self._session, self.panel.card
        self.bar.check_asked.connect(self.check)
        self.bar.stop_asked.connect(session.stop)
        self.bar.topic_edited.connect(session.set_topic)
        self.bar.strictness_chosen.connect(self._choose_strictness)
        self.edit.mark_clicked.connect(self.panel.list.choose)
        self.edit.file_dropped.connect(self.file_dropped)
        self.panel.chosen.connect(self._show_chosen)
        self.panel.list.stepped.connect(self._reveal)
        card.accepted.connect(lambda key, option: self._apply(session.accept(key, option)))
        card.edited.connect(lambda key, text: self._apply(session.accept_edited(key, text)))
        card.rejected.connect(self._reject)
        card.ignored.connect(self._ignore)
        card.reopened.connect(session.reopen)
        card.anchor_asked.connect(self._show_anchor)

    def _listen_to_session(self) -> None:
        session = self._session
        session.text_replaced.connect(self._show_essay)
        session.findings_changed.connect(self._redraw.start)
        session.finding_updated.connect(lambda _key: self._redraw.start())
        session.busy_changed.connect(self._show_busy)
        session.progress.connect(self._show_progress)
        session.writing.connect(self._show_writing)
        session.name_changed.connect(lambda name: self.bar.show_name(name, dirty=session.dirty))
        session.dirty_changed.connect(lambda dirty: self.bar.show_name(session.name, dirty=dirty))
        session.topic_changed.connect(self.bar.show_topic)
        session.analysis_finished.connect(self._show_finished)
        self._settings.changed.connect(
            lambda _name: self.bar.show_strictness(self._settings.strictness)
        )

    def _show_essay(self, essay: Essay) -> None:
        self.bridge.show(essay.text)
        self.bar.topic.clearFocus()
        self.bar.show_topic(essay.topic)
        self._summary = f"{essay.word_count} words"
        self.bar.show_status(self._summary)
        self._redraw.start()

    def _show_findings(self) -> None:
        session = self._session
        items = session.findings()
        self.bridge.mark(items)
        self.panel.show_items(items, busy=session.busy, checked=session.analysis is not None)
        self._show_chosen(self.panel.list.current_key, reveal=False)

    def _show_busy(self, busy: bool) -> None:
        self.bar.show_busy(busy=busy)
        self.panel.end_draft()
        if busy:
            self._summary = ""
        else:
            self.bar.show_status(self._summary)
        self._redraw.start()

    def _show_progress(self, stage: str, done: int, total: int) -> None:
        self.panel.end_draft()
        self.bar.show_progress(stage, done, total)

    def _show_writing(self, sentence: int, text: str) -> None:
        self.bar.show_status(f"Writing a rewrite for sentence {sentence + 1}…")
        self.panel.show_draft(sentence, text)

    def _show_finished(self, analysis: Analysis) -> None:
        count, flagged = len(analysis.sentences), len(analysis.findings)
        noun = "sentence" if count == 1 else "sentences"
        self._summary = f"{count} {noun} checked, {flagged} flagged, in {analysis.seconds:.1f} s"
        self.bar.show_status(self._summary)
        self._redraw.start()

    def _show_chosen(self, key: str, *, reveal: bool = True) -> None:
        item = self._session.item(key) if key else None
        self.edit.select_mark(key)
        waiting = item is not None and not item.decided
        self.bridge.show_anchor(item.anchor_span if item is not None and waiting else None)
        # A choice that comes by itself leaves the caret of somebody who is writing alone.
        if reveal and not self.edit.hasFocus():
            self._reveal(key)

    def _reveal(self, key: str) -> None:
        item = self._session.item(key)
        if item is not None and item.span is not None:
            self.bridge.reveal(item.span)

    def _show_anchor(self, key: str) -> None:
        item = self._session.item(key)
        if item is not None and item.anchor_span is not None:
            self.bridge.reveal(item.anchor_span, select=True)
            self.edit.setFocus()

    def _choose_strictness(self, value: str) -> None:
        self._settings.strictness = value

    def _apply(self, change: Change | None) -> None:
        if change is None:
            return
        self.bridge.apply(change)
        self.next_finding()

    def _reject(self, key: str, option: int) -> None:
        self._session.reject(key, option if option >= 0 else None)
        self.next_finding()

    def _ignore(self, key: str) -> None:
        self._session.ignore(key)
        self.next_finding()


def _together(essay: int, panel: int, *, stacked: bool) -> int:
    return essay + panel if stacked else max(essay, panel)
