"""The writer's model card and manifest, written from what training measured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.documents.atomic import write_bytes
from engine.llm.model_files import ROLE
from engine.llm.prompts import system_message
from engine.models.manifest import Manifest, write_manifest
from engine.research.training.writer.agreement import Exported

MODEL_ID = "segue-writer"
MODEL_VERSION = "1"
MODEL_FILE = f"{MODEL_ID}.gguf"
LICENCE = "Apache-2.0"

_ANSWER_FIGURES = (
    ("n", "n"),
    ("edit_f05", "edit F0.5"),
    ("edit_precision", "precision"),
    ("edit_recall", "recall"),
    ("exact", "exact"),
    ("copied", "unchanged"),
    ("changed", "median changed"),
)


@dataclass(frozen=True)
class WriterMeasured:
    """What the card says.

    `counts` are the items trained on, held out, and left out as too long or changed too much;
    `epochs` the figures after each epoch; `exported` those of the exported file, None where
    llama.cpp was not there to run it. `best_epoch` counts from 0.
    """

    recipe: Mapping[str, Any]
    counts: Mapping[str, int]
    epochs: Sequence[Mapping[str, Any]]
    best_epoch: int
    exported: Exported | None


def write_writer_folder(folder: Path, measured: WriterMeasured) -> Manifest:
    """Write `MODEL_CARD.md` and `manifest.json` beside the GGUF file."""
    write_bytes(folder / "MODEL_CARD.md", card_text(measured).encode("utf-8"))
    return write_manifest(
        folder,
        {
            "id": MODEL_ID,
            "role": ROLE,
            "version": MODEL_VERSION,
            "formats": {"gguf": MODEL_FILE},
            "labels": [],
            "thresholds": {},
            "base_model": str(measured.recipe["base"]),
            "licence": LICENCE,
            "recipe": dict(measured.recipe),
            "metrics": {"held-out training essays": _metrics(measured)},
            "settings": {"prompt_sha256": prompt_fingerprint()},
        },
    )


def prompt_fingerprint() -> str:
    """The SHA-256 of the instruction that the model was trained with, as hex."""
    return hashlib.sha256(system_message().encode("utf-8")).hexdigest()


def _metrics(measured: WriterMeasured) -> dict[str, Any]:
    best = dict(measured.epochs[measured.best_epoch])
    found: dict[str, Any] = {
        "loss": best["loss"],
        "edited_loss": best["edited_loss"],
        "loss_n": measured.counts["held out"],
        "greedy": {name: best[name] for name, _ in _ANSWER_FIGURES},
    }
    if measured.exported is not None:
        exported = measured.exported
        found["greedy, exported file"] = {k: round(v, 4) for k, v in exported.figures.items()}
        found["same answers"] = f"{exported.same} of {exported.compared}"
        found["tokens_per_second"] = round(exported.tokens_per_second, 1)
    return found


def card_text(measured: WriterMeasured) -> str:
    """The card as Markdown."""
    return "\n".join(
        [
            "# segue-writer: minimal edits for coherence",
            "",
            _INTRODUCTION.format(file=MODEL_FILE, base=measured.recipe["base"]),
            "## Scores on held-out essays",
            "",
            _SCORES_NOTE.format(n=measured.counts["held out"]),
            "",
            *_table(measured),
            "",
            *_exported_lines(measured.exported),
            "## Training",
            "",
            _TRAINING,
            "Items: " + ", ".join(f"{n} {name}" for name, n in measured.counts.items()) + ".",
            "",
            "Settings:",
            "",
            *(f"- `{name}`: {value}" for name, value in measured.recipe.items()),
            "",
        ]
    )


def _table(measured: WriterMeasured) -> list[str]:
    titles = ["answers of", "loss", "loss of edits", *(title for _, title in _ANSWER_FIGURES)]
    rows = ["| " + " | ".join(titles) + " |", "|---" * len(titles) + "|"]
    for row in measured.epochs:
        mark = " (kept)" if row["epoch"] == measured.best_epoch else ""
        losses = f"{row['loss']:.3f} | {row['edited_loss']:.3f}"
        rows.append(f"| epoch {row['epoch'] + 1}{mark} | {losses} | {_cells(row)} |")
    if measured.exported is not None:
        rows.append(f"| exported file, llama.cpp | | | {_cells(measured.exported.figures)} |")
    return rows


def _cells(figures: Mapping[str, float]) -> str:
    first, *rest = (name for name, _ in _ANSWER_FIGURES)
    return " | ".join([str(int(figures[first])), *(f"{100 * figures[name]:.1f}" for name in rest)])


def _exported_lines(exported: Exported | None) -> list[str]:
    if exported is None:
        return ["The exported file was not run after training: llama.cpp was not installed.", ""]
    same = (
        f"The exported file in llama.cpp gives the same answer as the merged model in transformers "
        f"for {exported.same} of {exported.compared} items."
    )
    return [same, f"On the training machine it took {exported.seconds_an_item:.2f} s an item.", ""]


_INTRODUCTION = """\
Edits one sentence of an essay so that it follows from the text before it, with as few changes as
it can. Segue asks it where its edit rules have no good answer, and shows what it writes only after
guards and a second reading by the tagger.

- **Licence:** Apache-2.0. Base: {base} (Apache-2.0).
- **Data:** DECOR's training essays (TOEFL11 through DECOR's release), with minimal rewrites by a
  large language model that followed DECOR's annotation guide; of sentences that it would delete,
  its way to keep them. None of the texts is shipped.
- **Files:** `{file}` (merged, quantized; tokenizer and chat template inside), read by llama.cpp.
- **Prompt:** the one in `engine/llm/prompts.py`, to the letter; it was trained on no other.
- **Meant for:** suggestions on English essays that a person accepts or rejects. **Not for:** chat,
  facts, translation or anything else: a model of this size knows little, and it was taught to
  change little.
"""

_SCORES_NOTE = """\
Essays that were not trained on ({n} items). Loss in nats a token, with "loss of edits" over the
tokens that are not copied from the sentence. Greedy answers against the annotator's rewrite, in
percent: edits compared as in `engine/research/rewrites/edits.py`; "exact" answers are the
annotator's word for word, "unchanged" ones give the sentence back as it was. One of several good
rewrites counts as wrong here, so read the figures as a comparison, not as a share of good
answers. The epoch was chosen on the same items."""

_TRAINING = """\
Low-rank adapters (LoRA) on the base model's linear layers; embeddings and norms stay as they are.
Only the answer's tokens count in the loss, and those that are not copied count more. The adapters
are then added to the weights, and the matrices quantized again.
"""
