"""A generator without a model: for tests, and for trying out what is built on generation.

It gives what its script says: fixed answers in order, or what a function makes of the request.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.llm.batches import one_by_one
from engine.llm.options import BackendOptions
from engine.llm.prompts import parse_edit
from engine.llm.protocol import CancelCheck, Generation, GenerationRequest, TextListener, never
from engine.llm.streaming import TextStream

Script = Sequence[str] | Callable[[GenerationRequest], str]


class FakeGenerator:
    """Answers from a script, word by word, with `delay` seconds before each.

    A list of answers starts over at its end. `requests` keeps what was asked.
    """

    leaves_machine = False

    def __init__(self, script: Script, *, delay: float = 0.0) -> None:
        if not callable(script) and not script:
            raise ValueError("a script needs at least one answer")
        self._script = script
        self._delay = delay
        self.requests: list[GenerationRequest] = []
        self.is_closed = False

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """The next answer of the script. Raises Cancelled."""
        began = time.perf_counter()
        answer = self._answer(request)
        self.requests.append(request)
        stream = TextStream(request.stop, on_text=on_text)
        words = _pieces(answer)
        count = 0
        for word in words[: request.max_tokens]:
            check_cancelled()
            if self._delay:
                time.sleep(self._delay)
            stream.add(word)
            count += 1
            if stream.is_stopped:
                break
        text = stream.finish()
        is_cut = count < len(words) and not stream.is_stopped
        return Generation(
            text,
            tokens=count,
            seconds=time.perf_counter() - began,
            prompt_tokens=sum(len(m.content.split()) for m in request.messages),
            finish_reason="length" if is_cut else "stop",
        )

    def generate_all(
        self, requests: Sequence[GenerationRequest], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[Generation, ...]]:
        """The next answers of the script, `n` for each request. Raises Cancelled."""
        return one_by_one(self, requests, check_cancelled=check_cancelled)

    def likelihood(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float:
        """A made-up fluency: the longer its words, the less likely the text. Raises Cancelled."""
        del context
        check_cancelled()
        words = text.split()
        if not words:
            raise ValueError("there is no text to score")
        return -sum(len(word) for word in words) / len(words)

    def describe(self) -> dict[str, Any]:
        """Backend, model and device, as other backends give them."""
        return {
            "backend": "fake",
            "model": "script",
            "device": "cpu",
            "reason": "Answers come from a script, not from a language model.",
            "leaves_machine": False,
        }

    def close(self) -> None:
        """Nothing to give back."""
        self.is_closed = True

    def _answer(self, request: GenerationRequest) -> str:
        if callable(self._script):
            return self._script(request)
        return self._script[len(self.requests) % len(self._script)]


def load(options: BackendOptions) -> FakeGenerator:
    """A fake that answers from the JSON list in the file `options.model`, or repeats the sentence.

    Raises UsageError where the file is no such list.
    """
    if options.model is None:
        return FakeGenerator(repeat_sentence)
    path = Path(options.model)
    try:
        script = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"The script {path} cannot be read as JSON.") from error
    if not isinstance(script, list) or not script or not all(isinstance(s, str) for s in script):
        raise UsageError(f"The script {path} is not a list of answers.")
    return FakeGenerator(script)


def repeat_sentence(request: GenerationRequest) -> str:
    """The last marked text of the request: a model that changes nothing."""
    asked = request.messages[-1].content if request.messages else request.prompt
    return parse_edit(asked.splitlines()[-1])


def _pieces(text: str) -> list[str]:
    """The text in words, each with the white space before it."""
    return re.findall(r"\s*\S+|\s+$", text)
