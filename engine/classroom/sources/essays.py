"""Reading a submission's files as one essay."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from engine.classroom.model import Submission
from engine.classroom.sources.entries import open_source, read_whole
from engine.documents import load
from engine.errors import UnreadableFile
from engine.essay import Essay
from engine.spans import Span

_BETWEEN = "\n\n"


class SubmissionReader:
    """Reads submissions out of a source that stays open while it is entered.

    Raises InputError where the source itself cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._source = open_source(path)

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the source."""
        self._source.__exit__(kind, error, trace)

    def essay(self, submission: Submission, *, topic: str = "") -> Essay:
        """The submission as one essay; several files are joined as they are listed.

        Raises InputError as `engine.documents.load` does, naming the file.
        """
        if not submission.files:
            raise UnreadableFile("There is no file that Segue can read as an essay.")
        parts = []
        for file in submission.files:
            with self._source.local(file.name) as path:
                parts.append(load(path, topic=topic))
        essay = parts[0]
        for part in parts[1:]:
            essay = _joined(essay, part)
        # A copy out of an archive is gone by the time that anybody could look for it.
        return replace(essay, path=None)

    def data(self, name: str) -> bytes:
        """The content of any file of the source. Raises InputError."""
        return read_whole(self._source, name)


def _joined(first: Essay, second: Essay) -> Essay:
    shift = len(first.text) + len(_BETWEEN)
    moved = tuple(
        replace(one, span=Span(one.span.start + shift, one.span.end + shift))
        for one in second.paragraphs
    )
    return replace(
        first,
        text=first.text + _BETWEEN + second.text,
        paragraphs=(*first.paragraphs, *moved),
        notices=(*first.notices, *second.notices),
    )
