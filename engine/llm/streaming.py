"""Generated pieces on their way to text: whole characters only, and an end at stop strings."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from engine.llm.protocol import TextListener


class TextStream:
    """Takes a generator's pieces one by one and passes on what is certain to be text.

    A character that comes in several pieces waits for its last byte, and what may be the start of
    a stop string waits until it is known not to be. `is_stopped` turns true at a stop string,
    which itself is never passed on; pieces after it are ignored.
    """

    def __init__(self, stop: Sequence[str] = (), *, on_text: TextListener | None = None) -> None:
        self._stop = tuple(stop)
        self._on_text = on_text
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._held = ""
        self._parts: list[str] = []
        self.is_stopped = False

    @property
    def text(self) -> str:
        """All that was passed on so far."""
        return "".join(self._parts)

    def add_bytes(self, piece: bytes) -> None:
        """One more piece, as bytes of UTF-8."""
        self.add(self._decode(piece))

    def add(self, piece: str) -> None:
        """One more piece."""
        if self.is_stopped or not piece:
            return
        waiting = self._held + piece
        places = [place for place in (waiting.find(stop) for stop in self._stop) if place >= 0]
        if places:
            self._held, self.is_stopped = "", True
            self._pass_on(waiting[: min(places)])
            return
        keep = max((_overlap(waiting, stop) for stop in self._stop), default=0)
        self._held = waiting[len(waiting) - keep :]
        self._pass_on(waiting[: len(waiting) - keep])

    def finish(self) -> str:
        """No more pieces come: pass on what was held back, and give the whole text."""
        if not self.is_stopped:
            self.add(self._decode(b"", True))
        if not self.is_stopped:
            held, self._held = self._held, ""
            self._pass_on(held)
        return self.text

    def _pass_on(self, text: str) -> None:
        if not text:
            return
        self._parts.append(text)
        if self._on_text is not None:
            self._on_text(text)


def _overlap(text: str, stop: str) -> int:
    """How many characters at the end of `text` may be the start of `stop`."""
    for length in range(min(len(stop) - 1, len(text)), 0, -1):
        if text.endswith(stop[:length]):
            return length
    return 0
