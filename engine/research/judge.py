"""A language model as judge of rewrites, as in the DECOR paper: acceptance rate and win rate.

**Acceptance**: the judge reads the rewrite with its context, by the prompt that detects incoherence
with 16 examples (Table 11), and answers 1 (coherent) or 0 on its first line. Rate: answers of 1
over all items, so that an answer that cannot be parsed counts as not accepted.

**Win**: the judge reads two rewrites of the sentence, whose positions are drawn by chance, and ends
its answer with `m` for the first or `M` for the second (Table 20). Rate: wins over the answers that
can be parsed.

Both over the sentences that the expert rewrote (not deleted), at temperature 0. As the paper's own
code does, except that a label before the digit and marks around the letter are forgiven, a word
that merely ends in m is no answer, and the first line of an acceptance is all that is generated.
Source: Zhang et al., DECOR (EMNLP 2024), section 6 and its released `evaluate.py`; the prompts are
in resources/prompts, where decor-prompts.md says whose wording they are.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import Any

import numpy as np

from engine.errors import ModelError
from engine.llm.protocol import GenerationRequest, Message
from engine.research.data import DELETE
from engine.research.metrics import Interval, bootstrap
from engine.research.rewrites.edits import tokens
from engine.research.rewrites.examples import Example
from engine.resources import resources_folder
from engine.scheme import ReasonCode

_EXPERT = "expert"
_PLACE = re.compile(r"\{(\w+)\}")
_ACCEPTANCE = re.compile(r"[\s*_`#\"'(]*(?:answer[\W_]+)?([01])[\W_]*", re.IGNORECASE)
_WINNER = re.compile(r"(?:^|[^A-Za-z0-9_'’])([mM])[\s`*_\"'.)\]]*$")
_SHORT_ANSWER = 16
_LONG_ANSWER = 2048


class Metric(StrEnum):
    """What is asked of the judge."""

    ACCEPTANCE = "acceptance"
    WIN = "win"


@dataclass(frozen=True, slots=True)
class Question:
    """One question to the judge about one system's rewrite.

    Of a win question, `is_first` says that the system's rewrite stands first, and `is_same` that
    the two rewrites have the same words, so that the answer says nothing.
    """

    metric: Metric
    system: str
    essay_id: str
    request: GenerationRequest
    is_first: bool = True
    is_same: bool = False

    def verdict(self, answer: str) -> bool | None:
        """Whether the rewrite is accepted, or wins; None where the answer cannot be parsed."""
        if self.metric is Metric.ACCEPTANCE:
            return parse_acceptance(answer)
        winner = parse_winner(answer)
        return None if winner is None else (winner == "m") == self.is_first


def parse_acceptance(answer: str) -> bool | None:
    """Whether the first line says 1 (accepted) or 0; None where it says neither."""
    found = _ACCEPTANCE.fullmatch(answer.strip().split("\n")[0].strip())
    return None if found is None else found[1] == "1"


def parse_winner(answer: str) -> str | None:
    """The `m` or `M` that the answer ends with; None where it ends with neither."""
    found = _WINNER.search(answer)
    return None if found is None else found[1]


def judged_items(examples: Sequence[Example], setting: str) -> list[Example]:
    """The sentences of one setting that the expert rewrote, as the paper judges them."""
    return [
        example
        for example in examples
        if example.setting == setting and example.incoherent and example.expert != DELETE
    ]


def acceptance_question(example: Example, system: str) -> Question:
    """Is the system's first text that keeps the sentence coherent with the context?"""
    return Question(
        Metric.ACCEPTANCE,
        system,
        example.essay_id,
        _request(
            "decor-acceptance-system.txt",
            "decor-acceptance-user.txt",
            {"context": example.context, "sentence": example.kept_text(system)},
            # Only the first line is read, so nothing after it need be generated.
            max_tokens=_SHORT_ANSWER,
            stop=("\n",),
        ),
    )


def win_question(
    example: Example, system: str, against: str, *, with_reasons: bool = True, seed: int = 0
) -> Question:
    """Which is better, the system's text or that of `against` (a system, or "expert")?

    The same seed gives the same positions, whatever else is judged and in whatever order.
    """
    mine, other = example.kept_text(system), _opponent(example, against)
    draw = random.Random(f"{seed}|{example.essay_id}|{example.index}|{system}|{against}")  # noqa: S311 - no secret hangs on it
    is_first = draw.random() < 0.5
    first, second = (mine, other) if is_first else (other, mine)
    values = {
        "context": example.context,
        "sentence": example.sentence,
        "output_1": first,
        "output_2": second,
        "reasons": reason_text(example.reasons),
    }
    user = "decor-win-reasons-user.txt" if with_reasons else "decor-win-user.txt"
    return Question(
        Metric.WIN,
        system,
        example.essay_id,
        _request("decor-win-system.txt", user, values, max_tokens=_LONG_ANSWER),
        is_first=is_first,
        is_same=tokens(mine) == tokens(other),
    )


def _opponent(example: Example, against: str) -> str:
    return example.expert if against == _EXPERT else example.kept_text(against)


def reason_text(reasons: Sequence[ReasonCode]) -> str:
    """What the prompt says of the expert's reasons, in the scheme's order."""
    known: Mapping[str, str] = json.loads(_prompt("decor-reasons.json"))
    return "".join(known[code.value] for code in reasons)


