"""The teacher's signal: how surprised a language model is by each character of an essay.

SmolLM2-135M reads the topic and the essay from left to right; the negative log-likelihood of each
of its tokens (in nats) is spread evenly over the token's characters, so that any other tokenizer
can add it up over its own tokens.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

FloatArray = NDArray[np.float32]
MAX_TEACHER_TOKENS = 1536


class Teacher:
    """A causal language model read from a GGUF file through transformers."""

    def __init__(self, gguf: Path, *, device: str = "cpu") -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self._torch = torch
        self._device = device
        folder, name = str(gguf.parent), gguf.name
        self._tokenizer: Any = AutoTokenizer.from_pretrained(folder, gguf_file=name)
        model: Any = AutoModelForCausalLM.from_pretrained(
            folder, gguf_file=name, dtype=half_precision(device)
        )
        self._model = model.to(device).eval()

    def nats(self, topic: str, sentences: Sequence[str]) -> list[FloatArray]:
        """For each sentence, the nats of each of its characters, as float32 arrays."""
        prefix = topic + "\n\n" if topic else "\n"
        text = prefix + " ".join(sentences)
        per_character = self._character_nats(text)
        found, at = [], len(prefix)
        for sentence in sentences:
            found.append(per_character[at : at + len(sentence)])
            at += len(sentence) + 1
        return found

    def _character_nats(self, text: str) -> FloatArray:
        torch = self._torch
        encoded = self._tokenizer(text, return_offsets_mapping=True, add_special_tokens=False)
        ids, offsets = encoded["input_ids"], encoded["offset_mapping"]
        result = np.zeros(len(text), dtype=np.float32)
        step = MAX_TEACHER_TOKENS // 2
        for begin in range(0, max(len(ids) - step, 1), step):
            part = torch.tensor([ids[begin : begin + MAX_TEACHER_TOKENS]], device=self._device)
            with torch.inference_mode():
                logits = self._model(part).logits[0, :-1]
            losses = _losses(torch, logits, part[0, 1:])
            fresh = 1 if begin == 0 else MAX_TEACHER_TOKENS - step
            for position in range(fresh, part.shape[1]):
                start, end = offsets[begin + position]
                if end > start:
                    result[start:end] = losses[position - 1] / (end - start)
        return result


def half_precision(device: str) -> Any:
    """bfloat16 where the device computes in it, else float32."""
    import torch

    if device != "cpu":
        return torch.bfloat16
    able = torch.cpu.get_capabilities()
    return torch.bfloat16 if able.get("avx512_bf16") or able.get("amx_bf16") else torch.float32


def _losses(torch: Any, logits: torch.Tensor, targets: torch.Tensor) -> FloatArray:
    values = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")
    array: FloatArray = values.cpu().numpy().astype(np.float32)
    return array


def token_nats(
    offsets: Sequence[tuple[int, int]], characters: FloatArray, *, ceiling: float = 12.0
) -> FloatArray:
    """The nats of each token, given the half-open character offsets; capped at `ceiling`."""
    sums = np.concatenate([[0.0], np.cumsum(characters)])
    values = [sums[min(end, len(characters))] - sums[start] for start, end in offsets]
    return np.minimum(np.array(values, dtype=np.float32), ceiling)
