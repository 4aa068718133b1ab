"""The job loop: requests are read on a thread and queued, jobs run one after the other.

A job is asked to stop or to wait by its controls, which are looked at between passes. Whatever goes wrong
in a job ends that job only; the end of the input ends the loop, because the parent is gone.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from engine import __version__
from engine.classroom.controls import Controls
from engine.errors import BackendError, Cancelled, SegueError
from engine.events import ChecksEssays, Event
from engine.worker.protocol import (
    LONGEST_LINE,
    PROTOCOL_VERSION,
    BatchRequest,
    CancelRequest,
    CheckRequest,
    DescribeRequest,
    ModelRequest,
    PauseRequest,
    ProtocolError,
    Request,
    ShutdownRequest,
    WarmRequest,
    encode_reply,
    parse_request,
)
from engine.worker.writers import Draft
from engine.writing import WriterChoice

if TYPE_CHECKING:
    from engine.llm.writer import Heard

logger = logging.getLogger(__name__)

BUG = {
    "code": "bug",
    "message": "Something went wrong inside Segue. Your essay is unchanged.",
    "hint": "Try again. If it happens again, report it with the newest file of the log folder.",
}
_OUT_OF_MEMORY = BackendError(
    "There was not enough memory to check this essay.",
    hint="Close other programs and try again, or check the essay in parts.",
)


class DescribedEngine(ChecksEssays, Protocol):
    """What the loop needs of an engine."""

    def describe(self) -> dict[str, Any]:
        """The model and the device."""
        ...


class ChoosesWriters(Protocol):
    """What gives the engine the language model that a job wants."""

    def choose(self, choice: WriterChoice, *, on_text: Heard | None = None) -> None:
        """Have this one write in the next check; `on_text` hears each piece of text."""
        ...


def serve(
    engine: DescribedEngine,
    reader: BinaryIO,
    writer: BinaryIO,
    *,
    writers: ChoosesWriters | None = None,
    on_end: Callable[[], None] | None = None,
) -> None:
    """Answer requests from `reader` on `writer` until a shutdown or the end of the input.

    Jobs run on the calling thread. Without `writers`, jobs that want a language model are refused.
    `on_end` is called once, on the reading thread, when no more requests will come while a job
    may still be running.
    """
    output = _Output(writer)
    inbox = _Inbox(reader, output, on_end)
    output.send("", "", {"event": "ready", "protocol": PROTOCOL_VERSION, "version": __version__})
    inbox.start()
    while (request := inbox.next()) is not None and not output.is_closed:
        if inbox.is_ended and isinstance(request, WarmRequest):
            # Loading a model for nobody would keep a closed window's child alive for seconds.
            continue
        _answer(_Desk(engine, writers or _NoWriters(), inbox, output), request)


class _NoWriters:
    """Stands where an engine cannot be given a language model."""

    def choose(self, choice: WriterChoice, *, on_text: Heard | None = None) -> None:
        if not choice.is_off:
            raise BackendError("This engine cannot generate rewrites.", hint="")


class _Output:
    """Writes whole lines from either thread; once the parent is gone, writes nothing."""

    def __init__(self, writer: BinaryIO) -> None:
        self._writer = writer
        self._lock = threading.Lock()
        self.is_closed = False

    def send(self, job: str, content_hash: str, body: Mapping[str, Any]) -> None:
        line = encode_reply(job, content_hash, body)
        with self._lock:
            if self.is_closed:
                return
            try:
                self._writer.write(line)
                self._writer.flush()
            except (OSError, ValueError):
                # A broken pipe, or a file that was closed: nobody listens any more.
                self.is_closed = True


class _JobControls(Controls):
    """The controls of one job, which also ends when nobody listens any more.

    `is_over` is set with the job's last event: who hears that may use its id again at once.
    """

    def __init__(self, output: _Output) -> None:
        super().__init__()
        self._output = output
        self.is_over = False

    def check(self) -> None:
        """Wait while paused. Raises Cancelled when asked to stop, or when the parent is gone."""
        if self._output.is_closed:
            self.stop()
        super().check()


class _Inbox:
    """The requests that wait, and the controls of each job that is running or waiting."""

    def __init__(
        self, reader: BinaryIO, output: _Output, on_end: Callable[[], None] | None
    ) -> None:
        self._reader = reader
        self._output = output
        self._on_end = on_end
        self._waiting: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._controls: dict[str, _JobControls] = {}
        self._lock = threading.Lock()
        self.is_ended = False

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="worker-requests", daemon=True).start()

    def next(self) -> Request | None:
        """The next request, waiting for it; None when no more will come."""
        return self._waiting.get()

    def controls(self, job: str) -> Controls:
        """How the job is asked to stop and to wait."""
        with self._lock:
            return self._controls[job]

    def find(self, job: str) -> _JobControls | None:
        """The controls of a job that is running or waiting; None for requests that have none."""
        with self._lock:
            return self._controls.get(job)

    def forget(self, job: str, controls: _JobControls | None) -> None:
        """The job has had its last reply; another of the same id may be waiting by now."""
        with self._lock:
            if self._controls.get(job) is controls:
                self._controls.pop(job, None)

    def _read(self) -> None:
        try:
            while (line := self._line()) is not None:
                if line.strip() and not self._accept(line):
                    break
        except (OSError, ValueError):
            logger.info("The input was closed.")
        finally:
            self.is_ended = True
            with self._lock:
                for controls in self._controls.values():
                    controls.stop()
            self._waiting.put(None)
            if self._on_end is not None:
                self._on_end()

    def _line(self) -> bytes | None:
        """One line, None at the end of the input. What is left of too long a line is dropped."""
        line = self._reader.readline(LONGEST_LINE)
        if not line:
            return None
        if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
            while line and not line.endswith(b"\n"):
                line = self._reader.readline(LONGEST_LINE)
            self._refuse(ProtocolError("A line is too long."))
            return b"\n"
        return line

    def _accept(self, line: bytes) -> bool:
        """Queue one request, or act on it at once; False when no more will follow."""
        try:
            request = parse_request(line)
        except ProtocolError as error:
            self._refuse(error)
            return True
        if isinstance(request, ShutdownRequest):
            return False
        if isinstance(request, CancelRequest | PauseRequest):
            self._steer(request)
            return True
        is_job = isinstance(request, CheckRequest | BatchRequest | ModelRequest)
        if is_job and not self._register(request.id):
            self._refuse(ProtocolError("A job with this id is already running."))
            return True
        self._waiting.put(request)
        return True

    def _steer(self, request: CancelRequest | PauseRequest) -> None:
        with self._lock:
            controls = self._controls.get(request.id)
        # A job that has just ended has had its last reply; there is nothing to stop.
        if controls is None:
            return
        if isinstance(request, CancelRequest):
            controls.stop()
        elif request.is_over:
            controls.resume()
        else:
            controls.pause()

    def _register(self, job: str) -> bool:
        """Give a new job its controls; False where the id is taken."""
        with self._lock:
            known = self._controls.get(job)
            if known is not None and not known.is_over:
                return False
            self._controls[job] = _JobControls(self._output)
            return True

    def _refuse(self, error: ProtocolError) -> None:
        logger.warning("Refused a request: %s", error.message)
        self._output.send(error.job, "", {"event": "failed", **error.as_dict()})


@dataclass(frozen=True)
class _Desk:
    """All that a job is done with."""

    engine: DescribedEngine
    writers: ChoosesWriters
    inbox: _Inbox
    output: _Output

    def send(self, job: str, content_hash: str, body: Mapping[str, Any]) -> None:
        """One event of a job; with the last one its id is free."""
        controls = self.inbox.find(job)
        if controls is not None and body.get("event") in _LAST_EVENTS:
            controls.is_over = True
        self.output.send(job, content_hash, body)


_LAST_EVENTS = frozenset({"finished", "class-finished", "model-finished"})


def _answer(desk: _Desk, request: Request) -> None:
    """Run one request to its last reply; nothing that goes wrong in it leaves this function."""
    job = "" if isinstance(request, ShutdownRequest) else request.id
    content_hash = request.essay.content_hash if isinstance(request, CheckRequest) else ""
    controls = desk.inbox.find(job)
    reply: dict[str, Any] | None = None
    try:
        _perform(desk, request)
    except Cancelled:
        reply = {"event": "cancelled"}
    except SegueError as error:
        logger.warning("A job failed: %s", error.code, exc_info=True)
        reply = {"event": "failed", **error.as_dict()}
    except MemoryError:
        logger.exception("A job ran out of memory")
        reply = {"event": "failed", **_OUT_OF_MEMORY.as_dict()}
    except Exception:
        # A bug in one job must not end the others.
        logger.exception("A job hit a bug")
        reply = {"event": "failed", **BUG}
    finally:
        desk.inbox.forget(job, controls)
    if reply is not None:
        desk.output.send(job, content_hash, reply)


def _perform(desk: _Desk, request: Request) -> None:
    engine, inbox, output = desk.engine, desk.inbox, desk.output
    match request:
        case CheckRequest():
            _check(desk, request)
        case BatchRequest(id=job):
            desk.writers.choose(request.writer)
            # Here: classes and their database are no business of a child that checks one essay.
            from engine.worker.batch import run_batch

            run_batch(engine, request, inbox.controls(job), lambda body: desk.send(job, "", body))
        case ModelRequest(id=job):
            # Here as well: only the window's Models page asks for this.
            from engine.worker.models import run_model_job

            run_model_job(request, inbox.controls(job), lambda body: desk.send(job, "", body))
        case WarmRequest(id=job):
            engine.warm()
            output.send(job, "", {"event": "described", **engine.describe()})
        case DescribeRequest(id=job):
            output.send(job, "", {"event": "described", **engine.describe()})


def _check(desk: _Desk, request: CheckRequest) -> None:
    content_hash = request.essay.content_hash
    controls = desk.inbox.controls(request.id)

    def send(event: Event) -> None:
        desk.send(request.id, content_hash, event.as_dict())

    controls.check()
    draft = Draft([sentence.text for sentence in request.essay.sentences], send)
    desk.writers.choose(request.writer, on_text=draft.hear)
    desk.engine.check(
        request.essay,
        strictness=request.strictness,
        rewrites=request.rewrites,
        correct_grammar=request.correct_grammar,
        on_event=send,
        check_cancelled=controls.check,
    )
