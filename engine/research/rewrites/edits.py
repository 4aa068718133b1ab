"""Word-level edits, and how far a system's agree with an expert's: edit F0.5.

**Tokens.** A sentence is cut into words (letters and digits, with apostrophes and hyphens inside)
and single punctuation marks. Case, white space and the shape of apostrophes and quotation marks
do not count.

**Edits.** The tokens of the sentence and of its rewrite are aligned so that as much as possible is
kept, words before punctuation (`engine.diff`). Each unbroken run of tokens that is not kept is one
edit: (start, end, new), where `start` and `end` count tokens of the sentence, half-open, and `new`
are the tokens that stand there afterwards; either side may be empty. Deleting the whole sentence
is one edit.

**Agreement.** An edit of a system is right if the expert's rewrite of the same sentence holds
exactly the same edit, all three parts. Right, surplus and missing edits are added up over all
sentences first (micro average); then precision = right / all of the system's, recall = right / all
of the expert's, and F0.5 = 1.25 * precision * recall / (0.25 * precision + recall), which counts
precision twice as much as recall, as grammar correction does (Dahlmeier and Ng, 2012; the CoNLL-2014
shared task). A system without edits has no precision, and F0.5 = 0 where the expert has edits.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from engine.diff import word_edits

_TOKEN = re.compile(r"[^\W_]+(?:['\-][^\W_]+)*|\S")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})
_BETA_SQUARED = 0.25

Tokens = tuple[str, ...]
TokenEdit = tuple[int, int, Tokens]
"""Tokens start:end of the sentence become these."""


def tokens(text: str) -> Tokens:
    """The words and punctuation marks of a text, lower-cased."""
    return tuple(_TOKEN.findall(text.translate(_PLAIN).casefold()))


def token_edits(old: str, new: str) -> frozenset[TokenEdit]:
    """The edits that turn the sentence `old` into `new`, as the module defines them."""
    before, after = tokens(old), tokens(new)
    if before == after:
        return frozenset()
    ends: list[int] = []
    at = -1
    for token in before:
        at += 1 + len(token)
        ends.append(at)
    found = set()
    for edit in word_edits(" ".join(before), " ".join(after)):
        # White space at its ends belongs to no token, so a token lies in the edit if its end does.
        start = bisect_right(ends, edit.start)
        found.add((start, start + len(edit.old.split()), tuple(edit.new.split())))
    return frozenset(found)


def changed_word_ratio(old: str, new: str) -> float:
    """Changed words over the words of `old`.

    Each edit counts the words of its longer side; punctuation does not count.
    """
    before = tokens(old)
    changed = sum(
        max(_words(before[start:end]), _words(replacement))
        for start, end, replacement in token_edits(old, new)
    )
    return changed / max(1, _words(before))


def _words(part: Tokens) -> int:
    return sum(1 for token in part if token[0].isalnum())


@dataclass(frozen=True, slots=True)
class EditCounts:
    """Edits of a system that the expert made too, that only it made, and that it missed."""

    right: int = 0
    surplus: int = 0
    missing: int = 0

    @classmethod
    def of(cls, expert: frozenset[TokenEdit], system: frozenset[TokenEdit]) -> EditCounts:
        """Compare the edits of one sentence."""
        right = len(expert & system)
        return cls(right, len(system) - right, len(expert) - right)

    def __add__(self, other: EditCounts) -> EditCounts:
        return EditCounts(
            self.right + other.right, self.surplus + other.surplus, self.missing + other.missing
        )

    @property
    def precision(self) -> float | None:
        """Of the system's edits, the right ones; None where it has none."""
        made = self.right + self.surplus
        return self.right / made if made else None

    @property
    def recall(self) -> float | None:
        """Of the expert's edits, those found; None where there are none."""
        wanted = self.right + self.missing
        return self.right / wanted if wanted else None

    @property
    def f05(self) -> float | None:
        """F0.5; None where neither side has edits."""
        weighted = (1 + _BETA_SQUARED) * self.right
        whole = weighted + self.surplus + _BETA_SQUARED * self.missing
        return weighted / whole if whole else None
