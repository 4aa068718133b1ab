"""A chat as text, with a model's own template where it has one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jinja2

from engine.errors import ModelError
from engine.llm.protocol import Message

Template = Callable[[list[dict[str, str]]], Any]
"""Messages as plain data -> the prompt. Raises ValueError or jinja2's TemplateError."""


def templated(messages: Sequence[Message], template: Template) -> str:
    """The chat in the model's own form; the system message joins the user's where it has none.

    Raises ModelError where the template cannot take the chat at all.
    """
    try:
        return str(template([message.as_dict() for message in messages]))
    except (ValueError, jinja2.TemplateError):
        pass  # several models know no system message and say so by failing
    try:
        return str(template([message.as_dict() for message in _without_system(messages)]))
    except (ValueError, jinja2.TemplateError) as error:
        raise ModelError(
            "The model's chat template cannot be used.", hint="Use another build of this model."
        ) from error


def plain_chat(messages: Sequence[Message]) -> str:
    """The messages' texts, one paragraph each, ending where the answer belongs.

    For models that bring no chat template.
    """
    return "\n\n".join(message.content.strip() for message in messages) + "\n\n"


def _without_system(messages: Sequence[Message]) -> list[Message]:
    told = [message.content for message in messages if message.role == "system"]
    rest = [message for message in messages if message.role != "system"]
    if rest:
        rest[0] = Message(rest[0].role, "\n\n".join([*told, rest[0].content]))
    return rest
