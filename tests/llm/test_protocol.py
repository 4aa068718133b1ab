"""A request says one thing, and says it completely."""

from __future__ import annotations

import pytest

from engine.llm.protocol import GenerationRequest, Message

CHAT = (Message("user", "Hello"),)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"messages": CHAT, "prompt": "Hello"},
        {"prompt": "Hello", "max_tokens": 0},
        {"prompt": "Hello", "n": 0},
        {"prompt": "Hello", "temperature": -0.1},
        {"prompt": "Hello", "top_p": 0.0},
        {"prompt": "Hello", "top_p": 1.1},
        {"prompt": "Hello", "stop": ("",)},
    ],
)
def test_a_request_that_contradicts_itself_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        GenerationRequest(**fields)  # type: ignore[arg-type]


def test_a_message_is_plain_data_for_templates_and_servers() -> None:
    assert CHAT[0].as_dict() == {"role": "user", "content": "Hello"}
