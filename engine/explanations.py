"""Why a sentence was flagged, in one or two plain sentences for learners.

An explanation names the writer's own words where the text bears it out: the opening marker, the
pronoun, the noun that is new. What cannot be read off the text is put in the general wording of
the scheme.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.analysis import Judgement
from engine.rewriter.candidates import Situation
from engine.rewriter.inventory import OpeningMarker, Register, Relation, opening_marker
from engine.rewriter.markers import leaves_a_fragment
from engine.rewriter.nouns import NounPhrase, antecedents, noun_phrases
from engine.rewriter.persons import first_of, persons_used
from engine.rewriter.polarity import clashing_word
from engine.rewriter.references import opening_pronoun
from engine.rewriter.tie_ins import repeated
from engine.rewriter.wording import content_stems, first_word, stem, words
from engine.scheme import SCHEME, ReasonCode

_VERY_LIKELY = 0.5
_LIKELY = 0.2
_SNIPPET_WORDS = 8
_NAMED = 2
_SNIPPET_LENGTH = 80
NO_REWRITE = (
    "No small change clears this flag; it needs a new thought rather than a new word. "
    "Say how this sentence follows from the one before, or leave it out."
)
_NO_REWRITE: dict[ReasonCode, str] = {
    ReasonCode.R3: (
        "Another linking word alone does not clear this flag. "
        "Say in your own words how this sentence follows from the one before."
    ),
    ReasonCode.R2: (
        "Segue found no word that clears this flag. Say who or what you mean, "
        "and where the reader has met it before."
    ),
}
_LABELS = frozenset(
    "statement question idea topic problem argument opinion view point situation fact reason "
    "issue change development effect result case matter subject theme aspect process trend "
    "example advantage disadvantage benefit phenomenon discussion essay claim".split()
)
"""Nouns that may stand for a whole sentence said before, so that they need no mention."""
_EVERYBODYS = frozenset(
    "world sun moon sky sea earth internet government future past present environment weather "
    "economy society public country city beginning end rest majority others truth law media "
    "police market morning evening afternoon night weekend".split()
)
"""Things that the reader knows without any mention."""
_VAGUE = frozenset(
    "couple group bunch type piece level variety person people place effort mind center centre part "
    "side number range extent degree amount set pair series term sense role hour hours week weeks "
    "month months method methods choice extend pass place places course help use rest chance".split()
)
"""Nouns that nobody would call what a sentence is about."""
_COMPARING = frozenset({"more", "less", "most", "least", "no", "what"})
"""An adjective may follow these: "more effective"."""
_MEANS: dict[Relation, str] = {
    Relation.CONTRAST: "tells the reader that a contrast comes",
    Relation.RESULT: "tells the reader that a result comes",
    Relation.ADDITION: "tells the reader that one more point comes",
    Relation.EXAMPLE: "tells the reader that an example comes",
    Relation.ORDER: "tells the reader where this point stands in a list",
    Relation.CONCLUSION: "tells the reader that the essay comes to its end",
    Relation.EMPHASIS: "tells the reader that the point gets stronger",
    Relation.RESTATEMENT: "tells the reader that the same idea comes in other words",
    Relation.CAUSE: "tells the reader that a reason comes",
    Relation.SIMILARITY: "tells the reader that something alike comes",
    Relation.SHIFT: "changes the subject",
}


def explain(sentences: Sequence[str], topic: str, index: int, judgement: Judgement) -> str:
    """Why `sentences[index]` was flagged, by the most likely reason in `judgement`.

    A judgement without reasons gets a general sentence.
    """
    situation = Situation(tuple(sentences), topic, index, judgement)
    code = situation.top
    if code is None:
        return "This sentence does not connect well to the text before it."
    return _BY_CODE[code](situation)


def without_rewrite(code: ReasonCode | None) -> str:
    """What to tell the writer where no small change clears a flag raised for `code`."""
    return _NO_REWRITE.get(code or ReasonCode.R1, NO_REWRITE)


def keeping_leaves_a_mark(before: float, after: float) -> str:
    """What to tell the writer where the sentence may be deleted, and tying it in is no repair.

    `before` and `after` are its P(incoherent) as it stands and with the words that tie it in.
    """
    if round(100 * after) >= round(100 * before):
        return (
            "To keep the sentence, a linking word alone is not enough: with the one suggested the "
            f"chance that it breaks the flow stays at {after:.0%} or so. Say in the sentence how it "
            "follows from the one before."
        )
    return (
        "To keep the sentence, you can tie it in as suggested, but a mark would remain: "
        f"the chance that it breaks the flow is {before:.0%} now and {after:.0%} then. "
        "It may need a thought that connects it."
    )


def better_leaves_a_mark(before: float, after: float) -> str:
    """What to tell the writer where the one wording that is sure to be better clears no flag.

    `before` and `after` are the sentence's P(incoherent) as it stands and with that wording.
    """
    return (
        "The suggested wording is better, but it does not mend everything, and a mark would remain: "
        f"the chance that the sentence breaks the flow is {before:.0%} now and {after:.0%} then. "
        "It may need a thought that connects it."
    )


def confidence(probability: float, threshold: float) -> str:
    """How sure the flag is, in words: "very likely", "likely" or "possible".

    It says how far `probability` lies on the way from `threshold` to certainty.
    """
    way = (probability - threshold) / max(1e-9, 1.0 - threshold)
    if way >= _VERY_LIKELY:
        return "very likely"
    return "likely" if way >= _LIKELY else "possible"


def _semantic(situation: Situation) -> str:
    own = content_stems(situation.sentence)
    told = set().union(*(content_stems(text) for text in situation.context[-3:]))
    advice = _tie(situation, "Try to connect it to {}.") or SCHEME[ReasonCode.R1].advice
    if own and situation.context and not own & told:
        return f"This sentence repeats no key word from the sentences just before it. {advice}"
    return f"{SCHEME[ReasonCode.R1].meaning} {advice}"


def _reference(situation: Situation) -> str:
    return (
        _pronoun_note(situation)
        or _person_note(situation)
        or _new_entity_note(situation)
        or f"{SCHEME[ReasonCode.R2].meaning} {SCHEME[ReasonCode.R2].advice}"
    )


def _pronoun_note(situation: Situation) -> str:
    match = opening_pronoun(situation.sentence)
    if match is None:
        return ""
    pronoun = match.group(1)
    options = _possible(situation, pronoun.lower())
    if len(options) > 1:
        one, two = (f"“{option.again()}”" for option in options[:2])
        return (
            f"It is not clear what “{pronoun}” means here: it could be {one} or {two}. "
            "Use the noun instead."
        )
    return (
        f"The reader may not know what “{pronoun}” means here. "
        "Use a noun that says who or what you mean."
    )


def _possible(situation: Situation, pronoun: str) -> list[NounPhrase]:
    if pronoun not in {"they", "it", "these", "those"}:
        return []
    plural = pronoun != "it"
    ranked = antecedents(situation.context, situation.topic, situation.judgement.anchor, reach=2)
    return [
        phrase
        for phrase, _ in ranked
        if phrase.is_plural is plural and (plural or not phrase.is_person)
    ]


def _person_note(situation: Situation) -> str:
    here = persons_used([situation.sentence])
    before = persons_used(situation.context)
    for source in ("you", "we"):
        for target in ("we", "you", "people"):
            if source == target or not here[source] or here[target]:
                continue
            if before[target] >= 2 and not before[source]:
                form = first_of(situation.sentence, source)
                return (
                    f"The text before speaks of “{target}”, but this sentence changes to "
                    f"“{form}”. Keep to one of them."
                )
    return ""


def _said(situation: Situation) -> set[str]:
    """The stems of all words before the sentence, the topic's included."""
    return {stem(word) for text in (*situation.context, situation.topic) for word in words(text)}


