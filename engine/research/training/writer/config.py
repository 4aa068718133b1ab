"""The writer's training recipe; `engine.research.training.config.read_recipe` reads it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

MODULES = "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"


@dataclass(frozen=True)
class WriterConfig:
    """Every number that the trained weights depend on.

    `targets` are the linear layers that get adapters of `rank`, in the decoder layers from
    `first_layer` on (what lies below needs no gradient, which saves time). `batch_tokens` is the
    size of a batch in tokens, padding included. A token of an answer that the sentence does not
    have there counts `edit_weight` times as much in the loss as one that is copied. Items whose
    rewrite changes more than `most_changed` of the words, or whose prompt and answer are longer
    than `most_tokens`, are left out. `held_out` is the share of essays that are not trained on,
    `generated` the number of their items that are answered greedily after each epoch.
    `quantization` is the exported matrices' type in GGUF: F32, F16, BF16, Q8_0, Q5_1, Q5_0,
    Q4_1 or Q4_0.
    """

    base: str = "SmolLM2-135M-Instruct"
    seed: int = 7
    epochs: int = 2
    patience: int = 1
    rank: int = 16
    alpha: int = 32
    dropout: float = 0.0
    targets: tuple[str, ...] = tuple(MODULES.split())
    first_layer: int = 10
    batch_tokens: int = 3072
    learning_rate: float = 6e-4
    weight_decay: float = 0.0
    warm_up: float = 0.06
    edit_weight: float = 3.0
    most_changed: float = 0.5
    most_tokens: int = 480
    held_out: float = 0.05
    generated: int = 100
    checkpoint_every: int = 20
    quantization: str = "Q5_1"

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the model card."""
        return {**asdict(self), "targets": list(self.targets)}
