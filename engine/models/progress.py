"""How far work on a model is: one event for downloads, copies and checks alike."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from engine.plain_data import read_back

EVENT = "model-progress"
_WINDOW = 5.0
_INTERVAL = 0.2


class Stage(StrEnum):
    """What is being done."""

    LOOKING = "looking"
    DOWNLOADING = "downloading"
    COPYING = "copying"
    CHECKING = "checking"


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """`done` of `total` bytes; `rate` in bytes a second, 0.0 while nobody can tell."""

    model: str
    stage: Stage
    done: int
    total: int
    rate: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """How long it will take at this rate, None while nobody can tell."""
        return (self.total - self.done) / self.rate if self.rate > 0 else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in the worker protocol."""
        return {
            "event": EVENT,
            "model": self.model,
            "stage": self.stage.value,
            "done": self.done,
            "total": self.total,
            "rate": round(self.rate, 1),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ModelProgress:
        """Read back what `as_dict` wrote. Raises KeyError or ValueError on anything else."""
        return read_back(cls, data)


ProgressListener = Callable[[ModelProgress], None]


def unheard(_progress: ModelProgress) -> None:
    """Takes progress that nobody listens to."""


class Meter:
    """Turns a count of bytes into progress events, a few a second, with the rate so far."""

    def __init__(
        self,
        model: str,
        stage: Stage,
        total: int,
        listener: ProgressListener,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._model = model
        self._stage = stage
        self._total = total
        self._listener = listener
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._told_at = float("-inf")
        self.done = 0

    def add(self, count: int) -> None:
        """So many bytes more."""
        self.show(self.done + count)

    def show(self, done: int) -> None:
        """So many bytes in all."""
        now = self._clock()
        if done < self.done or not self._seen:
            # Begun again, or begun at all: older counts say nothing about the rate.
            self._seen.clear()
            self._seen.append((now, done))
        self.done = done
        if now - self._told_at < _INTERVAL and done < self._total:
            return
        self._told_at = now
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > _WINDOW:
            self._seen.popleft()
        self._listener(ModelProgress(self._model, self._stage, done, self._total, self._rate()))

    def _rate(self) -> float:
        (first, before), (last, after) = self._seen[0], self._seen[-1]
        return (after - before) / (last - first) if last - first > _INTERVAL / 2 else 0.0
