"""Words that learners mix up, and words one slip away from a word of the essay (R1, R7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.vocabulary import FUNCTION_WORDS, VERBS
from engine.rewriter.wording import WORD, stem, upper_first, words
from engine.scheme import ReasonCode

_PAIRS = (
    "experiment experience|"
    "economical economic|sensible sensitive|adopt adapt|adapt adopt|effect affect|affect effect|"
    "advise advice|advice advise|loose lose|quite quiet|quiet quite|dessert desert|"
    "unsignificant insignificant|stuff staff|staff stuff|costumer customer|costumers customers|"
    "principle principal|personal personnel|threaten treat|teached taught|remember remind|"
    "remind remember|rise raise|raise rise|borrow lend|lend borrow|career carrier|carrier career|"
    "diary dairy|except accept|accept except|weather whether|whether weather|lay lie|"
    "historic historical|imaginative imaginary|respectful respectable|successive successful|"
    "considerable considerate|industrious industrial|confident confidential|later latter|"
    "latter later|assist attend|actually currently|owned owed|than then|then than|"
    "thorough through|through thorough|breath breathe|past passed|passed past|site sight|"
    "addition addiction|addiction addition|conscious conscience|conscience conscious|"
    "moral morale|quantity quality|proof prove|prove proof|live life|life live|known new|"
    "lifes lives|believes beliefs|worth worse|worse worth|safe save|save safe|wonder wander|"
    "pollution population|increasement increase|"
    "crowed crowded|sceptical septic|expanse expense|expanses expenses|brake break|cloth clothes|"
    "exiting exciting|bored boring|boring bored|interested interesting|loss lose|lost lose"
)
_MIXED_UP: dict[str, tuple[str, ...]] = {}
for _pair in _PAIRS.split("|"):
    _written, _meant = _pair.split()
    _MIXED_UP[_written] = (*_MIXED_UP.get(_written, ()), _meant)


def propose(situation: Situation) -> Iterator[Candidate]:
    """One word exchanged for the one that was probably meant."""
    context = Counter(word for text in situation.context for word in words(text))
    context.update(words(situation.topic))
    for match in WORD.finditer(situation.sentence):
        word = match.group()
        lowered = word.lower()
        for meant in _MIXED_UP.get(lowered, ()):
            share = 0.06 if context[meant] else 0.02
            yield _swap(situation, match.start(), word, meant, share)
        if lowered in FUNCTION_WORDS or lowered in VERBS or len(lowered) < 6 or context[lowered]:
            continue
        for meant in _near(lowered, context):
            yield _swap(situation, match.start(), word, meant, 0.03)


def _near(word: str, context: Counter[str]) -> list[str]:
    """Words of the context that are one slip away: same start, nearly the same length."""
    found = [
        other
        for other in context
        if len(other) >= 5
        and other not in FUNCTION_WORDS
        and stem(other) != stem(word)
        and other[:3] == word[:3]
        and word.endswith("s") == other.endswith("s")
        and 0 < distance(word, other) <= 2
    ]
    return sorted(found, key=lambda other: (distance(word, other), -context[other], other))[:1]


def distance(left: str, right: str) -> int:
    """Levenshtein distance between two words."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        diagonal, row[0] = row[0], i
        for k, b in enumerate(right, 1):
            diagonal, row[k] = row[k], min(row[k] + 1, row[k - 1] + 1, diagonal + (a != b))
    return row[-1]


def _swap(situation: Situation, at: int, word: str, meant: str, share: float) -> Candidate:
    written = upper_first(meant) if word[0].isupper() else meant
    text = situation.sentence[:at] + written + situation.sentence[at + len(word) :]
    reasons = situation.reasons
    r1, r7 = reasons.get(ReasonCode.R1, 0.0), reasons.get(ReasonCode.R7, 0.0)
    return Candidate(text, "word-choice", ReasonCode.R7 if r7 > r1 else ReasonCode.R1, share)