def _request(
    system: str,
    user: str,
    values: Mapping[str, str],
    *,
    max_tokens: int,
    stop: tuple[str, ...] = (),
) -> GenerationRequest:
    # One pass, so that braces in an essay are never taken for a place to fill.
    filled = _PLACE.sub(lambda place: values[place[1]], _prompt(user))
    messages = (Message("system", _prompt(system)), Message("user", filled))
    return GenerationRequest(messages, max_tokens=max_tokens, temperature=0.0, stop=stop)


@cache
def _prompt(name: str) -> str:
    """A prompt without the newline that ends its file. Raises ModelError where it is missing."""
    path = resources_folder() / "prompts" / name
    try:
        return path.read_text(encoding="utf-8").removesuffix("\n")
    except OSError as error:
        raise ModelError(
            f"Segue's own file {path} cannot be read.", hint="Install Segue again."
        ) from error


@dataclass(frozen=True)
class Rate:
    """How one system fares by one metric; `rate` is a fraction, None where nothing counts.

    `yes` are acceptances or wins, `no` the opposite. `same` counts pairs of equal texts among
    the wins and losses.
    """

    metric: Metric
    system: str
    yes: int
    no: int
    unparsable: int
    same: int
    interval: Interval | None

    @property
    def n(self) -> int:
        """How many questions were asked."""
        return self.yes + self.no + self.unparsable

    @property
    def rate(self) -> float | None:
        """As the paper has it: unparsable answers count as not accepted, but in no win rate."""
        whole = self.n if self.metric is Metric.ACCEPTANCE else self.yes + self.no
        return self.yes / whole if whole else None

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        found = self.interval
        return {
            "n": self.n,
            "rate": None if self.rate is None else round(self.rate, 4),
            "interval": None if found is None else [round(found.low, 4), round(found.high, 4)],
            "yes": self.yes,
            "no": self.no,
            "unparsable": self.unparsable,
            "same": self.same,
        }


def rates(
    questions: Sequence[Question],
    answers: Sequence[str],
    *,
    samples: int = 1000,
    seed: int = 0,
) -> list[Rate]:
    """A rate for each metric and system, in the order of the questions, bootstrapped over essays."""
    together: dict[tuple[Metric, str], list[tuple[Question, bool | None]]] = {}
    for question, answer in zip(questions, answers, strict=True):
        verdicts = together.setdefault((question.metric, question.system), [])
        verdicts.append((question, question.verdict(answer)))
    return [
        _rate(metric, system, verdicts, samples, seed)
        for (metric, system), verdicts in together.items()
    ]


def _rate(
    metric: Metric,
    system: str,
    verdicts: Sequence[tuple[Question, bool | None]],
    samples: int,
    seed: int,
) -> Rate:
    missing = 0.0 if metric is Metric.ACCEPTANCE else np.nan
    values = np.array([missing if v is None else float(v) for _, v in verdicts])
    essays = np.array([question.essay_id for question, _ in verdicts])
    members = [np.flatnonzero(essays == name) for name in np.unique(essays)]

    def measure(places: np.ndarray[Any, np.dtype[np.intp]]) -> list[float | None]:
        known = values[places][~np.isnan(values[places])]
        return [float(known.mean()) if known.size else None]

    (interval,) = bootstrap(members, measure, samples=samples, seed=seed) or [None]
    return Rate(
        metric,
        system,
        yes=sum(1 for _, verdict in verdicts if verdict is True),
        no=sum(1 for _, verdict in verdicts if verdict is False),
        unparsable=sum(1 for _, verdict in verdicts if verdict is None),
        same=sum(1 for question, v in verdicts if question.is_same and v is not None),
        interval=interval,
    )


@dataclass
class Judge:
    """Asks the questions, each only once; what `known` holds already is not asked again.

    `ask` gives an answer for each request, `keep` is told each new answer as it comes.
    """

    ask: Callable[[Sequence[GenerationRequest]], Sequence[str]]
    known: dict[str, str] = field(default_factory=dict)
    keep: Callable[[str, str], None] = lambda key, answer: None
    name: str = ""

    def answers(
        self,
        questions: Sequence[Question],
        *,
        batch: int = 8,
        on_step: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[str]:
        """The answers, in order, asked for in batches; `on_step` is told how many are there."""
        keys = [self._key(question.request) for question in questions]
        asked = dict(zip(keys, (question.request for question in questions), strict=True))
        waiting = [key for key in asked if key not in self.known]
        for start in range(0, len(waiting), batch):
            some = waiting[start : start + batch]
            for key, answer in zip(some, self.ask([asked[key] for key in some]), strict=True):
                self.known[key] = answer
                self.keep(key, answer)
            on_step(len(asked) - len(waiting) + start + len(some), len(asked))
        return [self.known[key] for key in keys]

    def _key(self, request: GenerationRequest) -> str:
        return request_key(request, self.name)


def request_key(request: GenerationRequest, name: str) -> str:
    """A key for a request to the judge of that name: no text of the essay can be read in it."""
    import hashlib

    data = [name, request.max_tokens, request.temperature, request.stop]
    data += [message.as_dict() for message in request.messages]
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()
