"""The encoder in torch, for GPUs: reads the very file that ONNX Runtime reads.

The 8-bit weights are turned back into floats, so both runtimes hold the same numbers and one file
ships for both. The only module of the tagger that imports torch, transformers and onnx.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import BackendError, ModelError
from engine.tagger.network import FloatArray

_HINT = "Install the GPU extra: pip install 'segue[gpu]'"


class TorchEncoder:
    """Loads `model.onnx` and `config.json`; half precision on a GPU, float32 on the processor."""

    def __init__(self, path: Path, *, device: str) -> None:
        try:
            import torch
            from transformers import AutoConfig, AutoModel
        except ImportError as error:
            raise BackendError(f"PyTorch could not be loaded: {error}.", hint=_HINT) from error
        self._torch = torch
        self._device = device
        settings = json.loads((path.parent / "config.json").read_text(encoding="utf-8"))
        config = AutoConfig.for_model(settings.pop("model_type"), **settings)
        model: Any = AutoModel.from_config(config)  # type: ignore[no-untyped-call]
        if hasattr(model, "pooler"):
            model.pooler = None
        weights = {name: torch.from_numpy(array) for name, array in read_weights(path).items()}
        missing, unexpected = model.load_state_dict(weights, strict=False)
        missing = [name for name in missing if "position_ids" not in name]
        if missing or unexpected:
            raise ModelError(f"The model file {path.name} does not fit its configuration.")
        kind = torch.float32 if device == "cpu" else torch.float16
        try:
            self._model = model.to(device=device, dtype=kind).eval()
        except RuntimeError as error:
            raise BackendError(f"The model could not be put on {device}.", hint=_HINT) from error

    def hidden(self, tokens: Sequence[int]) -> FloatArray:
        """Hidden states (tokens, width) of one window."""
        torch = self._torch
        ids = torch.tensor([list(tokens)], device=self._device)
        try:
            with torch.inference_mode():
                states = self._model(input_ids=ids, attention_mask=torch.ones_like(ids))
                result: FloatArray = states.last_hidden_state[0].float().cpu().numpy()
        except RuntimeError as error:
            raise BackendError(f"PyTorch failed on {self._device}.", hint=_HINT) from error
        return result


def read_weights(path: Path) -> dict[str, FloatArray]:
    """The encoder's weights in an 8-bit ONNX file, as floats, under their names in torch.

    Raises BackendError without the onnx package, ModelError where the file is another kind.
    """
    try:
        import onnx
        from onnx import numpy_helper
    except ImportError as error:
        raise BackendError("Reading the model for PyTorch needs onnx.", hint=_HINT) from error
    model = onnx.load(str(path))
    names = {entry.key: entry.value for entry in model.metadata_props}
    if "torch_names" not in names:
        raise ModelError(f"The model file {path.name} does not name its weights.")
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    result = {}
    for torch_name, entry in json.loads(names["torch_names"]).items():
        values = arrays[entry["name"]]
        if "inputs" in entry:
            values = _from_blocks(values, arrays[entry["scale"]], entry["inputs"])
        elif "scale" in entry:
            zero = arrays[entry["zero"]].astype(np.float32)
            values = (values.astype(np.float32) - zero) * arrays[entry["scale"]]
        values = values.T if entry["transposed"] else values
        result[torch_name] = np.array(values, dtype=np.float32, order="C")
    return result


def _from_blocks(values: Any, scales: Any, inputs: int) -> FloatArray:
    """A matrix (outputs, inputs) from blocks (outputs, blocks, size) around 128, a scale each."""
    floats = (values.astype(np.float32) - 128.0) * scales.reshape(*values.shape[:2], 1)
    result: FloatArray = floats.reshape(values.shape[0], -1)[:, :inputs]
    return result
