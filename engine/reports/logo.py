"""A school's logo: which of the picture formats it is in, and that it is not too large."""

from __future__ import annotations

import base64

from engine.errors import UsageError

MOST_BYTES = 1_000_000


def logo_kind(data: bytes) -> str:
    """One of "png", "jpg" and "svg", by what the picture begins with.

    Raises UsageError for other pictures and for one of more than a megabyte.
    """
    if len(data) > MOST_BYTES:
        raise UsageError(
            "The logo is larger than one megabyte.", hint="Save a smaller copy of it and use that."
        )
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if data.startswith(b"\xff\xd8\xff"):
        return "jpg"
    if b"<svg" in data[:4096]:
        return "svg"
    raise UsageError(
        "The logo is not a picture that reports can show.", hint="Use a PNG, JPEG or SVG file."
    )


def data_uri(data: bytes) -> str:
    """The logo as an address that holds the picture itself."""
    media = {"png": "image/png", "jpg": "image/jpeg", "svg": "image/svg+xml"}[logo_kind(data)]
    return f"data:{media};base64,{base64.b64encode(data).decode('ascii')}"
