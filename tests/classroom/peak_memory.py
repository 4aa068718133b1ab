"""A program for the test of memory: checks a class of so many essays, and says its peak in bytes.

Its arguments are a folder to work in and the number of essays.
"""

from __future__ import annotations

import sys
from pathlib import Path

import psutil

from engine.classroom.queue import ClassQueue, SubmissionChanged
from engine.classroom.reporting import ClassReporter
from engine.grammar import default_checker
from engine.history import History
from engine.history.assignments import Assignments
from tests.classroom.class_files import fake_engine, write_files
from tests.classroom.class_runs import begun

FILLER = " ".join(
    f"Sentence number {number} of this essay says something about parks and people in cities."
    for number in range(22)
)
"""About 300 words."""


def main(folder: Path, count: int) -> int:
    """Check the class and report on each essay; the peak of resident memory in bytes."""
    # It loads in the background, and so few essays may be done before it has.
    default_checker().mistakes("Parks are good.")
    names = [f"Student {number:04}" for number in range(count)]
    files = {f"{name}.txt": f"By {name}. {FILLER} But it ends here." for name in names}
    source = write_files(folder / "class", files)
    with History.open(folder / "history.db") as history:
        assignment = begun(history, source)
        reporter = ClassReporter(history, assignment)
        peak = 0

        def report(event: object) -> None:
            nonlocal peak
            if isinstance(event, SubmissionChanged) and event.submission.state.is_done:
                reporter.student(event.submission)
                peak = max(peak, psutil.Process().memory_info().rss)

        engine = fake_engine()
        # The fake remembers every call for tests that ask; a real one does not.
        tagger = engine._tagger
        queue = ClassQueue(engine, Assignments(history), on_event=report)
        tagger.calls = _Forgetful()  # type: ignore[union-attr]
        queue.run(assignment.id)
    return peak


class _Forgetful(list[object]):
    """A list that keeps nothing."""

    def append(self, _item: object) -> None:
        """Forget it."""


if __name__ == "__main__":
    sys.stdout.write(str(main(Path(sys.argv[1]), int(sys.argv[2]))))
