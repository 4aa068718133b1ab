"""Cues in a sentence and the one before it that hint at the relation between the two.

Each cue is a yes-or-no question about words on the page. `prior` weighs them; the weights are
learned by `segue train markers` from how labelled essays repair linking words and how writers use them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.rewriter.inventory import opening_marker, without_marker
from engine.rewriter.wording import content_stems, first_word, words

_NEGATION = re.compile(r"\b(?:not|no|never|nothing|nobody|cannot|without|\w+n['’]?t)\b", re.I)
_PAST = re.compile(
    r"\b(?:was|were|had|did|went|told|said|made|used to|ago|once|became|got)\b", re.I
)
_FUTURE = re.compile(r"\b(?:will|would|going to|won't)\b", re.I)
_CAN = re.compile(r"\b(?:can|could|able to)\b", re.I)
_MUST = re.compile(r"\b(?:must|should|have to|has to|need to|ought)\b", re.I)
_MAYBE = re.compile(r"\b(?:may|might|maybe|perhaps|sometimes|probably)\b", re.I)
_STANCE = re.compile(
    r"\b(?:i (?:\w+ )?(?:think|believe|agree|disagree|feel)|my opinion|my view)\b", re.I
)
_AGREE = re.compile(r"\b(?:agree|disagree|statement|topic)\b", re.I)
_COMPARE = re.compile(r"\b(?:more|less|better|worse|than|easier|harder|cheaper|fewer)\b", re.I)
_OTHERS = re.compile(r"\b(?:others|other people|some people|many people|most people)\b", re.I)
_YOUNG = re.compile(r"\b(?:young|younger|children|teenagers)\b", re.I)
_OLD = re.compile(r"\b(?:old|older|elderly|adults)\b", re.I)
_GENERAL = re.compile(r"\b(?:always|everyone|everybody|every|all|nowadays|today|people)\b", re.I)
_BECAUSE = re.compile(r"\b(?:because|since|due to|reason)\b", re.I)
_TURN = re.compile(r"\b(?:but|although|though|however|while|even)\b", re.I)
_ALSO = re.compile(r"\b(?:also|too|as well|another|both)\b", re.I)
_ONLY = re.compile(r"\b(?:only|just)\b", re.I)
_FIRST_PERSON = re.compile(r"\b(?:i|my|me)\b", re.I)
_WE = re.compile(r"\b(?:we|our|us)\b", re.I)
_YOU = re.compile(r"\b(?:you|your)\b", re.I)
_LIST = re.compile(r"\b(?:like|such as|example|instance|etc)\b", re.I)
_PLURAL_CLAIM = re.compile(
    r"\b(?:many|some|several|different|various|kinds?|ways|reasons|things)\b", re.I
)
_SUM = re.compile(r"\b(?:reasons|reason|above|conclusion|mentioned|finally|these)\b", re.I)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|could|will|would|should|must|may|might|do|does|did|"
    r"\w+n['’]t|i['’]m|it['’]s)\b",
    re.I,
)
_DEIXIS = frozenset({"this", "that", "these", "those", "such"})
_CONDITION = frozenset({"if", "when", "whenever", "suppose", "imagine"})
_ARTICLE = frozenset({"the", "a", "an"})
_IN_BOTH = {
    "negation": _NEGATION, "past": _PAST, "future": _FUTURE, "can": _CAN, "must": _MUST,
    "maybe": _MAYBE, "stance": _STANCE, "compare": _COMPARE, "first_person": _FIRST_PERSON,
    "others": _OTHERS, "plural_claim": _PLURAL_CLAIM, "you": _YOU, "list": _LIST, "we": _WE,
    "because": _BECAUSE, "turn": _TURN, "young": _YOUNG, "old": _OLD,
}  # fmt: skip
_IN_SENTENCE = {
    "agree": _AGREE, "general": _GENERAL, "also": _ALSO, "only": _ONLY, "sum": _SUM,
}  # fmt: skip


def cues(sentences: Sequence[str], index: int) -> set[str]:
    """The names of the cues that hold for `sentences[index]`, its own marker left aside."""
    sentence = without_marker(sentences[index])
    before = sentences[index - 1] if index else ""
    found = {"bias"}
    for name, pattern in _IN_BOTH.items():
        here, there = bool(pattern.search(sentence)), bool(pattern.search(before))
        if here:
            found.add(name)
        if there:
            found.add("before_" + name)
        if here and not there:
            found.add("new_" + name)
    found.update(name for name, pattern in _IN_SENTENCE.items() if pattern.search(sentence))
    found.update(_shape(sentence, before))
    found.update(_place(sentences, index))
    found.update(_wording(sentences[index], sentence))
    return found


def _wording(whole: str, sentence: str) -> set[str]:
    """The marker that is there, the words after it, and how they begin."""
    own = opening_marker(whole)
    said = words(sentence)
    found = {f"word {word}" for word in said}
    found.add(f"start {' '.join(said[:1])}")
    found.add(f"start {' '.join(said[:2])}")
    if own is not None:
        found.add(f"marker {own.marker.text}")
    return found


def _shape(sentence: str, before: str) -> set[str]:
    start = first_word(sentence).lower()
    count = len(words(sentence))
    own, previous = content_stems(sentence), content_stems(before)
    shared = len(own & previous) / max(1, len(own))
    checks = {
        "opens_condition": start in _CONDITION,
        "opens_deixis": start in _DEIXIS,
        "opens_article": start in _ARTICLE,
        "opens_i": start == "i",
        "opens_it": start == "it",
        "opens_they": start in {"they", "he", "she"},
        "opens_people": start in {"people", "some", "many", "most", "young"},
        "opens_in": start in {"in", "at", "on", "with"},
        "opens_there": start == "there",
        "opens_gerund": start.endswith("ing"),
        "opens_to": start == "to",
        "short": count <= 8,
        "long": count >= 28,
        "no_verb": not _FINITE.search(sentence),
        "question": sentence.rstrip().endswith("?"),
        "before_question": before.rstrip().endswith("?"),
        "shares_none": shared == 0,
        "shares_much": shared > 0.34,
        "digits": any(character.isdigit() for character in sentence),
        "flips": bool(_NEGATION.search(sentence)) != bool(_NEGATION.search(before)),
    }
    return {name for name, holds in checks.items() if holds}


def _place(sentences: Sequence[str], index: int) -> set[str]:
    found = set()
    if index >= len(sentences) - 2:
        found.add("near_end")
    if index == len(sentences) - 1:
        found.add("last")
    if index <= 2:
        found.add("near_start")
    before = opening_marker(sentences[index - 1]) if index else None
    if before is not None:
        found.add("after_" + before.marker.relation.value)
    own = opening_marker(sentences[index])
    found.add("had_" + own.marker.relation.value if own else "had_none")
    return found
