"""The tagger: all sentences of an essay in, a judgement for each out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from engine.analysis import Judgement, Reason
from engine.errors import BackendError, ModelError
from engine.models.device import DeviceChoice
from engine.models.manifest import Manifest
from engine.scheme import CODES, ReasonCode
from engine.tagger.heads import FloatArray, Heads, Rows
from engine.tagger.inputs import Window, load_tokenizer, plan_windows, token_ids
from engine.tagger.linking import LINKING_FILE, LinkingHead
from engine.tagger.network import Encoder
from engine.tagger.similarity import Similarity, load_similarity
from engine.tagger.surface import repeats, surface_features

if TYPE_CHECKING:
    from tokenizers import Tokenizer

REPEATED = 0.6
"""The least P(incoherent), and share of R6, of a sentence that stands in the essay before, word for
word: a repetition that adds nothing is R6 (DECOR, table 1). The encoder, which has seen seven such
sentences, does not notice."""
STRANGER = 0.55
"""The least P(incoherent) of a sentence that is like no other of the text: likely, not certain."""
ANCHOR_REACH = 40
"""An anchor is looked for among this many sentences before; further back readers do not look."""


def _go_on() -> None:
    """The check of a caller that never cancels."""


class Tagger:
    """Detection and reasons for the sentences of one essay, in one pass a window.

    Deterministic: the same sentences, topic and model give the same judgements.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        heads: Heads,
        encoder: Encoder,
        linking: LinkingHead | None = None,
        similarity: Similarity | None = None,
    ) -> None:
        self._tokenizer = tokenizer
        self._heads = heads
        self._encoder = encoder
        self._linking = linking
        self._similarity = similarity

    def judge(
        self,
        sentences: Sequence[str],
        topic: str,
        only: Collection[int] | None = None,
        *,
        check_cancelled: Callable[[], None] = _go_on,
    ) -> dict[int, Judgement]:
        """Judgements by sentence index; of those in `only`, or of all.

        The first sentence has no context and gets no probability. `check_cancelled` is called
        before each pass and may raise Cancelled.
        """
        wanted = set(range(len(sentences))) if only is None else set(only)
        asked = sorted(index for index in wanted if 0 < index < len(sentences))
        judgements = {0: Judgement(None)} if 0 in wanted and sentences else {}
        if not asked:
            return judgements
        reading = self.read(sentences, topic, asked, check_cancelled=check_cancelled)
        surface = surface_features(sentences, topic)[asked]
        chances, shares = self._heads.probabilities(reading.vectors, reading.derived, surface)
        strangers = (
            self._similarity.strangers(sentences, topic, asked, check_cancelled=check_cancelled)
            if self._similarity
            else set()
        )
        again = repeats(sentences)
        for number, index in enumerate(asked):
            if index in again:
                chances[number] = max(chances[number], REPEATED)
                shares[number] = _mostly(ReasonCode.R6, shares[number])
            elif index in strangers:
                chances[number] = max(chances[number], STRANGER)
                shares[number] = _mostly(ReasonCode.R5, shares[number])
        for number, index in enumerate(asked):
            judgements[index] = Judgement(
                float(chances[number]), _ranked(shares[number]), reading.anchors.get(index)
            )
        return judgements

    def likeness(self, left: str, right: str) -> float:
        """How alike two sentences are in meaning: the cosine of their vectors, read alone.

        Of 170 rewrites in the training labels, 2% stay under 0.6; of as many other sentences of the
        same essays, 61% do. Costs one pass a sentence.
        """
        one, other = (self.read([text], "", [0]).vectors[0] for text in (left, right))
        length = float(np.linalg.norm(one) * np.linalg.norm(other))
        return float(one @ other) / length if length else 0.0

    def relations(
        self,
        sentences: Sequence[str],
        topic: str,
        cued: Mapping[int, Mapping[str, float]],
        *,
        check_cancelled: Callable[[], None] = _go_on,
    ) -> dict[int, dict[str, float]]:
        """P(relation to the sentence before) for the sentences in `cued`, all after the first.

        `cued` has for each what the words on the page say; `sentences` stand without the linking
        words in question. Without a linking head `cued` itself is the answer. One pass a window.
        """
        if self._linking is None or not cued:
            return {index: dict(chances) for index, chances in cued.items()}
        asked = sorted({place for index in cued for place in (index - 1, index)})
        reading = self.read(sentences, topic, asked, check_cancelled=check_cancelled)
        vectors = dict(zip(asked, reading.vectors, strict=True))
        return {
            index: self._linking.chances(chances, vectors[index], vectors[index - 1])
            for index, chances in cued.items()
        }

    def read(
        self,
        sentences: Sequence[str],
        topic: str,
        asked: Sequence[int],
        *,
        check_cancelled: Callable[[], None] = _go_on,
    ) -> Reading:
        """What the encoder and its heads give for the sentences in `asked`, in that order."""
        topic_tokens = token_ids(self._tokenizer, [topic])[0] if topic.strip() else ()
        windows = plan_windows(topic_tokens, token_ids(self._tokenizer, sentences))
        gatherer = _Gatherer(frozenset(asked))
        for window in windows:
            if window.judged & gatherer.needed:
                check_cancelled()
                hidden = self._encoder.hidden(window.tokens)
                gatherer.add(window, *self._heads.read(hidden, window))
        return gatherer.reading(asked)


