"""Which sentences have nothing to do with any other: each is read alone by a small encoder.

The tagger's own encoder reads sentences in their context and was trained to judge; that took from
its vectors what a sentence is about. This one (all-MiniLM-L6-v2 as it comes) tells sentences of
strangers' essays from the writer's by their largest cosine to any other with an AUC of 95, where
the tagger's probabilities come to 81.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.tagger.inputs import load_tokenizer
from engine.tagger.network import Encoder, FloatArray
from engine.tagger.surface import points_back

if TYPE_CHECKING:
    from tokenizers import Tokenizer

SIMILARITY_FILE = "similarity.onnx"
TOKENIZER_FILE = "similarity-tokenizer.json"
STRANGE = 0.25
"""A sentence whose cosine to every other, and to the topic, is lower stands alone: half of the
strangers' sentences do, and one in fifty of the others."""
_FEWEST_SENTENCES = 6
_MOST_TOKENS = 128
_REMEMBERED = 4096


class Similarity:
    """Reads sentences one by one, each text once. Deterministic."""

    def __init__(self, tokenizer: Tokenizer, encoder: Encoder) -> None:
        self._tokenizer = tokenizer
        self._encoder = encoder
        self._known: dict[str, FloatArray] = {}

    def strangers(
        self,
        sentences: Sequence[str],
        topic: str,
        asked: Sequence[int],
        *,
        check_cancelled: Callable[[], None],
    ) -> set[int]:
        """Those of `asked` that are like no other sentence, nor like the topic.

        None in a text of few sentences, and none that point back ("They were very surprised about
        it."): these say with other words what they are about.
        """
        if len(sentences) < _FEWEST_SENTENCES:
            return set()
        texts = [*sentences, topic] if topic.strip() else list(sentences)
        vectors = np.stack([self._vector(text, check_cancelled) for text in texts])
        found = set()
        for index in asked:
            cosines = vectors @ vectors[index]
            cosines[index] = -1.0
            if cosines.max() < STRANGE and not points_back(sentences[index]):
                found.add(index)
        return found

    def _vector(self, text: str, check_cancelled: Callable[[], None]) -> FloatArray:
        """The mean of the hidden states, of length 1."""
        vector = self._known.get(text)
        if vector is None:
            check_cancelled()
            tokens = self._tokenizer.encode(text).ids[:_MOST_TOKENS]
            mean = self._encoder.hidden(tokens).mean(axis=0)
            vector = (mean / max(float(np.linalg.norm(mean)), 1e-6)).astype(np.float32)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[text] = vector
        return vector


def load_similarity(folder: Path) -> Similarity | None:
    """The small encoder of a model folder, where it has one; on the processor, which is enough.

    Raises ModelError on a bad file, BackendError where the runtime is missing.
    """
    path = folder / SIMILARITY_FILE
    if not path.exists():
        return None
    from engine.tagger.onnx_encoder import OnnxEncoder

    return Similarity(load_tokenizer(folder / TOKENIZER_FILE), OnnxEncoder(path))
