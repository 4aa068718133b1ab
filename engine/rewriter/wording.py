"""Words, openings and capitals: the small text tools that the operators share.

There is no parser here: only regular expressions and closed word lists, so every answer is a
careful guess that leans towards leaving the writer's text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from engine.rewriter.vocabulary import COMMON_OPENERS, FUNCTION_WORDS, PROPER_WORDS

WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*")
_OPENING = re.compile(r"^[\s\"'“‘«(\[*•–—-]*")
_ALSO_NAMES = frozenset({"may", "will", "march", "mark", "bill", "rose", "polish"})
"""Words that are names with a capital and something else without."""
_STRAY = re.compile(r"^[\s,;:.]+(?=\w)")
_COMMON_SUFFIX = re.compile(
    r"(?:ing|ly|tion|sion|ment|ments|ness|ity|ism|ogy|ers|ies|ions|ern|ful|less|able|ible|"
    r"ous|ive|ship|hood|ance|ence|ants|ents|ages|ed)$"
)


def words(text: str) -> list[str]:
    """The words of `text`, lower-cased, apostrophes straightened."""
    return [match.lower().replace("’", "'") for match in WORD.findall(text)]


def stem(word: str) -> str:
    """A rough common form for plural and verb endings, good enough to compare two words."""
    for suffix, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", "e")):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)] + instead
            break
    else:
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


def content_stems(text: str) -> set[str]:
    """The stems of the words that carry meaning."""
    return {stem(w) for w in words(text) if w not in FUNCTION_WORDS and len(w) > 2}


def opening_length(sentence: str) -> int:
    """How many characters of quotes, brackets, bullets and stray commas come before the words."""
    length = len(_match_opening(sentence))
    stray = _STRAY.match(sentence[length:])
    return length + (stray.end() if stray else 0)


def _match_opening(sentence: str) -> str:
    match = _OPENING.match(sentence)
    return match.group() if match else ""


def first_word(text: str) -> str:
    """The first word as written, or an empty string."""
    match = WORD.search(text)
    return match.group() if match else ""


def upper_first(text: str) -> str:
    """`text` with its first letter a capital."""
    for place, character in enumerate(text):
        if character.isalnum():
            return text[:place] + character.upper() + text[place + 1 :]
    return text


def lower_first(text: str, essay: Sequence[str]) -> str:
    """`text` without the capital that only stood there to open the sentence.

    Names, `I`, acronyms and words that the essay writes with a capital in mid-sentence keep it;
    so does a word about which nothing is known.
    """
    word = first_word(text)
    if not word or not word[0].isupper() or keeps_capital(word, essay):
        return text
    at = text.index(word)
    return text[:at] + word[0].lower() + text[at + 1 :]


def keeps_capital(word: str, essay: Iterable[str]) -> bool:
    """Whether a capitalised word that opens a sentence should stay capitalised inside one."""
    known = _known_capital(word, essay)
    return not _COMMON_SUFFIX.search(word.lower()) if known is None else known


def capital_is_doubtful(text: str, essay: Iterable[str]) -> bool:
    """Whether `text` opens with a word that may be a name or not ("Bread", "Rose")."""
    word = first_word(text)
    if not word or not word[0].isupper() or _COMMON_SUFFIX.search(word.lower()):
        return False
    return _known_capital(word, essay) is None


def _known_capital(word: str, essay: Iterable[str]) -> bool | None:
    """Whether the word is written with a capital; None if neither lists nor essay tell."""
    plain = word.replace("’", "'")
    lowered = plain.lower()
    base = lowered.split("'")[0]
    if base in _ALSO_NAMES:
        return None
    if base == "i" or base in PROPER_WORDS or lowered in PROPER_WORDS:
        return True
    if any(character.isupper() for character in plain[1:]):
        return True
    if base in FUNCTION_WORDS or base in COMMON_OPENERS:
        return False
    inside = re.compile(r"(?<=[a-z,;] )" + re.escape(word) + r"\b")
    lower_form = re.compile(r"\b" + re.escape(word[0].lower() + word[1:]) + r"\b")
    for sentence in essay:
        if lower_form.search(sentence):
            return False
        if inside.search(sentence):
            return True
    return None


def names(text: str) -> set[str]:
    """Capitalised words that do not open the sentence, and words with inner capitals."""
    found: set[str] = set()
    opening = True
    for match in WORD.finditer(text):
        word = match.group()
        if (word[0].isupper() and not opening) or any(c.isupper() for c in word[1:]):
            found.add(word.lower())
        after = text[match.end() : match.end() + 2]
        opening = after[:1] in (".", "?", "!", ":", "“", '"')
    return found - {"i"}


def numbers(text: str) -> set[str]:
    """Every run of digits in `text`."""
    return set(re.findall(r"\d+(?:[.,]\d+)*", text))
