"""Ways to keep a sentence whose deletion is suggested: each ties it to the text before.

Whoever is told to delete a sentence must be able to keep it instead. The training labels show how:
of 1,860 sentences kept that way, most that changed in one place got a linking word at the front
(therefore, for example, however, moreover), hardly any an opening such as "in this context" or
"when it comes to". A linking word may well leave the mark where it is. The rounds measure that,
and what does not clear the flag is offered as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from engine.rewriter import guard, links, markers
from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import STANDARD, OpeningMarker, Register, Relation, without_marker
from engine.rewriter.vocabulary import CONJUNCTIONS, PREPOSITIONS, VERBS
from engine.rewriter.wording import (
    capital_is_doubtful,
    content_stems,
    first_word,
    lower_first,
    opening_length,
    words,
)

OPERATOR = "tie-in"
"""The `Candidate.operator` of what this module proposes."""
_SHARE_THAT_REPEATS = 0.8
_LEAST_STEMS = 4
_LATIN = re.compile(r"[A-Za-z]")
_FEWEST_WORDS = 2
_TAKES_NONE = frozenset(
    {"what", "how", "please", "let", "let's", "here", "here's", "yes", "no", "oh", "well", "wow"}
    | {
        "indeed",
        "such",
        "which",
        "e",
        "nb",
        "ps",
        "cause",
        "thank",
        "thanks",
        "sorry",
        "dear",
        "hi",
    }
    | {"hello", "congratulations", "welcome", "then"}
)
_REQUEST = re.compile(r"\W*(?:could|can|would|will|may) (?:you|i)\b", re.IGNORECASE)
"""A question that asks for something to be done, rather than for what is so."""
_BEFORE_A_NAME = "A related point: "
_BEFORE_A_QUESTION = "A question arises: "
_BARE_LINKS = frozenset({"also", "and", "but", "or", "still", "yet"})
"""Links even without a comma; "So" is none in "So far" and "So many"."""
_BUT_FOR = re.compile(r"but for\b.*\b(?:would|could|might)\b", re.IGNORECASE | re.DOTALL)
"""Without the rain, I would run: no "but" to take away."""
_TURNED_ROUND = re.compile(
    r"\W*(?:so|nor|neither) (?:do|does|did|am|is|are|was|were|have|has|had|can|could|will|would|"
    r"should|must|may|might)\b",
    re.IGNORECASE,
)
_LINKED_INSIDE = re.compile(
    r"[^.;:!?]{1,60}?(?:, |\b(?:is|are|was|were|do|does|did|should|can|will|must|would|could|may) )"
    r"(?:however|therefore|thus|hence|consequently|moreover|furthermore|nevertheless|nonetheless|"
    r"instead|indeed|in fact|for example|for instance|on the other hand|by contrast|in contrast|"
    r"as a result|then|of course|in turn|similarly|likewise),",
    re.IGNORECASE,
)
"""A linking word between commas after the subject, or after the auxiliary."""
_LINKED_BY_A_PHRASE = re.compile(
    r"\W*(?:in spite of|despite|because of|due to|thanks to|according to|apart from|aside from|"
    r"compared (?:to|with)|unlike|instead of|in addition to|to summari[sz]e|to conclude|to sum|"
    r"in conclud\w*|as (?:a )?conclusion|for (?:a )?conclu\w*|"
    r"in short|all in all|in the end|in (?:this|that) (?:way|case|sense|respect)|"
    r"at the same time|after (?:that|this|all)|before (?:that|this)|even so|for (?:this|that))\b",
    re.IGNORECASE,
)
_LIKELY = 0.25
"""A linking word less likely than this says no more than an emphasis would."""
_SURE = 0.35
"""What changes a relation that the writer chose, or misleads most if wrong, must be this likely."""
_RISKY = frozenset({Relation.CONTRAST, Relation.CONCLUSION})
_LAST_CHOICE = 0.05
_REPEATED = 0.9
_ALSO = 0.9
"""How good "also" is beside an opening word for an addition."""
_AUXILIARY = re.compile(
    r"((?:[\w'’-]+ ){1,5}?)(?:can|could|will|would|should|must|may|might|is|are|was|were) "
    r"(?!(?:not|also|too|that|the|here|i|we|you|they|he|she|it|people)\b)"
)
_PRONOUN = re.compile(r"(?:i|we|you|they|he|she|it|people) (?=([a-z]+)\b)", re.IGNORECASE)
_POINTS_BACK = frozenset({"this", "that", "these", "those", "such", "it", "they", "he", "she"})
_OPENS_A_PHRASE = PREPOSITIONS | CONJUNCTIONS
_ADDS_ALREADY = re.compile(r"\b(?:also|too|as well|even|another|both|not only)\b", re.IGNORECASE)
_ADVICE = re.compile(r"\b(?:should|must|have to|has to|need to|needs to|ought to)\b", re.IGNORECASE)
_NO_SUBJECT = re.compile(
    r"(?:^|\b)(?:only|nobody|never|nothing|no)\b"
    r"|\b(?:my|your|his|her|its|our|their|the|a|an|of|in|on|at|for|with) $"
    r"|\b(?:who|which|that|if|when|because|and|or|but|what|there|how|why|as|while|although|to)\b",
    re.IGNORECASE,
)
"""What stands before the verb is the subject only where none of these is in it."""


def tie_ins(situation: Situation) -> list[Candidate]:
    """What the guard allows of the ways to tie the sentence in, the likeliest first."""
    if not _can_be_tied(situation):
        return []
    aware = replace(situation, planned=(*situation.planned, *situation.spared))
    best: dict[str, Candidate] = {}
    for candidate in _proposed(situation, aware):
        if candidate.text not in best and guard.allows(candidate, situation):
            best[candidate.text] = candidate
    return sorted(best.values(), key=lambda candidate: -candidate.prior)


def _can_be_tied(situation: Situation) -> bool:
    """Whether it is a statement or a question of some length in Latin letters, with no tie yet.

    No linking word stands before an exclamation ("What a day!"), a request, an answer, a list's
    first word, or what is linked already ("Loans, however, ..."; "In spite of that, ...").
    """
    sentence = situation.sentence
    said = words(sentence)
    if len(said) < _FEWEST_WORDS or not _LATIN.match(said[0]):
        return False
    if situation.marker is None and _has_a_link(sentence):
        return False
    if said[0] == "even":
        return False
    if sentence.rstrip().endswith("!") or _REQUEST.match(sentence):
        return False
    is_plain = situation.marker is not None or said[0] not in _TAKES_NONE
    return is_plain or sentence.rstrip().endswith("?")


def _has_a_link(sentence: str) -> bool:
    """Whether it is linked by other words than an opening linking word: a second one is too many."""
    return any(
        pattern.match(sentence) for pattern in (_TURNED_ROUND, _LINKED_INSIDE, _LINKED_BY_A_PHRASE)
    )


def repeated(situation: Situation) -> str:
    """The last earlier sentence that has nearly all of this one's key words; empty for none."""
    own = content_stems(situation.sentence)
    if len(own) < _LEAST_STEMS:
        return ""
    for text in reversed(situation.context):
        if len(own & content_stems(text)) >= _SHARE_THAT_REPEATS * len(own):
            return text
    return ""


