"""Linking words: change, drop or add the discourse marker that opens the sentence (R3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from engine.rewriter.candidates import Candidate, Situation
from engine.rewriter.inventory import (
    STANDARD,
    OpeningMarker,
    Register,
    Relation,
    numbers_its_point,
    opening_marker,
)
from engine.rewriter.prior import DROP
from engine.rewriter.vocabulary import AUXILIARIES
from engine.rewriter.wording import (
    capital_is_doubtful,
    first_word,
    lower_first,
    opening_length,
    upper_first,
    words,
)
from engine.scheme import ReasonCode

_USUAL: dict[str, tuple[tuple[str, float], ...]] = {
    "but": (("However", 0.85),),
    "but still": (("However", 0.6), ("Nevertheless", 0.3)),
    "but then": (("However", 0.7),),
    "still": (("However", 0.5),),
    "yet": (("However", 0.6),),
    "so": (("Therefore", 0.8), ("As a result", 0.25)),
    "and so": (("Therefore", 0.7), ("As a result", 0.2)),
    "and": (("", 0.45), ("Moreover", 0.4), ("In addition", 0.2)),
    "and also": (("In addition", 0.5), ("Moreover", 0.4)),
    "and then": (("", 0.3), ("Then", 0.3)),
    "also": (("Moreover", 0.3), ("In addition", 0.3)),
    "besides": (("Moreover", 0.4), ("In addition", 0.35)),
    "plus": (("In addition", 0.5), ("Moreover", 0.4)),
    "anyway": (("However", 0.35), ("In conclusion", 0.3), ("Therefore", 0.25), ("", 0.2)),
    "well": (("However", 0.35), ("", 0.35)),
    "by the way": (("However", 0.3), ("", 0.3), ("Moreover", 0.2)),
    "actually": (("In fact", 0.35), ("Therefore", 0.2), ("", 0.25)),
    "basically": (("", 0.4),),
    "that's why": (("This is why", 0.5), ("For this reason", 0.3)),
    "that is why": (("For this reason", 0.4),),
    "because of that": (("Because of this", 0.4), ("As a result", 0.3)),
    "so that": (("As a result", 0.4), ("Therefore", 0.3)),
    "like": (("For example", 0.6),),
    "i mean": (("In other words", 0.4), ("For instance", 0.3)),
    "on the contrary": (("However", 0.5), ("On the other hand", 0.4), ("In contrast", 0.2)),
    "on the opposite": (("On the other hand", 0.6),),
    "on the other hand": (("Moreover", 0.35), ("However", 0.25), ("In addition", 0.2)),
    "so in conclusion": (("In conclusion", 0.8),),
    "so finally": (("In conclusion", 0.6), ("Finally", 0.2)),
    "in the end": (("In conclusion", 0.5),),
    "last of all": (("Finally", 0.6),),
}
"""What experts usually put for a marker; an empty string drops it."""

_NEAR = 2
"""A marker is not repeated within so many sentences."""
LEAST_CHANCE = 0.12
"""A relation less likely than this is not worth showing to anyone."""
_ENUMERATORS = frozenset(["first", "second", "third", "firstly", "secondly", "thirdly"]) | {
    "first of all",
    "in the first place",
    "to begin with",
}
_SAID_INSIDE: dict[Relation, frozenset[str]] = {
    Relation.CONTRAST: frozenset({"however", "nevertheless"}),
    Relation.RESULT: frozenset({"therefore", "thus", "consequently", "hence"}),
    Relation.ADDITION: frozenset({"moreover", "furthermore", "also"}),
    Relation.EXAMPLE: frozenset({"example", "instance"}),
}
_NO_OPENING = frozenset(
    {"and", "but", "so", "yet", "still", "or", "which", "nor", "than", "etc", "also", "even"}
)
_COMMENT = re.compile(
    r"(?:(?:un)?fortunately|luckily|sadly|happily|obviously|clearly|actually|basically|personally|"
    r"honestly|frankly|surprisingly|interestingly|hopefully|naturally|certainly|surely|evidently|"
    r"apparently|undoubtedly|maybe|perhaps|probably|generally|usually|"
    r"(?:in|from|to) (?:my|our)(?: own| personal)? (?:opinion|view|point of view|viewpoint|"
    r"perspective|mind|experience|case)|as for (?:me|us)|for me|"
    r"in (?:accord|accordance|line) (?:to|with)|(?:regarding|concerning|as regards|as for|"
    r"with (?:regard|respect) to|when it comes to|speaking of|in terms of|as far as)\b[^,.;:]{0,60})"
    r"(?P<comma>,)? ",
    re.IGNORECASE,
)
"""Words that comment on what follows, or name what it is about, before the clause itself."""
_PLAIN = (Relation.CONTRAST, Relation.RESULT)
"""What an informal "But" or "So" says is plain: its formal stand-in must say the same."""
_QUOTES = frozenset("\"“‘«'")
_CONCESSIVE = frozenset({"while", "whereas", "although", "though", "even"})
"""Taking one of these away turns what is conceded into what is claimed."""
_FRAGMENT_OPENERS = frozenset({"while", "whereas", "although", "though", "because", "even"})


def propose(situation: Situation) -> Iterator[Candidate]:
    """Candidates that change, drop or add the opening marker, in no particular order."""
    found = situation.marker
    chances = situation.relations
    if found is None:
        if leaves_a_fragment(situation.sentence) and not opens_quoted(situation.sentence):
            yield from whole_reason(situation)
            if first_word(situation.sentence).lower() in _CONCESSIVE:
                return
        yield from _additions(situation, chances)
        return
    yield from _usual_changes(situation, found)
    yield from _relation_changes(situation, found, chances)
    if found.marker.text not in _USUAL:
        share = 0.25 if found.marker.text in _ENUMERATORS else chances.get(DROP, 0.0)
        yield _candidate(dropped(situation, found), "marker-drop", share)


def comment_length(sentence: str) -> int:
    """How many characters a comment on the sentence takes up at its start; 0 for none.

    "In my opinion, ..." and "Unfortunately, ..." are where a linking word would stand: with one
    before them there are two openings ("In fact, in my opinion, ...").
    """
    at = opening_length(sentence)
    found = _COMMENT.match(sentence, at)
    return found.end() if found else 0


def opens_quoted(sentence: str) -> bool:
    """Whether the first words are another's: nobody is quoted with a linking word of ours."""
    return bool(_QUOTES & set(sentence[: opening_length(sentence)]))


