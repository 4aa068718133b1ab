"""The Classroom page: joins its three views with the services that do the work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from desktop.dialogs import Dialogs
from desktop.models.class_table import about
from desktop.services.class_runner import ClassProgress, ClassRunner
from desktop.services.classroom_service import ClassroomService, Export, NewClass
from desktop.services.review_desk import ReviewDesk
from desktop.theme import Theme
from desktop.views.classroom.bank import BankDialog
from desktop.views.classroom.class_page import ClassPage
from desktop.views.classroom.comment_field import CommentField
from desktop.views.classroom.export_dialog import ExportDialog
from desktop.views.classroom.options_dialog import OptionsDialog
from desktop.views.classroom.review_page import ReviewPage
from desktop.views.classroom.start_page import StartPage
from engine.classroom.model import Assignment, AssignmentSettings, Submission
from engine.history.assignment_rows import SubmissionRecord


@dataclass(frozen=True)
class Classroom:
    """The services of the Classroom page."""

    service: ClassroomService
    runner: ClassRunner
    desk: ReviewDesk


class ClassroomPage(QWidget):
    """Start page, class and review; `message(kind, text, hint)` is for the window's bar.

    `view_changed` when another of the three is on show, for the commands that it answers.
    """

    message = Signal(str, str, str)
    view_changed = Signal()

    def __init__(
        self, parts: Classroom, theme: Theme, dialogs: Dialogs, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._service, self._runner, self._desk = parts.service, parts.runner, parts.desk
        self._dialogs = dialogs
        self._wanted_class = 0
        self._wanted_record = 0
        self.start = StartPage(dialogs)
        self.klass = ClassPage()
        self.review = ReviewPage(parts.desk, theme)
        self._stack = QStackedWidget()
        for view in (self.start, self.klass, self.review):
            self._stack.addWidget(view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self._listen_to_views()
        self._listen_to_services()

    @property
    def in_class(self) -> bool:
        """Whether a class's table is on show."""
        return self._stack.currentWidget() is self.klass

    @property
    def in_review(self) -> bool:
        """Whether an essay under review is on show."""
        return self._stack.currentWidget() is self.review

    def start_focus(self) -> QWidget:
        """Where work starts in the view on show."""
        if self.in_review:
            return self.review.panel.list
        return self.klass.table if self.in_class else self.start.start_focus()

    def commands(self) -> dict[str, Callable[[], object]]:
        """What the window's commands do here."""
        review, panel = self.review, self.review.panel
        return {
            "class_start": self.start_checking,
            "class_pause": self.pause_or_resume,
            "class_stop": self._runner.stop,
            "class_export": self.ask_export,
            "comment_bank": self.show_bank,
            "flag_add": review.add_flag,
            "flag_edit": review.edit_flag,
            "flag_remove": review.remove_or_restore,
            "write_comment": panel.comment.setFocus,
            "write_general": review.general.setFocus,
            "previous_student": lambda: self.step(-1),
            "next_student": lambda: self.step(1),
            "mark_reviewed": review.toggle_reviewed,
            "mark_released": review.toggle_released,
        }

    def allowed(self) -> frozenset[str]:
        """The commands that do something in the view on show."""
        if self.in_review:
            names = {name for name in self.commands() if not name.startswith("class_")}
            return frozenset({*names, "next", "previous", "anchor", "other_option"})
        if self.in_class:
            return frozenset(
                {"class_start", "class_pause", "class_stop", "class_export", "comment_bank"}
            )
        return frozenset({"class_start", "comment_bank"})

    def show_view(self, name: str) -> None:
        """Turn to "start", "class" or "review" as it was left."""
        views = {"start": self.start, "class": self.klass, "review": self.review}
        self._go_to(views[name])

    def restyle(self) -> None:
        """Draw everything in the theme's colours and sizes."""
        self.klass.restyle()
        self.review.restyle()

    def showEvent(self, event: QShowEvent) -> None:
        """Qt: what is shown is fresh whenever the page comes up."""
        super().showEvent(event)
        self._refresh()

    # What the commands do

    def start_checking(self) -> None:
        """Begin a new class, or check what waits of the open one."""
        if not self.in_class:
            self.start.form.submit()
        elif self.klass.assignment is not None:
            self._runner.start(self.klass.assignment.id)

    def pause_or_resume(self) -> None:
        """Hold the running check, or let it go on."""
        if self._runner.is_paused:
            self._runner.resume()
        else:
            self._runner.pause()

    def ask_export(self) -> None:
        """Ask which reports to write, and write them."""
        assignment = self.klass.assignment
        if assignment is not None:
            dialog = ExportDialog(assignment, self._dialogs, self)
            dialog.wanted.connect(lambda wanted: self._service.export(assignment.id, wanted))
            dialog.open()

    def ask_options(self) -> None:
        """Ask how the class is to be checked and shown from now on."""
        assignment = self.klass.assignment
        if assignment is not None:
            dialog = OptionsDialog(assignment, self)
            dialog.wanted.connect(lambda wanted: self._change_settings(assignment.id, wanted))
            dialog.open()

    def show_bank(self) -> None:
        """Show the comment bank, with what is selected in a comment field ready to be kept."""
        text = ""
        for field in self._comment_fields():
            text = text or field.textCursor().selectedText().replace("\u2029", "\n")
        BankDialog(self._service, text, self).open()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) student's essay."""
        one = self._desk.submission
        other = None if one is None else self.klass.neighbour(one.id, by)
        if other is not None:
            self._open_submission(other)

    # Inside

    def _listen_to_views(self) -> None:
        start, klass, review = self.start, self.klass, self.review
        start.opened.connect(self._ask_for)
        start.deleted.connect(self._delete)
        start.form.wanted.connect(self._create)
        start.form.message.connect(self.message)
        klass.opened.connect(self._open_submission)
        klass.problems.retry_asked.connect(self._retry)
        klass.bar.back_asked.connect(self._show_start)
        klass.bar.start_asked.connect(self.start_checking)
        klass.bar.pause_asked.connect(self.pause_or_resume)
        klass.bar.stop_asked.connect(self._runner.stop)
        klass.bar.export_asked.connect(self.ask_export)
        klass.bar.settings_asked.connect(self.ask_options)
        review.back_asked.connect(self._back_to_class)
        review.step_asked.connect(self.step)
        for field in self._comment_fields():
            field.comments_wanted.connect(self._find_comments)
            field.comment_used.connect(self._service.used_comment)

    def _listen_to_services(self) -> None:
        service, runner = self._service, self._runner
        service.listed.connect(self.start.show_classes)
        service.created.connect(self._begin)
        service.loaded.connect(self._show_class)
        service.row_loaded.connect(self._show_row)
        service.record_loaded.connect(self._show_record)
        service.comments_found.connect(self._offer_comments)
        service.exported.connect(self._tell_exported)
        service.deleted.connect(lambda _id: service.list_classes())
        service.busy_changed.connect(self._tell_busy)
        service.failed.connect(
            lambda error: self.message.emit("error", error["message"], error["hint"])
        )
        runner.message.connect(self.message)
        runner.progressed.connect(self._show_progress)
        runner.row_changed.connect(service.load_row)
        runner.state_changed.connect(self._show_running)
        runner.ended.connect(lambda assignment, _how: self._reload(assignment))
        self._desk.message.connect(self.message)

    def _comment_fields(self) -> tuple[CommentField, CommentField]:
        return self.review.panel.comment, self.review.general

    def _go_to(self, view: QWidget) -> None:
        self._stack.setCurrentWidget(view)
        if self.isVisible():
            self.start_focus().setFocus()
        self.view_changed.emit()

    def _refresh(self) -> None:
        if self.in_class and self.klass.assignment is not None:
            self._service.load(self.klass.assignment.id)
        elif not self.in_review:
            self._service.list_classes()

    def _show_start(self) -> None:
        self._service.list_classes()
        self._go_to(self.start)

    def _create(self, wanted: NewClass) -> None:
        self._service.create(wanted)

    def _begin(self, assignment: Assignment) -> None:
        """A class was read in: show it, and check it."""
        self.start.form.clear()
        self._wanted_class = assignment.id
        self._show_class(assignment)
        self._runner.start(assignment.id)

    def _delete(self, assignment: int) -> None:
        if self._runner.is_at(assignment):
            self.message.emit("warning", "This class is being checked.", "Stop the check first.")
        else:
            self._service.delete(assignment)

    def _ask_for(self, assignment: int) -> None:
        self._wanted_class = assignment
        self._service.load(assignment)

    def _show_class(self, assignment: Assignment) -> None:
        """Go to a class that was asked for; one that is on show already is only drawn anew."""
        if assignment.id == self._wanted_class:
            self._wanted_class = 0
            self._fill_class(assignment)
            self._go_to(self.klass)
        elif self.klass.assignment is not None and self.klass.assignment.id == assignment.id:
            self._fill_class(assignment)

    def _fill_class(self, assignment: Assignment) -> None:
        here = self._runner.is_at(assignment.id)
        self.klass.show_class(
            assignment,
            running=here,
            paused=here and self._runner.is_paused,
            elsewhere=self._runner.is_running and not here,
        )

    def _show_running(self) -> None:
        if self.klass.assignment is not None:
            self._fill_class(self.klass.assignment)

    def _reload(self, assignment: int) -> None:
        if self.klass.assignment is not None and self.klass.assignment.id == assignment:
            self._service.load(assignment)

    def _show_progress(self, progress: ClassProgress) -> None:
        if self.klass.assignment is not None and self._runner.is_at(self.klass.assignment.id):
            self.klass.bar.show_progress(progress, paused=self._runner.is_paused)

    def _retry(self) -> None:
        if self.klass.assignment is not None:
            self._runner.start(self.klass.assignment.id, retry=True)

    def _change_settings(self, assignment: int, settings: AssignmentSettings) -> None:
        self._service.change_settings(assignment, settings)

    def _show_row(self, assignment: int, submission: Submission) -> None:
        shown = self.klass.assignment
        if shown is None or shown.id != assignment:
            return
        rows = tuple(submission if one.id == submission.id else one for one in shown.submissions)
        self.klass.assignment = replace(shown, submissions=rows)
        self.klass.model.update_row(submission)
        on_desk = self._desk.submission
        if on_desk is not None and on_desk.id == submission.id and submission.state.is_done:
            self.review.show_state(submission.state)
        if not self._runner.is_at(assignment):
            self._fill_class(self.klass.assignment)

    # The review

    def _open_submission(self, submission: Submission) -> None:
        if not submission.state.is_done:
            words = about(submission) or "This essay has not been checked yet."
            self.message.emit("info", words, "")
            return
        self._wanted_record = submission.id
        self._service.load_record(submission)

    def _show_record(self, record: SubmissionRecord) -> None:
        assignment, one = self.klass.assignment, record.submission
        if assignment is None or one.id != self._wanted_record:
            return
        self._wanted_record = 0
        self.review.show_name(assignment.shown_name(one))
        self.review.show_neighbours(
            has_previous=self.klass.neighbour(one.id, -1) is not None,
            has_next=self.klass.neighbour(one.id, 1) is not None,
        )
        self.klass.choose(one.id)
        self._desk.open(assignment.id, record, assignment.settings.reasons)
        self._go_to(self.review)

    def _back_to_class(self) -> None:
        self._desk.close()
        self._go_to(self.klass)
        self._refresh()

    def _find_comments(self, words: str) -> None:
        item = self.review.panel.card.item
        self._service.find_comments(words, None if item is None else item.finding.code)

    def _offer_comments(self, words: str, comments: object) -> None:
        for field in self._comment_fields():
            field.show_comments(words, comments)  # type: ignore[arg-type]

    # Reports

    def _tell_exported(self, wanted: Export, students: int) -> None:
        essays = "1 student" if students == 1 else f"{students} students"
        self.message.emit("info", f"Reports on {essays} are in {wanted.folder}.", "")

    def _tell_busy(self, words: str) -> None:
        self.start.form.setEnabled(not words)
        self.klass.bar.export_button.setEnabled(not words)
        if words:
            self.message.emit("info", words, "")
