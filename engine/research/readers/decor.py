"""DECOR's CSV files, whoever annotated them.

Columns: essay_id, topic, context, sentence, label, R1-R7, Rewrite. The released files use label
1 = coherent and 0 = incoherent, the reverse of what their README says; some write -1 for 0.
Source: Zhang et al., DECOR (EMNLP 2024).
"""

from __future__ import annotations

import re
from pathlib import Path

from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.readers.rebuild import rebuild
from engine.research.readers.tables import Row, Table, read_table
from engine.scheme import CODES, ReasonCode

REQUIRED = ("essay_id", "context", "sentence", "label")

_COHERENT = 1.0
_INCOHERENT = (0.0, -1.0)
_DELETE = re.compile(r"\W*delete\W*", re.IGNORECASE)


def read_decor(path: Path) -> list[AnnotatedEssay]:
    """Every row of a DECOR file, as essays in the order in which the file first names them.

    A reason applies where its cell is above 0 (1.0, in places 3.0) and the sentence is
    incoherent; empty, 0.0 and -1.0 mean that it does not. Missing reason and rewrite columns
    count as empty. Raises InputError naming the row that cannot be read.
    """
    table = read_table(path, REQUIRED)
    essays: dict[str, list[Row]] = {}
    for row in table.rows:
        essays.setdefault(_essay_id(table, row), []).append(row)
    return [essay for name, rows in essays.items() for essay in _essays(table, name, rows)]


def has_reasons(essays: list[AnnotatedEssay]) -> bool:
    """Whether any pair has a reason; DECOR's per-task files have no reason columns."""
    return any(pair.reasons for essay in essays for pair in essay.pairs)


def _essay_id(table: Table, row: Row) -> str:
    for column in ("essay_id", "sentence"):
        if not row.text(column):
            raise table.damaged(row, f"the {column} is empty.")
    return row.text("essay_id")


def _essays(table: Table, name: str, rows: list[Row]) -> list[AnnotatedEssay]:
    topic = next((row.text("topic") for row in rows if row.text("topic")), "")
    rebuilt = rebuild([(row.text("context"), row.text("sentence")) for row in rows])
    return [
        AnnotatedEssay(
            name,
            topic,
            essay.sentences,
            tuple(_pair(table, rows[place], index) for place, index in essay.indexes),
        )
        for essay in rebuilt
    ]


def _pair(table: Table, row: Row, index: int) -> AnnotatedPair:
    incoherent = _is_incoherent(table, row)
    reasons = [code for code in CODES if _applies(table, row, code)]
    rewrite = row.text("rewrite")
    delete = _DELETE.fullmatch(rewrite) is not None
    return AnnotatedPair(
        index=index,
        incoherent=incoherent,
        reasons=frozenset(reasons) if incoherent else frozenset(),
        rewrite=None if delete or not rewrite else rewrite,
        delete=delete,
    )


def _is_incoherent(table: Table, row: Row) -> bool:
    value = _number(table, row, "label")
    if value == _COHERENT:
        return False
    if value in _INCOHERENT:
        return True
    raise table.damaged(row, f"the label is {row.text('label') or 'empty'}, not 1, 0 or -1.")


def _applies(table: Table, row: Row, code: ReasonCode) -> bool:
    value = _number(table, row, code.value.lower())
    return value is not None and value > 0


def _number(table: Table, row: Row, column: str) -> float | None:
    text = row.text(column)
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        name = column.upper() if column != "label" else "label"
        raise table.damaged(row, f"the {name} is not a number.") from error
