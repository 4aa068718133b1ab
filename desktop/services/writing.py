"""Which language model writes beside the rules, from the settings."""

from __future__ import annotations

from urllib.parse import urlsplit

from desktop.services.settings import Settings
from engine.writing import RULES_ALONE, SERVER, STORED, WriterChoice

NAMES = ("writer", "writer_model", "server_address", "server_model")
"""The settings that the choice is made of."""


def chosen_writer(settings: Settings) -> WriterChoice:
    """The writer for the next check; it is off unless the user has switched it on."""
    if settings.writer == "computer":
        return WriterChoice(STORED, settings.writer_model)
    if settings.writer == "server":
        return WriterChoice(SERVER, settings.server_model, settings.server_address)
    return RULES_ALONE


def recorded(choice: WriterChoice) -> str:
    """The choice for the history's settings: without a name and password in an address."""
    parts = [choice.backend, choice.model, host_of(choice.server)]
    return " ".join(part for part in parts if part)


def host_of(address: str) -> str:
    """The computer that an address names; empty where it names none."""
    if not address:
        return ""
    try:
        return urlsplit(address if "//" in address else f"//{address}").hostname or ""
    except ValueError:
        return ""
