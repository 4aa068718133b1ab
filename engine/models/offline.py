"""No call home: what keeps the libraries that load and run models from talking to anyone."""

from __future__ import annotations

import os

_SETTINGS = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}


def stay_offline() -> None:
    """Tell huggingface_hub and Transformers, before they are loaded, to use local files only.

    For processes that run models. One that downloads them must not call this.
    """
    os.environ.update(_SETTINGS)


def send_no_telemetry() -> None:
    """Tell ONNX Runtime, before it is loaded, to report to nobody and keep no device id.

    Since 1.29 its official builds send usage data to its makers unless `ORT_DISABLE_TELEMETRY` is
    set (https://github.com/microsoft/onnxruntime/pull/27379). Whoever imports it calls this first.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
