"""How good the network is on expert essays while it trains: rank figures, no thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from engine.research.data import AnnotatedEssay, as_training
from engine.research.training.examples import Example, collate, make_examples
from engine.research.training.network import EssayTagger
from engine.scheme import CODES, Group, group_of

FloatArray = NDArray[np.float32]
GROUP_COLUMNS = {
    group: [number for number, code in enumerate(CODES) if group_of(code) is group]
    for group in Group
}


@dataclass(frozen=True)
class Read:
    """What the network gives for the sentences of one essay, in order.

    `vectors` (n, width); `detection` (n,) logits; `reasons` (n, 7) logits; `surprise` (n,) mean
    predicted surprise; `queries`, `keys` (n, ANCHOR_WIDTH).
    """

    vectors: FloatArray
    detection: FloatArray
    reasons: FloatArray


def read_windows(model: EssayTagger, examples: Sequence[Example], sentences: int) -> Read:
    """The outputs for every sentence of one essay, each from the window that judges it."""
    width = model.detection.in_features
    vectors = np.zeros((sentences, width), dtype=np.float32)
    detection = np.zeros(sentences, dtype=np.float32)
    reasons = np.zeros((sentences, len(CODES)), dtype=np.float32)
    device = next(model.parameters()).device
    for example in examples:
        batch = collate([example]).to(device)
        with torch.inference_mode():
            outputs = model(batch.tokens, batch.mask, batch.pooling)
        order = list(dict.fromkeys(place.sentence for place in example.window.places))
        for row, sentence in enumerate(order):
            if sentence in example.window.judged:
                vectors[sentence] = outputs.vectors[row].float().cpu().numpy()
                detection[sentence] = float(outputs.detection[row])
                reasons[sentence] = outputs.reasons[row].float().cpu().numpy()
    return Read(vectors, detection, reasons)


class DevJudge:
    """AUC of detection and of each reasoning sub-task on expert essays; called after each epoch."""

    def __init__(self, tokenizer: object, essays: Sequence[AnnotatedEssay]) -> None:
        self.essays = essays
        self.examples = [
            make_examples(tokenizer, essay, None)  # type: ignore[arg-type]
            for essay in as_training(essays)
        ]

    def __call__(self, model: EssayTagger) -> dict[str, float]:
        """Figures from 0 to 1; "criterion" is detection plus half of cohesion and relevance."""
        logits, reasons, gold, groups = [], [], [], []
        for essay, examples in zip(self.essays, self.examples, strict=True):
            read = read_windows(model, examples, len(essay.sentences))
            for pair in essay.pairs:
                logits.append(read.detection[pair.index])
                reasons.append(read.reasons[pair.index])
                gold.append(pair.incoherent)
                groups.append(pair.groups)
        figures = {"detection": _auc(np.array(gold), np.array(logits))}
        flagged = np.array(gold)
        shares = _softmax(np.array(reasons))[flagged]
        kept = [group for group, is_gold in zip(groups, gold, strict=True) if is_gold]
        for group, columns in GROUP_COLUMNS.items():
            has = np.array([group in found for found in kept])
            figures[group.value] = _auc(has, shares[:, columns].sum(axis=1))
        figures["criterion"] = (
            figures["detection"] + 0.5 * figures["cohesion"] + 0.5 * figures["relevance"]
        ) / 2
        return figures


def _auc(gold: NDArray[np.bool_], scores: NDArray[np.floating]) -> float:
    if gold.all() or not gold.any():
        return 0.5
    return float(roc_auc_score(gold, scores))


def _softmax(logits: FloatArray) -> FloatArray:
    shifted = np.exp(logits - logits.max(axis=1, keepdims=True))
    result: FloatArray = shifted / shifted.sum(axis=1, keepdims=True)
    return result
