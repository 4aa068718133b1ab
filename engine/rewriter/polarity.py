"""Turning a statement round where the text before it says the opposite (R4, R7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.wording import WORD, content_stems, upper_first, words
from engine.scheme import ReasonCode

OPPOSITES: dict[str, str] = {}
for _pair in [
    "agree disagree",
    "better worse",
    "more less",
    "more fewer",
    "increase decrease",
    "increases decreases",
    "increasing decreasing",
    "increased decreased",
    "easier harder",
    "easy difficult",
    "advantage disadvantage",
    "advantages disadvantages",
    "successful unsuccessful",
    "younger older",
    "cheap expensive",
    "cheaper expensive",
    "possible impossible",
    "important unimportant",
    "useful useless",
    "true false",
    "right wrong",
    "safe dangerous",
    "positive negative",
    "always never",
    "broad narrow",
    "convenient inconvenient",
    "healthy unhealthy",
    "best worst",
]:
    _left, _right = _pair.split()
    OPPOSITES.setdefault(_left, _right)
    OPPOSITES.setdefault(_right, _left)
_STANCE = re.compile(r"\bi (?:\w+ )?(agree|disagree)\b", re.I)
_COMPARATIVES = frozenset(
    {"younger", "older", "more", "less", "better", "worse", "easier", "harder"}
)


def propose(situation: Situation) -> Iterator[Candidate]:
    """One word exchanged for its opposite, where the text gives a ground for it."""
    sentence = situation.sentence
    stance = _stance(situation)
    for match in WORD.finditer(sentence):
        word = match.group().lower()
        opposite = OPPOSITES.get(word)
        if opposite is None:
            continue
        share = _ground(situation, word, opposite, stance)
        if share:
            written = upper_first(opposite) if match.group()[0].isupper() else opposite
            text = sentence[: match.start()] + written + sentence[match.end() :]
            yield Candidate(text, "opposite", _reason(situation), share)


def clashing_word(situation: Situation) -> tuple[str, str] | None:
    """A word of the sentence whose opposite the earlier text uses of the same things, and that."""
    stance = _stance(situation)
    said = {word for text in situation.context for word in words(text)}
    for word in words(situation.sentence):
        opposite = OPPOSITES.get(word, "")
        if opposite in said and _ground(situation, word, opposite, stance) >= 0.2:
            return word, opposite
    return None


def _stance(situation: Situation) -> str:
    """`agree` or `disagree`, as the writer first put it."""
    for text in situation.context:
        found = _STANCE.search(text)
        if found:
            return found.group(1).lower()
    return ""


def _ground(situation: Situation, word: str, opposite: str, stance: str) -> float:
    """How much the text speaks for the opposite; 0.0 for no ground at all."""
    if word in {"agree", "disagree"}:
        return 0.4 if stance and stance != word else 0.0
    own_words = words(situation.sentence)
    if word in _COMPARATIVES and own_words.count(word) > 1 and own_words[-1] == word:
        return 0.25
    own = content_stems(situation.sentence)
    for text in (*situation.context, situation.topic):
        said = words(text)
        if opposite in said and word not in said and len(own & content_stems(text)) >= 2:
            return 0.2
    return 0.0


def _reason(situation: Situation) -> ReasonCode:
    reasons = situation.reasons
    clash, inner = reasons.get(ReasonCode.R4, 0.0), reasons.get(ReasonCode.R7, 0.0)
    return ReasonCode.R7 if inner > clash else ReasonCode.R4
