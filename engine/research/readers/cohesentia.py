"""CoheSentia's incremental labels, as DECOR uses them for training (D_C).

Columns: an unnamed story number, topic, context, sentence, and four columns that are True where
the sentence is incoherent, or breaks cohesion, consistency or relevance.
Source: Maimon and Tsarfaty, CoheSentia (EMNLP 2023).
"""

from __future__ import annotations

from pathlib import Path

from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.readers.rebuild import rebuild
from engine.research.readers.tables import Row, Table, read_table
from engine.scheme import Group

_GROUP_COLUMNS = {
    "cohesion_per_sent": Group.COHESION,
    "consistency_per_sent": Group.CONSISTENCY,
    "relevance_per_sent": Group.RELEVANCE,
}
_FLAG = "coherence_per_sent"
_STORY_COLUMNS = ("", "unnamed: 0")
_VALUES = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}


def read_cohesentia(path: Path) -> list[AnnotatedEssay]:
    """Every row, as stories in file order; the first sentence of a story has a pair too.

    CoheSentia gives no reason codes, so the pairs name their groups in `groups_only`. Raises
    InputError naming the row that cannot be read.
    """
    table = read_table(path, ("topic", "context", "sentence", _FLAG, *_GROUP_COLUMNS))
    number = next((name for name in _STORY_COLUMNS if name in table.columns), None)
    stories: dict[tuple[str, str], list[Row]] = {}
    for row in table.rows:
        if not row.text("sentence"):
            raise table.damaged(row, "the sentence is empty.")
        story = row.text("topic") if number is None else row.text(number)
        stories.setdefault((story, row.text("topic")), []).append(row)
    return [
        essay
        for (story, topic), rows in stories.items()
        for essay in _essays(table, f"cohesentia-{story}", topic, rows)
    ]


def _essays(table: Table, name: str, topic: str, rows: list[Row]) -> list[AnnotatedEssay]:
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
    incoherent = _flag(table, row, _FLAG)
    groups = [group for column, group in _GROUP_COLUMNS.items() if _flag(table, row, column)]
    return AnnotatedPair(
        index=index,
        incoherent=incoherent,
        groups_only=frozenset(groups) if incoherent else frozenset(),
    )


def _flag(table: Table, row: Row, column: str) -> bool:
    value = _VALUES.get(row.text(column).lower())
    if value is None:
        raise table.damaged(row, f"{column} is neither True nor False.")
    return value
