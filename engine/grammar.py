"""Grammar by Harper: how many mistakes a sentence has, and the few fixes that are sure enough.

Harper (Apache-2.0) is a rule-based checker that runs in this process and offline. It is loaded
when it is first needed, or ahead of that in the background with `prepare`: its dictionary takes
about half a second and 150 MB, a sentence afterwards half a millisecond.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from engine.diff import letter_distance
from engine.errors import BackendError
from engine.spans import Span

_LONGEST = 4000
"""Characters. No sentence is longer; a text without full stops is not worth seconds of waiting."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_MATTERS_OF_TASTE = frozenset(
    {"Enhancement", "Formatting", "Readability", "Regionalism", "Style", "WordChoice"}
)
"""Kinds of remarks that are no mistakes."""
_REPEATABLE = frozenset({"BoundaryError", "Repetition"})
_MOST_CHANGED = 3
"""Letters that a fix of a word form may change."""


class ChecksGrammar(Protocol):
    """What the pipeline needs of a grammar checker."""

    def prepare(self) -> None:
        """Begin to load, without waiting."""

    def mistakes(self, text: str) -> int:
        """How many mistakes a sentence has."""

    def fixes(self, text: str) -> tuple[Fix, ...]:
        """The fixes that are sure enough."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A correction inside one sentence; `span` counts code points from the sentence's start."""

    span: Span
    old: str
    new: str


class GrammarChecker:
    """Harper, loaded once. Calls from several threads take turns.

    Raises BackendError where Harper cannot be loaded.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def prepare(self) -> None:
        """Begin to load in the background; whoever needs it first waits for the rest."""
        threading.Thread(target=self._load_quietly, name="grammar", daemon=True).start()

    def mistakes(self, text: str) -> int:
        """How many mistakes Harper finds in a sentence, matters of taste left aside."""
        with self._lock:
            return sum(lint.lint_kind not in _MATTERS_OF_TASTE for lint in self._read(text))

    def fixes(self, text: str) -> tuple[Fix, ...]:
        """Corrections of single words that leave hardly a doubt, in order, without overlaps.

        They are slips of the pen in spelling, wrong forms (`informations`, `he go`), `a` for
        `an`, doubled words and words run together. Names are left alone, and so is what is right
        in British or in American English. Measured on 250 essays of learners against the
        correction of the whole text: about four in five are the same, most others lie where the
        correction rewords.
        """
        with self._lock:
            british = {_place(lint) for lint in self._read(text, british=True)}
            sure = [
                Fix(Span(lint.span.start, lint.span.end), lint.problem_text, new)
                for lint in self._read(text)
                if _place(lint) in british and (new := _sure_suggestion(lint))
            ]
        return tuple(_without_overlaps(sorted(sure, key=lambda fix: fix.span.start)))

    @cached_property
    def _american(self) -> Any:
        return _linter("AMERICAN")

    @cached_property
    def _british(self) -> Any:
        return _linter("BRITISH")

    def _read(self, text: str, *, british: bool = False) -> Sequence[Any]:
        if len(text) > _LONGEST:
            return ()
        linter = self._british if british else self._american
        found: Sequence[Any] = linter.lint(
            _LONE_SURROGATE.sub("\ufffd", text), language="plaintext"
        )
        return found

    def _load_quietly(self) -> None:
        with self._lock:
            try:
                _ = self._american
            except BackendError:
                return  # whoever needs it will hear of it


@lru_cache(maxsize=1)
def default_checker() -> GrammarChecker:
    """The process's own checker: the dictionary is large, so that one must do for all engines."""
    return GrammarChecker()


def corrected(text: str, fixes: Sequence[Fix]) -> str:
    """The sentence with the fixes put in; they are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for fix in fixes:
        pieces += (text[at : fix.span.start], fix.new)
        at = fix.span.end
    return "".join(pieces) + text[at:]


def _linter(dialect: str) -> Any:
    try:
        import harper
    except ImportError as error:
        raise BackendError(
            "The grammar checker Harper cannot be loaded.",
            hint="Install it: pip install harper-py",
        ) from error
    return harper.Linter(harper.Dialect[dialect])


def _place(lint: Any) -> tuple[int, int, str]:
    return lint.span.start, lint.span.end, lint.lint_kind


def _sure_suggestion(lint: Any) -> str:
    """What to write instead, if there can be hardly a doubt; else an empty string."""
    old: str = lint.problem_text
    options = [s.replacement_text for s in lint.suggestions]
    new: str = options[0] if options else ""
    if not new.strip() or "\n" in new or new.casefold() == old.casefold():
        return ""
    is_word_for_word = new.isalpha() and old.isalpha()
    match lint.lint_kind:
        case "Spelling":
            return new if is_word_for_word and old.islower() and _is_one_slip(old, options) else ""
        case "Agreement" | "Grammar":
            near = new[0] == old[0] and letter_distance(old, new) <= _MOST_CHANGED
            return new if len(options) == 1 and is_word_for_word and near else ""
        case kind if kind in _REPEATABLE:
            return new if len(options) == 1 else ""
    return new if new.lower() in {"a", "an"} and old.lower() in {"a", "an"} else ""


def _is_one_slip(old: str, options: Sequence[str]) -> bool:
    """Whether the first option is one slip away from what is written, and no other is."""
    slips = [letter_distance(old, option.lower()) for option in options]
    return slips[0] == 1 and all(other > 1 for other in slips[1:])


def _without_overlaps(fixes: Sequence[Fix]) -> Iterator[Fix]:
    end = 0
    for fix in fixes:
        if fix.span.start >= end:
            yield fix
            end = fix.span.end
