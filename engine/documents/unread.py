"""The account of what a reader left out, for the user."""

from __future__ import annotations

from collections import Counter

from engine.essay import Notice


class Unread:
    """Counts parts of a file that were not read, by their plain name in the plural."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def count(self, what: str) -> None:
        """One more of these was left out."""
        self._counts[what] += 1

    def count_if(self, what: str, condition: bool) -> None:  # noqa: FBT001 - reads as a sentence
        """One more of these was left out, if so."""
        if condition:
            self.count(what)

    def notices(self) -> list[Notice]:
        """One notice for each kind, such as `tables-not-read`."""
        return [
            Notice(
                what.lower().replace(" ", "-") + "-not-read",
                f"Not read: {what} ({number}).",
            )
            for what, number in self._counts.items()
        ]
