"""Which pieces of a sentence a rewrite changes, so that a writer can mark them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.analysis import Edit, Rewrite
from engine.reports.wording import one_line

Piece = tuple[str, bool]
"""A piece of text, and whether it is changed."""


def old_pieces(sentence: str, rewrite: Rewrite) -> tuple[Piece, ...]:
    """The sentence in pieces: what the rewrite takes out or replaces is marked."""
    return tuple(_cut(sentence, rewrite.edits, new=False))


def new_pieces(sentence: str, rewrite: Rewrite) -> tuple[Piece, ...]:
    """The rewrite in pieces: what it puts in is marked.

    Where the edits do not lead from the sentence to the rewrite's text, that is one piece.
    """
    pieces = tuple(_cut(sentence, rewrite.edits, new=True))
    if "".join(text for text, _ in pieces) != rewrite.text:
        return ((rewrite.text, True),)
    return pieces


def _cut(sentence: str, edits: tuple[Edit, ...], *, new: bool) -> Iterator[Piece]:
    at = 0
    for edit in sorted(edits, key=lambda edit: edit.start):
        if edit.start > at:
            yield sentence[at : edit.start], False
        changed = edit.new if new else edit.old
        if changed:
            yield changed, True
        at = edit.end
    if at < len(sentence):
        yield sentence[at:], False


def made_by(rewrite: Rewrite) -> str:
    """What readers are told of a rewrite that a language model wrote; empty for any other."""
    return f"Written by the language model {one_line(rewrite.writer)}." if rewrite.writer else ""
