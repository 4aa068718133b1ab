"""Zip-based documents: parts read with a limit, and one part replaced while the rest stays."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import IO, Any

from lxml import etree

from engine.errors import DamagedFile

_PART_LIMIT = 64 * 1024 * 1024
_TOTAL_LIMIT = 512 * 1024 * 1024
_BLOCK = 1024 * 1024
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)


class Archive:
    """A zip file in memory."""

    def __init__(self, data: bytes, name: str) -> None:
        """Open it. `name` is the file's, for messages. Raises DamagedFile."""
        self._data = data
        self._name = name
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                self.names = frozenset(archive.namelist())
        except (*_BROKEN, ValueError) as error:
            raise DamagedFile(f"{name} is damaged or only part of a file.") from error

    def part(self, name: str) -> bytes:
        """The content of one part. Raises DamagedFile if it is missing, broken or enormous."""
        try:
            with zipfile.ZipFile(io.BytesIO(self._data)) as archive, archive.open(name) as part:
                return self._limited(part, _PART_LIMIT)
        except KeyError as error:
            raise DamagedFile(f"{self._name} lacks its part {name}.") from error
        except _BROKEN as error:
            raise DamagedFile(f"{self._name} is damaged: {name} cannot be read.") from error

    def _limited(self, part: IO[bytes], limit: int) -> bytes:
        """All bytes of an opened part, however small its header says that it is."""
        read = bytearray()
        while block := part.read(_BLOCK):
            read += block
            if len(read) > limit:
                raise DamagedFile(
                    f"{self._name} unpacks to far more than an essay.",
                    hint="Do not open it: such a file may be made to do harm.",
                )
        return bytes(read)

    def replaced(self, parts: Mapping[str, bytes]) -> bytes:
        """The archive with other content in some parts; order, names and dates stay."""
        out = io.BytesIO()
        room = _TOTAL_LIMIT
        try:
            with (
                zipfile.ZipFile(io.BytesIO(self._data)) as old,
                zipfile.ZipFile(out, "w") as new,
            ):
                for info in old.infolist():
                    content = parts.get(info.filename)
                    if content is None:
                        with old.open(info) as part:
                            content = self._limited(part, room)
                    room -= len(content)
                    new.writestr(info, content, compress_type=info.compress_type)
        except _BROKEN as error:
            raise DamagedFile(f"{self._name} is damaged and cannot be written back.") from error
        return out.getvalue()


def parse_xml(data: bytes, name: str) -> etree._Element:
    """The root of an XML part; entities and outside references are refused, never expanded.

    Raises DamagedFile.
    """
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise DamagedFile(f"{name} is damaged: its text cannot be parsed.") from error
    declared: Any = root.getroottree().docinfo.internalDTD
    if declared is not None and any(True for _ in declared.iterentities()):
        raise DamagedFile(
            f"{name} declares XML entities, which no word processor does.",
            hint="Do not open it: such a file may be made to do harm.",
        )
    return root


def local_name(element: etree._Element) -> str:
    """The element's name without its namespace; empty for comments and the like."""
    tag: object = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def parent_of(element: etree._Element) -> etree._Element:
    """The element around this one. Raises ValueError for a root."""
    parent = element.getparent()
    if parent is None:
        raise ValueError("The root of a tree has no parent.")
    return parent
