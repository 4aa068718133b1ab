"""The judge's answers as JSON lines, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import json
from pathlib import Path

from engine.errors import DamagedFile, UsageError
from engine.research.readers.tables import read_text


class AnswerFile:
    """A file with one `{"key", "answer"}` a line, written as the answers come.

    A last line that a killed run left unfinished is passed over and written again; any other
    line that cannot be read is reported with its number.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> dict[str, str]:
        """All answers by key; none where the file does not exist yet. Raises InputError."""
        if not self._path.exists():
            return {}
        text = read_text(self._path)
        # Only "\n" ends a line: JSON allows U+2028 in a string.
        *whole, last = text.split("\n")
        answers: dict[str, str] = {}
        for number, line in enumerate(whole, start=1):
            if not line.strip():
                continue
            try:
                data = json.loads(line)
                answers[str(data["key"])] = str(data["answer"])
            except (ValueError, KeyError, TypeError) as error:
                raise DamagedFile(
                    f"{self._path.name}, line {number}: not an answer of the judge.",
                    hint="Take the line out, or name another file with --cache.",
                ) from error
        if last:
            self._cut(last)
        return answers

    def _cut(self, unfinished: str) -> None:
        data = self._path.read_bytes()
        keep = len(data) - len(unfinished.encode("utf-8"))
        try:
            with self._path.open("r+b") as stream:
                stream.truncate(keep)
        except OSError as error:
            raise self._unwritable(error) from error

    def add(self, key: str, answer: str) -> None:
        """Write one answer to the end of the file at once. Raises UsageError."""
        # ASCII only, so that a line which was cut short is still text.
        line = json.dumps({"key": key, "answer": answer})
        try:
            with self._path.open("a", encoding="utf-8", newline="\n") as stream:
                stream.write(line + "\n")
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> UsageError:
        return UsageError(f"{self._path} cannot be written ({error.strerror}).")
