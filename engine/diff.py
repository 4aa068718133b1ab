"""Word-level differences between a sentence and its rewrite.

`word_edits(old, new)` gives the edits with exact offsets into `old`; `apply_edits` puts them in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.analysis import Edit, EditKind

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|\s+|.", re.DOTALL)
_MOST_CELLS = 400_000
"""Above this table size what lies between the common start and end is one edit: comparing two
different texts of thousands of words would keep the writer waiting, and no rewrite is that long."""


def word_edits(old: str, new: str) -> tuple[Edit, ...]:
    """The edits that turn `old` into `new`, in order, as few words as possible.

    Words are never split; edits that only white space keeps apart are one edit. Offsets are code
    points of `old`.
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    starts = _offsets(before)
    blocks = _join_over_space(_changed_blocks(before, after), before)
    return tuple(
        _edit(starts[i], "".join(before[i:j]), "".join(after[k:m])) for i, j, k, m in blocks
    )


def apply_edits(old: str, edits: Sequence[Edit]) -> str:
    """`old` with the edits put in; the edits are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for edit in edits:
        pieces += (old[at : edit.start], edit.new)
        at = edit.end
    return "".join(pieces) + old[at:]


def changed_words(edits: Sequence[Edit]) -> int:
    """How many words the edits touch: for each edit, the larger of its two sides."""
    return sum(max(_words(edit.old), _words(edit.new)) for edit in edits)


def _words(text: str) -> int:
    return sum(1 for token in _TOKEN.findall(text) if token[0].isalnum())


def _edit(start: int, old: str, new: str) -> Edit:
    if not old:
        kind = EditKind.INSERT
    elif not new:
        kind = EditKind.DELETE
    else:
        kind = EditKind.REPLACE
    return Edit(kind, start, start + len(old), old, new)


def _offsets(tokens: Sequence[str]) -> list[int]:
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token))
    return starts


_Block = tuple[int, int, int, int]


def _changed_blocks(before: list[str], after: list[str]) -> list[_Block]:
    """Token ranges that differ: before[i:j] became after[k:m]."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    most = min(len(before), len(after)) - head
    while tail < most and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    inner_before = before[head : len(before) - tail]
    inner_after = after[head : len(after) - tail]
    blocks: list[_Block] = []
    i = k = 0
    for a, b in [*_alignment(inner_before, inner_after), (len(inner_before), len(inner_after))]:
        if a > i or b > k:
            blocks.append((head + i, head + a, head + k, head + b))
        i, k = a + 1, b + 1
    return blocks


def _alignment(before: list[str], after: list[str]) -> list[tuple[int, int]]:
    """Pairs of kept tokens: the heaviest common subsequence."""
    if len(before) * len(after) > _MOST_CELLS:
        return []
    table = [[0] * (len(after) + 1) for _ in range(len(before) + 1)]
    for i in range(len(before) - 1, -1, -1):
        row, below = table[i], table[i + 1]
        for k in range(len(after) - 1, -1, -1):
            best = max(below[k], row[k + 1])
            if before[i] == after[k]:
                best = max(best, below[k + 1] + _weight(before[i]))
            row[k] = best
    return _trace(table, before, after)


def _weight(token: str) -> int:
    """Keeping a word matters more than keeping a comma, and that more than white space."""
    if token[0].isalnum():
        return 20
    return 1 if token.isspace() else 4


def _trace(table: list[list[int]], before: list[str], after: list[str]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    i = k = 0
    while i < len(before) and k < len(after):
        matches = before[i] == after[k]
        if matches and table[i][k] == table[i + 1][k + 1] + _weight(before[i]):
            pairs.append((i, k))
            i, k = i + 1, k + 1
        elif table[i + 1][k] >= table[i][k + 1]:
            i += 1
        else:
            k += 1
    return pairs


def _join_over_space(blocks: list[_Block], before: list[str]) -> list[_Block]:
    """Blocks that only white space keeps apart, made one."""
    joined: list[_Block] = []
    for block in blocks:
        if joined:
            i, j, k, _ = joined[-1]
            between = before[j : block[0]]
            if between and all(token.isspace() for token in between):
                joined[-1] = (i, block[1], k, block[3])
                continue
        joined.append(block)
    return joined


def letter_distance(left: str, right: str) -> int:
    """How many slips of the pen lie between two words.

    A slip is a letter too many, too few, another one, or two swapped (the optimal string
    alignment distance).
    """
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    table[0] = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        table[i][0] = i
        for k, b in enumerate(right, 1):
            best = min(table[i - 1][k] + 1, table[i][k - 1] + 1, table[i - 1][k - 1] + (a != b))
            if i > 1 and k > 1 and a == right[k - 2] and left[i - 2] == b:
                best = min(best, table[i - 2][k - 2] + 1)
            table[i][k] = best
    return table[-1][-1]
