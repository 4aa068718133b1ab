"""Verb forms after a subject whose number or person has changed."""

from __future__ import annotations

import re

from engine.rewriter.vocabulary import VERBS

_TO_PLURAL = {
    "is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't",
    "wasn't": "weren't", "hasn't": "haven't", "doesn't": "don't",
}  # fmt: skip
_TO_SINGULAR = {plural: singular for singular, plural in _TO_PLURAL.items()} | {"am": "is"}
_CONTRACTED = {
    "'s": " is",
    "'re": " are",
    "'m": " am",
    "'ve": " have",
    "'ll": " will",
    "'d": " would",
}
_BETWEEN = (
    r"(?:(?:also|often|always|usually|sometimes|never|really|just|only|still|even|all|both) )*"
)
_VERB = re.compile(r"^(\s+" + _BETWEEN + r")([A-Za-z]+(?:['’]t)?)\b")


def expand_contraction(suffix: str) -> str:
    """`'s` -> ` is`, `'re` -> ` are`; an empty string stays empty."""
    return _CONTRACTED.get(suffix.replace("’", "'").lower(), suffix)


def agree(after_subject: str, *, plural: bool) -> str:
    """`after_subject`, the text right after the subject, with its verb in the right number.

    Only verbs that are known change; modals and past forms stay.
    """
    match = _VERB.match(after_subject)
    if match is None:
        return after_subject
    verb = match.group(2)
    mended = _agree_verb(verb, plural=plural)
    return match.group(1) + mended + after_subject[match.end() :]


def _agree_verb(verb: str, *, plural: bool) -> str:
    plain = verb.replace("’", "'")
    table = _TO_PLURAL if plural else _TO_SINGULAR
    if plain in table:
        form = table[plain]
        return form.replace("'", "’") if "’" in verb else form
    if plural:
        return base_form(plain) if plain.endswith("s") else verb
    return third_person(plain) if plain in VERBS and base_form(plain) == plain else verb


def base_form(verb: str) -> str:
    """`makes` -> `make` for known verbs; anything else as it is."""
    for suffix, instead in (("ies", "y"), ("es", ""), ("s", "")):
        shorter = verb[: -len(suffix)] + instead
        if verb.endswith(suffix) and shorter in VERBS and third_person(shorter) == verb:
            return shorter
    return verb


def third_person(verb: str) -> str:
    """`make` -> `makes`; past and -ing forms, which no rule covers, as they are."""
    if verb in _PAST or (verb.endswith(("ing", "ed", "s")) and verb not in _BASE_FORMS):
        return verb
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("o", "ch", "sh", "x", "z")) else "s")


_PAST = frozenset(
    [
        "went",
        "gone",
        "got",
        "made",
        "took",
        "taken",
        "gave",
        "given",
        "said",
        "told",
        "thought",
        "knew",
        "known",
        "saw",
        "seen",
        "felt",
        "became",
        "learnt",
        "understood",
        "bought",
        "sold",
        "came",
        "found",
        "kept",
        "left",
        "brought",
        "began",
        "begun",
        "meant",
        "led",
        "grew",
        "paid",
        "chose",
        "drove",
        "drunk",
        "ate",
        "wrote",
        "spoke",
        "heard",
        "won",
        "lost",
        "ran",
        "taught",
        "spent",
        "let",
        "put",
        "read",
    ]
) - {"read", "let", "put"}
_BASE_FORMS = frozenset({"bring", "need", "succeed"})
