"""Where the shipped resources lie: models, samples, templates, icons."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

from engine.errors import ModelError

_INSTALLED_NAME = "_resources"


@cache
def resources_folder() -> Path:
    """The folder of shipped resources, in a checkout, an installed wheel or a frozen application.

    Raises ModelError where there is none, because nothing can be checked without the model.
    """
    package = Path(__file__).resolve().parent
    candidates = [package / _INSTALLED_NAME, package.parent / "resources"]
    frozen = getattr(sys, "_MEIPASS", None)
    if frozen:
        candidates.insert(0, Path(frozen) / "resources")
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise ModelError(
        "Segue's own files are missing from the installation.", hint="Install Segue again."
    )
