"""Sentence splitting: exact spans over text that is never altered.

`sentencex` proposes the boundaries. It is written for edited prose, so three things are put
right here: it sees no boundary inside quotation marks or after a bracket left open, it breaks
after abbreviations and list numbers, and it leaves quotation marks standing alone.
"""

from __future__ import annotations

import re

from engine.spans import Span

_OPENERS = "\"'“‘«„‚([{"
_CLOSERS = "\"'”’»)]}"
_QUOTES = '"“”«»„‘‚`´<>‹›＂「」『』'
_TERMINATORS = ".!?…。！？｡؟۔।॥"
_WINDOW = 48
_LONGEST_BRACKET = 300


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES_AND_LINKS = _words(
    "mr mrs ms mx dr prof st sr mt ft rev fr gen col maj lt sgt capt cmdr adm gov sen rep pres hon "
    "messrs mme mlle e.g eg i.e ie vs v cf viz ca resp approx incl esp"
)
_BEFORE_NUMBERS = _words(
    "no nos nr fig figs eq eqs vol vols p pp ch chap sec sect art ex par para pt ed tab app ver "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
_MAY_END = _words("al etc inc ltd co corp jr ph.d phd m.d b.a m.a b.sc m.sc dept univ est min max")
_STARTERS = _words(
    "a an the i it its it's i'm he she we they you this that these those there here his her my our "
    "your their in on at by for from to with as if when while after before because since although "
    "though so but and or yet also however therefore moreover furthermore besides then thus hence "
    "first firstly second secondly third thirdly finally lastly next another some many most all "
    "every each no not people what who why how where which do does did is are was were can could "
    "will would should may must let don't nowadays today now one two according despite during"
)
_DOMAIN_ENDINGS = _words(
    "com org net edu gov io js ts py uk cn de fr jp eu info biz txt doc docx pdf html htm"
)

_BLANK_LINE = re.compile(
    r"(?:\r\n|\n|\r(?!\n)|\u2029)[^\S\r\n\u2029]*(?:\r\n|\n|\r(?!\n)|\u2029)|\u2029"
)
_CITATION = re.compile(r"(?:\s*\[\d{1,4}[a-z]?(?:\s*[,;–-]\s*\d{1,4}[a-z]?)*\])+$")
_REFERENCE = re.compile(r"\s*\[\d{1,4}\]")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
# Everyday words that sentencex takes for abbreviations.
_EVERYDAY = re.compile(
    r"\b(?:(?i:me|art|ill|ok)\.(?=[\s\"'”’)])|(?:[Nn]o|[Mm]ay|etc|I)\.(?=\s+[\"“‘(]?[^\W\da-z_]))"
)
_ENUMERATOR = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)\]]+")
_WORD = re.compile(r"[^\W_](?:[\w'’.-]*[^\W_])?")


def split_sentences(text: str) -> list[Span]:
    """The sentences of `text` as ordered, disjoint, non-empty spans without outer white space.

    Only white space lies between the spans. Offsets are half-open code points. A line break does
    not end a sentence, a blank line does. Time grows linearly with the text.
    """
    spans: list[Span] = []
    start = 0
    for end in _boundaries(text):
        _append_trimmed(text, start, end, spans)
        start = end
    return _merge_fragments(text, spans)


def _append_trimmed(text: str, start: int, end: int, spans: list[Span]) -> None:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if left < right:
        spans.append(Span(left, right))


def _boundaries(text: str) -> list[int]:
    """The places where a sentence ends, in order, the end of the text last."""
    hard = {match.end() for match in _BLANK_LINE.finditer(text)}
    ends = {_end_of_sentence(text, place) for place in _proposed(text)}
    accepted = {end for end in ends if end and _is_boundary(text, end)}
    return sorted(accepted | hard | {len(text)})


def _proposed(text: str) -> list[int]:
    """What sentencex proposes for the text without quotation marks and open brackets.

    To that come the places after everyday words that it takes for abbreviations.
    """
    # Imported here so that `engine.essay` can be imported without the native library.
    from sentencex import segment

    places: list[int] = []
    at = 0
    for piece in segment("en", _masked(text)):
        at += len(piece)
        places.append(at)
    return places + [match.end() for match in _EVERYDAY.finditer(text)]


def _masked(text: str) -> str:
    """The text, character for character, with spaces for what would hide a boundary."""
    characters = list(text)
    open_brackets: list[int] = []
    for place, character in enumerate(text):
        if character in _QUOTES or (character in "'’" and not _is_apostrophe(text, place)):
            characters[place] = " "
        elif "\ud800" <= character <= "\udfff":
            characters[place] = "\ufffd"
        elif character in "([":
            # A bracket that opens a sentence hides the boundary before it.
            before = text[max(0, place - 4) : place]
            if before[-1:].isspace() and before.rstrip()[-1:] in _TERMINATORS:
                characters[place] = character if _REFERENCE.match(text, place) else " "
            open_brackets.append(place)
        elif character in ")]" and open_brackets:
            opened = open_brackets.pop()
            if place - opened > _LONGEST_BRACKET:
                characters[opened] = " "
    for place in open_brackets:
        characters[place] = " "
    return "".join(characters)


