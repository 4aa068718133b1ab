"""How good the writer is on held-out essays: its loss, and its greedy answers' edit F0.5."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from engine.llm.prompts import edit_request, parse_edit
from engine.llm.protocol import GenerationRequest
from engine.research.rewrites.edits import EditCounts, changed_word_ratio, token_edits, tokens
from engine.research.training.writer.config import WriterConfig
from engine.research.training.writer.encoding import (
    Encoded,
    batches,
    collate,
    prompt_text,
    token_ids,
)
from engine.research.training.writer.items import WriterItem, sample
from engine.research.training.writer.network import WriterNetwork

AT_ONCE = 16
"""How many items are answered together."""


class WriterJudge:
    """Measures a network on held-out items.

    Figures, all over the held-out essays: `loss` and `edited_loss` (nats a token: all tokens of
    the answers, and those that are not copied), and of the greedy answers to a sample of `n`
    items `edit_f05`, `exact` (the answer is the annotator's), `copied` (the sentence is given
    back as it was), `changed` (median share of changed words). `criterion` is edit F0.5, with the
    loss deciding between equals.
    """

    def __init__(
        self,
        tokenizer: Any,
        items: Sequence[WriterItem],
        encoded: Sequence[Encoded],
        config: WriterConfig,
        *,
        prefix: int,
    ) -> None:
        """`encoded` are the items' tokens, where what is not copied weighs more than 1."""
        self._tokenizer = tokenizer
        self._encoded = encoded
        self._config = config
        self._prefix = prefix
        self._asked = sample(items, config.generated, seed=config.seed)

    def __call__(self, network: WriterNetwork) -> dict[str, float]:
        """The figures; call it in inference mode, with the network in evaluation mode."""
        figures = self._losses(network)
        answers = greedy_answers(network.language_model, self._tokenizer, self._asked)
        figures |= answer_figures(self._asked, answers)
        criterion = figures["edit_f05"] - 1e-3 * figures["loss"]
        return {**{k: round(v, 4) for k, v in figures.items()}, "criterion": criterion}

    def _losses(self, network: WriterNetwork) -> dict[str, float]:
        whole = edited = 0.0
        count = edited_count = 0
        for group in self._groups():
            batch = collate(group, prefix=self._prefix).to(_device(network.language_model))
            losses = network(batch)
            is_edited = batch.weights > 1.0
            whole += float(losses.sum())
            edited += float(losses[is_edited].sum())
            count += losses.numel()
            edited_count += int(is_edited.sum())
        return {"loss": whole / max(1, count), "edited_loss": edited / max(1, edited_count)}

    def _groups(self) -> Iterator[list[Encoded]]:
        yield from batches(
            self._encoded, prefix=self._prefix, tokens=self._config.batch_tokens, seed=0, epoch=0
        )


def answer_figures(items: Sequence[WriterItem], answers: Sequence[str]) -> dict[str, float]:
    """What `WriterJudge` says of greedy answers, as fractions."""
    total = EditCounts()
    changed = []
    exact = copied = 0
    for item, answer in zip(items, answers, strict=True):
        made = token_edits(item.sentence, answer)
        total += EditCounts.of(token_edits(item.sentence, item.answer), made)
        exact += tokens(answer) == tokens(item.answer)
        copied += not made
        if made:
            changed.append(changed_word_ratio(item.sentence, answer))
    count = max(1, len(items))
    return {
        "n": float(len(items)),
        "edit_f05": total.f05 or 0.0,
        "edit_precision": total.precision or 0.0,
        "edit_recall": total.recall or 0.0,
        "exact": exact / count,
        "copied": copied / count,
        "changed": sorted(changed)[len(changed) // 2] if changed else 0.0,
    }


def request_for(item: WriterItem) -> GenerationRequest:
    """The request that the rewriter would make of a backend."""
    return edit_request(
        topic=item.topic,
        context=item.context,
        sentence=item.sentence,
        reason=item.reason,
        anchor=item.anchor,
    )


def greedy_answers(model: Any, tokenizer: Any, items: Sequence[WriterItem]) -> list[str]:
    """The likeliest answer to each item, token by token, in the order of the items.

    They end where a backend would end them.
    """
    prompts = [token_ids(tokenizer, prompt_text(tokenizer, item)) for item in items]
    order = sorted(range(len(items)), key=lambda place: len(prompts[place]))
    answers = [""] * len(items)
    for start in range(0, len(order), AT_ONCE):
        places = order[start : start + AT_ONCE]
        requests = [request_for(items[place]) for place in places]
        room = max(request.max_tokens for request in requests)
        made = _generate(model, tokenizer, [prompts[place] for place in places], room)
        for place, request, ids in zip(places, requests, made, strict=True):
            text: str = tokenizer.decode(ids[: request.max_tokens], skip_special_tokens=True)
            for stop in request.stop:
                text = text.partition(stop)[0]
            answers[place] = parse_edit(text)
    return answers


def _generate(
    model: Any, tokenizer: Any, prompts: Sequence[list[int]], room: int
) -> list[list[int]]:
    """At most `room` new tokens for each prompt."""
    width = max(len(prompt) for prompt in prompts)
    ids = torch.full((len(prompts), width), int(tokenizer.pad_token_id))
    mask = torch.zeros_like(ids)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        mask[row, width - len(prompt) :] = 1
    device = _device(model)
    made = model.generate(
        input_ids=ids.to(device),
        attention_mask=mask.to(device),
        max_new_tokens=room,
        do_sample=False,
        pad_token_id=tokenizer.pad_token_id,
    )
    new: list[list[int]] = made[:, width:].tolist()
    return new


def _device(model: Any) -> torch.device:
    device: torch.device = model.device
    return device
