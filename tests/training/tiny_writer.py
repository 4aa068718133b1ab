"""A Llama model of a few thousand weights as a GGUF file, and essays with rewrites to train on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.training.conftest import made_up_essay

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] "
    "+ '<|im_end|>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)


def write_essays(path: Path, count: int = 8) -> Path:
    """Essays as JSON lines: of each, two sentences are rewritten and one deleted but kept."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            texts = made_up_essay(500 + number)
            sentences = [
                {
                    "text": text,
                    "p_incoherent": None if at == 0 else 0.7,
                    "reasons": None if at == 0 else [f"R{1 + (number + at) % 7}"],
                    "anchor": None if at < 2 else at - 2,
                    "rewrite": None,
                    "alternative": None,
                }
                for at, text in enumerate(texts)
            ]
            for at, opening in ((2, "However, "), (4, "Therefore, ")):
                sentences[at]["rewrite"] = opening + texts[at][0].lower() + texts[at][1:]
            kept = "In addition, " + texts[6][0].lower() + texts[6][1:]
            sentences[6] |= {"rewrite": "DELETE", "alternative": kept}
            record = {"essay_id": f"{number}.txt", "topic": "People need parks.", "l1": "ARA"}
            file.write(json.dumps({**record, "complete": True, "sentences": sentences}) + "\n")
    return path


def trained_bpe() -> tuple[list[str], list[str]]:
    """Tokens and merges of a small byte-level BPE; digits stand alone, as in SmolLM2's."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    from engine.llm.prompts import TASKS, system_message

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Digits(individual_digits=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=700,
        special_tokens=list(CONTROL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    texts = [" ".join(made_up_essay(seed)) for seed in range(12)]
    labels = ["Topic: <<< >>> Text before: Connect it to: Problem: Sentence:", "1999 2024"]
    bpe.train_from_iterator([system_message(), *TASKS.values(), *texts, *labels], trainer)
    model = json.loads(bpe.to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].__getitem__)
    merges = [pair if isinstance(pair, str) else " ".join(pair) for pair in model["merges"]]
    return tokens, merges


def write_base(path: Path) -> Path:
    """A random Llama of two layers, its matrices in 8 bits."""
    import gguf
    import numpy as np

    tokens, merges = trained_bpe()
    width, inner, heads, key_heads = 64, 96, 4, 2
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("Tiny")
    writer.add_license("apache-2.0")
    writer.add_block_count(2)
    writer.add_context_length(2048)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(key_heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(width // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token in CONTROL else 1 for token in tokens])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    writer.add_add_bos_token(False)
    writer.add_chat_template(TEMPLATE)
    chance = np.random.default_rng(3)

    def add(name: str, rows: int, columns: int, scale: float) -> None:
        values = chance.normal(0.0, scale, (rows, columns)).astype(np.float32)
        kind = gguf.GGMLQuantizationType.Q8_0
        writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)

    add("token_embd.weight", len(tokens), width, 1.0)
    shapes: dict[str, Any] = {
        "attn_q": (width, width),
        "attn_k": (width * key_heads // heads, width),
        "attn_v": (width * key_heads // heads, width),
        "attn_output": (width, width),
        "ffn_gate": (inner, width),
        "ffn_up": (inner, width),
        "ffn_down": (width, inner),
    }
    for layer in range(2):
        for name, (rows, columns) in shapes.items():
            add(f"blk.{layer}.{name}.weight", rows, columns, 0.2)
        for name in ("attn_norm", "ffn_norm"):
            norm = chance.uniform(0.5, 1.5, width).astype(np.float32)
            writer.add_tensor(f"blk.{layer}.{name}.weight", norm)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