def _proposed(situation: Situation, aware: Situation) -> Iterator[Candidate]:
    """What ties the sentence in; `aware` also knows what only keeps the flagged ones before it.

    A formal word for an informal one is what experts would put, kept sentences or not.
    """
    found = situation.marker
    if markers.leaves_a_fragment(situation.sentence):
        # With a linking word it would be a fragment still.
        for whole in markers.whole_reason(situation):
            yield _candidate(situation, whole.text, _REPEATED)
        return
    if found is not None and not markers.opens_quoted(situation.sentence):
        yield from _other_markers(situation, found)
    elif found is None:
        if repeated(situation):
            yield _opened(aware, "As mentioned above, ", _REPEATED)
        if markers.comment_length(situation.sentence):
            yield from _after_the_comment(aware)
            return
        if _is_connected(situation):
            yield from _linking_word(aware)
    if found is not None or _is_connected(situation):
        yield from _also(situation)
    yield _last_choice(aware)


def _after_the_comment(situation: Situation) -> Iterator[Candidate]:
    """In my opinion, however, ...: a linking word where a comment opens the sentence."""
    sentence = situation.sentence
    at = markers.comment_length(sentence)
    if sentence[at - 2] != "," or sentence.rstrip().endswith("?"):
        return
    for relation, text in ((Relation.CONTRAST, "however"), (Relation.RESULT, "therefore")):
        chance = situation.relations.get(relation.value, 0.0)
        if chance >= _SURE:
            yield _candidate(situation, f"{sentence[:at]}{text}, {sentence[at:]}", chance)


def _is_connected(situation: Situation) -> bool:
    """Whether the sentence names what the text before names, or points back to it.

    No linking word, and no "also", ties in what has nothing to do with the text before.
    """
    start = situation.marker.body if situation.marker else 0
    opening = first_word(situation.sentence[start:]).lower()
    return opening in _POINTS_BACK or links.shares_a_word(situation)