def _new_entity_note(situation: Situation) -> str:
    said = _said(situation)
    for phrase in noun_phrases(situation.sentence, situation.sentences):
        if phrase.head in _LABELS or (phrase.determiner == "the" and phrase.head in _EVERYBODYS):
            continue
        if phrase.determiner in {"the", "this", "these", "those"} and stem(phrase.head) not in said:
            written = f"{phrase.determiner} {' '.join(phrase.words)}"
            return (
                f"“{written[:1].upper() + written[1:]}” has not been mentioned before. "
                "Introduce it first, or connect it to something that the reader already knows."
            )
    return ""


def _discourse(situation: Situation) -> str:
    found = situation.marker
    if found is not None:
        return _marker_note(situation, found)
    if leaves_a_fragment(situation.sentence):
        return (
            f"“{first_word(situation.sentence)}” opens only a part of a sentence, and the part that "
            "it depends on is missing. Join it to the sentence before, or make it a whole one."
        )
    before = _tie(situation, "{}", before=True)
    if not before or first_word(situation.sentence).lower() == "because":
        return f"{SCHEME[ReasonCode.R3].meaning} {SCHEME[ReasonCode.R3].advice}"
    return (
        f"No linking word opens this sentence, so the reader may not see how it follows from "
        f"{before}. Add one that shows the right relation, if it helps."
    )


