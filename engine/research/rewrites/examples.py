"""Every sentence with all answers, one JSON object a line: to read, to compare, to judge."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import DamagedFile
from engine.plain_data import read_back
from engine.research.data import DELETE
from engine.research.readers.tables import read_text
from engine.scheme import CODES, ReasonCode

if TYPE_CHECKING:
    from engine.research.evaluate_rewriting import ItemResult, RewritingReport


_HINT = "Write the file with `segue evaluate rewriting --examples`."


def example_lines(report: RewritingReport) -> Iterator[str]:
    """The lines: each setting's sentences in file order.

    Left out are sentences that experts found coherent and no system was asked about.
    """
    for setting, systems in report.settings.items():
        names = list(systems)
        for row in zip(*(scores.results for scores in systems.values()), strict=True):
            if row[0].item.incoherent or row[0].asked:
                data = _example(setting, dict(zip(names, row, strict=True)))
                yield json.dumps(data, ensure_ascii=False)


def _example(setting: str, results: Mapping[str, ItemResult]) -> dict[str, Any]:
    some = next(iter(results.values()))
    item = some.item
    return {
        "setting": setting,
        "essay_id": item.essay_id,
        "index": item.index,
        "topic": item.topic,
        "context": item.context,
        "sentence": item.sentence,
        "incoherent": item.incoherent,
        "reasons": [code.value for code in item.reasons],
        "expert": item.expert_answer,
        "asked": some.asked,
        "flagged": some.flagged,
        "answers": {name: _suggestions(result) for name, result in results.items()},
    }


def _suggestions(result: ItemResult) -> list[dict[str, Any]]:
    """The suggestions, the best first; `clears` is null where that was not looked at."""
    return [
        {"text": one.shown, "operator": one.operator, "clears": cleared}
        for one, cleared in zip_longest(result.answer.suggestions, result.clears)
    ]


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence of an examples file: the expert's answer and each system's texts in order."""

    setting: str
    essay_id: str
    index: int
    context: str
    sentence: str
    incoherent: bool
    reasons: tuple[ReasonCode, ...]
    expert: str
    answers: Mapping[str, tuple[str, ...]]

    def kept_text(self, system: str) -> str:
        """The system's first text that keeps the sentence; the sentence where it has none.

        Raises KeyError for a system that is not in the file.
        """
        return next((text for text in self.answers[system] if text != DELETE), self.sentence)


def read_examples(path: Path) -> list[Example]:
    """Read what `example_lines` wrote. Raises InputError naming the line that cannot be read."""
    examples = []
    # Only "\n" ends a line: JSON allows U+2028 in a string.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            examples.append(_read(json.loads(line)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFile(
                f"{path.name}, line {number}: not an example.",
                hint=_HINT,
            ) from error
    if not examples:
        raise DamagedFile(f"{path.name} holds no examples.", hint=_HINT)
    return examples


def _read(data: Mapping[str, Any]) -> Example:
    codes = {ReasonCode(code) for code in data["reasons"]}
    return read_back(
        Example,
        data,
        reasons=tuple(code for code in CODES if code in codes),
        answers={
            str(name): tuple(str(one["text"]) for one in suggestions)
            for name, suggestions in data["answers"].items()
        },
    )
