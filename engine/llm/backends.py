"""The backends by name. A runtime is imported when its backend is opened, not before."""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from typing import cast

from engine.errors import BackendError, UsageError
from engine.llm.options import BackendOptions
from engine.llm.protocol import GeneratesText

BACKENDS: Mapping[str, str] = {
    "llama-cpp": "engine.llm.llama_cpp_runtime:load",
    "transformers": "engine.llm.transformers_runtime:load",
    "server": "engine.llm.server:connect",
}
"""Name -> "module:function" that takes `BackendOptions` and gives a `GeneratesText`.

`engine.llm.fake`, which needs no model, is none of them: tests add it, users cannot choose it.
"""

EXTRAS: Mapping[str, str] = {"llama-cpp": "llm", "transformers": "gpu"}
"""The extra of the package that brings a backend's runtime."""


def open_backend(name: str, options: BackendOptions | None = None) -> GeneratesText:
    """The backend of that name, ready to generate.

    Raises UsageError on a name that there is none of, BackendError where its runtime is not
    installed or fails, ModelError where the model cannot be used.
    """
    module, _, function = place_of(name).partition(":")
    try:
        load = getattr(importlib.import_module(module), function)
        return cast(GeneratesText, load(options or BackendOptions()))
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("engine."):
            raise
        raise BackendError(
            f"The backend {name} needs {error.name}, which is not installed.",
            hint=f"Install the extra: pip install 'segue[{EXTRAS.get(name, 'llm')}]'",
        ) from error


def place_of(name: str) -> str:
    """Where the backend of that name is, as "module:function". Raises UsageError without one."""
    place = BACKENDS.get(name)
    if place is not None:
        return place
    near = difflib.get_close_matches(name.lower().replace("_", "-"), BACKENDS, n=1, cutoff=0.5)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(BACKENDS)}."
    raise UsageError(f"There is no backend called {name!r}.", hint=hint)
