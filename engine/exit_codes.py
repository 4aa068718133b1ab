"""The exit codes of the command line; `segue --help` and the README repeat this table."""

from __future__ import annotations

import textwrap
from enum import IntEnum


class ExitCode(IntEnum):
    """What a command's exit code means."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NO_MODEL = 3
    STOPPED = 130


MEANINGS: dict[ExitCode, str] = {
    ExitCode.OK: "done; findings do not change it",
    ExitCode.FAILED: (
        "a file could not be read, checked or written, a download failed, or doctor found that "
        "checking cannot work"
    ),
    ExitCode.USAGE: (
        "the command line makes no sense, or names a model that `segue models` does not know"
    ),
    ExitCode.NO_MODEL: "no usable model, a damaged one, or no runtime that can run it",
    ExitCode.STOPPED: "stopped by Ctrl+C; what was finished is kept",
}

DESCRIPTION = "exit codes:\n" + "\n".join(
    textwrap.fill(f"  {code.value:<4} {meaning}", 80, subsequent_indent=" " * 7)
    for code, meaning in MEANINGS.items()
)