def _marker_note(situation: Situation, found: OpeningMarker) -> str:
    written = found.as_written(situation.sentence)
    if found.marker.register is Register.INFORMAL:
        return (
            f"“{written}” is too informal to open a sentence in an essay. "
            "Use a formal linking word, or none."
        )
    if found.marker.text in _recent_markers(situation):
        return (
            f"“{written}” also opens a sentence just before this one. "
            "Check that it shows the right relation here, or use another linking word."
        )
    return (
        f"“{written}” {_MEANS[found.marker.relation]}, but this may not be how the sentence "
        "follows from the one before. Choose a linking word that fits, or none."
    )


def _recent_markers(situation: Situation) -> set[str]:
    found = (opening_marker(text) for text in situation.context[-2:])
    return {opening.marker.text for opening in found if opening is not None}


def _consistency(situation: Situation) -> str:
    pair = clashing_word(situation)
    if pair is not None:
        word, opposite = pair
        return (
            f"You write “{word}” here, but “{opposite}” in the text before. "
            "Check whether the two agree."
        )
    earlier = _tie(situation, "This sentence seems to go against {}.")
    return f"{earlier or SCHEME[ReasonCode.R4].meaning} {SCHEME[ReasonCode.R4].advice}"


def _relevance(situation: Situation) -> str:
    code = situation.top or ReasonCode.R6
    earlier = repeated(situation)
    if earlier:
        return f"This sentence says much the same as {_quoted(earlier)}. {SCHEME[code].advice}"
    away = _tie(situation, "This sentence seems to move away from the point in {}.")
    parts = (away or SCHEME[code].meaning, _subject_note(situation), SCHEME[code].advice)
    return " ".join(part for part in parts if part)


def _subject_note(situation: Situation) -> str:
    """What the sentence is about that the text before is not; empty for nothing plain to see."""
    said = _said(situation)
    new = {
        phrase.head: " ".join(phrase.words)
        for phrase in noun_phrases(situation.sentence, situation.sentences)
        if (phrase.determiner or phrase.is_plural)
        and phrase.determiner not in _COMPARING
        and phrase.words[0] != "same"
        and not said & {stem(word.lower()) for word in phrase.words}
        and phrase.head not in _LABELS | _EVERYBODYS | _VAGUE
        and not phrase.head.endswith("ing")
    }
    if not situation.context or not new:
        return ""
    named = " and ".join(f"“{noun}”" for noun in list(new.values())[:_NAMED])
    return f"It turns to {named}, which the text before does not mention."


def _others(_: Situation) -> str:
    return f"{SCHEME[ReasonCode.R7].meaning} {SCHEME[ReasonCode.R7].advice}"


def _tie(situation: Situation, wording: str, *, before: bool = False) -> str:
    """`wording` with the anchor sentence quoted (or the one just before); empty for neither."""
    anchor = situation.index - 1 if before else situation.judgement.anchor
    if anchor is None or not 0 <= anchor < situation.index:
        return ""
    return wording.format(_quoted(situation.sentences[anchor]))


def _quoted(text: str) -> str:
    """The first words of a sentence in quotation marks, on one line."""
    pieces = re.sub(r"[\"“”]", "", text).split()
    whole = " ".join(pieces)
    short = " ".join(pieces[:_SNIPPET_WORDS])[:_SNIPPET_LENGTH].rstrip(".,;:!?")
    return f"“{short}…”" if len(short) < len(whole.rstrip(".,;:!?")) else f"“{short}”"


_BY_CODE: dict[ReasonCode, Callable[[Situation], str]] = {
    ReasonCode.R1: _semantic,
    ReasonCode.R2: _reference,
    ReasonCode.R3: _discourse,
    ReasonCode.R4: _consistency,
    ReasonCode.R5: _relevance,
    ReasonCode.R6: _relevance,
    ReasonCode.R7: _others,
}
