"""How fluent candidates are in their place, for telling those apart that change as many words.

A language model that writes can often also say how likely a text is. It is asked only about
candidates that tie, because each question costs it a pass.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from engine.analysis import Action
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.ranking import changed_size

_CONTEXT = 3
"""Sentences before it that a sentence is read after."""


@runtime_checkable
class JudgesFluency(Protocol):
    """A language model that can say how likely a sentence is."""

    def fluency(
        self, text: str, *, context: str, check_cancelled: Callable[[], None]
    ) -> float | None:
        """The mean log probability of the text's tokens after the context, in nats a token.

        None where the model cannot tell.
        """
        ...


def tied(accepted: Sequence[tuple[Candidate, float]], situation: Situation) -> list[str]:
    """The texts of the replacements that change as many words as another of them."""
    texts = [one.text for one, _ in accepted if one.action is Action.REPLACE]
    sizes = {text: changed_size(situation.sentence, text) for text in texts}
    often = Counter(sizes.values())
    return [text for text, size in sizes.items() if often[size] > 1]


def measure(
    model: object,
    accepted: Sequence[tuple[Candidate, float]],
    situation: Situation,
    *,
    check_cancelled: Callable[[], None],
) -> dict[str, float]:
    """The fluency of each candidate that ties; empty where the model cannot tell of all of them."""
    if not isinstance(model, JudgesFluency):
        return {}
    context = " ".join(situation.context[-_CONTEXT:])
    found: dict[str, float] = {}
    for text in tied(accepted, situation):
        value = model.fluency(text, context=context, check_cancelled=check_cancelled)
        if value is None:
            return {}
        found[text] = value
    return found
