"""The names inside a zip file, whatever program and country it comes from.

A zip says of a name only "UTF-8" or nothing. Nothing means code page 437 by the book, UTF-8 from
a Mac, and the country's own code page from Windows; all names of one archive are read alike.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
import zlib
from collections.abc import Sequence

_UTF8_FLAG = 0x800
_UNICODE_PATH = 0x7075
_EAST_ASIAN = {
    # The charset of everyday characters, and the first bytes that they begin with.
    "gbk": ("gb2312", range(0xB0, 0xD8)),
    "shift_jis": ("shift_jis", range(0x82, 0x98)),
    "big5": ("big5", range(0xA4, 0xC7)),
    "euc_kr": ("euc_kr", range(0xB0, 0xC9)),
}
_ALPHABETS = {
    "cp866": "CYRILLIC",
    "cp1251": "CYRILLIC",
    "cp720": "ARABIC",
    "cp1256": "ARABIC",
    "cp737": "GREEK",
    "cp862": "HEBREW",
    "cp850": "LATIN",
}
_WORD = re.compile(r"[^\W\d_]+")
_GOOD_ENOUGH = 0.75
_KOREAN_FROM = 10
"""Bytes that are not ASCII from which names can be told to be Korean."""


def entry_names(entries: Sequence[zipfile.ZipInfo]) -> list[str]:
    """The name of each entry, with `/` between folders."""
    raw = [_raw(entry) for entry in entries]
    unknown = [data for data in raw if data is not None and not data.isascii()]
    encoding = guess_encoding(unknown)
    return [
        _from_extra(entry) or (entry.orig_filename if data is None else data.decode(encoding))
        for entry, data in zip(entries, raw, strict=True)
    ]


def guess_encoding(names: Sequence[bytes]) -> str:
    """The encoding in which all of these names make most sense; code page 437 where none does."""
    if not names or all(_decodes(name, "utf-8") for name in names):
        return "utf-8"
    scores = {
        encoding: sum(_score(name, encoding) for name in names) / len(names)
        for encoding in (*_EAST_ASIAN, *_ALPHABETS)
        if all(_decodes(name, encoding) for name in names)
    }
    if scores.get("euc_kr") == 1.0 and sum(map(_high_bytes, names)) >= _KOREAN_FROM:
        # Nearly every Korean name is good Chinese as well, but chance makes no Chinese ones of
        # only those bytes that Korean uses.
        return "euc_kr"
    best = max(scores, key=lambda encoding: scores[encoding], default="cp437")
    return best if scores.get(best, 0.0) >= _GOOD_ENOUGH else "cp437"


def _raw(entry: zipfile.ZipInfo) -> bytes | None:
    """The name's bytes; None where the archive says that they are UTF-8."""
    if entry.flag_bits & _UTF8_FLAG:
        return None
    return entry.orig_filename.encode("cp437")


def _from_extra(entry: zipfile.ZipInfo) -> str:
    """The name in the Unicode Path extra field (Info-ZIP), if it belongs to this entry's name."""
    extra, at = entry.extra, 0
    while at + 4 <= len(extra):
        kind = int.from_bytes(extra[at : at + 2], "little")
        size = int.from_bytes(extra[at + 2 : at + 4], "little")
        field = extra[at + 4 : at + 4 + size]
        at += 4 + size
        if kind == _UNICODE_PATH and len(field) > 5 and field[0] == 1:
            raw = _raw(entry)
            if raw is not None and int.from_bytes(field[1:5], "little") == zlib.crc32(raw):
                return field[5:].decode("utf-8", "replace")
    return ""


def _high_bytes(name: bytes) -> int:
    return sum(byte >= 0x80 for byte in name)


def _decodes(name: bytes, encoding: str) -> bool:
    try:
        name.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _score(name: bytes, encoding: str) -> float:
    """From 0 to 1: how much of what is not ASCII reads like writing in this encoding."""
    text = name.decode(encoding)
    foreign = [character for character in text if not character.isascii()]
    if encoding in _EAST_ASIAN:
        return sum(_is_everyday(one, encoding) for one in foreign) / len(foreign)
    script = _ALPHABETS[encoding]
    letters = sum(unicodedata.name(one, "").startswith(script) for one in foreign)
    cased = [word for word in _WORD.findall(text) if not word.isascii()]
    sane = sum(word[1:] in (word[1:].lower(), word[1:].upper()) for word in cased)
    return (letters / len(foreign)) * (sane / len(cased) if cased else 0.0)


def _is_everyday(character: str, encoding: str) -> bool:
    charset, first_bytes = _EAST_ASIAN[encoding]
    try:
        encoded = character.encode(charset)
    except UnicodeEncodeError:
        return False
    return len(encoded) == 2 and encoded[0] in first_bytes
