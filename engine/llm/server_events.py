"""What an OpenAI-compatible server says, line by line: server-sent events, or one JSON answer."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.errors import BackendError

_MALFORMED = "The server's answer makes no sense."
_NO_SUCH_SERVER = "Check that the address is that of an OpenAI-compatible server."


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text; `is_last` when nothing follows."""

    text: str = ""
    is_last: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """What the server counted (tokens by its own count, else its pieces), and whether it cut."""

    tokens: int
    prompt_tokens: int
    is_cut: bool


class ServerEvents:
    """Reads an answer line by line and remembers how it ended."""

    def __init__(self, *, is_chat: bool) -> None:
        self._is_chat = is_chat
        self._pieces = 0
        self._usage: dict[str, Any] = {}
        self._finish_reason = ""
        self._is_done = False
        self._plain: list[bytes] = []

    def read(self, line: bytes) -> Piece:
        """The text in one line. Raises BackendError where it makes no sense."""
        stripped = line.strip()
        if not stripped or stripped.startswith((b":", b"event:", b"id:", b"retry:")):
            return Piece()
        if not stripped.startswith(b"data:"):
            return self._read_plain(line)
        data = stripped[len(b"data:") :].strip()
        if data == b"[DONE]":
            self._is_done = True
            return Piece(is_last=True)
        return Piece(self._text_of(_parsed(data)))

    def finish(self, *, is_stopped: bool) -> Ending:
        """How the answer ended. Raises BackendError where it was cut off in the middle.

        `is_stopped` says that we broke it off ourselves.
        """
        if not (is_stopped or self._is_done or self._finish_reason):
            raise BackendError(
                "The server's answer broke off in the middle.",
                hint="Try again, or ask whoever runs the server.",
            )
        return Ending(
            tokens=int(self._usage.get("completion_tokens") or self._pieces),
            prompt_tokens=int(self._usage.get("prompt_tokens") or 0),
            is_cut=self._finish_reason == "length",
        )

    def _read_plain(self, line: bytes) -> Piece:
        """A server that does not stream sends one JSON text, maybe over several lines."""
        self._plain.append(line)
        whole = b"".join(self._plain)
        if not whole.lstrip().startswith(b"{"):
            raise BackendError(_MALFORMED, hint=_NO_SUCH_SERVER)
        try:
            answer = json.loads(whole)
        except ValueError:
            return Piece()
        return Piece(self._text_of(answer), is_last=True)

    def _text_of(self, answer: Any) -> str:
        if not isinstance(answer, dict):
            raise BackendError(_MALFORMED, hint=_NO_SUCH_SERVER)
        if answer.get("error"):
            raise BackendError(
                "The server failed while it generated.", hint="Ask whoever runs the server."
            )
        usage = answer.get("usage")
        if isinstance(usage, dict):
            self._usage = usage
        choices = answer.get("choices")
        if not isinstance(choices, list):
            raise BackendError(_MALFORMED, hint=_NO_SUCH_SERVER)
        if not choices or not isinstance(choices[0], dict):
            return ""
        choice = choices[0]
        self._finish_reason = choice.get("finish_reason") or self._finish_reason
        text = self._content(choice)
        if not isinstance(text, str):
            return ""
        self._pieces += bool(text)
        return text

    def _content(self, choice: dict[str, Any]) -> Any:
        if not self._is_chat:
            return choice.get("text")
        message = choice.get("delta") or choice.get("message") or {}
        return message.get("content") if isinstance(message, dict) else None


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError as error:
        raise BackendError(_MALFORMED, hint=_NO_SUCH_SERVER) from error
