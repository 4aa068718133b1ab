"""A real worker process whose catalogue is the tests' own: `python -m tests.worker.fake_model_worker`."""

from __future__ import annotations

import os
from pathlib import Path

from engine.models.catalogue import Catalogue
from engine.pipeline import Engine
from engine.worker import models
from engine.worker.process import run_process
from tests.fakes import FakeTagger
from tests.models.catalogue_entries import folder_entry, gguf_entry

CATALOGUE = Catalogue((gguf_entry(), folder_entry()))


def own_catalogue(_file: Path | None = None) -> Catalogue:
    """In place of the shipped one."""
    return CATALOGUE


if __name__ == "__main__":
    os.environ.pop("HF_HUB_OFFLINE", None)
    setattr(models, "load_catalogue", own_catalogue)  # noqa: B010 - mypy rejects the other form
    run_process(Engine(tagger=FakeTagger()))
