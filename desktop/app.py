"""The window's entry point: look for what Qt needs, build everything, run.

Nothing of Qt is imported before `main` has looked: where a system library is missing, Qt ends
the program without a word that a user could act on.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from engine import __version__
from engine.log import set_up_logging
from engine.system_libraries import SystemLibrary, install_hint, missing_libraries

CANNOT_START = 1


def start_hint(
    *,
    platform: str = sys.platform,
    environment: Mapping[str, str] | None = None,
    missing: Callable[[], tuple[SystemLibrary, ...]] = missing_libraries,
) -> str:
    """Why no window can be opened here and what to do; empty where nothing stands in the way."""
    if not platform.startswith("linux"):
        return ""
    known = os.environ if environment is None else environment
    plugin = known.get("QT_QPA_PLATFORM", "").split(":")[0]
    has_wayland = bool(known.get("WAYLAND_DISPLAY"))
    needs_x11 = plugin == "xcb" or (not plugin and not has_wayland)
    lacking = missing()
    if not needs_x11:
        lacking = tuple(library for library in lacking if library.needed_for == "import")
    hint = install_hint(lacking)
    if not hint and needs_x11 and not known.get("DISPLAY"):
        return (
            "Segue cannot open a window, because there is no screen here (DISPLAY is not set). "
            "On a machine without one, use the command line: segue check ESSAY"
        )
    return hint


def main(argv: Sequence[str] | None = None) -> int:
    """Open the window and stay until it is closed; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="segue-desktop", description="Segue, a coherence coach for writers of English."
    )
    parser.add_argument("essay", nargs="?", type=Path, help="a file to open")
    parser.add_argument("--version", action="version", version=f"Segue {__version__}")
    arguments = parser.parse_args(argv)
    hint = start_hint()
    if hint:
        sys.stderr.write(f"{hint}\n")
        return CANNOT_START
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Until the window stands there is nothing to close in order.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    set_up_logging("desktop")
    from desktop.composition import Desktop, make_application
    from desktop.interrupts import Interrupts

    application = make_application()
    interrupts = Interrupts(application)
    desktop = Desktop(application)
    interrupts.asked.connect(desktop.interrupt)
    desktop.show(arguments.essay)
    return application.exec()


if __name__ == "__main__":
    sys.exit(main())
