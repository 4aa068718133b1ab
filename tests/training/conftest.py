"""A base model small enough to train in a second, and made-up corpora in the real formats."""

from __future__ import annotations

import argparse
import csv
import json
import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

WORDS = (
    "students cities parks cars trains people money time music water books games teachers "
    "parents children work rest food travel language friends health science art"
).split()
VERBS = "help need like change build want keep share".split()


def made_up_sentence(chance: random.Random) -> str:
    opening = chance.choice(["", "However, ", "But ", "For example, ", "So "])
    text = f"{opening}{chance.choice(WORDS)} {chance.choice(VERBS)} {chance.choice(WORDS)}"
    return f"{text[0].upper()}{text[1:]} {chance.choice(WORDS)}."


def made_up_essay(seed: int, count: int = 9) -> list[str]:
    chance = random.Random(seed)
    return [made_up_sentence(chance) for _ in range(count)]


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from transformers import MPNetConfig, MPNetModel

    folder = tmp_path_factory.mktemp("base")
    vocabulary = {"<s>": 0, "<pad>": 1, "</s>": 2}
    tokens = [*WORDS, *VERBS, "however", "but", "for", "example", "so", ",", "."]
    vocabulary |= {word: 3 + number for number, word in enumerate(tokens)}
    vocabulary["[UNK]"] = 104
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = MPNetConfig(
        vocab_size=105,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=514,
    )
    MPNetModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def corpora(tmp_path: Path) -> tuple[Path, Path]:
    """Soft-labelled training essays (JSON lines) and expert essays (DECOR's CSV)."""
    chance = random.Random(5)
    synth = tmp_path / "synth.jsonl"
    with synth.open("w", encoding="utf-8") as file:
        for number in range(10):
            sentences = [
                {
                    "text": text,
                    "p_incoherent": None
                    if at == 0
                    else 0.1
                    if at % 2
                    else chance.uniform(0.3, 0.9),
                    "reasons": None if at == 0 else [f"R{1 + (number + at) % 7}"],
                    "anchor": None if at < 2 else at - 2,
                    "rewrite": None,
                    "alternative": None,
                }
                for at, text in enumerate(made_up_essay(number))
            ]
            record = {"essay_id": f"{number}.txt", "topic": "People need parks.", "l1": "ARA"}
            file.write(json.dumps({**record, "complete": True, "sentences": sentences}) + "\n")
    dev = tmp_path / "dev.csv"
    with dev.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        codes = [f"R{n}" for n in range(1, 8)]
        writer.writerow(["essay_id", "topic", "context", "sentence", "label", *codes, "Rewrite"])
        for number in range(12):
            texts = made_up_essay(100 + number)
            for at in range(1, len(texts)):
                flagged = (number + at) % 3 == 0
                given = [float(flagged and n == (number * 5 + at) % 7) for n in range(7)]
                row = [f"d{number}.txt", "Music helps.", " ".join(texts[:at]), texts[at]]
                writer.writerow([*row, float(not flagged), *given, ""])
    return synth, dev


@pytest.fixture
def arguments(base: Path, corpora: tuple[Path, Path], tmp_path: Path) -> argparse.Namespace:
    """What `segue train tagger` is called with."""
    config = tmp_path / "recipe.toml"
    config.write_text(
        "epochs = 2\nbatch = 2\nfrozen_layers = 0\ncheckpoint_every = 1\nseed = 3\n",
        encoding="utf-8",
    )
    synth, dev = corpora
    return argparse.Namespace(
        config=config,
        synth=synth,
        dev=dev,
        originals=None,
        stories=None,
        similarity=None,
        base=base,
        teacher=None,
        work=tmp_path / "work",
        output=tmp_path / "model",
        minutes=float("inf"),
        limit=None,
    )
