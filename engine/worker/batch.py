"""A class as one job of the worker: the same queue as `segue batch`, over the parent's pipe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from engine.classroom.controls import Controls
from engine.classroom.queue import ClassQueue
from engine.errors import HistoryError
from engine.history import History
from engine.history.assignments import Assignments
from engine.worker.protocol import BatchRequest

if TYPE_CHECKING:
    from engine.events import ChecksEssays

Send = Callable[[Mapping[str, Any]], None]
"""Takes the body of a reply."""


def run_batch(engine: ChecksEssays, request: BatchRequest, controls: Controls, send: Send) -> None:
    """Check what waits of a class, each essay stored before it is told of.

    Raises Cancelled when `controls` say so, and what `ClassQueue.run` raises.
    """
    if not request.history.is_file():
        raise HistoryError("The history that holds this class is not there any more.")
    with History.open(request.history) as history:
        queue = ClassQueue(
            engine,
            Assignments(history),
            controls=controls,
            on_event=lambda event: send(event.as_dict()),
        )
        run = queue.retry if request.retry else queue.run
        outcome = run(request.assignment)
    send(
        {
            "event": "class-finished",
            "checked": outcome.checked,
            "failed": outcome.failed,
            "seconds": round(outcome.seconds, 3),
        }
    )
