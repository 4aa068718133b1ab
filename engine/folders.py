"""Where Segue keeps the user's files: history, downloaded models, caches and logs.

`SEGUE_HOME` moves all of them into one folder, for a portable copy on a USB stick and for tests.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_APP = "Segue"


def data_folder() -> Path:
    """History, drafts and downloaded models."""
    return _moved("data") or platformdirs.user_data_path(_APP, appauthor=False)


def history_path() -> Path:
    """The history database."""
    return data_folder() / "history.db"


def config_folder() -> Path:
    """Settings."""
    return _moved("config") or platformdirs.user_config_path(_APP, appauthor=False)


def cache_folder() -> Path:
    """What can be deleted at any time."""
    return _moved("cache") or platformdirs.user_cache_path(_APP, appauthor=False)


def log_folder() -> Path:
    """Log files, which never hold essay text."""
    return _moved("log") or platformdirs.user_log_path(_APP, appauthor=False)


def _moved(kind: str) -> Path | None:
    home = os.environ.get("SEGUE_HOME", "").strip()
    return Path(home).expanduser() / kind if home else None
