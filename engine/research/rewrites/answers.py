"""What a system answers to a finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.analysis import Action, Rewrite
from engine.research.data import DELETE


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One suggestion: the new sentence, or to delete it. `operator` names what proposed it."""

    action: Action
    text: str
    operator: str = ""

    @classmethod
    def of(cls, rewrite: Rewrite) -> Suggestion:
        """The same as a user is shown it."""
        return cls(rewrite.action, rewrite.text, rewrite.operator)

    @property
    def deletes(self) -> bool:
        """Whether the sentence goes."""
        return self.action is Action.DELETE

    @property
    def shown(self) -> str:
        """The new sentence, or DELETE."""
        return DELETE if self.deletes else self.text


@dataclass(frozen=True, slots=True)
class Answer:
    """All suggestions for one finding, the best first; none where the system has none.

    `seconds` is the finding's share of the time that its essay took, None where nothing was
    timed. `tokens` were generated for it in `generating` seconds.
    """

    suggestions: tuple[Suggestion, ...] = ()
    seconds: float | None = None
    tokens: int = 0
    generating: float = 0.0

    @property
    def deletes(self) -> bool:
        """Whether the first suggestion is to delete the sentence."""
        return bool(self.suggestions) and self.suggestions[0].deletes

    def first_text(self, sentence: str) -> str:
        """What the first suggestion leaves: nothing for a deletion, else a text."""
        return self.suggestions[0].text if self.suggestions else sentence

    def kept_text(self, sentence: str) -> str:
        """The first suggestion that keeps the sentence; the sentence itself where there is none."""
        return next((s.text for s in self.suggestions if not s.deletes), sentence)


Answers = Mapping[int, Answer]
"""The answers to one essay's findings, by sentence index."""
