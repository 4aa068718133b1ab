"""The worker's protocol: one JSON object a line, ASCII-escaped UTF-8, `\\n` at the end.

Requests (unknown keys are passed over):

    {"type": "check", "id": "7", "text": "...", "topic": "", "strictness": "balanced",
     "rewrites": true, "correct_grammar": false, "paragraphs": [[start, end, kind], ...],
     "writer": {"backend": "stored", "model": "...", "server": ""}}
    {"type": "batch", "id": "9", "history": "/.../history.db", "assignment": 3, "retry": false,
     "writer": {...}}
    {"type": "model", "id": "5", "action": "install", "model": "...", "accept_licence": false,
     "mirror": "", "proxy": "", "path": ""}
    {"type": "pause", "id": "9"}
    {"type": "resume", "id": "9"}
    {"type": "cancel", "id": "7"}
    {"type": "warm"}
    {"type": "describe", "id": "8"}
    {"type": "shutdown"}

Only "type" is always needed, "id" and "text" for a check, "id", "history" and "assignment" for a
batch, "id" for a cancel, a pause and a resume, "id", "action" and "model" ("path" to import) for
work on a model, whose "action" is "install", "import" or "verify". Paragraphs, in code points of a text whose newlines
are `\\n`, are found in the text where they are not given. A batch checks what waits of a class in
the history database, and with "retry" what failed before; pause and resume hold up any job.
The "writer" of a check or a batch is a `WriterChoice`: the language model that writes beside the
rules in this job, loaded when it is first needed; without one, or with the backend "off", the
rules work alone. A server's key is never sent: the child reads it from its environment.

Replies carry "id" (empty for what belongs to no job), "hash" (that of the checked text, empty
where there is none) and "event":

    ready      "protocol" and "version", once, before any model is loaded
    progress   "stage", "done", "total"
    scored     "sentences"
    found      "finding"; again with its rewrites under the same key, and once more if a language
               model adds to them
    writing    "sentence" (its index) and "text": how far a language model's edit of it has come
    finished   "analysis", as `Analysis.as_dict`
    cancelled  nothing more
    failed     "code", "message", "hint"; code "protocol" for a line that is no request
    described  "model", "device" and "operating_points", as `Engine.describe`; also the answer to warm

and of a batch, which stores each result in the database before it tells of it:

    class-progress       "done", "total", "failed", "name", "stage", "part", "seconds_left"
    submission-changed   "submission" (its id) and "state", once for each essay that begins or ends
    class-finished       "checked", "failed", "seconds": what was done in this run

and of work on a model, where a cancelled download goes on from there when it is asked for again:

    model-progress   "model", "stage", "done", "total" (bytes), "rate" (bytes a second)
    model-finished   "action" and "model", its id

A check ends with exactly one finished, cancelled or failed, a batch with exactly one
class-finished, cancelled or failed, work on a model with one model-finished, cancelled or failed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from engine.errors import SegueError
from engine.essay import Essay, Paragraph, ParagraphKind
from engine.spans import Span
from engine.writing import RULES_ALONE, WriterChoice

PROTOCOL_VERSION = 1
LONGEST_LINE = 64 << 20
"""Bytes. An essay is a few thousand; this only keeps a broken client from filling the memory."""


class ProtocolError(SegueError):
    """A line that is not a request; `job` is its id, as far as it could be read."""

    code = "protocol"
    default_hint = "This is a fault in the program, not in your essay."

    def __init__(self, message: str, *, job: str = "") -> None:
        super().__init__(message)
        self.job = job


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """Check this essay."""

    id: str
    essay: Essay
    strictness: str
    rewrites: bool
    correct_grammar: bool = False
    writer: WriterChoice = RULES_ALONE


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """Check what waits of a class; `history` is the database that it lies in."""

    id: str
    history: Path
    assignment: int
    retry: bool = False
    writer: WriterChoice = RULES_ALONE


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Install a model of the catalogue, bring one in from `path`, or verify one."""

    id: str
    action: str
    model: str
    path: Path | None = None
    accept_licence: bool = False
    mirror: str = ""
    proxy: str = ""


@dataclass(frozen=True, slots=True)
class CancelRequest:
    """Stop the job with this id, running or waiting."""

    id: str


@dataclass(frozen=True, slots=True)
class PauseRequest:
    """Let the job with this id wait at its next step, or (`is_over`) go on."""

    id: str
    is_over: bool = False


@dataclass(frozen=True, slots=True)
class WarmRequest:
    """Load the model ahead of the first check."""

    id: str


@dataclass(frozen=True, slots=True)
class DescribeRequest:
    """Say which model and device are used."""

    id: str


@dataclass(frozen=True, slots=True)
class ShutdownRequest:
    """Stop everything and end."""


Request = (
    CheckRequest
    | BatchRequest
    | ModelRequest
    | CancelRequest
    | PauseRequest
    | WarmRequest
    | DescribeRequest
    | ShutdownRequest
)


