"""A writer that is opened when it is first needed, and done without where it fails.

A check must not fail because a model is missing, a runtime is broken or a server is down: the
findings and what the rules suggest stand without it. What failed is told once, after the check.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from engine.errors import BackendError, Cancelled, SegueError
from engine.essay import Notice
from engine.llm.protocol import CancelCheck, never
from engine.llm.writer import AsksForEdit, EditWriter
from engine.writing import WriterChoice

log = logging.getLogger(__name__)

FAILED = "writer-failed"
"""The code of the notice on a writer that could not write."""

_Result = TypeVar("_Result")


class StandbyWriter:
    """Stands in for the writer that `open` gives, for as many checks as there are.

    After a failure nothing more is tried until `begin` is called for the next check.
    `on_failure` hears of each failure as it happens.
    """

    def __init__(
        self,
        choice: WriterChoice,
        open: Callable[[], EditWriter],
        *,
        on_failure: Callable[[SegueError], None] | None = None,
    ) -> None:
        self._choice = choice
        self._open = open
        self._on_failure = on_failure
        self._writer: EditWriter | None = None
        self._failure: SegueError | None = None
        self._has_written = False

    def begin(self) -> None:
        """Another check begins: what failed in the last one may work now."""
        self._failure = None
        self._has_written = False

    def notices(self) -> tuple[Notice, ...]:
        """Why there are fewer generated rewrites than there could be, if that is so."""
        if self._failure is None:
            return ()
        what = (
            "The language model stopped before the end."
            if self._has_written
            else "No rewrites were generated."
        )
        cause = f"{self._failure.message} {self._failure.hint}".strip()
        rest = "The findings and the rewrites by Segue's own rules are all here."
        return (Notice(FAILED, f"{what} {cause} {rest}"),)

    @property
    def at_once(self) -> int:
        """How many sentences are worth handing over in one call."""
        return self._guarded(lambda writer: writer.at_once, 1)

    def write(
        self, asked: Sequence[AsksForEdit], *, check_cancelled: CancelCheck = never
    ) -> Sequence[Sequence[str]]:
        """For each sentence its edits; none at all after a failure. Raises Cancelled."""
        check_cancelled()
        nothing: list[tuple[str, ...]] = [() for _ in asked]
        written = self._guarded(
            lambda writer: writer.write(asked, check_cancelled=check_cancelled), nothing
        )
        self._has_written = self._has_written or any(written)
        return written

    def fluency(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float | None:
        """The writer's own answer; None after a failure. Raises Cancelled."""
        check_cancelled()
        return self._guarded(
            lambda writer: writer.fluency(text, context=context, check_cancelled=check_cancelled),
            None,
        )

    def describe(self) -> dict[str, Any]:
        """The writer's own description; before it is open, what was chosen."""
        if self._writer is not None:
            return self._writer.describe()
        return {
            "id": self._choice.model or "none",
            "backend": self._choice.backend,
            "model": self._choice.model,
            "device": "",
            "reason": "It was not needed." if self._failure is None else self._failure.message,
        }

    def close(self) -> None:
        """Close the writer; it is opened again if it is needed again."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _guarded(self, work: Callable[[EditWriter], _Result], otherwise: _Result) -> _Result:
        """The work's result, or `otherwise` once something has failed. Raises Cancelled."""
        if self._failure is not None:
            return otherwise
        try:
            if self._writer is None:
                self._writer = self._open()
            return work(self._writer)
        except Cancelled:
            raise
        except SegueError as error:
            log.warning("the language model failed: %s", error.code)
            self._fail(error)
        except MemoryError:
            log.warning("the language model ran out of memory")
            self._fail(
                BackendError(
                    "There was not enough memory for the language model.",
                    hint="Close other programs, or choose a smaller model.",
                )
            )
        except Exception as error:  # noqa: BLE001 - a broken runtime must not cost the findings
            # Its words are not logged: a native library may quote what it was given.
            log.error("the language model hit a bug: %s", type(error).__name__)  # noqa: TRY400
            name = type(error).__name__
            self._fail(BackendError(f"The language model's runtime failed ({name})."))
        return otherwise

    def _fail(self, error: SegueError) -> None:
        self._failure = error
        if self._on_failure is not None:
            self._on_failure(error)
