"""How GGUF and transformers name and lay out a Llama model's weights.

llama.cpp turns neighbouring pairs of a head's query and key dimensions, transformers turns the
first half against the second; so the rows of those two matrices are in another order.
Source: the GGUF specification's list of tensor names, and llama.cpp's converter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

_OUTSIDE = {
    "token_embd": "model.embed_tokens",
    "output_norm": "model.norm",
    "output": "lm_head",
}
_IN_LAYER = {
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
}
_FROM_TORCH = {name: key for key, name in {**_IN_LAYER, **_OUTSIDE}.items()}


def torch_name(name: str) -> str:
    """`blk.3.attn_q.weight` as `model.layers.3.self_attn.q_proj.weight`.

    Raises KeyError on a tensor that a Llama model does not have.
    """
    parts = name.split(".")
    if parts[0] == "blk":
        return f"model.layers.{parts[1]}.{_IN_LAYER[parts[2]]}.{parts[3]}"
    return f"{_OUTSIDE[parts[0]]}.{parts[1]}"


def gguf_name(module: str) -> str:
    """`model.layers.3.self_attn.q_proj` as `blk.3.attn_q`. Raises KeyError as `torch_name` does."""
    if not module.startswith("model.layers."):
        return _FROM_TORCH[module]
    layer, _, rest = module.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{_FROM_TORCH[rest]}"


def rotated_heads(name: str, *, heads: int, key_heads: int) -> int:
    """The number of heads whose rows are ordered differently; 0 where the layout is the same."""
    if name.endswith((".attn_q.weight", ".attn_q")):
        return heads
    return key_heads if name.endswith((".attn_k.weight", ".attn_k")) else 0


def to_torch(rows: Array, heads: int) -> Array:
    """A matrix from GGUF in transformers' order of rows."""
    if not heads:
        return rows
    pairs = rows.reshape(heads, rows.shape[0] // heads // 2, 2, *rows.shape[1:])
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(rows.shape))


def to_gguf(rows: Array, heads: int) -> Array:
    """The reverse of `to_torch`."""
    if not heads:
        return rows
    halves = rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows.shape))
