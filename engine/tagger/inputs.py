"""From sentences to token windows, the same for training and for every runtime.

A window is `<s> topic </s> sentence </s> sentence </s> ...`, at most `MAX_TOKENS` long. An essay
that does not fit is read in overlapping windows: each begins with the last few sentences before
those that it judges, and every sentence is judged by exactly one window, so the cost grows
linearly. A sentence too long for one window is cut into pieces whose vectors are averaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TOKENS = 512
CONTEXT_TOKENS = 64
TOPIC_TOKENS = 96
PIECE_TOKENS = 320
OPEN_ID, PAD_ID, SEPARATOR_ID, UNKNOWN_ID = 0, 1, 2, 104


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole sentence, or a stretch of one that is too long: its index and its token ids."""

    sentence: int
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece stands in a window: half-open token positions, separator excluded."""

    sentence: int
    start: int
    end: int
    judged: bool


@dataclass(frozen=True, slots=True)
class Window:
    """Token ids of one pass, and where the sentences stand in it."""

    tokens: tuple[int, ...]
    places: tuple[Place, ...]

    @property
    def judged(self) -> frozenset[int]:
        """The sentences that this window judges."""
        return frozenset(place.sentence for place in self.places if place.judged)


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a model folder, without truncation or padding of its own.

    Raises ModelError where the file cannot be read.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise ModelError(f"The tokenizer {path.name} cannot be read.") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def token_ids(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Token ids of each text, without special tokens; never empty."""
    encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    return [tuple(encoding.ids) or (UNKNOWN_ID,) for encoding in encodings]


def pieces_of(sentences: Sequence[tuple[int, ...]]) -> list[Piece]:
    """The sentences in order, those over `PIECE_TOKENS` cut into stretches."""
    return [
        Piece(index, tokens[at : at + PIECE_TOKENS])
        for index, tokens in enumerate(sentences)
        for at in range(0, len(tokens), PIECE_TOKENS)
    ]


def plan_windows(topic: tuple[int, ...], sentences: Sequence[tuple[int, ...]]) -> list[Window]:
    """Windows that judge every sentence exactly once (piece by piece for over-long ones)."""
    opening = (OPEN_ID, *topic[:TOPIC_TOKENS], SEPARATOR_ID) if topic else (OPEN_ID,)
    room = MAX_TOKENS - len(opening)
    pieces = pieces_of(sentences)
    return [
        _window(opening, pieces, begin, first_judged, end)
        for begin, first_judged, end in _stretches(pieces, room)
    ]


def _stretches(pieces: Sequence[Piece], room: int) -> Iterator[tuple[int, int, int]]:
    """(first piece, first judged piece, end) of each window."""
    judged = 0
    while judged < len(pieces):
        begin, used = judged, 0
        while begin > 0 and used + len(pieces[begin - 1].tokens) + 1 <= CONTEXT_TOKENS:
            begin -= 1
            used += len(pieces[begin].tokens) + 1
        end = judged
        while end < len(pieces) and used + len(pieces[end].tokens) + 1 <= room:
            used += len(pieces[end].tokens) + 1
            end += 1
        yield begin, judged, end
        judged = end


def _window(
    opening: tuple[int, ...], pieces: Sequence[Piece], begin: int, judged: int, end: int
) -> Window:
    tokens = list(opening)
    places = []
    for number in range(begin, end):
        piece = pieces[number]
        start = len(tokens)
        tokens.extend(piece.tokens)
        places.append(Place(piece.sentence, start, len(tokens), number >= judged))
        tokens.append(SEPARATOR_ID)
    return Window(tuple(tokens), tuple(places))
