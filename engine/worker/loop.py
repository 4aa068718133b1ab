"""The job loop: requests are read on a thread and queued, jobs run one after the other.

A job is asked to stop by its token, which the engine looks at between passes. Whatever goes wrong
in a job ends that job only; the end of the input ends the loop, because the parent is gone.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Protocol

from engine import __version__
from engine.analysis import Analysis
from engine.errors import BackendError, Cancelled, SegueError
from engine.essay import Essay
from engine.events import Event, EventListener
from engine.worker.protocol import (
    LONGEST_LINE,
    PROTOCOL_VERSION,
    CancelRequest,
    CheckRequest,
    DescribeRequest,
    ProtocolError,
    Request,
    ShutdownRequest,
    WarmRequest,
    encode_reply,
    parse_request,
)

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


class ChecksEssays(Protocol):
    """What the loop needs of an engine."""

    def warm(self) -> None:
        """Load the model."""

    def describe(self) -> dict[str, Any]:
        """The model and the device."""
        ...

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        rewrites: bool = True,
        on_event: EventListener | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        """Check an essay."""
        ...


def serve(
    engine: ChecksEssays,
    reader: BinaryIO,
    writer: BinaryIO,
    *,
    on_end: Callable[[], None] | None = None,
) -> None:
    """Answer requests from `reader` on `writer` until a shutdown or the end of the input.

    Jobs run on the calling thread. `on_end` is called once, on the reading thread, when no more
    requests will come while a job may still be running.
    """
    output = _Output(writer)
    inbox = _Inbox(reader, output, on_end)
    output.send("", "", {"event": "ready", "protocol": PROTOCOL_VERSION, "version": __version__})
    inbox.start()
    while (request := inbox.next()) is not None and not output.is_closed:
        if inbox.is_ended and isinstance(request, WarmRequest):
            # Loading a model for nobody would keep a closed window's child alive for seconds.
            continue
        _answer(engine, request, inbox, output)


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


class _Inbox:
    """The requests that wait, and the stop token of each job that is running or waiting."""

    def __init__(
        self, reader: BinaryIO, output: _Output, on_end: Callable[[], None] | None
    ) -> None:
        self._reader = reader
        self._output = output
        self._on_end = on_end
        self._waiting: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._tokens: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self.is_ended = False

    def start(self) -> None:
        """Begin to read."""
        threading.Thread(target=self._read, name="worker-requests", daemon=True).start()

    def next(self) -> Request | None:
        """The next request, waiting for it; None when no more will come."""
        return self._waiting.get()

    def is_cancelled(self, job: str) -> bool:
        """Whether the job was asked to stop, or the parent is gone."""
        with self._lock:
            token = self._tokens.get(job)
        return self._output.is_closed or (token is not None and token.is_set())

    def forget(self, job: str) -> None:
        """The job has had its last reply."""
        with self._lock:
            self._tokens.pop(job, None)

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
                for token in self._tokens.values():
                    token.set()
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
        if isinstance(request, CancelRequest):
            with self._lock:
                token = self._tokens.get(request.id)
            # A job that has just ended has had its last reply; there is nothing to stop.
            if token is not None:
                token.set()
            return True
        if isinstance(request, CheckRequest):
            with self._lock:
                is_known = request.id in self._tokens
                if not is_known:
                    self._tokens[request.id] = threading.Event()
            if is_known:
                self._refuse(ProtocolError("A job with this id is already running."))
                return True
        self._waiting.put(request)
        return True

    def _refuse(self, error: ProtocolError) -> None:
        logger.warning("Refused a request: %s", error.message)
        self._output.send(error.job, "", {"event": "failed", **error.as_dict()})


def _answer(engine: ChecksEssays, request: Request, inbox: _Inbox, output: _Output) -> None:
    """Run one request to its last reply; nothing that goes wrong in it leaves this function."""
    job = "" if isinstance(request, ShutdownRequest) else request.id
    content_hash = request.essay.content_hash if isinstance(request, CheckRequest) else ""
    reply: dict[str, Any] | None = None
    try:
        _perform(engine, request, inbox, output)
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
        inbox.forget(job)
    if reply is not None:
        output.send(job, content_hash, reply)


def _perform(engine: ChecksEssays, request: Request, inbox: _Inbox, output: _Output) -> None:
    match request:
        case CheckRequest():
            _check(engine, request, inbox, output)
        case WarmRequest(id=job):
            engine.warm()
            output.send(job, "", {"event": "described", **engine.describe()})
        case DescribeRequest(id=job):
            output.send(job, "", {"event": "described", **engine.describe()})


def _check(engine: ChecksEssays, request: CheckRequest, inbox: _Inbox, output: _Output) -> None:
    content_hash = request.essay.content_hash

    def stop_if_asked() -> None:
        if inbox.is_cancelled(request.id):
            raise Cancelled

    def send(event: Event) -> None:
        output.send(request.id, content_hash, event.as_dict())

    stop_if_asked()
    engine.check(
        request.essay,
        strictness=request.strictness,
        rewrites=request.rewrites,
        on_event=send,
        check_cancelled=stop_if_asked,
    )
