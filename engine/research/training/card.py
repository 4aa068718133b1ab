"""The model card and the manifest, written from what training measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.documents.atomic import write_bytes
from engine.models.manifest import Manifest, write_manifest
from engine.scheme import CODES

MODEL_ID = "segue-tagger"
MODEL_VERSION = "1"


@dataclass(frozen=True)
class Measured:
    """What the card says: recipe, figures of each epoch, cross-validated scores, thresholds."""

    recipe: Mapping[str, Any]
    epochs: list[dict[str, Any]]
    scores: Mapping[str, Mapping[str, Any]]
    thresholds: Mapping[str, float]
    operating_points: Mapping[str, Mapping[str, Any]]
    group_thresholds: Mapping[str, float]
    history: str = ""
    linking: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


def write_folder(folder: Path, measured: Measured) -> Manifest:
    """Write `MODEL_CARD.md` and `manifest.json` beside the weights."""
    write_bytes(folder / "MODEL_CARD.md", card_text(measured).encode("utf-8"))
    return write_manifest(
        folder,
        {
            "id": MODEL_ID,
            "role": "tagger",
            "version": MODEL_VERSION,
            "formats": {"onnx": "model.onnx", "torch": "model.onnx"},
            "labels": ["incoherent", *(code.value for code in CODES)],
            "thresholds": dict(measured.thresholds),
            "operating_points": dict(measured.operating_points),
            "base_model": str(measured.recipe["base"]),
            "licence": "Apache-2.0",
            "recipe": dict(measured.recipe),
            "metrics": {"human_dev, cross-validated over essays": dict(measured.scores)},
            "settings": {"group_thresholds": dict(measured.group_thresholds)},
        },
    )


def card_text(measured: Measured) -> str:
    """The card as Markdown."""
    return "\n".join(
        [
            "# segue-tagger: incoherence detection and reasoning for L2 essays",
            "",
            _introduction(measured),
            "## Scores on expert essays",
            "",
            _SCORES_NOTE,
            "",
            *_scores_table(measured.scores),
            "",
            "## Strictness",
            "",
            *_strictness_table(measured.operating_points),
            "",
            *_linking_lines(measured.linking),
            "## Training",
            "",
            _TRAINING,
            "Settings:",
            "",
            *(f"- `{name}`: {value}" for name, value in measured.recipe.items()),
            "",
            "Rank figures on the expert essays after each epoch (AUC, heads as trained):",
            "",
            *_epochs_table(measured.epochs),
            "",
            measured.history,
        ]
    )


def _introduction(measured: Measured) -> str:
    precision = round(100 * float(measured.operating_points["balanced"]["precision"]))
    return _INTRODUCTION.format(precision=precision)


def _scores_table(scores: Mapping[str, Mapping[str, Any]]) -> list[str]:
    names = ("n", "weighted_f1", "macro_f1", "auc", "kappa", "majority_weighted_f1")
    rows = [
        "| task | n | weighted F1 | macro F1 | AUC | kappa | majority weighted F1 |",
        "|---|---|---|---|---|---|---|",
    ]
    rows.extend(
        f"| {task} | " + " | ".join(str(values[name]) for name in names) + " |"
        for task, values in scores.items()
    )
    return rows


def _strictness_table(points: Mapping[str, Mapping[str, Any]]) -> list[str]:
    rows = [
        "| setting | threshold | precision | recall | share flagged | n |",
        "|---|---|---|---|---|---|",
    ]
    rows.extend(
        f"| {name} | {p['threshold']} | {p['precision']} | {p['recall']} | {p['flagged']} "
        f"| {p['n']} |"
        for name, p in points.items()
    )
    return rows


def _linking_lines(linking: Mapping[str, Mapping[str, float]]) -> list[str]:
    if not linking:
        return []
    rows = [
        f"| {origin} | {found['n']} | {found['cues']} | {found['cues and vectors']} |"
        for origin, found in linking.items()
    ]
    head = ["| examples | n | word cues | cues and vectors |", "|---|---|---|---|"]
    return ["## Linking words", "", _LINKING, "", *head, *rows, ""]


def _epochs_table(epochs: list[dict[str, Any]]) -> list[str]:
    if not epochs:
        return []
    names = [name for name in epochs[0] if name != "epoch"]
    rows = ["| epoch | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    rows.extend(
        f"| {row['epoch'] + 1} | " + " | ".join(f"{100 * row[name]:.1f}" for name in names) + " |"
        for row in epochs
    )
    return rows


_INTRODUCTION = """\
Reads a whole essay in one pass and gives, for every sentence after the first, the probability
that an expert would call it incoherent with what stands before it, the shares of the seven DECOR
reasons R1-R7, and the earlier sentence that it connects to best.

