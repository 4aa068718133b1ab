"""What already flows in an essay: statements that can be counted in the text, nothing else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from engine.essay import Essay
from engine.reports.wording import counted, listed
from engine.scheme import CODES, SCHEME, Group, ReasonCode

MOST_STRENGTHS = 4
_SHORTEST_RUN = 4
_FEWEST_SENTENCES = 5
"""Below this many sentences, that nothing of a kind was found says little."""

# Formal linking words and phrases that open a sentence, as teaching lists have them.
_LINKS = (
    "above all", "accordingly", "after all", "afterwards", "as a consequence", "as a result",
    "as well as this", "at first", "at the same time", "besides", "by contrast", "consequently",
    "despite this", "equally", "eventually", "finally", "first", "first of all", "firstly",
    "for example", "for instance", "for this reason", "for these reasons", "furthermore", "hence",
    "however", "in addition", "in addition to this", "in comparison", "in conclusion",
    "in contrast", "in fact", "in other words", "in particular", "in short", "in spite of this",
    "in summary", "in the end", "in the same way", "in this case", "in this way", "indeed",
    "instead", "last but not least", "lastly", "later", "likewise", "meanwhile", "moreover",
    "nevertheless", "next", "nonetheless", "of course", "on the contrary", "on the one hand",
    "on the other hand", "otherwise", "overall", "second", "secondly", "similarly",
    "specifically", "still", "that is", "that is why", "then", "therefore", "third", "thirdly",
    "thus", "to begin with", "to conclude", "to sum up", "to summarise", "to summarize",
)  # fmt: skip
_OPENING = re.compile(
    r"\W*(" + "|".join(sorted(map(re.escape, _LINKS), key=len, reverse=True)) + r")\b(?=\s*,|\s)",
    re.IGNORECASE,
)
_NEEDS_COMMA = frozenset(
    {"first", "second", "third", "next", "later", "still", "then", "instead", "that is", "indeed"}
)


def strengths_of(
    essay: Essay,
    texts: Sequence[str],
    marked: Mapping[int, ReasonCode],
    looked_for: Collection[ReasonCode] = CODES,
) -> tuple[str, ...]:
    """At most four statements; none for an essay too short to judge.

    `texts` are the sentences, `marked` the first reason of each marked one by index,
    `looked_for` the reasons that were looked for.
    """
    if len(texts) < 2:
        return ()
    found = [
        *_unmarked(len(texts), len(marked)),
        *_paragraphs(essay, len(texts), marked),
        *_links(texts, marked, looked_for),
        *_run(len(texts), marked),
        *_groups(len(texts), marked, looked_for),
    ]
    return tuple(found[:MOST_STRENGTHS])


def _unmarked(sentences: int, marks: int) -> Iterator[str]:
    followers = sentences - 1
    clear = followers - marks
    if not marks:
        yield (
            f"Nothing was marked: each of the {counted(followers, 'sentence')} after the first "
            "follows on from the text before it."
            if followers > 1
            else "Nothing was marked: the second sentence follows on from the first."
        )
    elif clear * 2 >= followers:
        verb = "follows" if clear == 1 else "follow"
        yield f"{clear} of the {followers} sentences after the first {verb} on without a mark."


def _paragraphs(essay: Essay, judged: int, marked: Mapping[int, ReasonCode]) -> Iterator[str]:
    if not marked or len(essay.sentences) != judged:
        return
    places: dict[int, list[int]] = {}
    for sentence in essay.sentences:
        places.setdefault(sentence.paragraph, []).append(sentence.index)
    clean = [
        str(number)
        for number, indexes in enumerate(places.values(), start=1)
        if len(indexes) > 1 and not any(index in marked for index in indexes)
    ]
    if clean and len(places) > 1:
        noun, verb = ("Paragraph", "has") if len(clean) == 1 else ("Paragraphs", "have")
        yield f"{noun} {listed(clean)} {verb} no mark at all."


def _links(
    texts: Sequence[str], marked: Mapping[int, ReasonCode], looked_for: Collection[ReasonCode]
) -> Iterator[str]:
    if ReasonCode.R3 not in looked_for:
        return
    used = Counter(
        link
        for index, text in enumerate(texts)
        if index and marked.get(index) is not ReasonCode.R3 and (link := opening_link(text))
    )
    if not used:
        return
    names = [f"“{link}”" for link, _ in used.most_common(4)]
    more = len(used) - len(names)
    told = listed(names) if not more else f"{', '.join(names)} and {more} more"
    total = sum(used.values())
    if total == 1:
        yield f"One sentence opens with a linking word that was not marked: {told}."
    else:
        yield f"{total} sentences open with a linking word that was not marked: {told}."


def opening_link(text: str) -> str:
    """The formal linking word or phrase that opens a sentence, as written; empty for none."""
    match = _OPENING.match(text)
    if match is None:
        return ""
    link = match.group(1)
    if link.lower() in _NEEDS_COMMA and not text[match.end() :].lstrip().startswith(","):
        return ""
    return link[0].upper() + link[1:].lower()


def _run(sentences: int, marked: Mapping[int, ReasonCode]) -> Iterator[str]:
    if not marked:
        return
    bounds = [0, *(index for index in sorted(marked)), sentences]
    starts = [bounds[0], *(bound + 1 for bound in bounds[1:-1])]
    length, start = max(
        (end - start, -start) for start, end in zip(starts, bounds[1:], strict=True)
    )
    if length >= _SHORTEST_RUN:
        yield f"Sentences {1 - start} to {length - start} run on without a mark."


def _groups(
    sentences: int, marked: Mapping[int, ReasonCode], looked_for: Collection[ReasonCode]
) -> Iterator[str]:
    if not marked or sentences < _FEWEST_SENTENCES:
        return
    found = {SCHEME[code].group for code in marked.values()}
    searched = [group for group in Group if _codes(group) <= set(looked_for)]
    if Group.RELEVANCE in searched and Group.RELEVANCE not in found:
        yield "No sentence was marked as leaving the topic."
    if Group.CONSISTENCY in searched and Group.CONSISTENCY not in found:
        yield "No sentence was marked as going against an earlier one."


def _codes(group: Group) -> set[ReasonCode]:
    return {code for code in CODES if SCHEME[code].group is group}
