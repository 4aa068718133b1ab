"""The base model from a GGUF file: its weights as plain numbers, and its tokenizer.

transformers reads GGUF files too, but newer versions keep the weights packed, which cannot be
trained, and its tokenizer does not cut digits apart as llama.cpp does for SmolLM2.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from engine.errors import ModelError
from engine.research.training.writer.gguf_names import rotated_heads, to_torch, torch_name

_CONTROL = 3
"""The token type of control tokens, such as `<|im_end|>`."""
_DIGITS_APART = {"smollm": True, "starcoder": True, "refact": True, "gpt-2": False}
"""The ways of cutting text before BPE that are known here: are digits cut apart?"""


def open_gguf(path: Path) -> Any:
    """A reader of the file. Raises ModelError where it is no Llama model in GGUF."""
    from gguf import GGUFReader

    hint = "The base has to be a GGUF file of the Llama architecture, such as SmolLM2's."
    try:
        reader = GGUFReader(str(path))
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be read as GGUF: {error}.", hint=hint) from error
    kind = field(reader, "general.architecture", "")
    if kind != "llama":
        raise ModelError(f"{path.name} is of the architecture {kind or '?'}.", hint=hint)
    return reader


def field(reader: Any, key: str, default: Any = None) -> Any:
    """The value that a GGUF file gives a key."""
    found = reader.fields.get(key)
    return default if found is None else found.contents()


def read_config(reader: Any) -> Any:
    """The model's shape as transformers' `LlamaConfig`."""
    from transformers import LlamaConfig

    make: Any = LlamaConfig

    def of(key: str, default: Any = None) -> Any:
        return field(reader, f"llama.{key}", default)

    heads = of("attention.head_count")
    tied = not any(tensor.name == "output.weight" for tensor in reader.tensors)
    return make(
        vocab_size=len(field(reader, "tokenizer.ggml.tokens")),
        hidden_size=of("embedding_length"),
        intermediate_size=of("feed_forward_length"),
        num_hidden_layers=of("block_count"),
        num_attention_heads=heads,
        num_key_value_heads=of("attention.head_count_kv", heads),
        rms_norm_eps=float(of("attention.layer_norm_rms_epsilon")),
        max_position_embeddings=of("context_length"),
        rope_theta=float(of("rope.freq_base", 10000.0)),
        tie_word_embeddings=tied,
        bos_token_id=field(reader, "tokenizer.ggml.bos_token_id"),
        eos_token_id=field(reader, "tokenizer.ggml.eos_token_id"),
        pad_token_id=field(reader, "tokenizer.ggml.eos_token_id"),
    )


def read_weights(reader: Any, config: Any) -> dict[str, torch.Tensor]:
    """All weights in float32, under transformers' names and in its layout."""
    from gguf.quants import dequantize

    weights = {}
    for tensor in reader.tensors:
        heads = rotated_heads(
            tensor.name, heads=config.num_attention_heads, key_heads=config.num_key_value_heads
        )
        values = to_torch(dequantize(tensor.data, tensor.tensor_type), heads)
        weights[torch_name(tensor.name)] = torch.from_numpy(values.copy())
    return weights


def read_model(path: Path, *, dtype: torch.dtype = torch.float32, attention: str = "sdpa") -> Any:
    """The file as a `LlamaForCausalLM`. Raises ModelError where weights are missing or strange.

    `attention` is one of transformers' ways to work it out.
    """
    from transformers import AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    reader = open_gguf(path)
    config = read_config(reader)
    model = auto.from_config(config, attn_implementation=attention)
    try:
        weights = read_weights(reader, config)
        if config.tie_word_embeddings:
            weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
        model.load_state_dict(weights)
    except (KeyError, RuntimeError) as error:
        raise ModelError(f"{path.name} does not hold a plain Llama model.") from error
    return model.to(dtype).eval()


def read_tokenizer(path: Path) -> Any:
    """The file's byte-level BPE tokenizer with its chat template, for transformers.

    Cuts text as llama.cpp does. Raises ModelError where the file holds another kind.
    """
    from transformers import PreTrainedTokenizerFast

    make: Any = PreTrainedTokenizerFast
    reader = open_gguf(path)
    way = field(reader, "tokenizer.ggml.pre")
    if field(reader, "tokenizer.ggml.model") != "gpt2" or way not in _DIGITS_APART:
        raise ModelError(
            f"{path.name} has a tokenizer that training does not know ({way or 'no name'}).",
            hint="Known are SmolLM2's, StarCoder's and GPT-2's.",
        )
    tokens: list[str] = field(reader, "tokenizer.ggml.tokens")

    def token(key: str) -> str | None:
        number = field(reader, f"tokenizer.ggml.{key}_token_id")
        return None if number is None else tokens[number]

    tokenizer = make(
        tokenizer_object=_byte_level_bpe(reader, tokens),
        bos_token=token("bos"),
        eos_token=token("eos"),
        unk_token=token("unknown"),
        pad_token=token("padding") or token("eos"),
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = field(reader, "tokenizer.chat_template")
    return tokenizer


def _byte_level_bpe(reader: Any, tokens: list[str]) -> Any:
    from tokenizers import AddedToken, Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    merges = [tuple(pair.split(" ")) for pair in field(reader, "tokenizer.ggml.merges")]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    bpe = Tokenizer(BPE(vocab=vocabulary, merges=merges))
    cutters: list[Any] = []
    if _DIGITS_APART[field(reader, "tokenizer.ggml.pre")]:
        cutters.append(pre_tokenizers.Digits(individual_digits=True))
    cutters.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True))
    bpe.pre_tokenizer = pre_tokenizers.Sequence(cutters)
    bpe.decoder = decoders.ByteLevel()
    kinds = field(reader, "tokenizer.ggml.token_type", [])
    bpe.add_special_tokens(
        [
            AddedToken(tokens[number], special=True, normalized=False)
            for number, kind in enumerate(kinds)
            if kind == _CONTROL
        ]
    )
    return bpe
