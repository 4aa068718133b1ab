"""From bytes to text: the encoding is known, or told beyond reasonable doubt, or refused."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from engine.errors import DamagedFile, UnknownEncoding

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_SAMPLE = 200_000
_FEWEST_ZEROS = 0.15


@dataclass(frozen=True)
class Decoded:
    """Text, and how to encode it again: codec name and the byte order mark that stood first."""

    text: str
    encoding: str
    mark: bytes = b""

    def encode(self, text: str) -> bytes:
        """`text` in the same encoding. Raises UnicodeEncodeError if it has no place for it."""
        if self.encoding == "cp1252":
            return self.mark + b"".join(_encode_1252(character) for character in text)
        return self.mark + text.encode(self.encoding)


def decode(data: bytes, name: str, encoding: str | None = None) -> Decoded:
    """The text of `data`, read as `encoding` or, if that is None, as what it can only be.

    `name` is the file's, for messages. Raises UnknownEncoding, or DamagedFile for bytes that are
    not text at all.
    """
    if encoding:
        return _decode_as(data, name, encoding)
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return Decoded(_strictly(data[len(mark) :], name, codec), codec, mark)
    if b"\0" in data:
        return _decode_utf16(data, name)
    try:
        decoded = Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        decoded = _decode_legacy(data, name)
    if len(_CONTROL.findall(decoded.text[:_SAMPLE])) > len(decoded.text[:_SAMPLE]) // 50:
        raise DamagedFile(f"{name} is not a text file.")
    return decoded


def _decode_as(data: bytes, name: str, encoding: str) -> Decoded:
    try:
        codec = codecs.lookup(encoding).name
    except LookupError as error:
        raise UnknownEncoding(
            f"There is no encoding called {encoding}.",
            hint="Try utf-8, utf-16, cp1252, gb18030, shift_jis, big5 or euc_kr.",
        ) from error
    for mark, marked in _BOMS:
        if data.startswith(mark) and (codec == marked or marked.startswith(codec + "-")):
            return Decoded(_strictly(data[len(mark) :], name, marked), marked, mark)
    if codec == "utf-8-sig":
        codec = "utf-8"
    if codec in ("utf-16", "utf-32"):
        codec += "-le"
    if codec == "cp1252":
        return Decoded("".join(_decode_1252(byte) for byte in data), codec)
    return Decoded(_strictly(data, name, codec), codec)


def _strictly(data: bytes, name: str, codec: str) -> str:
    try:
        return data.decode(codec)
    except (UnicodeDecodeError, LookupError) as error:
        raise UnknownEncoding(f"{name} is not text in {codec}.") from error


def _decode_1252(byte: int) -> str:
    """One character; the five bytes without a meaning become controls, as on the web."""
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


def _encode_1252(character: str) -> bytes:
    if character in "\x81\x8d\x8f\x90\x9d":
        return bytes((ord(character),))
    return character.encode("cp1252")


def _decode_utf16(data: bytes, name: str) -> Decoded:
    """UTF-16 without a mark: the zero bytes of its Latin letters tell the byte order."""
    even, odd = data[0::2].count(0), data[1::2].count(0)
    likely = "utf-16-le" if odd > even else "utf-16-be"
    enough = max(4 * min(even, odd), len(data) * _FEWEST_ZEROS)
    if len(data) % 2 == 0 and max(even, odd) >= enough:
        try:
            text = data.decode(likely)
        except UnicodeDecodeError:
            text = "\0"
        if not _CONTROL.search(text):
            return Decoded(text, likely)
    raise DamagedFile(f"{name} is not a text file, or only part of one.")


def _decode_legacy(data: bytes, name: str) -> Decoded:
    """An encoding from before Unicode, if only one makes sense."""
    sample = data[:_SAMPLE]
    runs = _HIGH_RUN.findall(sample)
    single = sum(len(run) == 1 for run in runs)
    high = sum(len(run) for run in runs)
    if single >= 0.8 * len(runs) and high <= 0.2 * len(sample):
        try:
            return Decoded(data.decode("cp1252"), "cp1252")
        except UnicodeDecodeError as error:
            raise _unknown(name) from error
    scores = {codec: _east_asian_score(data, codec) for codec in _EAST_ASIAN}
    best = max(scores, key=lambda codec: scores[codec])
    if scores[best] < 0.9:
        raise _unknown(name)
    return Decoded(data.decode(best), best)


def _unknown(name: str) -> UnknownEncoding:
    return UnknownEncoding(f"The encoding of {name} cannot be told.")


_EAST_ASIAN = ("shift_jis", "euc_jp", "euc_kr", "gb18030", "big5")


def _east_asian_score(data: bytes, codec: str) -> float:
    """How far the text would be ordinary text of that encoding's language, 0 to 1.

    The standards sort characters into common and rare ones by their code, so the share of common
    ones tells right from wrong: a wrong reading scatters over both.
    """
    try:
        text = data.decode(codec)
    except UnicodeDecodeError:
        return 0.0
    outside = [character for character in text if character > "\x7f"]
    if not outside:
        return 0.0
    common = sum(_is_common(character, codec) for character in outside)
    kana = sum("\u3040" <= character <= "\u30ff" for character in outside)
    if codec in ("shift_jis", "euc_jp") and kana < 0.15 * len(outside):
        return 0.0
    if codec in ("gb18030", "big5") and kana > 0.1 * len(outside):
        return 0.0
    return common / len(outside)


def _is_common(character: str, codec: str) -> bool:
    """Whether a character is one that everyday text of the encoding's language consists of."""
    if "\u3000" <= character <= "\u30ff" or "\uff00" <= character <= "\uff5e":
        return not "\uff61" <= character <= "\uff9f"
    if character in "—…“”‘’·《》":
        return True
    if codec == "euc_kr":
        return "\uac00" <= character <= "\ud7a3"
    code = int.from_bytes(character.encode(codec), "big")
    low, high = {
        "shift_jis": (0x889F, 0x9872),
        "euc_jp": (0xB0A1, 0xCFD3),
        "gb18030": (0xB0A1, 0xD7F9),
        "big5": (0xA440, 0xC67E),
    }[codec]
    return low <= code <= high
