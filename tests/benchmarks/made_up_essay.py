"""Essays of any length for timing: made up from word lists, the same for the same seed."""

from __future__ import annotations

import random

TOPIC = "It is better to travel with a group than alone."

_OPENINGS = ("", "", "However, ", "For example, ", "In addition, ", "But ", "So ", "Finally, ")
_WHO = (
    "my older sister", "a group of students", "the guide in our town", "most young people",
    "my neighbour from the market", "a traveller without much money", "the owner of a small hotel",
)  # fmt: skip
_DOES = (
    "wants to learn about", "often forgets", "pays too much for", "tells long stories about",
    "never had time for", "likes to share", "was surprised by",
)  # fmt: skip
_WHAT = (
    "the old streets near the river", "a museum that opens only in summer", "the food of the region",
    "quiet evenings in the mountains", "buses that come late", "people from other countries",
)  # fmt: skip
_TAILS = (
    "because it takes a whole day", "when the weather is good", "although friends said otherwise",
    "and this changes the plan for everybody", "which is hard to explain in a short letter",
)  # fmt: skip


def made_up_sentences(words: int, *, seed: int = 0) -> tuple[str, ...]:
    """Sentences of about 20 words, `words` in all or up to one sentence more."""
    chooser = random.Random(seed)
    sentences: list[str] = []
    count = 0
    while count < words:
        parts = (_WHO, _DOES, _WHAT, _TAILS)
        body = " ".join(chooser.choice(part) for part in parts)
        sentence = f"{chooser.choice(_OPENINGS)}{body}."
        sentences.append(sentence[0].upper() + sentence[1:])
        count += len(sentence.split())
    return tuple(sentences)
