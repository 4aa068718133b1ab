"""Any server that speaks OpenAI's HTTP interface: llama-server, vLLM, a school's own.

Only used when the user names one: what is sent there leaves this computer's care. The answer is
streamed (server-sent events). A thread of its own waits for the network, so that cancelling takes
effect at once and closes the connection, which makes the server stop as well.
"""

from __future__ import annotations

import http.client
import json
import logging
import os
import queue
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from engine.errors import BackendError, UsageError
from engine.llm.batches import one_by_one
from engine.llm.options import BackendOptions
from engine.llm.protocol import CancelCheck, Generation, GenerationRequest, TextListener, never
from engine.llm.server_events import ServerEvents
from engine.llm.streaming import TextStream

log = logging.getLogger(__name__)

KEY_VARIABLE = "SEGUE_SERVER_KEY"
"""The environment variable with the server's key, where the settings hold none."""

_POLL = 0.05
"""Seconds between two looks at whether to stop."""
_LONGEST_ERROR = 4096
_HINTS = {
    401: f"Set the key that the server asks for in {KEY_VARIABLE}.",
    403: f"Your key does not allow this. Check {KEY_VARIABLE}.",
    404: "Check the address (it usually ends in /v1) and the model's name.",
    408: "The server is busy. Try again later.",
    413: "The text is too long for this server's model.",
    429: "The server has too many requests. Try again in a minute.",
}


class Server:
    """A server at `url`, such as http://127.0.0.1:8080/v1, and the model that it is to use."""

    leaves_machine = True

    def __init__(
        self,
        url: str,
        *,
        model: str = "",
        api_key: str = "",
        connect_seconds: float = 10.0,
        stall_seconds: float = 120.0,
    ) -> None:
        """Nothing is sent yet. Raises UsageError where the address makes no sense."""
        self._address = _Address(url, connect_seconds)
        self._model = model
        self._api_key = api_key
        self._stall_seconds = stall_seconds

    def __repr__(self) -> str:
        """Without the key."""
        return f"Server({self._address.shown!r}, model={self._model!r})"

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """One text for the request. Raises BackendError and Cancelled."""
        began = time.perf_counter()
        check_cancelled()
        path = "/chat/completions" if request.messages else "/completions"
        stream = TextStream(request.stop, on_text=on_text)
        events = ServerEvents(is_chat=bool(request.messages))
        body = _body(request, self._used_model(check_cancelled))
        call = _Call(self._address, "POST", path, body, self._headers(), self._stall_seconds)
        try:
            for line in call.lines(check_cancelled):
                piece = events.read(line)
                stream.add(piece.text)
                if stream.is_stopped or piece.is_last:
                    break
        finally:
            call.close()
        last = events.finish(is_stopped=stream.is_stopped)
        return Generation(
            stream.finish(),
            tokens=last.tokens,
            seconds=time.perf_counter() - began,
            prompt_tokens=last.prompt_tokens,
            finish_reason="length" if last.is_cut and not stream.is_stopped else "stop",
        )

    def generate_all(
        self, requests: Sequence[GenerationRequest], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[Generation, ...]]:
        """`request.n` texts for each request, one after the other."""
        return one_by_one(self, requests, check_cancelled=check_cancelled)

    def describe(self) -> dict[str, Any]:
        """Backend, address, model, and that the text leaves this computer's care."""
        return {
            "backend": "server",
            "model": self._model,
            "device": self._address.shown,
            "reason": f"Runs on the server {self._address.shown}, which you named. "
            "The sentences and their context are sent there.",
            "leaves_machine": True,
        }

    def close(self) -> None:
        """Every connection is closed with its request; there is nothing left to close."""

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        if self._api_key:
            headers["Authorization"] = f"Bearer {self._api_key}"
        return headers

    def _used_model(self, check_cancelled: CancelCheck) -> str:
        """The model's name; where the user gave none, the first that the server lists."""
        if self._model:
            return self._model
        call = _Call(self._address, "GET", "/models", b"", self._headers(), self._stall_seconds)
        try:
            answer = b"".join(call.lines(check_cancelled))
        finally:
            call.close()
        try:
            self._model = str(json.loads(answer)["data"][0]["id"])
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise BackendError(
                f"The server {self._address.shown} names no model.", hint="Give one with --model."
            ) from error
        return self._model


def connect(options: BackendOptions) -> Server:
    """The server that the options name; its key from them or from the environment.

    Raises UsageError where no address is given: no server is ever used unasked.
    """
    if not options.url:
        raise UsageError(
            "No server is named.", hint="Give its address, such as --server http://host:8080/v1."
        )
    return Server(
        options.url,
        model=str(options.model or ""),
        api_key=options.api_key or os.environ.get(KEY_VARIABLE, ""),
        connect_seconds=options.connect_seconds,
        stall_seconds=options.stall_seconds,
    )


