"""CSV files from schools: any separator, any encoding, headings in any wording."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engine.documents.charsets import decode
from engine.errors import DamagedFile, InputError

_LONGEST = 5 * 1024 * 1024
_SEPARATORS = ",;\t|"


@dataclass(frozen=True)
class Table:
    """A CSV file's headings as they stand, and its rows, each as long as the headings."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, names: Sequence[str]) -> int | None:
        """The first column whose heading is one of `names`, in any case and punctuation."""
        plain = [plain_words(heading) for heading in self.headings]
        for name in names:
            if name in plain:
                return plain.index(name)
        return None


def plain_words(text: str) -> str:
    """Lower-case words with single spaces, for comparing headings."""
    return " ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold()))


def read_table(data: bytes, name: str) -> Table:
    """The table in a CSV file. `name` is for messages. Raises InputError where it is none."""
    if len(data) > _LONGEST:
        raise DamagedFile(f"{name} is far too large for a list of students.")
    text = decode(data, name).text.lstrip("\ufeff")
    first, _, rest = text.partition("\n")
    if first.strip().lower().startswith("sep="):
        separator, text = first.strip()[4:5] or ",", rest
    else:
        separator = max(_SEPARATORS, key=first.count)
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise DamagedFile(f"{name} is not a table that can be read.") from error
    rows = [row for row in lines if any(cell.strip() for cell in row)]
    if not rows:
        raise InputError(f"{name} holds no rows.", hint="Save it as CSV with one row a student.")
    headings = tuple(cell.strip() for cell in rows[0])
    width = len(headings)
    return Table(
        headings,
        tuple(tuple(cell.strip() for cell in (row + [""] * width)[:width]) for row in rows[1:]),
    )


def cell(row: Sequence[str], columns: Mapping[str, int | None], name: str) -> str:
    """The row's cell in a column that may not be there."""
    place = columns.get(name)
    return "" if place is None else row[place]
