"""The teacher's nats on disk, so that a training run that goes on does not ask again."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from engine.documents.atomic import write_bytes
from engine.research.data import TrainingEssay
from engine.research.training.teacher import FloatArray, Teacher

log = logging.getLogger(__name__)


def essay_key(topic: str, texts: Sequence[str]) -> str:
    """Which text a cached reading belongs to."""
    joined = "\x1f".join([topic, *texts])
    return hashlib.sha256(joined.encode("utf-8", "surrogatepass")).hexdigest()[:24]


class NatsCache:
    """One small file an essay in `folder`: float16 nats of all characters, sentence by sentence."""

    def __init__(self, folder: Path, gguf: Path | None) -> None:
        self.folder = folder
        self._gguf = gguf
        self._teacher: Teacher | None = None

    def nats(self, essay: TrainingEssay) -> list[FloatArray] | None:
        """Nats of each character, a list of one array a sentence; None without a teacher."""
        texts = [sentence.text for sentence in essay.sentences]
        path = self.folder / f"{essay_key(essay.topic, texts)}.f16"
        if not path.exists():
            if self._gguf is None:
                return None
            self._teacher = self._teacher or Teacher(self._gguf)
            read = self._teacher.nats(essay.topic, texts)
            self.folder.mkdir(parents=True, exist_ok=True)
            write_bytes(path, np.concatenate(read).astype("<f2").tobytes())
        flat = np.frombuffer(path.read_bytes(), dtype="<f2").astype(np.float32)
        ends = np.cumsum([len(text) for text in texts])
        return list(np.split(flat, ends[:-1]))

    def fill(self, essays: Sequence[TrainingEssay]) -> None:
        """Read all essays, saying every fifty how far it is."""
        for number, essay in enumerate(essays):
            self.nats(essay)
            if number % 50 == 0:
                log.info("teacher: %d of %d essays", number, len(essays))
