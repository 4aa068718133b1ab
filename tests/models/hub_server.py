"""A model hub on this machine, which can be told to misbehave as real ones do."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast
from urllib.parse import unquote, urlsplit

COMMIT = "c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00"
_RESOLVE = re.compile(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
_LISTING = re.compile(r"/api/models/([^/]+/[^/]+)/revision/([^/]+)")
_BLOCK = 4096


@dataclass
class HubServer:
    """The files of a repository and the faults to show; `requests` notes what was asked.

    `cut_after` and `stall_after` count the bytes of one answer, `faults` how many answers show
    the fault before the server behaves.
    """

    files: dict[str, bytes]
    repository: str = "someone/model"
    address: str = ""
    faults: int = 0
    cut_after: int | None = None
    stall_after: int | None = None
    status: int = 200
    knows_ranges: bool = True
    redirects: bool = False
    sends: bytes | None = None
    token: str = ""
    small: frozenset[str] = frozenset()
    held: threading.Event = field(default_factory=threading.Event)
    slow: threading.Event = field(default_factory=threading.Event)
    requests: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)

    def downloads(self) -> list[str]:
        """The ranges that were asked for ("" for a whole file), in order."""
        return [wanted for path, wanted in self.requests if "/resolve/" in path]

    def siblings(self) -> list[dict[str, Any]]:
        """The repository's files as the hub's API lists them."""
        return [self._sibling(name, content) for name, content in self.files.items()]

    def _sibling(self, name: str, content: bytes) -> dict[str, Any]:
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        listed: dict[str, Any] = {"rfilename": name, "size": len(content), "blobId": blob}
        if name not in self.small:
            listed["lfs"] = {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        return listed

    def take_fault(self) -> bool:
        """Whether this answer is to show the fault."""
        if self.faults <= 0:
            return False
        self.faults -= 1
        return True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def hub(self) -> HubServer:
        return cast(_Server, self.server).hub

    def log_message(self, *_arguments: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        hub = self.hub
        path = unquote(urlsplit(self.path).path)
        hub.requests.append((path, self.headers.get("Range", "")))
        hub.tokens.append(self.headers.get("Authorization", ""))
        hub.agents.append(self.headers.get("User-Agent", ""))
        listing, resolve = _LISTING.fullmatch(path), _RESOLVE.fullmatch(path)
        if hub.token and self.headers.get("Authorization") != f"Bearer {hub.token}":
            self._answer(401, b"{}")
        elif listing is not None:
            self._list(listing[1])
        elif resolve is not None:
            self._resolve(resolve[1], resolve[3])
        elif path.startswith("/cdn/"):
            self._send_file(path.removeprefix("/cdn/"))
        else:
            self._answer(404, b"{}")

    def _list(self, repository: str) -> None:
        hub = self.hub
        if repository != hub.repository:
            self._answer(404, b"{}")
        elif hub.status != 200 and hub.take_fault():
            self._answer(hub.status, b"{}")
        else:
            data = {"sha": COMMIT, "siblings": hub.siblings()}
            self._answer(200, json.dumps(data).encode())

    def _resolve(self, repository: str, name: str) -> None:
        hub = self.hub
        if repository != hub.repository or name not in hub.files:
            self._answer(404, b"{}")
        elif hub.redirects:
            self.send_response(302)
            self.send_header("Location", f"{hub.address}/cdn/{name}")
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            self._send_file(name)

    def _send_file(self, name: str) -> None:
        hub = self.hub
        is_faulty = hub.take_fault()
        if is_faulty and hub.status != 200:
            self._answer(hub.status, b"")
            return
        content = hub.files[name] if hub.sends is None or not is_faulty else hub.sends
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        start = int(wanted[1]) if wanted and hub.knows_ranges else 0
        if start >= len(content) > 0 and wanted:
            self._answer(416, b"")
            return
        self.send_response(206 if start else 200)
        if start:
            last = len(content) - 1
            self.send_header("Content-Range", f"bytes {start}-{last}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        self._send_blocks(content[start:], is_faulty=is_faulty)

    def _send_blocks(self, content: bytes, *, is_faulty: bool) -> None:
        hub = self.hub
        for at in range(0, len(content), _BLOCK):
            if is_faulty and hub.cut_after is not None and at >= hub.cut_after:
                self.close_connection = True
                self.connection.close()
                return
            if is_faulty and hub.stall_after is not None and at >= hub.stall_after:
                hub.held.wait(20)
                self.close_connection = True
                return
            if hub.slow.is_set():
                hub.held.wait(0.1)
            try:
                self.wfile.write(content[at : at + _BLOCK])
            except OSError:
                self.close_connection = True
                return

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub: HubServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.hub = hub

    def handle_error(self, *_arguments: Any) -> None:
        """A client that went away is what many tests are about."""


@contextmanager
def running(hub: HubServer) -> Iterator[HubServer]:
    """Serve on a free port of this machine until the block ends."""
    server = _Server(hub)
    hub.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.held.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
