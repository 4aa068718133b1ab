"""The worker's own pipes, out of reach of every library that reads or prints.

The protocol keeps private duplicates of standard input and output. Descriptor 1 is then pointed
at standard error, so that what a native library prints cannot land between two replies, and
descriptor 0 at the null device, so that nothing else can eat a request.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """The reader and the writer of the protocol. Raises OSError where a pipe is missing."""
    reader = os.fdopen(_binary(os.dup(0)), "rb")
    writer = os.fdopen(_binary(os.dup(1)), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # A windowed program on Windows has no standard error.
        os.dup2(null, 1)
    os.close(null)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - a descriptor
    sys.stdout = open(  # noqa: SIM115 - a descriptor, open for as long as the process
        1, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1
    )
    return reader, writer


def _binary(descriptor: int) -> int:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(descriptor, os.O_BINARY)
    return descriptor
