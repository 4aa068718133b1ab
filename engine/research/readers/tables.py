"""CSV files as rows that know their number, so that damage can be named.

Handles a byte order mark, UTF-16, quoted newlines, fields of any size, blank lines, header names
in any case, and semicolons or tabs where a spreadsheet put them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from engine.errors import DamagedCorpus, UnknownEncoding, UnreadableFile

_LARGEST_FIELD = 2**31 - 1
"""The most that fits a C long on every platform; sys.maxsize overflows on Windows."""

_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its number (the header is row 1) and its cells by lower-case column name."""

    number: int
    cells: Mapping[str, str]

    def text(self, column: str) -> str:
        """The cell without white space at its ends, empty where the file lacks the column."""
        return self.cells.get(column, "").strip()


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV file as read."""

    path: Path
    columns: frozenset[str]
    rows: tuple[Row, ...]

    def damaged(self, row: Row, what: str) -> DamagedCorpus:
        """The error to raise about one row."""
        return DamagedCorpus(f"{self.path.name}, row {row.number}: {what}")


def read_text(path: Path) -> str:
    """The file's text. Raises UnreadableFile, or UnknownEncoding naming the line that is not UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableFile(f"{path.name} cannot be read: {error.strerror}.") from error
    encoding = "utf-16" if data.startswith(_UTF16_MARKS) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnknownEncoding(
            f"{path.name}, line {line}: not {encoding.removesuffix('-sig').upper()} text.",
            hint="Save the file as UTF-8 and try again.",
        ) from error


def read_table(path: Path, required: Sequence[str]) -> Table:
    """Read a CSV file that has at least the `required` columns (lower case).

    Raises UnreadableFile, UnknownEncoding, or DamagedCorpus naming the row: a quote that never
    closes, a row that is cut short or too long, a NUL character, a missing column, no rows.
    """
    text = read_text(path)
    with _large_fields():
        records = list(_records(path, text))
    if not records:
        raise DamagedCorpus(f"{path.name} is empty.")
    header = [name.strip().lower() for name in records[0][1]]
    missing = [name for name in required if name not in header]
    if missing:
        raise DamagedCorpus(
            f"{path.name}, row 1: the column {', '.join(missing)} is missing.",
            hint="The first row must hold the column names of the corpus.",
        )
    rows = tuple(_row(path, header, number, cells) for number, cells in records[1:])
    if not rows:
        raise DamagedCorpus(f"{path.name} holds no rows below its header.")
    return Table(path, frozenset(header), rows)


@contextmanager
def _large_fields() -> Iterator[None]:
    """Lift the csv module's limit on a field for a while; it is shared by the whole process."""
    before = csv.field_size_limit(_LARGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _records(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """The records that are not blank, numbered as a spreadsheet shows them."""
    first_line = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    number = 0
    try:
        for cells in reader:
            number += 1
            if any(cell.strip() for cell in cells):
                yield number, cells
    except csv.Error as error:
        raise DamagedCorpus(f"{path.name}, row {number + 1}: {error}.") from error


def _row(path: Path, header: list[str], number: int, cells: list[str]) -> Row:
    row = Row(number, dict(zip(header, cells, strict=False)))
    table = Table(path, frozenset(header), ())
    if len(cells) < len(header):
        raise table.damaged(row, f"{len(cells)} cells where the header has {len(header)}.")
    if any(cell.strip() for cell in cells[len(header) :]):
        raise table.damaged(row, f"{len(cells)} cells where the header has {len(header)}.")
    if any("\0" in cell for cell in cells):
        raise table.damaged(row, "a NUL character, which no text holds.")
    return row
