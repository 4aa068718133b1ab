"""From what a user chose to a writer that is ready: the one way, for commands and the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.errors import ModelError
from engine.llm.backends import open_backend
from engine.llm.decor_prompts import checkpoint_of
from engine.llm.model_files import ROLE
from engine.llm.options import BackendOptions
from engine.llm.writer import EditWriter
from engine.models.store import ModelStore, default_store
from engine.writing import STORED, WriterChoice

_TOGETHER_ON_GPU = 8


def open_writer(
    choice: WriterChoice,
    *,
    device: str = "auto",
    seed: int = 0,
    versions: int = 1,
    on_text: Callable[[str, str], None] | None = None,
    store: ModelStore | None = None,
) -> EditWriter:
    """A writer on the chosen backend. Raises UsageError, ModelError and BackendError."""
    if choice.backend == STORED:
        choice = stored_choice(choice.model, store or default_store())
    options = BackendOptions(model=choice.model or None, device=device, url=choice.server)
    backend = open_backend(choice.backend, options)
    described = backend.describe()
    is_on_gpu = described["device"] in ("cuda", "mps")
    return EditWriter(
        backend,
        id="" if choice.model and Path(choice.model).exists() else choice.model,
        checkpoint=checkpoint_of(f"{choice.model} {described['model']}"),
        versions=versions,
        seed=seed,
        at_once=_TOGETHER_ON_GPU if is_on_gpu else 1,
        on_text=on_text,
    )


def stored_choice(model: str, store: ModelStore) -> WriterChoice:
    """The stored writer of this id, or the first one, with the backend that runs it.

    Raises ModelError where there is none.
    """
    for stored in store.models():
        manifest = stored.manifest
        if manifest is None or manifest.role != ROLE or model not in ("", manifest.id):
            continue
        backend = "llama-cpp" if "gguf" in manifest.formats else "transformers"
        return WriterChoice(backend, manifest.id)
    what = f"The language model {model} is" if model else "No language model that writes is"
    raise ModelError(
        f"{what} not installed." if model else f"{what} installed.",
        hint="Add one on the Models page or with `segue models install ID`, or choose another one.",
    )