def parse_request(line: bytes) -> Request:
    """Read one request. Raises ProtocolError, whose message never quotes the line."""
    try:
        data = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError("A line is not JSON in UTF-8.") from error
    if not isinstance(data, dict):
        raise ProtocolError("A line is not a JSON object.")
    job = data.get("id", "")
    if not isinstance(job, str):
        raise ProtocolError("An id is not a string.")
    match data.get("type"):
        case "check":
            return _check_request(data, job)
        case "batch":
            return _batch_request(data, job)
        case "model":
            return _model_request(data, job)
        case "cancel":
            return CancelRequest(_named(job))
        case "pause" | "resume" as kind:
            return PauseRequest(_named(job), is_over=kind == "resume")
        case "describe":
            return DescribeRequest(job)
        case "warm":
            return WarmRequest(job)
        case "shutdown":
            return ShutdownRequest()
    raise ProtocolError("A request's type is unknown.", job=job)


def encode_reply(job: str, content_hash: str, body: Mapping[str, Any]) -> bytes:
    """One reply as a line. Escaped to ASCII, so that a lone surrogate cannot break the pipe."""
    reply = {"id": job, "hash": content_hash, **body}
    return json.dumps(reply, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _check_request(data: Mapping[str, Any], job: str) -> CheckRequest:
    _named(job)
    text, topic = data.get("text"), data.get("topic", "")
    strictness, rewrites = data.get("strictness", "balanced"), data.get("rewrites", True)
    if not isinstance(text, str) or not isinstance(topic, str):
        raise ProtocolError("A check's text or topic is not a string.", job=job)
    if not isinstance(strictness, str) or not isinstance(rewrites, bool):
        raise ProtocolError("A check's strictness or rewrites has the wrong type.", job=job)
    correct_grammar = data.get("correct_grammar", False)
    if not isinstance(correct_grammar, bool):
        raise ProtocolError("A check's correct_grammar is not true or false.", job=job)
    listed = data.get("paragraphs")
    if listed is None:
        essay = Essay.from_text(text, topic=topic)
    else:
        essay = Essay(text, _paragraphs(listed, text, job), topic=topic.strip())
    return CheckRequest(job, essay, strictness, rewrites, correct_grammar, _writer(data, job))


def _batch_request(data: Mapping[str, Any], job: str) -> BatchRequest:
    _named(job)
    history, retry = data.get("history"), data.get("retry", False)
    if not isinstance(history, str) or not history:
        raise ProtocolError("A batch's history is not a path.", job=job)
    if not isinstance(retry, bool):
        raise ProtocolError("A batch's retry has the wrong type.", job=job)
    try:
        assignment = _offset(data.get("assignment"))
    except TypeError as error:
        raise ProtocolError("A batch's assignment is not a number.", job=job) from error
    return BatchRequest(job, Path(history), assignment, retry, _writer(data, job))


def _model_request(data: Mapping[str, Any], job: str) -> ModelRequest:
    _named(job)
    texts = {name: data.get(name, "") for name in ("action", "model", "path", "mirror", "proxy")}
    accepts = data.get("accept_licence", False)
    if not all(isinstance(text, str) for text in texts.values()) or not isinstance(accepts, bool):
        raise ProtocolError("A part of a request on a model has the wrong type.", job=job)
    needed = {"install": "model", "verify": "model", "import": "path"}.get(texts["action"])
    if needed is None or not texts[needed]:
        raise ProtocolError("A request on a model is incomplete.", job=job)
    path = Path(texts["path"]) if texts["path"] else None
    return ModelRequest(
        job, texts["action"], texts["model"], path, accepts, texts["mirror"], texts["proxy"]
    )


def _writer(data: Mapping[str, Any], job: str) -> WriterChoice:
    given = data.get("writer")
    if given is None:
        return RULES_ALONE
    try:
        return WriterChoice.from_dict(given)
    except ValueError as error:
        raise ProtocolError("A job's writer is not a choice of one.", job=job) from error


def _named(job: str) -> str:
    if not job:
        raise ProtocolError("A request that needs an id has none.")
    return job


def _paragraphs(listed: object, text: str, job: str) -> tuple[Paragraph, ...]:
    if "\r" in text:
        raise ProtocolError("Paragraphs are given for a text with carriage returns.", job=job)
    try:
        paragraphs = tuple(
            Paragraph(Span(_offset(start), _offset(end)), ParagraphKind(kind))
            for start, end, kind in listed  # type: ignore[attr-defined]
        )
    except (TypeError, ValueError) as error:
        raise ProtocolError("A paragraph is not [start, end, kind].", job=job) from error
    edges = [edge for p in paragraphs for edge in (p.span.start, p.span.end)]
    if any(left > right for left, right in pairwise([0, *edges, len(text)])):
        raise ProtocolError("The paragraphs overlap or lie outside the text.", job=job)
    return paragraphs


def _offset(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("an offset is not a number")
    return value