def leaves_a_fragment(sentence: str) -> bool:
    """Whether the sentence is only a clause that depends on another: "Because I will be old."."""
    body = sentence[opening_length(sentence) :]
    return (
        first_word(body).lower() in _FRAGMENT_OPENERS
        and words(body)[1:2] != ["of"]
        and "," not in body
        and not body.rstrip().endswith("?")
    )


def whole_reason(situation: Situation) -> Iterator[Candidate]:
    """A lone "Because I am old." made whole: "This is because I am old."."""
    sentence = situation.sentence
    at = opening_length(sentence)
    if first_word(sentence[at:]).lower() == "because":
        text = sentence[:at].replace(",", "").lstrip() + "This is b" + sentence[at + 1 :]
        yield _candidate(text, "marker-add", 0.5)


def _usual_changes(situation: Situation, found: OpeningMarker) -> Iterator[Candidate]:
    usual = _USUAL.get(found.marker.text, ())
    if found.marker.text in {"so", "and so"} and situation.sentence.rstrip().endswith("?"):
        usual = (("", 0.5),)
    for text, share in usual:
        if text:
            chosen = varied(text, situation)
            yield _candidate(changed(situation, found, chosen), "marker-change", share)
        else:
            yield _candidate(dropped(situation, found), "marker-drop", share)


def _relation_changes(
    situation: Situation, found: OpeningMarker, chances: Mapping[str, float]
) -> Iterator[Candidate]:
    informal = found.marker.register is Register.INFORMAL
    plain = informal and found.marker.relation in _PLAIN
    for relation, texts in STANDARD.items():
        same = relation is found.marker.relation
        if plain and not same:
            continue
        if same and not (informal or _worn(found, situation)):
            continue
        if relation is Relation.CONCLUSION and situation.index < len(situation.sentences) - 3:
            continue
        chosen = varied(texts[0], situation)
        chance = chances.get(relation.value, 0.0)
        follows = found.marker.text in _ENUMERATORS and relation is Relation.ADDITION
        if chance < LEAST_CHANCE and not (same or follows):
            continue
        share = 0.4 * chance + (0.1 if same else 0.0)
        if follows:
            share = max(share, 0.35)
        yield _candidate(changed(situation, found, chosen), "marker-change", share)


