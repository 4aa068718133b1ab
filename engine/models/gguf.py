"""What a GGUF file says of itself: the few facts at its head that a user wants to know.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from engine.errors import ModelError

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_KEYS = 10_000
_LONGEST_KEY = 1 << 16
_LONGEST_TEXT = 1 << 20
_STRING, _ARRAY = 8, 9
_NUMBERS = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?",
    10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_HINT = "Get the file again; it may have been cut short, or be no model at all."


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """What the head of a GGUF file says; empty or 0 where it says nothing."""

    architecture: str = ""
    name: str = ""
    licence: str = ""
    context_length: int = 0


def read_gguf(path: Path) -> GgufFacts:
    """Read the head of a GGUF file. Raises ModelError where the file is not one, or damaged."""
    try:
        with path.open("rb") as stream:
            found = _pairs(stream)
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read ({error.strerror}).", hint="Check that you may read the file."
        ) from error
    except (ValueError, struct.error) as error:
        raise ModelError(f"{path} is not a whole GGUF model: {error}.", hint=_HINT) from error
    architecture = str(found.get("general.architecture", ""))
    length = found.get(f"{architecture}.context_length", 0)
    return GgufFacts(
        architecture=architecture,
        name=str(found.get("general.name", "")),
        licence=str(found.get("general.license", "")),
        context_length=length if isinstance(length, int) else 0,
    )


def _pairs(stream: IO[bytes]) -> dict[str, Any]:
    """The keys before the tokenizer's, whose long lists hold nothing for us."""
    if stream.read(4) != MAGIC:
        raise ValueError("it does not begin as one")
    version, _tensors, count = struct.unpack("<IQQ", _exactly(stream, 20))
    if version not in _VERSIONS:
        raise ValueError(f"its version is {version}")
    if count > _MOST_KEYS:
        raise ValueError("its head is damaged")
    found: dict[str, Any] = {}
    for _ in range(count):
        key = _text(stream, _LONGEST_KEY)
        if key.startswith("tokenizer."):
            break
        (kind,) = struct.unpack("<I", _exactly(stream, 4))
        found[key] = _value(stream, kind)
    return found


def _value(stream: IO[bytes], kind: int) -> Any:
    if kind == _STRING:
        return _text(stream, _LONGEST_TEXT)
    if kind == _ARRAY:
        inner, length = struct.unpack("<IQ", _exactly(stream, 12))
        if length > _LONGEST_TEXT or inner == _ARRAY:
            raise ValueError("a list in its head is too long")
        return [_value(stream, inner) for _ in range(length)]
    if kind not in _NUMBERS:
        raise ValueError("its head is damaged")
    layout = _NUMBERS[kind]
    (number,) = struct.unpack(layout, _exactly(stream, struct.calcsize(layout)))
    return number


def _text(stream: IO[bytes], longest: int) -> str:
    (length,) = struct.unpack("<Q", _exactly(stream, 8))
    if length > longest:
        raise ValueError("a text in its head is too long")
    return _exactly(stream, length).decode("utf-8", "replace")


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise ValueError("it ends in the middle of its head")
    return data
