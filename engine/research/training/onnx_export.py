"""The trained encoder as one 8-bit ONNX file that both runtimes read.

Matrices are quantized in blocks of 128 weights with a scale each, and multiplied with activations
that are rounded in blocks too (MatMulNBits). Rounding a whole activation matrix by its largest
value, as plain dynamic quantization does, moved the hidden states by 40% here, since a few values
after the feed-forward layers are very large; blocks move them by 3%. The file's metadata names
each torch parameter's place in it, so that the GPU path loads the same numbers from the same file.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import nn

from engine.models.offline import send_no_telemetry


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


BLOCK = 128
BITS = 8


def export_encoder(encoder: Any, target: Path) -> None:
    """Write the encoder to `target` as 8-bit ONNX with the names of its weights."""
    import onnx

    wrapped = _TokensToStates(encoder).eval().float()
    with tempfile.TemporaryDirectory() as folder:
        plain, blocks = Path(folder) / "float.onnx", Path(folder) / "blocks.onnx"
        _trace(wrapped, torch.arange(5, 42)[None], plain)
        names = _torch_names(onnx.load(str(plain)), encoder)
        _quantize(plain, blocks, target)
    model = onnx.load(str(target))
    entry = model.metadata_props.add()
    entry.key = "torch_names"
    entry.value = json.dumps(_quantized_places(model, names))
    onnx.save(model, str(target))


def _quantize(plain: Path, blocks: Path, target: Path) -> None:
    """Matrices in blocks, then the embedding tables, which are only looked up, as a whole."""
    import onnx

    send_no_telemetry()
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.matmul_nbits_quantizer import (
        DefaultWeightOnlyQuantConfig,
        MatMulNBitsQuantizer,
    )

    settings = DefaultWeightOnlyQuantConfig(
        block_size=BLOCK, is_symmetric=True, accuracy_level=4, bits=BITS
    )
    quantizer = MatMulNBitsQuantizer(onnx.load(str(plain)), algo_config=settings)
    quantizer.process()
    quantizer.model.save_model_to_file(str(blocks), use_external_data_format=False)
    quantize_dynamic(
        str(blocks), str(target), weight_type=QuantType.QInt8, op_types_to_quantize=["Gather"]
    )


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
    present = {tensor.name for tensor in model.graph.initializer}
    inputs = {
        node.input[1]: next(each.i for each in node.attribute if each.name == "K")
        for node in model.graph.node
        if node.op_type == "MatMulNBits"
    }
    places: dict[str, Any] = {}
    for torch_name, (name, transposed) in names.items():
        if name in present:
            places[torch_name] = {"name": name, "transposed": transposed}
        elif f"{name}_Q{BITS}" in present:
            # Blocks run along the inputs, so the matrix lies as torch's does, not as the graph's.
            places[torch_name] = {
                "name": f"{name}_Q{BITS}",
                "scale": f"{name}_scales",
                "inputs": int(inputs[f"{name}_Q{BITS}"]),
                "transposed": not transposed,
            }
        else:
            places[torch_name] = {
                "name": f"{name}_quantized",
                "scale": f"{name}_scale",
                "zero": f"{name}_zero_point",
                "transposed": transposed,
            }
    return places
