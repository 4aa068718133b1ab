"""The published way to detect incoherence: each sentence read again with its whole context.

One pass of the encoder for every sentence, over `<s> context </s></s> sentence </s>`, so that the
cost of an essay grows with the square of its length until the context fills the encoder's 512
tokens; beyond that the earliest context is cut off. It is the baseline that the tagger's speed is
measured against; with random weights it takes exactly the time of a trained one.
Source: Zhang et al., DECOR (EMNLP 2024), section 5.1 (BERT and DeBERTa baselines).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine.errors import BackendError

MAX_TOKENS = 512
OPEN_ID, SEPARATOR_ID = 0, 2
_SPECIAL_TOKENS = 4

Tokens = Sequence[int]


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of the encoder; as given, that of mpnet-base (110 million weights)."""

    layers: int = 12
    width: int = 768
    heads: int = 12
    feed_forward: int = 3072
    vocabulary: int = 30527


def pair_tokens(
    sentences: Sequence[Tokens], index: int, *, limit: int = MAX_TOKENS
) -> tuple[int, ...]:
    """Token ids of the pair of `sentences[index]` and all sentences before it.

    Context that does not fit is cut off at its beginning, and a sentence that alone does not fit
    at its end.
    """
    sentence = tuple(sentences[index])[: limit - _SPECIAL_TOKENS]
    room = limit - _SPECIAL_TOKENS - len(sentence)
    context: list[int] = []
    for earlier in reversed(sentences[:index]):
        if len(context) >= room:
            break
        context[:0] = earlier
    kept = context[len(context) - room :] if len(context) > room else context
    return (OPEN_ID, *kept, SEPARATOR_ID, SEPARATOR_ID, *sentence, SEPARATOR_ID)


class CrossEncoder:
    """An encoder with random weights that judges one pair a pass.

    Raises BackendError where torch or transformers is missing.
    """

    def __init__(self, shape: Shape | None = None, *, seed: int = 0) -> None:
        try:
            import torch
            from transformers import MPNetConfig, MPNetForSequenceClassification
        except ImportError as error:
            raise BackendError(
                "The baseline needs torch and transformers, which are not installed.",
                hint='Install them with: pip install "segue[train]"',
            ) from error
        shape = shape or Shape()
        torch.manual_seed(seed)
        # Two labels, coherent and incoherent, are the default.
        config = MPNetConfig(
            vocab_size=shape.vocabulary,
            hidden_size=shape.width,
            num_hidden_layers=shape.layers,
            num_attention_heads=shape.heads,
            intermediate_size=shape.feed_forward,
            max_position_embeddings=MAX_TOKENS + 2,
        )
        self._torch = torch
        self._model = MPNetForSequenceClassification(config)
        self._model.train(False)

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(weight.numel() for weight in self._model.parameters())

    def judge(
        self, sentences: Sequence[Tokens], only: Collection[int] | None = None
    ) -> dict[int, float]:
        """P(incoherent) of every sentence but the first, or of those in `only`, one pass each."""
        wanted = range(1, len(sentences)) if only is None else sorted(set(only) - {0})
        return {index: self._score(pair_tokens(sentences, index)) for index in wanted}

    def _score(self, tokens: tuple[int, ...]) -> float:
        with self._torch.inference_mode():
            logits = self._model(input_ids=self._torch.tensor([tokens])).logits[0]
            return float(logits.softmax(dim=-1)[1])