- **Licence:** Apache-2.0. Base encoder: all-mpnet-base-v2 (Apache-2.0). Similarity:
  all-MiniLM-L6-v2 as it comes (Apache-2.0). Teacher of the auxiliary
  target: SmolLM2-135M-Instruct (Apache-2.0; not shipped).
- **Data:** DECOR's training essays (TOEFL11 through DECOR's release), labelled softly by a large
  language model that followed DECOR's annotation guide, 759 of them also as typed, before grammar
  correction; 368 machine-written stories that people labelled (CoheSentia), for detection alone; 40
  of DECOR's expert essays (human_dev) for early stopping, offsets, thresholds and the scores below.
  None of the texts is shipped.
- **Files:** `model.onnx` (encoder, 8-bit weights in blocks; read by ONNX Runtime on the processor and by
  PyTorch on a GPU), `similarity.onnx` (a small encoder, also with 8-bit weights, that reads each
  sentence alone: one that is like no other and not like the topic is flagged, R5 first; neither
  the scores below nor the thresholds have that in them), `heads.npz` and `linking.npz` (linear heads, float32), `tokenizer.json`,
  `config.json`.
- **Meant for:** English essays by second-language writers, as hints that a person weighs.
  **Not for:** grading. Of 100 sentences that it flags at the balanced setting, {precision} are
  sentences that the experts flagged too, and the experts themselves differ.
"""

_SCORES_NOTE = """\
human_dev, cross-validated over essays: heads' offsets and thresholds come from the other essays
in each of ten folds, averaged over five divisions. The encoder's epoch was chosen on the same
essays, so read these as slightly hopeful. Percentages. The sub-tasks are scored on the pairs that
experts found incoherent (DECOR, section 5.2). The thresholds of detection serve weighted F1;
each sub-task is named as often as DECOR's experts name it over all of their 100 essays.
Slips are learners' own, counted in the training essays and put into the expert essays at the same
rates; the thresholds of detection serve both versions. Stories are scored by heads fitted on the
other stories, at the balanced threshold; their annotators flag half as many sentences."""

_LINKING = """\
`linking.npz` tells which relation (contrast, result, example, ...) links a sentence to the one
before, so that the rewriter proposes the linking word that fits. Percentage of the training essays'
linking words that it puts first, on essays left out: of those that the labels mend (repair), of
those that come with another mend (aside), and of those that writers used well (masked)."""

_TRAINING = """\
1. A language model (SmolLM2-135M-Instruct) reads each training essay; the nats of each character
   become a target for every token of the encoder.
2. The encoder learns four things at once: soft detection, the reason (weighted by the chance of
   incoherence), the anchor sentence, and the language model's surprise.
3. With `typed_epochs`, the encoder then reads the essays as their writers typed them, and learns
   to come to the vectors that it gave the corrected text: experts judged corrected text, learners
   type slips. Of what that changes in the weights, `typed_share` is kept.
4. It is exported with 8-bit weights; features are read again with the exported file.
5. Ridge regression (detection) and multinomial logistic regression (reasons) are fitted on the
   encoder's sentence vectors, its heads' outputs and surface features (opening words, place,
   shared words), with the soft labels; detection learns from stories as well, lest all that is no
   argument be taken for a digression. Then a handful of weights and offsets on expert essays.
6. The linking head is fitted on the vectors of sentences read without their linking words.
"""
