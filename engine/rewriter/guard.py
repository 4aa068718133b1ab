"""What no rewrite may do, whoever proposed it.

A rewrite is one sentence for one sentence; it changes something, but little; it brings in no name
and no number that the essay lacks; it is not a preamble; capitals and punctuation are right; and nobody is
quoted with words that were not theirs.
"""

from __future__ import annotations

import re

from engine.analysis import Action
from engine.diff import changed_words, word_edits
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import Relation, opening_marker
from engine.rewriter.wording import first_word, names, numbers, opening_length, words
from engine.sentences import split_sentences

_PREAMBLE = re.compile(
    r"(?:sure|certainly|of course|okay|ok)[,!.:]? (?:here|i )|here (?:is|are) (?:the|a|my) |"
    r"(?:rewrite|rewritten(?: sentence)?|revision|revised(?: sentence)?|answer|output|sentence)\s*:|"
    r"\[?delete\]?\W*$",
    re.I,
)
_BROKEN = re.compile(r",\s*[,.;:!?]|\(\s*\)|\s[,;:](?=\s)|[;:]\s*[,;.]")
_TWICE = re.compile(r"\b(\w+) \1\b", re.I)
_ENDING = re.compile(r"[.!?…]*[\"'”’)\]]*\s*$")
_QUOTES = '"“”‘()[]'
_QUOTATION = re.compile(r"\"[^\"]+\"|“[^“”]+”|«[^«»]+»")
_LEAST_QUOTED = 3
_MAY_REPEAT = frozenset({"that", "had", "very", "really", "is"})
_CLOSING = " \"'”’)]"
_BEFORE_QUESTIONS = (Relation.CONTRAST, Relation.ORDER, Relation.SHIFT)
_END_REACH = 5
_LEAST_CAP = 4
_CAP_SHARE = 0.35
_TRIM_SHARE = 0.5


def allows(candidate: Candidate, situation: Situation) -> bool:
    """Whether the candidate may be offered at all."""
    if candidate.action is Action.DELETE:
        return situation.index > 0 and not candidate.text
    old, new = situation.sentence, candidate.text
    return (
        words(old) != words(new)
        and not _PREAMBLE.match(new[opening_length(new) :])
        and _is_one_sentence(old, new)
        and _is_tidy(old, new)
        and _quotes_as_before(old, new)
        and _brings_in_nothing(new, situation)
        and _is_small(candidate, situation)
        and not _has_two_markers(old, new)
        and _suits_the_sentence(situation, new)
    )


def _is_one_sentence(old: str, new: str) -> bool:
    if "\n" in new.strip() and "\n" not in old.strip():
        return False
    if _closing(old) != _closing(new):
        return False
    return len(split_sentences(new)) <= max(1, len(split_sentences(old)))


def _closing(text: str) -> str:
    match = _ENDING.search(text)
    return match.group() if match else ""


def _is_tidy(old: str, new: str) -> bool:
    first = first_word(new)
    if not first or (new != new.strip(" ") and old == old.strip(" ")):
        return False
    was = first_word(old)
    if was[:1].isupper() and not (first[:1].isupper() or first[:1].isdigit()):
        return False
    if len(_BROKEN.findall(new)) > len(_BROKEN.findall(old)):
        return False
    if any(new.count(mark) > old.count(mark) for mark in _QUOTES):
        return False
    if new.count('"') % 2 != old.count('"') % 2 or (
        "  " in new.replace(old, "") and "  " not in old
    ):
        return False
    return _stutters(new) <= _stutters(old)


def _quotes_as_before(old: str, new: str) -> bool:
    """Whether all that `new` quotes stands so in `old`.

    A word or two in quotes are the writer's own, and so may a sentence be that is nothing else.
    """
    known = set(_QUOTATION.findall(old))
    return all(
        quotation in known or len(words(quotation)) < _LEAST_QUOTED
        for quotation in _QUOTATION.findall(new)
        if quotation != new.strip()
    )


def _stutters(text: str) -> set[str]:
    return {m.group(1).lower() for m in _TWICE.finditer(text)} - _MAY_REPEAT


def _brings_in_nothing(new: str, situation: Situation) -> bool:
    """No name that the essay and its topic lack, no number that the sentence lacks."""
    if not numbers(new) <= numbers(situation.sentence):
        return False
    known = set(words(" ".join((*situation.sentences, situation.topic))))
    return all(name.replace("’", "'") in known for name in names(new))


def _is_small(candidate: Candidate, situation: Situation) -> bool:
    length = len(words(situation.sentence))
    share = _TRIM_SHARE if candidate.operator == "trim" else _CAP_SHARE
    cap = max(_LEAST_CAP, round(length * share))
    return changed_words(word_edits(situation.sentence, candidate.text)) <= cap


def _suits_the_sentence(situation: Situation, new: str) -> bool:
    """No question that follows from something, and no end of an essay turned into a mere point."""
    before, after = opening_marker(situation.sentence), opening_marker(new)
    if after is None or (before is not None and before.marker.text == after.marker.text):
        return True
    relation = after.marker.relation
    if new.rstrip(_CLOSING).endswith("?") and relation not in _BEFORE_QUESTIONS:
        return False
    ends = before is not None and before.marker.relation is Relation.CONCLUSION
    near_end = situation.index >= len(situation.sentences) - _END_REACH
    return not (ends and near_end and relation is not Relation.CONCLUSION)


def _has_two_markers(old: str, new: str) -> bool:
    """Whether the new sentence opens with one marker on top of another."""
    found = opening_marker(new)
    if found is None:
        return False
    second = opening_marker(new[found.body :])
    before = opening_marker(old)
    kept = before is not None and before.marker.text == found.marker.text
    return second is not None and not kept
