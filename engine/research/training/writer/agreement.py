"""Does llama.cpp read the exported file as transformers reads the merged model?"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from engine.errors import BackendError, ModelError
from engine.llm.backends import open_backend
from engine.llm.options import BackendOptions
from engine.llm.prompts import parse_edit
from engine.research.training.writer.items import WriterItem
from engine.research.training.writer.judging import (
    answer_figures,
    greedy_answers,
    request_for,
)

log = logging.getLogger(__name__)

LEAST_SAME = 0.2
"""A wrong export turns nearly all answers; rounding SmolLM2-135M's to 5 bits left 7 of 20 alike."""
LEAST_COMPARED = 10


@dataclass(frozen=True)
class Exported:
    """How the exported file does: figures of its greedy answers, and its speed.

    `same` of `compared` answers are word for word those of the merged model in transformers.
    """

    figures: dict[str, float]
    tokens_per_second: float
    seconds_an_item: float
    same: int
    compared: int


def check_export(
    gguf: Path, merged: Any, tokenizer: Any, items: Sequence[WriterItem], *, compared: int = 20
) -> Exported | None:
    """Have llama.cpp answer the items, and transformers the first `compared` of them.

    `merged` is the model before it was quantized. None where llama.cpp is not installed. Raises
    ModelError where the two hardly ever agree on `LEAST_COMPARED` answers or more.
    """
    try:
        answers, speed, seconds = _by_llama_cpp(gguf, items)
    except BackendError as error:
        log.warning("the exported file was not tried: %s", error.message)
        return None
    with torch.inference_mode():
        reference = greedy_answers(merged, tokenizer, items[:compared])
    same = sum(one == other for one, other in zip(answers, reference, strict=False))
    log.info("llama.cpp and transformers agree on %d of %d answers", same, len(reference))
    if len(reference) >= LEAST_COMPARED and same < LEAST_SAME * len(reference):
        raise ModelError(
            f"llama.cpp and transformers agree on {same} of {len(reference)} answers only.",
            hint="The export went wrong, or the quantization is too coarse for this model.",
        )
    return Exported(answer_figures(items, answers), speed, seconds, same, len(reference))


def _by_llama_cpp(gguf: Path, items: Sequence[WriterItem]) -> tuple[list[str], float, float]:
    backend = open_backend("llama-cpp", BackendOptions(model=gguf, device="cpu"))
    try:
        made = [backend.generate(request_for(item)) for item in items]
    finally:
        backend.close()
    seconds = sum(one.seconds for one in made)
    tokens = sum(one.tokens for one in made)
    return (
        [parse_edit(one.text) for one in made],
        tokens / seconds if seconds else 0.0,
        seconds / max(1, len(made)),
    )
