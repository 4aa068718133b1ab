"""The system libraries that Qt's window needs on Linux, and the packages that hold them.

Qt ends the whole program when its platform plugin cannot be loaded, so we look first. Only the
standard library is used: `packaging/tasks.py` reads this file before anything is installed.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class SystemLibrary:
    """A shared library by its run-time name, its Debian package, and what fails without it.

    `needed_for` is "import" when PySide6 cannot even be imported, "window" when only a window on
    an X11 screen cannot be opened.
    """

    name: str
    package: str
    needed_for: str


# What `objdump -p` says libQt6Core, libQt6Gui, libQt6Widgets and the xcb plugin need (Qt 6.12),
# less what those libraries bring along themselves.
QT_LIBRARIES: tuple[SystemLibrary, ...] = (
    SystemLibrary("libglib-2.0.so.0", "libglib2.0-0", "import"),
    SystemLibrary("libEGL.so.1", "libegl1", "import"),
    SystemLibrary("libGL.so.1", "libgl1", "import"),
    SystemLibrary("libfontconfig.so.1", "libfontconfig1", "import"),
    SystemLibrary("libfreetype.so.6", "libfreetype6", "import"),
    SystemLibrary("libdbus-1.so.3", "libdbus-1-3", "import"),
    SystemLibrary("libxkbcommon.so.0", "libxkbcommon0", "import"),
    SystemLibrary("libX11.so.6", "libx11-6", "import"),
    SystemLibrary("libzstd.so.1", "libzstd1", "import"),
    SystemLibrary("libX11-xcb.so.1", "libx11-xcb1", "window"),
    SystemLibrary("libxcb-cursor.so.0", "libxcb-cursor0", "window"),
    SystemLibrary("libxcb-icccm.so.4", "libxcb-icccm4", "window"),
    SystemLibrary("libxcb-image.so.0", "libxcb-image0", "window"),
    SystemLibrary("libxcb-keysyms.so.1", "libxcb-keysyms1", "window"),
    SystemLibrary("libxcb-randr.so.0", "libxcb-randr0", "window"),
    SystemLibrary("libxcb-render-util.so.0", "libxcb-render-util0", "window"),
    SystemLibrary("libxcb-shape.so.0", "libxcb-shape0", "window"),
    SystemLibrary("libxcb-sync.so.1", "libxcb-sync1", "window"),
    SystemLibrary("libxcb-xfixes.so.0", "libxcb-xfixes0", "window"),
    SystemLibrary("libxcb-xkb.so.1", "libxcb-xkb1", "window"),
    SystemLibrary("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "window"),
)


def missing_libraries(
    *, platform: str = sys.platform, load: Callable[[str], object] = ctypes.CDLL
) -> tuple[SystemLibrary, ...]:
    """The libraries that cannot be loaded here; none on other systems than Linux."""
    if not platform.startswith("linux"):
        return ()
    missing: list[SystemLibrary] = []
    for library in QT_LIBRARIES:
        try:
            load(library.name)
        except OSError:
            missing.append(library)
    return tuple(missing)


def install_hint(missing: tuple[SystemLibrary, ...]) -> str:
    """One sentence that says what to install; empty where nothing is missing."""
    if not missing:
        return ""
    names = ", ".join(library.name for library in missing)
    packages = " ".join(library.package for library in missing)
    what = "load Qt" if any(m.needed_for == "import" for m in missing) else "open a window"
    return (
        f"Segue cannot {what}, because this system lacks {names}. "
        f"On Debian or Ubuntu: sudo apt-get install {packages}"
    )
