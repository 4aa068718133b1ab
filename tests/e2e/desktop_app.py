"""The whole window for end-to-end tests: real services, a real engine child, no questions asked."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from desktop.composition import Desktop, WorkerCommand
from tests.desktop.views.view_fakes import Answers

PATIENCE = 60_000
"""Milliseconds to wait for the child; a test machine may be busy."""


def fake_worker(delay: float = 0.0) -> WorkerCommand:
    """A child whose tagger goes by keywords and takes `delay` seconds."""

    def command(_device: str) -> Sequence[str]:
        return (sys.executable, "-m", "tests.worker.fake_worker", "--delay", str(delay))

    return command


def desktop_with(
    qapp: QApplication, command: WorkerCommand, *, save_path: Path | None = None
) -> Desktop:
    """The window with that child; a question about a file is answered with `save_path`."""
    return Desktop(qapp, command=command, dialogs=Answers(save_path=save_path))