def _body(request: GenerationRequest, model: str) -> bytes:
    fields: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "seed": request.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if request.stop:
        fields["stop"] = list(request.stop)
    if request.messages:
        fields["messages"] = [message.as_dict() for message in request.messages]
    else:
        fields["prompt"] = request.prompt
    return json.dumps(fields).encode("utf-8")


class _Address:
    """A server's address, taken apart; `shown` is it without a name and password in it."""

    def __init__(self, url: str, connect_seconds: float) -> None:
        try:
            parts = urlsplit(url if "//" in url else f"http://{url}")
            port = parts.port
        except ValueError as error:
            raise UsageError("The server's address makes no sense.") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(
                "The server's address must begin with http:// or https://.",
                hint="For example http://127.0.0.1:8080/v1",
            )
        self._host, self._port, self._is_secure = parts.hostname, port, parts.scheme == "https"
        self._connect_seconds = connect_seconds
        self.path = parts.path.rstrip("/")
        self.shown = f"{parts.scheme}://{self._host}{f':{port}' if port else ''}{self.path}"

    def connection(self) -> http.client.HTTPConnection:
        """A connection that is not open yet."""
        kind = http.client.HTTPSConnection if self._is_secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=self._connect_seconds)


class _Call:
    """One request, made in a thread; its lines come through a queue, an error comes last."""

    def __init__(
        self,
        address: _Address,
        method: str,
        path: str,
        body: bytes,
        headers: dict[str, str],
        stall_seconds: float,
    ) -> None:
        self._address = address
        self._request = (method, address.path + path, body or None, headers)
        self._stall_seconds = stall_seconds
        self._connection = address.connection()
        self._socket: socket.socket | None = None
        self._lines: queue.Queue[bytes | BackendError | None] = queue.Queue()
        self._is_closed = False
        self._thread = threading.Thread(target=self._work, name="language-server", daemon=True)

    def lines(self, check_cancelled: CancelCheck) -> Iterator[bytes]:
        """The answer's lines as they come. Raises BackendError, and Cancelled within a moment."""
        self._thread.start()
        while True:
            check_cancelled()
            try:
                found = self._lines.get(timeout=_POLL)
            except queue.Empty:
                continue
            if found is None:
                return
            if isinstance(found, BackendError):
                raise found
            yield found

    def close(self) -> None:
        """Hang up, whatever the thread is waiting for."""
        self._is_closed = True
        if self._socket is not None:
            with suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def _work(self) -> None:
        try:
            self._fetch()
            self._lines.put(None)
        except BackendError as error:
            self._lines.put(error)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if not self._is_closed:  # else nobody listens any more
                self._lines.put(self._failure(error))
        finally:
            self._connection.close()

    def _fetch(self) -> None:
        method, path, body, headers = self._request
        connection = self._connection
        connection.connect()
        # The connection lets go of its socket while an answer that ends it is still being read.
        self._socket = connection.sock
        if self._is_closed or self._socket is None:
            return
        self._socket.settimeout(self._stall_seconds)
        connection.request(method, path, body=body, headers=headers)
        with connection.getresponse() as response:
            if response.status != http.client.OK:
                raise self._refusal(response)
            while line := response.readline():
                self._lines.put(line)

    def _refusal(self, response: http.client.HTTPResponse) -> BackendError:
        said = response.read(_LONGEST_ERROR)
        log.warning("a language server answered with status %d", response.status)
        status = response.status
        if http.client.MULTIPLE_CHOICES <= status < http.client.BAD_REQUEST:
            text = "sends on to another address, and Segue does not follow"
        else:
            text = f"refused the request (status {status}{_reason(said)})"
        hint = _HINTS.get(status, "Ask whoever runs the server.")
        return BackendError(f"The server {self._address.shown} {text}.", hint=hint)

    def _failure(self, error: Exception) -> BackendError:
        log.warning("a language server failed: %s", type(error).__name__)
        shown = self._address.shown
        if isinstance(error, TimeoutError):
            text, hint = "does not answer", "It may be busy or switched off. Try again later."
        elif isinstance(error, ConnectionRefusedError | socket.gaierror):
            text, hint = "cannot be reached", "Check the address and that the server is running."
        else:
            text, hint = "broke off the connection", "Try again, or ask whoever runs the server."
        failure = BackendError(f"The server {shown} {text}.", hint=hint)
        failure.__cause__ = error
        return failure


def _reason(said: bytes) -> str:
    """The kind of error that the server names, never its text, which may repeat the essay."""
    try:
        error = json.loads(said)["error"]
        kind = error.get("type") or error.get("code")
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""
    is_plain = isinstance(kind, str) and len(kind) <= 40 and kind.replace("_", "").isalnum()
    return f", {kind}" if is_plain else ""