def _additions(situation: Situation, chances: Mapping[str, float]) -> Iterator[Candidate]:
    for relation, text in addable(situation):
        chance = chances.get(relation.value, 0.0)
        if chance < LEAST_CHANCE:
            continue
        share = 0.6 * chance
        yield _candidate(added(situation, text), "marker-add", share)


def addable(situation: Situation) -> Iterator[tuple[Relation, str]]:
    """The relations whose marker may be added, with the marker that varies the essay best.

    Nothing for a sentence that has a marker or numbers its point in another way, nor one whose
    first word may be a name; nor a relation that its own words already signal.
    """
    opening = first_word(situation.sentence).lower()
    is_question = situation.sentence.rstrip().endswith("?")
    if situation.marker is not None or not opening or opening in _NO_OPENING:
        return
    if opens_quoted(situation.sentence) or comment_length(situation.sentence):
        return
    body = situation.sentence[opening_length(situation.sentence) :]
    if opening == "because" and words(body)[1:2] != ["of"]:
        return
    if numbers_its_point(body) or capital_is_doubtful(body, _others(situation)):
        return
    if opening in AUXILIARIES and not is_question and "'" not in opening.replace("’", "'"):
        return
    inside = set(words(situation.sentence)[:8])
    near_end = situation.index >= len(situation.sentences) - 3
    for relation, texts in STANDARD.items():
        if inside & _SAID_INSIDE.get(relation, frozenset()):
            continue
        if relation is Relation.CONCLUSION and not near_end:
            continue
        yield relation, varied(texts[0], situation)


def changed(situation: Situation, found: OpeningMarker, text: str) -> str:
    """The sentence with another marker in place of the one found."""
    sentence = situation.sentence
    opening = sentence[: opening_length(sentence)].replace(",", "").lstrip()
    body = lower_first(sentence[found.body :], _others(situation))
    comma = " " if text in {"This is why", "Then"} else ", "
    return opening + upper_first(text) + comma + body


def dropped(situation: Situation, found: OpeningMarker) -> str:
    """The sentence without its marker."""
    sentence = situation.sentence
    opening = sentence[: opening_length(sentence)].replace(",", "").lstrip()
    return opening + upper_first(sentence[found.body :])


def added(situation: Situation, text: str) -> str:
    """The sentence with a marker before it; a subordinator that leaves it a fragment goes."""
    sentence = situation.sentence
    at = opening_length(sentence)
    body = sentence[at:]
    if leaves_a_fragment(sentence):
        shorter = body[len(first_word(body)) :].lstrip()
        body = shorter if len(words(shorter)) > 3 and first_word(body).lower() != "even" else body
    return (
        sentence[:at].replace(",", "").lstrip()
        + text
        + ", "
        + lower_first(body, _others(situation))
    )


def varied(text: str, situation: Situation) -> str:
    """`text`, or a marker of the same meaning if the essay already leans on `text` too much.

    What the rewrites of earlier sentences are likely to bring counts like what is there.
    """
    family = next((texts for texts in STANDARD.values() if text in texts), (text,))
    used = used_markers(situation)
    near = {marker for marker in (_opening(s) for s in situation.context[-_NEAR:]) if marker}
    near |= {marker for back, marker in situation.planned if back <= _NEAR}

    def wear(option: str) -> int:
        count = used[option.lower()] // 2
        return count + (2 if option.lower() in near else 0)

    ordered = (text, *(option for option in family if option != text))
    return min(ordered, key=lambda option: (wear(option), ordered.index(option)))


def _worn(found: OpeningMarker, situation: Situation) -> bool:
    return used_markers(situation)[found.marker.text] >= 2


def used_markers(situation: Situation) -> Counter[str]:
    """How often each marker opens another sentence, or is likely to once rewrites are taken."""
    texts = (_opening(s) for n, s in enumerate(situation.sentences) if n != situation.index)
    coming = (marker for _, marker in situation.planned)
    return Counter(text for text in (*texts, *coming) if text)


def _opening(sentence: str) -> str:
    found = opening_marker(sentence)
    return found.marker.text if found else ""


def _others(situation: Situation) -> Sequence[str]:
    return (*situation.sentences, situation.topic)


def _candidate(text: str, operator: str, share: float) -> Candidate:
    return Candidate(text, operator, ReasonCode.R3, min(share, 1.0))
