"""Cutting the part that strays: an aside in brackets, a last clause, a doubled word (R6, R7, R2)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.vocabulary import AUXILIARIES, VERBS
from engine.rewriter.wording import upper_first, words

_BRACKETS = re.compile(r"\s*\([^()]*\)")
_END = re.compile(r"[.!?…]*[\"'”’)\]]*\s*$")
_LAST_CLAUSE = re.compile(
    r",?\s+(?:and|which|who|because)\s+(?:(?!,?\s(?:and|which|who|because|so|but)\s)[^,])+$"
    r"|,\s*(?:and|because|which|they|it|he|she|we|i|that|this)\b[^,]*$",
    re.I,
)
"""A last clause that adds; what follows "but" or "so" is mostly the point, not the aside."""
_OPINION = re.compile(r"(?:according to me|as for me|i mean|you know)[,\s]\s*", re.I)
_SUBORDINATORS = frozenset(
    [
        "if",
        "when",
        "because",
        "although",
        "though",
        "since",
        "while",
        "as",
        "unless",
        "until",
        "before",
        "after",
        "that",
        "whether",
        "who",
        "which",
        "even",
        "so",
    ]
)
_SHORTEST = 5


def propose(situation: Situation) -> Iterator[Candidate]:
    """The sentence without one of its parts, where a whole sentence is left."""
    sentence = situation.sentence
    end = _END.search(sentence)
    body = sentence[: end.start()] if end else sentence
    close = sentence[len(body) :]
    bracket = _BRACKETS.search(body)
    if bracket is not None:
        text = body[: bracket.start()] + body[bracket.end() :] + close
        yield from _if_whole(situation, text, 0.06)
    clause = _LAST_CLAUSE.search(body)
    if clause is not None and body.count('"') % 2 == 0 and body.count("“") == body.count("”"):
        yield from _if_whole(situation, body[: clause.start()].rstrip(" ,;:-–—") + close, 0.03)
    opinion = _OPINION.match(body)
    if opinion is not None:
        yield from _if_whole(situation, upper_first(body[opinion.end() :]) + close, 0.15)


def _if_whole(situation: Situation, text: str, share: float) -> Iterator[Candidate]:
    left = words(text)
    has_verb = any(word in AUXILIARIES or word in VERBS for word in left)
    if left and left[0] in _SUBORDINATORS and "," not in text:
        return
    if len(left) >= _SHORTEST and has_verb and len(left) * 2 >= len(words(situation.sentence)):
        yield Candidate(text, "trim", situation.top, share)
