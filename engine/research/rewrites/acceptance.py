"""Acceptance by the tagger: does a suggestion, put into the essay, clear the flag?"""

from __future__ import annotations

from collections.abc import Sequence

from engine.analysis import Judgement, Scorer
from engine.research.rewrites.answers import Suggestion
from engine.research.rewrites.items import is_flagged

REACH = 4
"""How many sentences after it are watched for new flags, as the rewriter watches them."""


class SecondReading:
    """Reads an essay again with one suggestion in place, each only once.

    A suggestion clears the flag if the new sentence stays under the threshold and none of the
    next `REACH` sentences is lifted over it. A deletion has no new sentence, so only the second
    half applies.
    """

    def __init__(self, score: Scorer, threshold: float) -> None:
        self._score = score
        self._threshold = threshold
        self._known: dict[tuple[tuple[str, ...], str, int, str], bool] = {}

    def clears(
        self,
        sentences: tuple[str, ...],
        topic: str,
        own: Sequence[Judgement],
        index: int,
        suggestion: Suggestion,
    ) -> bool:
        """Whether it does; `own` are the tagger's judgements of the essay as it stands."""
        text = "" if suggestion.deletes else suggestion.text
        key = (sentences, topic, index, text)
        if key not in self._known:
            self._known[key] = self._read(sentences, topic, own, index, text)
        return self._known[key]

    def _read(
        self,
        sentences: tuple[str, ...],
        topic: str,
        own: Sequence[Judgement],
        index: int,
        text: str,
    ) -> bool:
        inserted = [text] if text else []
        changed = [*sentences[:index], *inserted, *sentences[index + 1 :]]
        moved = 0 if text else -1
        after = range(index + 1, min(len(sentences), index + 1 + REACH))
        # A sentence that comes to stand first has no context any more and is not judged.
        watched = [i for i in after if i + moved > 0]
        asked = [i + moved for i in watched] + [index] * bool(text)
        told = self._score(changed, topic, sorted(asked)) if asked else {}
        if text and is_flagged(told[index], self._threshold):
            return False
        return not any(
            is_flagged(told[i + moved], self._threshold) and not is_flagged(own[i], self._threshold)
            for i in watched
        )
