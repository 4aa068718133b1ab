"""No call home: what keeps the libraries that load models from asking the hub about them."""

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
