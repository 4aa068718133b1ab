"""The trained encoder as one int8 ONNX file that both runtimes read.

Weights are quantized per column to int8, activations at run time (dynamic quantization). The
file's metadata names each torch parameter's place in it, so that the GPU path loads the same
numbers from the same file.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn


class _TokensToStates(nn.Module):
    """The encoder as a function of token ids alone: one window, nothing padded."""

    def __init__(self, encoder: Any) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Hidden states (1, tokens, width)."""
        mask = torch.ones_like(tokens)
        states: torch.Tensor = self.encoder(input_ids=tokens, attention_mask=mask).last_hidden_state
        return states


def export_encoder(encoder: Any, target: Path) -> None:
    """Write the encoder to `target` as int8 ONNX with the names of its weights."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    wrapped = _TokensToStates(encoder).eval().float()
    sample = torch.arange(5, 42)[None]
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "float.onnx"
        _trace(wrapped, sample, plain)
        quantize_dynamic(
            str(plain),
            str(target),
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Gather"],
        )
        names = _torch_names(onnx.load(str(plain)), encoder)
    model = onnx.load(str(target))
    entry = model.metadata_props.add()
    entry.key = "torch_names"
    entry.value = json.dumps(_quantized_places(model, names))
    onnx.save(model, str(target))


def _trace(wrapped: nn.Module, sample: torch.Tensor, target: Path) -> None:
    """Write the float graph with the tracing exporter, which keeps each weight as one initializer.

    It warns that a newer exporter exists and that shapes are traced; neither concerns the user.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            wrapped,
            (sample,),
            str(target),
            input_names=["tokens"],
            output_names=["states"],
            dynamic_axes={"tokens": {1: "length"}, "states": {1: "length"}},
            opset_version=17,
            dynamo=False,
        )


def _torch_names(plain: Any, encoder: Any) -> dict[str, tuple[str, bool]]:
    """Torch parameter -> (initializer of the float graph, whether it is transposed there)."""
    from onnx import numpy_helper

    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in plain.graph.initializer}
    found = {}
    for name, parameter in encoder.named_parameters():
        values = parameter.detach().float().cpu().numpy()
        found[name] = _place(values, arrays, name)
    return found


def _place(values: Any, arrays: dict[str, Any], name: str) -> tuple[str, bool]:
    import numpy as np

    for candidate, array in arrays.items():
        if array.shape == values.shape and np.array_equal(array, values):
            return candidate, False
        if values.ndim == 2 and array.shape == values.T.shape and np.array_equal(array, values.T):
            return candidate, True
    raise ValueError(f"the exported graph has no weight like {name}")


def _quantized_places(model: Any, names: dict[str, tuple[str, bool]]) -> dict[str, Any]:
    """Where each torch parameter stands in the quantized file."""
    present = {tensor.name: tensor for tensor in model.graph.initializer}
    places: dict[str, Any] = {}
    for torch_name, (name, transposed) in names.items():
        if name in present:
            places[torch_name] = {"name": name, "transposed": transposed}
            continue
        places[torch_name] = {
            "name": f"{name}_quantized",
            "scale": f"{name}_scale",
            "zero": f"{name}_zero_point",
            # Per column of a MatMul's right-hand side, which is its last axis.
            "axis": 1 if present[f"{name}_scale"].dims else None,
            "transposed": transposed,
        }
    return places
