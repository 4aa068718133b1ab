"""Judging a text as if its sure mistakes were corrected, as DECOR's essays were.

Only what the model reads is corrected. The writer's text stays the text of record: sentences,
offsets, findings and edits refer to it, and each correction says where in it the mistake stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from engine.analysis import Correction
from engine.essay import Essay, Notice
from engine.grammar import Fix, corrected

CODE = "grammar-corrected"
"""The code of the notice that a check was done in this way."""
_MOST_NAMED = 30


class Corrector:
    """Stands in for each sentence when it is judged; every sentence is corrected once."""

    def __init__(self, fixes: Callable[[str], tuple[Fix, ...]]) -> None:
        self._fixes = fixes
        self._known: dict[str, tuple[Fix, ...]] = {}

    def read(self, sentences: Sequence[str]) -> list[str]:
        """The sentences as the model is to read them."""
        return [corrected(sentence, self._of(sentence)) for sentence in sentences]

    def corrections(self, essay: Essay) -> tuple[Correction, ...]:
        """What is corrected in the essay, in text order."""
        return tuple(
            Correction(
                index,
                sentence.span.start + fix.span.start,
                sentence.span.start + fix.span.end,
                fix.old,
                fix.new,
            )
            for index, sentence in enumerate(essay.sentences)
            for fix in self._of(sentence.text)
        )

    def _of(self, sentence: str) -> tuple[Fix, ...]:
        if sentence not in self._known:
            self._known[sentence] = self._fixes(sentence)
        return self._known[sentence]


def correction_notice(corrections: Sequence[Correction]) -> Notice:
    """What every report says of a text that was judged in this way."""
    if not corrections:
        return Notice(
            CODE,
            "Sure mistakes in grammar and spelling were to be corrected first; none was found.",
        )
    count = f"{len(corrections)} correction" + ("s" if len(corrections) > 1 else "")
    named = "; ".join(_named(corrections[:_MOST_NAMED]))
    more = len(corrections) - _MOST_NAMED
    rest = f"; and {more} more" if more > 0 else ""
    return Notice(
        CODE,
        f"The text was judged after {count} of grammar and spelling, made for the judgement only: "
        f"{named}{rest}. Your own text was not changed.",
    )


def _named(corrections: Iterable[Correction]) -> list[str]:
    return [f"sentence {one.sentence + 1}: “{one.old}” → “{one.new}”" for one in corrections]
