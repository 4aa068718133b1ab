"""A chat as plain text, for models that bring no chat template of their own."""

from __future__ import annotations

from collections.abc import Sequence

from engine.llm.protocol import Message


def plain_chat(messages: Sequence[Message]) -> str:
    """The messages' texts, one paragraph each, ending where the answer belongs."""
    return "\n\n".join(message.content.strip() for message in messages) + "\n\n"
