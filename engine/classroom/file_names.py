"""File names that every system takes."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

_RESERVED = {"CON", "PRN", "AUX", "NUL"} | {f"{d}{n}" for d in ("COM", "LPT") for n in range(1, 10)}
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"/\\|?*\u202a-\u202e\u2066-\u2069]')


def plain_file_name(name: str, *, longest: int = 100) -> str:
    """A file name that every system takes; letters of every script stay."""
    path = PurePosixPath(_UNSAFE.sub("_", name).strip(" .") or "file")
    suffix = path.suffix[:20]
    stem = path.name[: len(path.name) - len(path.suffix)] if path.suffix else path.name
    while stem and len((stem + suffix).encode("utf-8", "replace")) > 2 * longest:
        stem = stem[:-1]
    stem = stem[:longest].rstrip(" .") or "file"
    reserved = stem.split(".")[0].upper() in _RESERVED
    return ("_" if reserved else "") + stem + suffix
