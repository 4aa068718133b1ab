"""The network that is trained: an encoder over the whole essay with four small heads.

Detection (one logit a sentence), reason (seven logits a sentence, one of them right, given that
the sentence is incoherent), anchor (which earlier sentence it should connect to, by a product of
projections) and surprise (nats of each token, taught by a language model). The surprise head
makes the encoder carry what a language model knows; it is an auxiliary target only.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

ANCHOR_WIDTH = 64


@dataclass
class Outputs:
    """What one batch gives.

    `vectors` (sentences, width); `detection` (sentences,); `reasons` (sentences, 7);
    `queries` and `keys` (sentences, ANCHOR_WIDTH); `surprise` (batch, tokens).
    """

    vectors: torch.Tensor
    detection: torch.Tensor
    reasons: torch.Tensor
    queries: torch.Tensor
    keys: torch.Tensor
    surprise: torch.Tensor


class EssayTagger(nn.Module):
    """An encoder with heads for detection, reasons, anchors and surprise."""

    def __init__(self, encoder: Any, *, dropout: float = 0.1) -> None:
        super().__init__()
        width = int(encoder.config.hidden_size)
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.detection = nn.Linear(width, 1)
        self.reasons = nn.Linear(width, 7)
        self.query = nn.Linear(width, ANCHOR_WIDTH)
        self.key = nn.Linear(width, ANCHOR_WIDTH)
        self.surprise = nn.Linear(width, 1)

    @classmethod
    def from_base(cls, base: Path, *, dropout: float = 0.1) -> EssayTagger:
        """The network on top of a base encoder in `base`, heads initialised at random."""
        from transformers import AutoModel

        encoder: Any = AutoModel.from_pretrained(str(base), dtype=torch.float32)
        if hasattr(encoder, "pooler"):
            encoder.pooler = None
        return cls(encoder, dropout=dropout)

    def freeze_below(self, layer: int) -> None:
        """Keep the embeddings and the encoder's first `layer` layers as they are."""
        for parameter in self.encoder.embeddings.parameters():
            parameter.requires_grad_(layer == 0)
        for number, block in enumerate(self.encoder.encoder.layer):
            for parameter in block.parameters():
                parameter.requires_grad_(number >= layer)

    def hidden(self, tokens: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Hidden states (batch, tokens, width) for token ids and their attention mask."""
        states: torch.Tensor = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        return states

    def forward(self, tokens: torch.Tensor, mask: torch.Tensor, pooling: torch.Tensor) -> Outputs:
        """Run the encoder and the heads.

        `pooling` (sentences, batch * tokens), sparse or dense, averages a sentence's tokens.
        """
        states = self.hidden(tokens, mask)
        flat = states.reshape(-1, states.shape[-1]).float()
        vectors = pooling @ flat
        dropped = self.dropout(vectors)
        return Outputs(
            vectors=vectors,
            detection=self.detection(dropped).squeeze(-1),
            reasons=self.reasons(dropped),
            queries=self.query(dropped),
            keys=self.key(dropped),
            surprise=self.surprise(states.float()).squeeze(-1),
        )
