"""Random models too small to make sense, in the real formats: GGUF, and Transformers' folders.

Their vocabulary is bytes, so that any text, emoji included, goes in and comes out.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

WIDTH, HEADS, LAYERS, HIDDEN, CONTEXT = 32, 2, 1, 64, 1024
SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
THINKING = "Think!{% if enable_thinking is false %}No{% endif %}"
"""A template that tells whether the model was asked to think aloud."""


def byte_symbols() -> list[str]:
    """GPT-2's printable stand-ins for the 256 bytes, in the order of the bytes."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in plain]
    symbols = {byte: chr(byte) for byte in plain}
    symbols |= {byte: chr(256 + number) for number, byte in enumerate(hidden)}
    return [symbols[byte] for byte in range(256)]


def write_gguf(path: Path, *, seed: int = 0, template: str = TEMPLATE) -> Path:
    """A random Llama as a GGUF file."""
    import gguf

    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    tokens = [*SPECIAL, *byte_symbols(), "Ġt"]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_types([3] * len(SPECIAL) + [1] * 257)
    writer.add_token_merges(["Ġ t"])  # llama.cpp wants at least one
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(False)
    if template:
        writer.add_chat_template(template)
    for name, shape in _shapes(len(tokens)).items():
        writer.add_tensor(name, _weights(name, shape, seed))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _shapes(vocabulary: int) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd.weight": (vocabulary, WIDTH),
        "output_norm.weight": (WIDTH,),
        "output.weight": (vocabulary, WIDTH),
    }
    for layer in range(LAYERS):
        block = f"blk.{layer}."
        shapes |= {f"{block}{name}_norm.weight": (WIDTH,) for name in ("attn", "ffn")}
        shapes |= {
            f"{block}attn_{name}.weight": (WIDTH, WIDTH) for name in ("q", "k", "v", "output")
        }
        shapes |= {
            f"{block}ffn_gate.weight": (HIDDEN, WIDTH),
            f"{block}ffn_up.weight": (HIDDEN, WIDTH),
            f"{block}ffn_down.weight": (WIDTH, HIDDEN),
        }
    return shapes


def _weights(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    if "norm" in name:
        return np.ones(shape, dtype=np.float32)
    random = np.random.default_rng([seed, *name.encode()])
    weights = random.normal(0.0, 0.4, shape).astype(np.float32)
    if name == "output.weight":
        weights[: len(SPECIAL)] = 0.0  # ends only where a test wants it to
    return weights


def write_transformers(folder: Path, *, seed: int = 0, template: str = TEMPLATE) -> Path:
    """A random Llama in Transformers' layout."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {token: i for i, token in enumerate([*SPECIAL, *byte_symbols()])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        bos_token=SPECIAL[0],
        eos_token=SPECIAL[2],
        additional_special_tokens=[SPECIAL[1]],
    )
    fast.chat_template = template or None
    fast.save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(vocabulary),
                hidden_size=WIDTH,
                intermediate_size=HIDDEN,
                num_hidden_layers=LAYERS,
                num_attention_heads=HEADS,
                max_position_embeddings=CONTEXT,
                initializer_range=0.4,
                bos_token_id=0,
                eos_token_id=2,
            )
        )
    with torch.no_grad():
        model.lm_head.weight[: len(SPECIAL)] = 0.0
    model.save_pretrained(folder)
    return folder
