"""A chat in the form that a model knows."""

from __future__ import annotations

import jinja2
import pytest

from engine.errors import ModelError
from engine.llm.chat import plain_chat, templated
from engine.llm.protocol import Message

CHAT = (Message("system", "Be brief."), Message("user", "Hello"))


def test_the_models_own_template_is_used() -> None:
    text = templated(CHAT, lambda told: "|".join(f"{m['role']}:{m['content']}" for m in told))
    assert text == "system:Be brief.|user:Hello"


@pytest.mark.parametrize("error", [ValueError("no system"), jinja2.TemplateError("no system")])
def test_a_model_without_a_system_message_gets_it_with_the_users(error: Exception) -> None:
    def template(told: list[dict[str, str]]) -> str:
        if any(message["role"] == "system" for message in told):
            raise error
        return "|".join(f"{m['role']}:{m['content']}" for m in told)

    assert templated(CHAT, template) == "user:Be brief.\n\nHello"


def test_a_template_that_always_fails_is_reported() -> None:
    def template(told: list[dict[str, str]]) -> str:
        raise jinja2.TemplateError("broken")

    with pytest.raises(ModelError):
        templated(CHAT, template)


def test_without_a_template_the_texts_follow_each_other() -> None:
    assert plain_chat(CHAT) == "Be brief.\n\nHello\n\n"
