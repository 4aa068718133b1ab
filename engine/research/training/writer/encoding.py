"""Items as token ids, and batches of them with little padding.

All prompts begin alike, with the instruction. That beginning is taken off every item and read
once for a whole batch, see `network.WriterNetwork`.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from engine.llm.prompts import edit_answer, edit_messages, flat
from engine.research.training.writer.items import WriterItem

LENGTH_NOISE = 12
"""Lengths are blurred by up to so many tokens, so that an item meets others in each epoch."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """One item's tokens: the prompt's, the answer's (its end included), and the answer's weights."""

    prompt: tuple[int, ...]
    answer: tuple[int, ...]
    weights: tuple[float, ...]

    @property
    def length(self) -> int:
        """How many tokens the model reads: all but the last, which is only foretold."""
        return len(self.prompt) + len(self.answer) - 1


@dataclass(frozen=True)
class Batch:
    """Items of like length, padded on the right.

    `prefix` (tokens) is what all begin with; `ids` (items x tokens) is the rest. Place k of the
    answers is foretold at `rows[k]`, `columns[k]` of `ids`; `labels[k]` is the token that stands
    there and `weights[k]` how much it counts.
    """

    prefix: torch.Tensor
    ids: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor

    def to(self, device: torch.device) -> Batch:
        """The same on another device."""
        return Batch(**{name: value.to(device) for name, value in vars(self).items()})


def prompt_text(tokenizer: Any, item: WriterItem) -> str:
    """The item's chat as the model reads it, up to where its answer begins."""
    messages = edit_messages(
        topic=item.topic,
        context=item.context,
        sentence=item.sentence,
        reason=item.reason,
        anchor=item.anchor,
    )
    text: str = tokenizer.apply_chat_template(
        [message.as_dict() for message in messages], tokenize=False, add_generation_prompt=True
    )
    return text


def token_ids(tokenizer: Any, text: str) -> list[int]:
    """The tokens of a text, to which nothing is added."""
    ids: list[int] = tokenizer(text, add_special_tokens=False)["input_ids"]
    return ids


def encode(tokenizer: Any, item: WriterItem, *, edit_weight: float = 1.0) -> Encoded:
    """The item's tokens; what the answer does not copy from the sentence weighs `edit_weight`."""
    source = token_ids(tokenizer, flat(item.sentence))
    answer = token_ids(tokenizer, edit_answer(item.answer))
    return Encoded(
        prompt=tuple(token_ids(tokenizer, prompt_text(tokenizer, item))),
        answer=(*answer, int(tokenizer.eos_token_id)),
        weights=tuple(_weights(source, answer, edit_weight)),
    )


def _weights(source: Sequence[int], answer: Sequence[int], edit_weight: float) -> list[float]:
    """One weight for each token of the answer and for its end.

    The token after words that were dropped counts as edited: there the model decides to drop them.
    """
    weights = [1.0] * (len(answer) + 1)
    matcher = difflib.SequenceMatcher(None, source, answer, autojunk=False)
    for operation, _, _, start, end in matcher.get_opcodes():
        if operation != "equal":
            for place in range(start, max(end, start + 1)):
                weights[place] = edit_weight
    return weights


def common_prefix(encoded: Sequence[Encoded]) -> int:
    """How many tokens all prompts begin with; at least one token of each is left over."""
    shortest = min(len(item.prompt) for item in encoded)
    first = encoded[0].prompt
    for place in range(shortest - 1):
        if any(item.prompt[place] != first[place] for item in encoded):
            return place
    return shortest - 1


def batches(
    encoded: Sequence[Encoded], *, prefix: int, tokens: int, seed: int, epoch: int
) -> list[list[Encoded]]:
    """The items in groups of like length of at most about `tokens` tokens, in random order."""
    chance = random.Random(f"{seed} {epoch}")  # noqa: S311 - nothing secret
    order = sorted(encoded, key=lambda item: item.length + chance.uniform(0, LENGTH_NOISE))
    groups: list[list[Encoded]] = []
    longest = 0
    for item in order:
        longest = max(longest, item.length - prefix)
        if not groups or longest * (len(groups[-1]) + 1) > tokens:
            groups.append([])
            longest = item.length - prefix
        groups[-1].append(item)
    chance.shuffle(groups)
    return groups


def collate(group: Iterable[Encoded], *, prefix: int) -> Batch:
    """One batch of a group; `prefix` tokens are common to all prompts."""
    items = list(group)
    width = max(item.length for item in items) - prefix
    ids = torch.zeros((len(items), width), dtype=torch.long)
    rows: list[int] = []
    columns: list[int] = []
    for number, item in enumerate(items):
        line = (item.prompt + item.answer[:-1])[prefix:]
        ids[number, : len(line)] = torch.tensor(line)
        first = len(item.prompt) - prefix - 1
        rows.extend([number] * len(item.answer))
        columns.extend(range(first, first + len(item.answer)))
    return Batch(
        prefix=torch.tensor(items[0].prompt[:prefix], dtype=torch.long),
        ids=ids,
        rows=torch.tensor(rows),
        columns=torch.tensor(columns),
        labels=torch.tensor([token for item in items for token in item.answer]),
        weights=torch.tensor([weight for item in items for weight in item.weights]),
    )
