"""A loopback server that speaks OpenAI's interface, well or badly, as a test tells it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Behaviour:
    """What the server does with a request, and what it saw of the requests so far.

    `pieces` are streamed `delay` seconds apart; after `cut_after` pieces the connection breaks.
    `raw` is sent instead, byte by byte as it is. `silence` seconds pass before anything is sent.
    """

    pieces: tuple[str, ...] = ("Yes", ", it", " does.")
    status: int = 200
    error: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    silence: float = 0.0
    cut_after: int | None = None
    raw: bytes | None = None
    streams: bool = True
    finish_reason: str = "stop"
    models: tuple[str, ...] = ("tiny",)
    seen: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    hung_up: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def language_server(behaviour: Behaviour) -> Iterator[str]:
    """The address of a server that behaves like that, while entered."""
    handler = type("Handler", (_Handler,), {"behaviour": behaviour})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        behaviour.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    behaviour: Behaviour

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""

    def do_GET(self) -> None:
        models = [{"id": name} for name in self.behaviour.models]
        self._send(200, json.dumps({"data": models}).encode(), "application/json")

    def do_POST(self) -> None:
        behaviour = self.behaviour
        body = self.rfile.read(int(self.headers["Content-Length"]))
        behaviour.seen.append({"path": self.path, **json.loads(body)})
        behaviour.keys.append(self.headers.get("Authorization"))
        behaviour.over.wait(behaviour.silence)
        try:
            self._answer()
        except OSError:
            behaviour.hung_up.set()

    def _answer(self) -> None:
        behaviour = self.behaviour
        if behaviour.status != 200:
            self._send(behaviour.status, behaviour.error, "application/json")
        elif behaviour.raw is not None:
            self._send(200, behaviour.raw, "text/event-stream")
        elif not behaviour.streams:
            self._send(200, json.dumps(self._whole(), indent=1).encode(), "application/json")
        else:
            self._stream()

    def _send(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, **self.behaviour.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _stream(self) -> None:
        behaviour = self.behaviour
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self._event({"choices": [{"delta": {"role": "assistant"}}]})
        for number, piece in enumerate(behaviour.pieces):
            if number == behaviour.cut_after:
                self.connection.close()
                return
            if behaviour.over.wait(behaviour.delay):
                return
            self._event({"choices": [self._choice(piece)]})
        self._event({"choices": [{"delta": {}, "finish_reason": behaviour.finish_reason}]})
        usage = {"prompt_tokens": 11, "completion_tokens": len(behaviour.pieces)}
        self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _choice(self, piece: str) -> dict[str, Any]:
        if self.path.endswith("/chat/completions"):
            return {"delta": {"content": piece}, "finish_reason": None}
        return {"text": piece, "finish_reason": None}

    def _whole(self) -> dict[str, Any]:
        message = {"role": "assistant", "content": "".join(self.behaviour.pieces)}
        choice = {"message": message, "finish_reason": self.behaviour.finish_reason}
        return {"choices": [choice], "usage": {"prompt_tokens": 11, "completion_tokens": 3}}

    def _event(self, data: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n")
        self.wfile.flush()
