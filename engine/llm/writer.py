"""A backend put to work on sentences: prompts out, edited sentences back.

The rewriter knows nothing of prompts and backends; it is handed one of these, and asks it to
write. What comes back is raw: the rewriter's guard and the tagger judge it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from engine.llm.batches import singles
from engine.llm.decor_prompts import Checkpoint, decor_request, parse_decor
from engine.llm.prompts import can_be_quoted, edit_request, parse_edit
from engine.llm.protocol import (
    CancelCheck,
    GeneratesText,
    Generation,
    GenerationRequest,
    JudgesFluency,
    never,
)
from engine.scheme import ReasonCode

VARIED = 0.8
"""The temperature of the second and further versions of a sentence; the first is the likeliest."""

MOST_WORDS = 150
"""No minimal edit mends a longer sentence, and it would take the model minutes to copy."""

Heard = Callable[[str, str], None]
"""Hears the sentence being edited and each new piece of the edited one; first an empty piece."""


class AsksForEdit(Protocol):
    """What is to be edited: a sentence in its essay. `anchor` is an index of `context`."""

    @property
    def topic(self) -> str:
        """The essay's prompt; may be empty."""
        ...

    @property
    def context(self) -> Sequence[str]:
        """The sentences before it."""
        ...

    @property
    def sentence(self) -> str:
        """The sentence itself."""
        ...

    @property
    def reason(self) -> ReasonCode | None:
        """What is most likely wrong with it."""
        ...

    @property
    def anchor(self) -> int | None:
        """The sentence that it should connect to."""
        ...


class EditWriter:
    """Writes `versions` edits of each sentence with a backend.

    `id` is what the user calls the model, if not what the backend does. `checkpoint` names one of
    DECOR's own models, which are prompted as they were trained.
    `at_once` is how many sentences are worth handing over together.
    """

    def __init__(
        self,
        backend: GeneratesText,
        *,
        id: str = "",
        checkpoint: Checkpoint | None = None,
        versions: int = 1,
        seed: int = 0,
        at_once: int = 1,
        on_text: Heard | None = None,
    ) -> None:
        self._backend = backend
        self._id = id
        self._checkpoint = checkpoint
        self._versions = versions
        self._seed = seed
        self._on_text = on_text
        self.at_once = at_once
        self.generations: list[Generation] = []
        """What was generated so far, for counting tokens and seconds."""

    @property
    def leaves_machine(self) -> bool:
        """Whether the sentences go to another computer."""
        return self._backend.leaves_machine

    def write(
        self, asked: Sequence[AsksForEdit], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[str, ...]]:
        """For each sentence its edits, the likeliest first; none where it cannot be quoted or is too long.

        Raises BackendError and Cancelled.
        """
        requests = [(place, r) for place, one in enumerate(asked) for r in self._requests(one)]
        if self._on_text is not None and len(asked) == 1:
            told = [self._streamed(asked[0].sentence, r, check_cancelled) for _, r in requests]
        else:
            told = self._backend.generate_all(
                [request for _, request in requests], check_cancelled=check_cancelled
            )
        edits: list[list[str]] = [[] for _ in asked]
        for (place, _), generations in zip(requests, told, strict=True):
            self.generations += generations
            edits[place] += [
                self._parse(one.text) for one in generations if one.finish_reason == "stop"
            ]
        return [tuple(dict.fromkeys(text for text in texts if text)) for texts in edits]

    def fluency(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float | None:
        """The mean log probability of the text's tokens after the context, in nats a token.

        None where the backend cannot tell. Raises BackendError and Cancelled.
        """
        if not isinstance(self._backend, JudgesFluency):
            return None
        return self._backend.likelihood(text, context=context, check_cancelled=check_cancelled)

    def describe(self) -> dict[str, Any]:
        """The backend's own description, with the model's id and how it is prompted."""
        described = self._backend.describe()
        return {
            **described,
            "id": self._id or described["model"],
            "prompt": f"decor-{self._checkpoint}" if self._checkpoint else "minimal-edit",
            "seed": self._seed,
        }

    def close(self) -> None:
        """Close the backend."""
        self._backend.close()

    def _requests(self, asked: AsksForEdit) -> list[GenerationRequest]:
        if not can_be_quoted(asked.sentence) or len(asked.sentence.split()) > MOST_WORDS:
            return []
        first = [self._request(asked, temperature=0.0, n=1)]
        if self._versions == 1:
            return first
        return [*first, self._request(asked, temperature=VARIED, n=self._versions - 1)]

    def _request(self, asked: AsksForEdit, *, temperature: float, n: int) -> GenerationRequest:
        if self._checkpoint is not None:
            return decor_request(
                self._checkpoint,
                context=asked.context,
                sentence=asked.sentence,
                reasons=() if asked.reason is None else (asked.reason,),
                seed=self._seed,
                temperature=temperature,
                n=n,
            )
        return edit_request(
            topic=asked.topic,
            context=asked.context,
            sentence=asked.sentence,
            reason=asked.reason,
            anchor=asked.anchor,
            seed=self._seed,
            temperature=temperature,
            n=n,
        )

    def _streamed(
        self, sentence: str, request: GenerationRequest, check_cancelled: CancelCheck
    ) -> tuple[Generation, ...]:
        heard = self._on_text

        def hear(piece: str) -> None:
            if heard is not None:
                heard(sentence, piece)

        told: list[Generation] = []
        for one in singles(request):
            # Reading the prompt takes longer than writing: whoever waits should know of it.
            hear("")
            told.append(self._backend.generate(one, on_text=hear, check_cancelled=check_cancelled))
        return tuple(told)

    def _parse(self, answer: str) -> str:
        return parse_edit(answer) if self._checkpoint is None else parse_decor(answer)