def _is_apostrophe(text: str, place: int) -> bool:
    """Whether the mark at `place` stands inside a word."""
    return 0 < place < len(text) - 1 and text[place - 1].isalnum() and text[place + 1].isalnum()


def _end_of_sentence(text: str, place: int) -> int:
    """The end of the sentence that a proposed boundary closes, its closing marks included."""
    end = place
    while end and (text[end - 1].isspace() or text[end - 1] in _OPENERS + _CLOSERS):
        end -= 1
    while end < len(text) and text[end] in _CLOSERS and _closes(text, end):
        end += 1
    citation = _REFERENCE.match(text, end)
    return citation.end() if citation and place >= citation.end() else end


def _closes(text: str, place: int) -> bool:
    """Whether the mark at `place`, right after a sentence's full stop, belongs to it."""
    following = text[place + 1 : place + 2]
    if text[place] not in "\"'" or not following or not following.isalnum():
        return True
    # `said."Then`: an even number of marks before it means that this one opens a quotation.
    line = text.rfind("\n", 0, place) + 1
    return text.count(text[place], max(line, place - 1000), place) % 2 == 1


def _is_boundary(text: str, end: int) -> bool:
    """Whether a sentence really ends at `end`."""
    if end >= len(text):
        return True
    before = _CITATION.sub("", text[max(0, end - _WINDOW) : end])
    cited = len(before) < end - max(0, end - _WINDOW)
    core = before.rstrip(_CLOSERS)
    if not core or core[-1] not in _TERMINATORS:
        return False
    following = text[end : end + _WINDOW]
    touching = not following[0].isspace()
    following = following.lstrip().lstrip(_OPENERS)
    if following[:1].islower() and (cited or len(core) < len(before)):
        return False
    if core[-1] not in ".!?…":
        return True
    if touching and not cited and not _splits_without_space(core, following):
        return False
    if core[-1] != "." or core.endswith(".."):
        return True
    return not _is_abbreviation(core, following)


def _splits_without_space(core: str, following: str) -> bool:
    """Whether `it?I` and `2017.The` are two sentences, where `Node.js` and `a.b@c.org` are one."""
    token = core.rsplit(maxsplit=1)[-1].lower()
    rest = (following.split() or [""])[0]
    if "@" in token or "://" in token or token.startswith("www.") or "@" in rest or "/" in rest:
        return False
    if core[-1] != ".":
        return True
    word = re.split(r"\W", rest)[0]
    if word.lower() in _DOMAIN_ENDINGS or not word[:1].isupper() or word[1:2].isupper():
        return False
    last = core.rstrip(".")[-2:]
    return not last or last[-1].isdigit() or not last[-1].isalnum() or last.islower()


def _is_abbreviation(core: str, following: str) -> bool:
    """Whether the full stop that ends `core` only shortens a word."""
    word = (core.split() or [""])[-1].lstrip(_OPENERS)[:-1]
    lowered = word.lower()
    next_word = (_WORD.match(following) or [""])[0]
    if lowered in _TITLES_AND_LINKS:
        return True
    if lowered in _BEFORE_NUMBERS:
        return next_word[:1].isdigit()
    is_initial = len(word) == 1 and word.isupper() and word != "I"
    if not is_initial and lowered not in _MAY_END and not _DOTTED.fullmatch(word):
        return False
    if lowered == "etc":
        return not next_word[:1].isupper()
    return not next_word[:1].isupper() or next_word.lower().replace("’", "'") not in _STARTERS


def _merge_fragments(text: str, spans: list[Span]) -> list[Span]:
    """Join list numbers to the sentence after them and lone marks to the one before."""
    merged: list[Span] = []
    pending: int | None = None
    for span in spans:
        if pending is not None and _BLANK_LINE.search(text, pending, span.start):
            merged.append(Span(pending, len(text[pending : span.start].rstrip()) + pending))
            pending = None
        start = span.start if pending is None else pending
        pending = None
        after_gap = bool(merged) and _BLANK_LINE.search(text, merged[-1].end, span.start)
        if _ENUMERATOR.fullmatch(span.of(text)):
            pending = start
        elif _has_word(text, span) or not merged or after_gap:
            merged.append(Span(start, span.end))
        else:
            merged[-1] = Span(merged[-1].start, span.end)
    if pending is not None:
        merged.append(Span(pending, spans[-1].end))
    return _join_leading_marks(text, merged)


def _join_leading_marks(text: str, spans: list[Span]) -> list[Span]:
    """Join marks at the very start, such as a lone dash, to the sentence after them."""
    if len(spans) < 2 or _has_word(text, spans[0]):
        return spans
    if not _BLANK_LINE.search(text, spans[0].end, spans[1].start):
        return [Span(spans[0].start, spans[1].end), *spans[2:]]
    return spans


def _has_word(text: str, span: Span) -> bool:
    return any(character.isalnum() for character in span.of(text))
