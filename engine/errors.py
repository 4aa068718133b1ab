"""Every error that Segue raises on purpose.

SegueError
├── InputError          the user's file or text: what is wrong with it and what to do
│   ├── UnsupportedFormat, WrongExtension, PasswordProtected, DamagedFile,
│   └── UnknownEncoding, EmptyEssay, NoTextLayer, UnreadableFile
├── ModelError          a model folder that is missing, cut short or altered
├── DownloadError       a model that could not be fetched: no network, no room, a damaged file
├── BackendError        a runtime that is not installed, or that failed while it ran
├── HistoryError        the SQLite history: locked, damaged, newer than this program
├── UsageError          a command or setting that makes no sense
└── Cancelled           the user asked to stop; not an error to show

Each has a stable `code`, a sentence for the user and a `hint` for the next step.
Messages name files, never essay text.
"""

from __future__ import annotations

from typing import ClassVar


class SegueError(Exception):
    """An error with a stable code, a sentence for the user and a hint for what to do next."""

    code: ClassVar[str] = "error"
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def as_dict(self) -> dict[str, str]:
        """The three fields as plain data, for JSON output and the worker protocol."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class InputError(SegueError):
    """The user's file or text cannot be used as it is."""

    code = "input"


class UnsupportedFormat(InputError):
    """A kind of file that Segue does not read."""

    code = "unsupported-format"
    default_hint = "Save it as .docx, .odt, .txt, .md, .html, .rtf or a PDF with text."


class WrongExtension(InputError):
    """The content is not what the file's extension says."""

    code = "wrong-extension"
    default_hint = "Open it in the program that made it and save it again under the right format."


class PasswordProtected(InputError):
    """The file is encrypted."""

    code = "password-protected"
    default_hint = "Open it with its password, save a copy without one, and check the copy."


class DamagedFile(InputError):
    """The file is cut short or its parts do not fit together."""

    code = "damaged-file"
    default_hint = "Ask for the file again, or open it in a word processor and save a fresh copy."


class DamagedCorpus(DamagedFile):
    """A research file with a part that does not fit its format."""

    default_hint = "Mend what is named, or take a fresh copy of the corpus."


class UnknownEncoding(InputError):
    """The bytes are not text in any encoding that can be told."""

    code = "unknown-encoding"
    default_hint = (
        "Save the file as UTF-8, or name its encoding when you check it alone (--encoding)."
    )


class EmptyEssay(InputError):
    """There is no text to check."""

    code = "empty-essay"
    default_hint = "Write or paste at least two sentences."


class NoTextLayer(InputError):
    """A PDF that holds pictures of pages instead of text."""

    code = "no-text-layer"
    default_hint = "It is probably a scan. Run text recognition (OCR) on it, or type the essay in."


class UnreadableFile(InputError):
    """The file is missing, a folder, or may not be read."""

    code = "unreadable-file"
    default_hint = "Check the path and that you may read the file."


class ModelError(SegueError):
    """A model that is missing, incomplete or altered."""

    code = "model"
    default_hint = "Run `segue doctor` to see which model is affected."


class DownloadError(SegueError):
    """A model that could not be fetched or brought in."""

    code = "download"
    default_hint = "Try again; what was downloaded so far is kept."


class BackendError(SegueError):
    """A runtime that is not installed or that failed."""

    code = "backend"
    default_hint = "Run `segue doctor` to see which runtimes work here."


class HistoryError(SegueError):
    """The history database cannot be used as it is."""

    code = "history"
    default_hint = "Your essays are not affected; only the record of past checks is."


class UsageError(SegueError):
    """A command, option or setting that makes no sense."""

    code = "usage"


class Cancelled(SegueError):
    """The user asked to stop."""

    code = "cancelled"

    def __init__(self, message: str = "Stopped.", *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