@dataclass(frozen=True)
class Reading:
    """Features of the asked-for sentences: `vectors` (n, width), `derived` (n, features).

    `anchors` maps a sentence to the earlier one that it connects to best.
    """

    vectors: FloatArray
    derived: FloatArray
    anchors: dict[int, int]


class _Gatherer:
    """Adds up what the windows give; a sentence cut into pieces is their average."""

    def __init__(self, needed: frozenset[int]) -> None:
        self.needed = needed
        self._weights: dict[int, float] = {}
        self._vectors: dict[int, FloatArray] = {}
        self._derived: dict[int, FloatArray] = {}
        self._anchors: dict[int, int] = {}

    def add(self, window: Window, order: list[int], counts: FloatArray, rows: Rows) -> None:
        """Take the sentences that the window judges."""
        for number, sentence in enumerate(order):
            if sentence not in self.needed or sentence not in window.judged:
                continue
            weight = float(counts[number])
            self._weights[sentence] = self._weights.get(sentence, 0.0) + weight
            self._vectors[sentence] = (
                self._vectors.get(sentence, np.float32(0.0)) + rows.vectors[number] * weight
            )
            self._derived[sentence] = (
                self._derived.get(sentence, np.float32(0.0)) + rows.derived[number] * weight
            )
            if number:
                first = max(0, number - ANCHOR_REACH)
                scores = rows.keys[first:number] @ rows.queries[number]
                self._anchors[sentence] = order[first + int(np.argmax(scores))]

    def reading(self, asked: Sequence[int]) -> Reading:
        """The averages, in the order of `asked`."""
        return Reading(
            np.stack([self._vectors[index] / self._weights[index] for index in asked]),
            np.stack([self._derived[index] / self._weights[index] for index in asked]),
            self._anchors,
        )


def _mostly(code: ReasonCode, shares: FloatArray) -> FloatArray:
    """The shares with that code's brought up to `REPEATED`, the others in proportion."""
    at = CODES.index(code)
    if shares[at] >= REPEATED:
        return shares
    raised = shares * np.float32((1.0 - REPEATED) / max(1.0 - float(shares[at]), 1e-6))
    raised[at] = REPEATED
    return raised


def _ranked(shares: FloatArray) -> tuple[Reason, ...]:
    order = np.argsort(-shares, kind="stable")
    return tuple(Reason(CODES[int(at)], float(shares[at])) for at in order)


def load(folder: Path, manifest: Manifest, choice: DeviceChoice) -> Tagger:
    """The tagger of a model folder on the chosen device.

    Raises ModelError on a bad model, BackendError where the runtime is missing or fails.
    """
    encoder = _encoder(folder / manifest.formats[choice.backend], choice)
    tokenizer = load_tokenizer(folder / "tokenizer.json")
    heads = Heads.load(folder / "heads.npz")
    linking = _linking(folder / LINKING_FILE, heads)
    return Tagger(tokenizer, heads, encoder, linking, load_similarity(folder))


def _linking(path: Path, heads: Heads) -> LinkingHead | None:
    """The linking head, where the model has one. Raises ModelError on one of another encoder."""
    if not path.exists():
        return None
    linking = LinkingHead.load(path)
    if linking.width != heads.width:
        raise ModelError(f"The model file {path.name} belongs to another model.")
    return linking


def _encoder(path: Path, choice: DeviceChoice) -> Encoder:
    if choice.backend == "onnx":
        from engine.tagger.onnx_encoder import OnnxEncoder

        return OnnxEncoder(path)
    if choice.backend == "torch":
        from engine.tagger.torch_encoder import TorchEncoder

        return TorchEncoder(path, device=choice.device)
    raise BackendError(f"The tagger has no backend called {choice.backend!r}.")
