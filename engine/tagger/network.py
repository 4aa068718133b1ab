"""The seam between the tagger and its runtimes: token ids in, hidden states out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]


class Encoder(Protocol):
    """A runtime that reads one window at a time."""

    def hidden(self, tokens: Sequence[int]) -> FloatArray:
        """Hidden states (tokens, width) of one window.

        Raises BackendError where the runtime fails.
        """
        ...
