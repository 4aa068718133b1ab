"""Putting a changed text back into the blocks it came from, touching only what changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import zip_longest

from engine.documents.blocks import Block, Piece

_TOKEN = re.compile(r"\w+(?:['’]\w+)*|\s|[^\w\s]")
_SLOW_DIFF = 4000
_SLOW_PAIRING = 10_000
_SLOW_LINES = 1_000_000
"""How many pairs of lines are compared at most."""


@dataclass
class _Fate:
    """What becomes of one line of the old text: its new text (None: gone), and what follows it."""

    text: str | None
    added: list[str] = field(default_factory=list)


def put_back(blocks: Sequence[Block], new_text: str) -> list[str | None]:
    """Change the blocks so that their texts, one a line, are `new_text`.

    Returns each block's new text, None for one that was removed.
    """
    old_lines = [line for block in blocks for line in block.text.split("\n")]
    fates, leading = _fates(old_lines, new_text.split("\n"))
    at = 0
    wanted: list[str | None] = []
    for block in blocks:
        count = block.text.count("\n") + 1
        own = fates[at : at + count]
        if at == 0 and leading:
            own[0] = _Fate("\n".join([*leading, own[0].text or ""]), own[0].added)
        at += count
        wanted.append(_update(block, own))
    return wanted


def _update(block: Block, fates: list[_Fate]) -> str | None:
    """Give one block its new lines; what was added after its last line becomes new blocks."""
    lines: list[str] = []
    for fate in fates[:-1]:
        lines += ([] if fate.text is None else [fate.text]) + fate.added
    last = fates[-1]
    lines += [] if last.text is None else [last.text]
    if not lines:
        if last.added:
            block.add_after(last.added)
        block.remove()
        return None
    text = "\n".join(lines)
    change_block(block, text)
    if last.added:
        block.add_after(last.added)
    return text


def _fates(old: list[str], new: list[str]) -> tuple[list[_Fate], list[str]]:
    """What becomes of every old line, and the lines to put before the first of them."""
    fates: list[_Fate] = []
    leading: list[str] = []
    for tag, a, b, c, d in _line_changes(old, new):
        if tag == "equal":
            fates += [_Fate(line) for line in old[a:b]]
            continue
        for before, after in _pairs(old[a:b], new[c:d]):
            if before is not None:
                fates.append(_Fate(after))
            elif after is not None:
                (fates[-1].added if fates else leading).append(after)
    return fates, leading


def _line_changes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """As `SequenceMatcher.get_opcodes`, in a time that a long text with few changes can bear.

    The matcher's time grows with the square of the lines, the more so where lines are alike, and
    saving must not hold the window up. Where too much has changed, the middle counts as replaced.
    """
    shorter = min(len(old), len(new))
    head = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    rest = shorter - head
    tail = next((n for n in range(rest) if old[-1 - n] != new[-1 - n]), rest)
    a, b, c, d = head, len(old) - tail, head, len(new) - tail
    changes = [("equal", 0, head, 0, head)] if head else []
    if (b - a) * (d - c) > _SLOW_LINES:
        changes.append(("replace", a, b, c, d))
    elif a < b or c < d:
        matcher = SequenceMatcher(None, old[a:b], new[c:d], autojunk=False)
        changes += [(tag, i + a, j + a, k + c, m + c) for tag, i, j, k, m in matcher.get_opcodes()]
    return changes + ([("equal", b, len(old), d, len(new))] if tail else [])


def _pairs(old: list[str], new: list[str]) -> list[tuple[str | None, str | None]]:
    """Old lines beside the new lines that they became; None where one has no counterpart."""
    if len(old) == len(new) or len(old) * len(new) > _SLOW_PAIRING:
        return list(zip_longest(old, new))
    bags = [set(_TOKEN.findall(line)) for line in new]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    gain = [[0.0] * len(new) for _ in old]
    for i in range(len(old) - 1, -1, -1):
        words = set(_TOKEN.findall(old[i]))
        for j in range(len(new) - 1, -1, -1):
            gain[i][j] = (len(words & bags[j]) + 0.1) / (len(words | bags[j]) + 0.1)
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + gain[i][j])
    pairs: list[tuple[str | None, str | None]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j + 1] + gain[i][j]:
            pairs.append((old[i], new[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((old[i], None))
            i += 1
        else:
            pairs.append((None, new[j]))
            j += 1
    return pairs + [(line, None) for line in old[i:]] + [(None, line) for line in new[j:]]


def change_block(block: Block, new: str) -> None:
    """Give the block the text `new`, changing only the words that differ."""
    old = block.text
    if old == new:
        return
    if not block.pieces:
        block.write_empty(new)
        return
    for start, end, text in reversed(word_changes(old, new)):
        _replace(block.pieces, start, end, text)


def word_changes(old: str, new: str) -> list[tuple[int, int, str]]:
    """The changes that make `new` of `old`: (start, end, replacement), in order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle_old, middle_new = old[head : len(old) - tail], new[head : len(new) - tail]
    a_tokens, b_tokens = _TOKEN.findall(middle_old), _TOKEN.findall(middle_new)
    if len(a_tokens) > _SLOW_DIFF or len(b_tokens) > _SLOW_DIFF:
        return [(head, len(old) - tail, middle_new)]
    places = [head]
    for token in a_tokens:
        places.append(places[-1] + len(token))
    matcher = SequenceMatcher(None, a_tokens, b_tokens, autojunk=False)
    return [
        (places[a], places[b], "".join(b_tokens[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _common(one: str, other: str) -> int:
    """How many characters the two have in common from the start."""
    length = min(len(one), len(other))
    for place in range(length):
        if one[place] != other[place]:
            return place
    return length


def _replace(pieces: Sequence[Piece], start: int, end: int, new: str) -> None:
    """Replace a range of the block's text; the new words take the look of the first old one."""
    touched: list[tuple[Piece, int, int]] = []
    at = 0
    for piece in pieces:
        low, high = max(start - at, 0), min(end - at, len(piece.text))
        inserts_here = start == end and (at < start <= at + len(piece.text) or start == at == 0)
        if low < high or inserts_here:
            touched.append((piece, low, high))
        at += len(piece.text)
    for number in range(len(touched) - 1, -1, -1):
        piece, low, high = touched[number]
        own = new if number == 0 else ""
        if piece.is_literal:
            piece.slot.replace(piece.start + low, piece.start + high, own)
        else:
            piece.slot.replace(piece.start, piece.end, piece.text[:low] + own + piece.text[high:])


def matching_lines(old: list[str], new: list[str]) -> list[tuple[int, int]]:
    """The numbers of old lines and of the new lines that they stayed or became."""
    matches: list[tuple[int, int]] = []
    for _, a, b, c, d in _line_changes(old, new):
        i, j = a, c
        for before, after in _pairs(old[a:b], new[c:d]):
            if before is not None and after is not None:
                matches.append((i, j))
            i += before is not None
            j += after is not None
    return matches
