"""The prompts of DECOR's own fine-tuned rewriting models, and how their answers are read.

The texts stand in resources/prompts/decor-rewriting.toml, with their source. A model is prompted
exactly as it was trained: with the whole context (of a very long one the end), and the
reasons where it was trained with them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Literal

from engine.errors import ModelError
from engine.llm.prompts import context_text, flat, harmless
from engine.llm.protocol import GenerationRequest, Message
from engine.resources import resources_folder
from engine.scheme import CODES, ReasonCode

Checkpoint = Literal["llama2-r", "llama2-nr", "llama3-r", "llama3-nr"]
"""Which of the four: the base model, with reasons (r) or without (nr)."""

DELETE = "DELETE"
CONTEXT_WORDS = 900
"""What fits the 2,048 tokens that the models were trained on; DECOR's own essays are shorter."""
_MAX_TOKENS = 512
_TEMPERATURE = 0.2
"""As in DECOR's evaluation; its sampling at that temperature is nearly the likeliest text."""
_DELETED = re.compile(r"^\W*DELETE\W*$")
_ANSWER = re.compile(r"^\s*Answer:\s*")


def checkpoint_of(model: str) -> Checkpoint | None:
    """Which checkpoint a model's id or file name means; None for any other model."""
    name = model.lower()
    found = re.search(r"llama-?(2|3).*rewriting-(nr|r)\b.*decor", name.replace("_", "-"))
    if found is None:
        return None
    kinds: dict[tuple[str, str], Checkpoint] = {
        ("2", "r"): "llama2-r",
        ("2", "nr"): "llama2-nr",
        ("3", "r"): "llama3-r",
        ("3", "nr"): "llama3-nr",
    }
    return kinds[found.group(1), found.group(2)]


def decor_request(
    checkpoint: Checkpoint,
    *,
    context: Sequence[str],
    sentence: str,
    reasons: Collection[ReasonCode] = (),
    seed: int = 0,
    temperature: float = _TEMPERATURE,
    n: int = 1,
) -> GenerationRequest:
    """The request for a rewrite of `sentence`, in the form that the checkpoint was trained on.

    `reasons` are the codes that apply; a checkpoint trained without reasons is not told them.
    """
    base, _, kind = checkpoint.partition("-")
    texts = _texts()
    wording = {
        "context": harmless(context_text(context, CONTEXT_WORDS)),
        "sentence": harmless(sentence),
        "reasons": "".join(texts["reasons"][code.value] for code in CODES if code in reasons),
    }
    opening = str(texts[base][kind]).format(**wording)
    if base == "llama2":
        return GenerationRequest(
            prompt=opening + texts[base]["end"],
            max_tokens=_MAX_TOKENS,
            temperature=temperature,
            seed=seed,
            stop=("\n", "</s>"),
            n=n,
        )
    return GenerationRequest(
        messages=(
            Message("system", opening),
            Message("user", str(texts[base]["user"]).format(**wording)),
        ),
        max_tokens=_MAX_TOKENS,
        temperature=temperature,
        top_p=0.9,
        seed=seed,
        stop=("<|eot_id|>",),
        n=n,
    )


def parse_decor(answer: str) -> str:
    """The rewritten sentence in an answer; `DELETE` where the model would delete it."""
    text = flat(_ANSWER.sub("", answer))
    return DELETE if _DELETED.match(text) else text


@cache
def _texts() -> dict[str, Any]:
    path = resources_folder() / "prompts" / "decor-rewriting.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(
            f"Segue's own file {path} cannot be read.", hint="Install Segue again."
        ) from error