def _other_markers(situation: Situation, found: OpeningMarker) -> Iterator[Candidate]:
    """The formal word for an informal one, or another relation where that is likely."""
    chances = situation.relations
    relation = max(STANDARD, key=lambda option: chances.get(option.value, 0.0))
    told = markers.varied(STANDARD[relation][0], situation).lower()
    for change in markers.propose(situation):
        plain = found.marker.register is Register.INFORMAL
        likely = change.text.lower().startswith(told) and chances.get(relation.value, 0.0) >= _SURE
        if change.operator == "marker-change" and (plain or likely):
            yield _candidate(situation, change.text, change.prior)


def _linking_word(situation: Situation) -> Iterator[Candidate]:
    """The likeliest linking word, if it is likely enough for what it claims.

    A question follows from nothing and adds nothing; it can only object.
    """
    chances = situation.relations
    is_question = situation.sentence.rstrip().endswith("?")
    fits = {
        relation: text
        for relation, text in markers.addable(situation)
        if chances.get(relation.value, 0.0) >= (_SURE if relation in _RISKY else _LIKELY)
        and (relation is Relation.CONTRAST or not is_question)
    }
    if fits:
        relation = max(fits, key=lambda option: chances[option.value])
        text = markers.added(situation, fits[relation])
        yield _candidate(situation, text, chances[relation.value])


def _also(situation: Situation) -> Iterator[Candidate]:
    """The word "also" after the first auxiliary, or between a pronoun and its verb.

    Only for a likely addition: after anything else it puzzles.
    """
    sentence = situation.sentence
    start = situation.marker.body if situation.marker else opening_length(sentence)
    body = sentence[start:]
    chances = situation.relations
    chance = chances.get(Relation.ADDITION.value, 0.0)
    found = situation.marker
    adds = found is not None and found.marker.relation is Relation.ADDITION
    if adds or chance < _LIKELY or _ADDS_ALREADY.search(sentence) or body.rstrip().endswith("?"):
        return
    verb = _AUXILIARY.match(body)
    if verb is not None:
        if _NO_SUBJECT.search(verb.group(1)) or first_word(body).lower() in _OPENS_A_PHRASE:
            return
    else:
        verb = _PRONOUN.match(body)
        if verb is None or verb.group(1) not in VERBS:
            return
    at = start + verb.end()
    yield _candidate(situation, f"{sentence[:at]}also {sentence[at:]}", _ALSO * chance)


def _last_choice(situation: Situation) -> Candidate:
    """What can be said before nearly any sentence: another word of its relation, or emphasis.

    A view or an advice mostly draws from what was said; stressing it would sound odd.
    """
    found = situation.marker
    if situation.sentence.rstrip().endswith("?"):
        return _opened(situation, _BEFORE_A_QUESTION, _LAST_CHOICE)
    family = STANDARD.get(found.marker.relation, ()) if found else ()
    others = [text for text in family if found and text.lower() != found.marker.text]
    drawn = links.states_a_view(situation.sentence) or _ADVICE.search(situation.sentence)
    used = markers.used_markers(situation)
    usual = STANDARD[Relation.RESULT if drawn else Relation.EMPHASIS]
    text = min(others or usual, key=lambda option: used[option.lower()])
    return _opened(situation, f"{text}, ", _LAST_CHOICE)


def _opened(situation: Situation, opening: str, prior: float) -> Candidate:
    """The sentence with an opening before it; a word that may be a name keeps its capital.

    Before a quotation the opening stands outside, because it is not the words of who is quoted.
    """
    sentence = situation.sentence
    at = opening_length(sentence)
    if markers.opens_quoted(sentence):
        outside = _BEFORE_A_NAME if situation.marker else opening
        return _candidate(situation, outside + sentence.lstrip(), prior)
    body = _bare(sentence[at:])
    if capital_is_doubtful(body, _essay(situation)):
        return _candidate(situation, sentence[:at] + _BEFORE_A_NAME + body, prior)
    start = sentence[:at].replace(",", "").lstrip()
    return _candidate(situation, start + opening + lower_first(body, _essay(situation)), prior)


def _bare(body: str) -> str:
    """The text without linking words at its start, however many there are ("But but so")."""
    before = ""
    while body != before:
        before = body
        body = without_marker(body).lstrip(" ,")
        word = first_word(body)
        if word.lower() in _BARE_LINKS and not _BUT_FOR.match(body) and body.startswith(word):
            body = body[len(word) :].lstrip(" ,")
    return body


def _essay(situation: Situation) -> tuple[str, ...]:
    return (*situation.sentences, situation.topic)


def _candidate(situation: Situation, text: str, prior: float) -> Candidate:
    return Candidate(text, OPERATOR, situation.top, prior)
