"""The trained writer as GGUF: merged and quantized, or the adapters alone.

The base file is copied: metadata, tokenizer and every tensor that training left alone, byte for
byte. Only the adapted matrices are worked out anew, in float32, and packed again.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from engine.errors import UsageError
from engine.research.training.writer.gguf_base import field, open_gguf, read_model
from engine.research.training.writer.gguf_names import (
    Array,
    gguf_name,
    rotated_heads,
    to_gguf,
)

Adapters = Mapping[str, tuple[torch.Tensor, torch.Tensor]]
"""Module name -> (A, B), see `WriterNetwork.adapters`."""

_FILE_TYPES = {
    "F32": "ALL_F32",
    "F16": "MOSTLY_F16",
    "BF16": "MOSTLY_BF16",
    "Q8_0": "MOSTLY_Q8_0",
    "Q5_1": "MOSTLY_Q5_1",
    "Q5_0": "MOSTLY_Q5_0",
    "Q4_1": "MOSTLY_Q4_1",
    "Q4_0": "MOSTLY_Q4_0",
}
_NAMED_ANEW = ("general.name", "general.finetune", "general.basename", "general.file_type")


def check_quantization(name: str) -> None:
    """Raise UsageError on a type of numbers that cannot be exported."""
    if name not in _FILE_TYPES:
        raise UsageError(
            f"There is no quantization called {name!r}.",
            hint=f"There are {', '.join(_FILE_TYPES)}.",
        )


def write_model(
    base: Path, adapters: Adapters, target: Path, *, scale: float, quantization: str, name: str
) -> None:
    """Write the base with `scale` times the adapters added to it.

    Matrices whose rows do not divide into blocks are kept in 16 bits. Raises UsageError on an
    unknown quantization.
    """
    import gguf

    check_quantization(quantization)
    reader = open_gguf(base)
    partial = target.with_name(f"{target.name}.part")
    writer = gguf.GGUFWriter(partial, field(reader, "general.architecture"))
    _copy_metadata(reader, writer)
    writer.add_name(name)
    writer.add_file_type(getattr(gguf.LlamaFileType, _FILE_TYPES[quantization]))
    rewritten = {f"{gguf_name(module)}.weight": pair for module, pair in adapters.items()}
    for tensor in reader.tensors:
        if tensor.name not in rewritten:
            writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
            continue
        down, up = (matrix.numpy() for matrix in rewritten[tensor.name])
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        values = values + scale * (to_gguf(up, _heads(reader, tensor.name)) @ down)
        kind = _kind(quantization, values)
        writer.add_tensor(tensor.name, gguf.quants.quantize(values, kind), raw_dtype=kind)
    _finish(writer)
    partial.replace(target)


def write_adapter(base: Path, adapters: Adapters, target: Path, *, alpha: float, name: str) -> None:
    """Write the adapters alone, in 16 bits, for a runtime that puts them on the base file itself."""
    import gguf
    import numpy as np

    reader = open_gguf(base)
    partial = target.with_name(f"{target.name}.part")
    writer = gguf.GGUFWriter(partial, field(reader, "general.architecture"))
    writer.add_type(gguf.GGUFType.ADAPTER)
    writer.add_name(name)
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(alpha))
    for module, (down, up) in adapters.items():
        weight = f"{gguf_name(module)}.weight"
        rows = to_gguf(up.numpy(), _heads(reader, weight))
        writer.add_tensor(f"{weight}.lora_a", down.numpy().astype(np.float16))
        writer.add_tensor(f"{weight}.lora_b", rows.astype(np.float16))
    _finish(writer)
    partial.replace(target)


def merged_model(base: Path, adapters: Adapters, *, scale: float) -> Any:
    """The base in float32 with `scale` times the adapters added to it, for transformers."""
    model = read_model(base)
    with torch.no_grad():
        for module, (down, up) in adapters.items():
            model.get_submodule(module).weight.add_(scale * (up @ down))
    return model


def write_folder(model: Any, tokenizer: Any, target: Path) -> None:
    """Write a model in 16 bits and its tokenizer as a folder that transformers loads."""
    copy.deepcopy(model).to(torch.bfloat16).save_pretrained(target)
    tokenizer.save_pretrained(target)


def _copy_metadata(reader: Any, writer: Any) -> None:
    import gguf

    for key, entry in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture" or key in _NAMED_ANEW:
            continue
        kind = entry.types[0]
        inner = entry.types[-1] if kind == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(key, entry.contents(), kind, sub_type=inner)


def _heads(reader: Any, name: str) -> int:
    heads = field(reader, "llama.attention.head_count")
    return rotated_heads(
        name, heads=heads, key_heads=field(reader, "llama.attention.head_count_kv", heads)
    )


def _kind(quantization: str, values: Array) -> Any:
    import gguf

    kind = gguf.GGMLQuantizationType[quantization]
    block = gguf.GGML_QUANT_SIZES[kind][0]
    return kind if values.shape[-1] % block == 0 else gguf.GGMLQuantizationType.F16


def _finish(writer: Any) -> None:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
