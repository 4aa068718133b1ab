"""Which language model is wished for beside the rules, and what it is called.

Nothing here knows how a model is loaded or prompted; that is `engine.llm`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

OFF = "off"
STORED = "stored"
"""The backend that fits the stored model: llama.cpp for a GGUF file, else Transformers."""
SERVER = "server"


@dataclass(frozen=True, slots=True)
class WriterChoice:
    """Who is to write where the rules leave something open.

    `backend` is "off", "stored" or a name that `engine.llm.backends` knows. `model` is a stored
    model's id or a path, of a server the model's name there; empty for the first there is.
    `server` is the address of a server, and empty for everything else.
    """

    backend: str = OFF
    model: str = ""
    server: str = ""

    @property
    def is_off(self) -> bool:
        """Whether the rules work alone."""
        return self.backend == OFF

    def without_secrets(self) -> WriterChoice:
        """The same with a server's bare address: no name, password or key may be kept in it."""
        if not self.server:
            return self
        address = self.server if "//" in self.server else f"http://{self.server}"
        try:
            parts = urlsplit(address)
        except ValueError:
            return replace(self, server="")
        host = parts.netloc.rpartition("@")[2]
        return replace(self, server=urlunsplit((parts.scheme, host, parts.path, "", "")))

    def as_dict(self) -> dict[str, str]:
        """Plain data, as in the worker protocol."""
        return {"backend": self.backend, "model": self.model, "server": self.server}

    @classmethod
    def from_dict(cls, data: object) -> WriterChoice:
        """Read back what `as_dict` wrote. Raises ValueError on other data."""
        if not isinstance(data, Mapping):
            raise ValueError("a choice of a writer is not an object")  # noqa: TRY004 - as the next
        texts = {name: data.get(name, "") for name in ("backend", "model", "server")}
        if not all(isinstance(text, str) for text in texts.values()):
            raise ValueError("a part of a choice of a writer is not a string")
        return cls(**{**texts, "backend": texts["backend"] or OFF})


RULES_ALONE = WriterChoice()
"""No language model."""


def name_of(description: Mapping[str, Any]) -> str:
    """The model as a reader should see it; on a server with where that is."""
    name = str(description.get("id") or description.get("model") or "a language model")
    if description.get("leaves_machine"):
        return f"{name} on {description.get('device', 'a server')}"
    return name
