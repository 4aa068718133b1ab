"""The encoder in ONNX Runtime: 8-bit weights on the processor. The only module that imports it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.errors import BackendError, ModelError
from engine.models.offline import send_no_telemetry
from engine.tagger.network import FloatArray

MAX_THREADS = 4
"""More threads than this gain nothing on windows of 512 tokens and take the machine away."""


class OnnxEncoder:
    """Loads `model.onnx`; raises BackendError without the runtime, ModelError on a bad file."""

    def __init__(self, path: Path, *, threads: int | None = None) -> None:
        send_no_telemetry()
        try:
            import onnxruntime
        except ImportError as error:
            raise BackendError(
                f"ONNX Runtime could not be loaded: {error}.",
                hint="Install it with: pip install onnxruntime",
            ) from error
        onnxruntime.disable_telemetry_events()  # on Windows no variable does
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads or min(os.cpu_count() or 1, MAX_THREADS)
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        # Windows differ in length, and the arena and memory patterns would keep a block for each.
        options.enable_cpu_mem_arena = False
        options.enable_mem_pattern = False
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # the runtime's own errors share no base but Exception
            raise ModelError(f"The model file {path.name} cannot be loaded.") from error

    def hidden(self, tokens: Sequence[int]) -> FloatArray:
        """Hidden states (tokens, width) of one window."""
        ids = np.array([tokens], dtype=np.int64)
        try:
            states: FloatArray = self._session.run(None, {"tokens": ids})[0][0]
        except Exception as error:  # as above
            raise BackendError(f"ONNX Runtime failed: {type(error).__name__}.") from error
        return states.astype(np.float32, copy=False)
