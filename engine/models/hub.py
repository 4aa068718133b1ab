"""The model hub over HTTP: what a repository holds, and the bytes of its files.

Downloads go through huggingface_hub as far as it goes: its URLs, its token, its settings
(`HF_ENDPOINT`, `HF_TOKEN`, `HF_HUB_OFFLINE`). Its downloader cannot be paused, cut off when a
server stalls, or told to check a checksum, so the transfer itself is ours, over the hub's
documented end points: `/api/models/{repository}/revision/{revision}` for sizes and checksums and
`/{repository}/resolve/{revision}/{file}` with `Range` for the bytes.

Nothing here is called unless the user asks for a model, and nothing about the user is sent: the
requests carry Segue's name and version, and a token only to the hub itself, never to a mirror.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx2

from engine import __version__
from engine.errors import DownloadError, UsageError

OFFICIAL = "https://huggingface.co"
STALL_SECONDS = 30.0
"""How long a server may send nothing before the connection is given up."""
CONNECT_SECONDS = 15.0
_LARGEST_LISTING = 32 << 20
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
_TRUE = frozenset({"1", "on", "yes", "true"})


class InterruptedTransfer(Exception):  # noqa: N818 - not an error to show, but to try again
    """A transfer that broke off; trying again may help. Its text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of a repository.

    `sha256` is that of its content; for small files, which the hub keeps in git itself, it is
    empty and `git_sha1` names the content instead.
    """

    name: str
    bytes: int
    sha256: str
    git_sha1: str


@dataclass(frozen=True)
class Listing:
    """What a repository holds at one commit."""

    commit: str
    files: tuple[HubFile, ...]


@dataclass(frozen=True, slots=True)
class Body:
    """The answer to a request for a file from `start` on; `total` is its whole size, if known."""

    status: int
    start: int
    total: int | None
    blocks: Iterator[bytes]


class Hub:
    """One hub or a mirror of it.

    `endpoint` is by default `HF_ENDPOINT` or the official hub, `proxy` what the system and the
    environment say. `stall_seconds` is how long a server may send nothing.
    """

    def __init__(
        self, *, endpoint: str = "", proxy: str = "", stall_seconds: float = STALL_SECONDS
    ) -> None:
        """Connects to nothing yet. Raises UsageError where an address makes no sense."""
        self.endpoint = _checked_endpoint(endpoint or os.environ.get("HF_ENDPOINT", "") or OFFICIAL)
        self._stall_seconds = stall_seconds
        try:
            self._client = httpx2.Client(
                headers={"user-agent": f"segue/{__version__}", "accept-encoding": "identity"},
                timeout=httpx2.Timeout(stall_seconds, connect=min(CONNECT_SECONDS, stall_seconds)),
                proxy=proxy or None,
                follow_redirects=True,
            )
        except (ValueError, ImportError, httpx2.InvalidURL) as error:
            raise UsageError(
                f"{proxy!r} cannot be used as a proxy.",
                hint="Write it as http://name:port.",
            ) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def listing(self, repository: str, revision: str) -> Listing:
        """What the repository holds at a revision.

        Raises DownloadError where there is no such repository, InterruptedTransfer where the
        connection broke.
        """
        url = f"{self.endpoint}/api/models/{repository}/revision/{revision}?blobs=true"
        with self._get(url) as response:
            content = bytearray()
            for block in response.iter_raw():
                content += block
                if len(content) > _LARGEST_LISTING:
                    break
        try:
            return _listing_from(json.loads(content))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise DownloadError(
                f"{self.endpoint} does not answer as a model hub does.",
                hint="Check the mirror in the settings, and whether your network wants you to "
                "sign in on a page of its own first.",
            ) from error

    def url(self, repository: str, commit: str, name: str) -> str:
        """Where a file of a repository is fetched."""
        from huggingface_hub import hf_hub_url

        return str(hf_hub_url(repository, name, revision=commit, endpoint=self.endpoint))

    @contextmanager
    def open(self, url: str, *, start: int = 0) -> Iterator[Body]:
        """Ask for a file from byte `start` on; a server may send it from its beginning anyway.

        Raises DownloadError, and InterruptedTransfer, also while the blocks are read.
        """
        wanted = {"range": f"bytes={start}-"} if start else {}
        with self._get(url, wanted) as response:
            found = _RANGE.fullmatch(response.headers.get("content-range", ""))
            if response.status_code == 206 and found:
                begin, total = int(found[1]), int(found[2])
                yield Body(206, begin, total, response.iter_raw())
                return
            length = response.headers.get("content-length", "")
            whole = int(length) if length.isdecimal() else None
            yield Body(response.status_code, 0, whole, response.iter_raw())

    @contextmanager
    def _get(self, url: str, headers: Mapping[str, str] | None = None) -> Iterator[httpx2.Response]:
        if os.environ.get("HF_HUB_OFFLINE", "").lower() in _TRUE:
            raise DownloadError(
                "Downloads are switched off: HF_HUB_OFFLINE is set.",
                hint="Unset it, or bring the model in from a folder: segue models import.",
            )
        host = urlsplit(url).netloc
        try:
            with self._client.stream(
                "GET", url, headers={**self._authorization(), **(headers or {})}
            ) as response:
                self._refuse_bad(response, host)
                yield response
        except httpx2.TimeoutException as error:
            raise InterruptedTransfer(
                f"{host} sent nothing for {self._stall_seconds:.0f} seconds."
            ) from error
        except httpx2.TooManyRedirects as error:
            raise DownloadError(f"{host} sends the request around in circles.") from error
        except (httpx2.TransportError, httpx2.StreamError) as error:
            raise InterruptedTransfer(
                f"The connection to {host} failed ({type(error).__name__})."
            ) from error

    def _authorization(self) -> dict[str, str]:
        """The user's own token, for models that want one; a mirror does not get it."""
        if self.endpoint != OFFICIAL:
            return {}
        from huggingface_hub import get_token

        token = get_token()
        return {"authorization": f"Bearer {token}"} if token else {}

    @staticmethod
    def _refuse_bad(response: httpx2.Response, host: str) -> None:
        status = response.status_code
        if status < 300 or status == 416:
            return
        if status in _PASSING:
            raise InterruptedTransfer(f"{host} cannot answer at the moment ({status}).")
        if status in (401, 403):
            raise DownloadError(
                f"{host} does not let this model out without permission ({status}).",
                hint="Open the model's page in a browser and agree to its terms, then set "
                "HF_TOKEN to a token of yours, or download the files there and import the folder.",
            )
        if status == 404:
            raise DownloadError(
                f"{host} does not have this model, or no longer this version of it (404).",
                hint="Try again without a mirror, or choose another model.",
            )
        raise DownloadError(f"{host} refused the download ({status}).")


def _checked_endpoint(address: str) -> str:
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            f"{address!r} is no address of a model hub.", hint="Write it as https://name."
        )
    return address.strip().rstrip("/")


def _listing_from(data: Mapping[str, Any]) -> Listing:
    files = []
    for one in data["siblings"]:
        lfs = one.get("lfs") or {}
        size = lfs.get("size", one.get("size"))
        files.append(
            HubFile(
                name=str(one["rfilename"]),
                bytes=int(size),
                sha256=str(lfs.get("sha256", "")).lower(),
                git_sha1="" if lfs else str(one.get("blobId", "")).lower(),
            )
        )
    return Listing(str(data["sha"]), tuple(files))
