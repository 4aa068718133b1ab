"""Segue's own prompt for a minimal edit, and how its answer is read.

The system message is resources/prompts/minimal-edit.txt. What is the learner's stands between
`<<<` and `>>>`, and nothing in it can close these marks or pass for a chat model's control
tokens. The context is short and ends with the sentence just before, because a small model looks
at what is near. It also begins at the same place for several sentences on end, so that a runtime
that keeps the prompt before need not read it again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from engine.errors import ModelError
from engine.llm.protocol import GenerationRequest, Message
from engine.resources import resources_folder
from engine.scheme import ReasonCode

CONTEXT_WORDS = 120
"""At most so many words of the text before the sentence."""
ANCHOR_WORDS = 30
TOPIC_WORDS = 60
_STEP_WORDS = 60
"""How far the start of the context moves on at a time."""

OPENING, CLOSING = "<<<", ">>>"

TASKS: dict[ReasonCode, str] = {
    ReasonCode.R1: "Weak link. Repeat a key word, or point back to the idea before.",
    ReasonCode.R2: "Unclear reference. Name the person or thing, as the text before does.",
    ReasonCode.R3: "Linking word. Add, change or remove the linking word.",
    ReasonCode.R4: "Contradiction. Make the sentence agree with the text before.",
    ReasonCode.R5: "Off topic. Say how the sentence belongs to the text before.",
    ReasonCode.R6: "Side remark. Show how the sentence supports the text before.",
    ReasonCode.R7: "Does not fit together. Change the part that clashes with the rest.",
}
"""What to do about each reason, in one line."""
_ANY_REASON = "The sentence does not follow from the text before. Make it follow."

_LONGEST_ANSWER = 96
_TOKENS_A_WORD = 2
_SPARE_TOKENS = 24

# What chat templates and tokenizers give a meaning: <|im_end|>, </s>, [INST], <<SYS>>, <bos> ...
_CONTROL = re.compile(
    r"<\|[^<>|]{0,40}\|>|</?s>|\[/?INST\]|<</?SYS>>|</?(?:bos|eos|pad|unk)>"
    r"|<(?:start|end)_of_turn>|<{3,}|>{3,}|<｜[^<>]{0,40}｜>",
    re.IGNORECASE,
)


def edit_messages(
    *,
    topic: str,
    context: Sequence[str],
    sentence: str,
    reason: ReasonCode | None = None,
    anchor: int | None = None,
) -> tuple[Message, ...]:
    """The chat that asks for a minimal edit of `sentence`.

    `context` holds all sentences before it, in order; about `CONTEXT_WORDS` words at its end are
    shown. `reason` is the code to answer. `anchor` is the index in `context` of the sentence to
    connect to; it is quoted unless it is the last one anyway.
    """
    lines = []
    if topic.strip():
        lines.append(f"Topic: {_quoted(_first_words(topic, TOPIC_WORDS))}")
    shown = context_text(context)
    if shown:
        lines.append(f"Text before: {_quoted(shown)}")
    if anchor is not None and 0 <= anchor < len(context) - 1:
        lines.append(f"Connect it to: {_quoted(_first_words(context[anchor], ANCHOR_WORDS))}")
    lines.append(f"Problem: {_ANY_REASON if reason is None else TASKS[reason]}")
    lines.append(f"Sentence: {_quoted(flat(sentence))}")
    return Message("system", system_message()), Message("user", "\n".join(lines))


def edit_request(
    *,
    topic: str,
    context: Sequence[str],
    sentence: str,
    reason: ReasonCode | None = None,
    anchor: int | None = None,
    seed: int = 0,
    temperature: float = 0.0,
    n: int = 1,
) -> GenerationRequest:
    """The same as a request whose length fits the sentence and which ends with the line."""
    words = len(sentence.split())
    return GenerationRequest(
        messages=edit_messages(
            topic=topic, context=context, sentence=sentence, reason=reason, anchor=anchor
        ),
        max_tokens=max(_LONGEST_ANSWER, words * _TOKENS_A_WORD + _SPARE_TOKENS),
        temperature=temperature,
        top_p=0.95,
        seed=seed,
        stop=("\n", CLOSING),
        n=n,
    )


def edit_answer(sentence: str) -> str:
    """How a model that is trained on this prompt should answer with `sentence`."""
    return flat(sentence)


def parse_edit(answer: str) -> str:
    """The edited sentence in an answer, on one line; empty where it holds none.

    Takes off the marks, a repeated "Sentence:" and what follows the first line. Anything else
    that a chatty model adds is the rewriter's to judge.
    """
    text = answer.strip()
    if OPENING in text:
        text = text.partition(OPENING)[2]
    text = text.partition(CLOSING)[0].strip()
    text = text.splitlines()[0] if text else ""
    return flat(re.sub(r"^(?:edited )?sentence:\s*", "", text, flags=re.IGNORECASE))


def can_be_quoted(sentence: str) -> bool:
    """Whether the sentence goes into a prompt as it is, without control tokens or marks."""
    return _CONTROL.search(sentence) is None


def context_text(context: Sequence[str], words: int = CONTEXT_WORDS) -> str:
    """The end of the context as one line of at most about `words` words, cut between sentences.

    Of a last sentence that alone is longer, the end is shown.
    """
    starts = _starts(context)
    lengths = [len(sentence.split()) for sentence in context]
    for start in starts:
        if sum(lengths[start:]) <= words:
            return " ".join(flat(sentence) for sentence in context[start:])
    shown: list[str] = []
    room = words
    for sentence, length in zip(reversed(context), reversed(lengths), strict=True):
        if length > room and shown:
            break
        shown.append(flat(sentence))
        room -= length
    return " ".join(" ".join(reversed(shown)).split(" ")[-words:])


def _starts(context: Sequence[str]) -> list[int]:
    """Where the shown context may begin: at the start, then every `_STEP_WORDS` words or so."""
    starts = [0]
    since = 0
    for index, sentence in enumerate(context):
        if since >= _STEP_WORDS:
            starts.append(index)
            since = 0
        since += len(sentence.split())
    return starts


def flat(text: str) -> str:
    """The text on one line, with single spaces."""
    return " ".join(text.split())


@cache
def system_message() -> str:
    """The instruction. Raises ModelError where Segue's own files are missing."""
    path = resources_folder() / "prompts" / "minimal-edit.txt"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ModelError(
            f"Segue's own file {path} cannot be read.", hint="Install Segue again."
        ) from error


def harmless(text: str) -> str:
    """The text without anything that a chat template or our own marks give a meaning."""
    previous = None
    while previous != text:
        previous = text
        text = _CONTROL.sub(" ", text)
    return flat(text)


def _quoted(text: str) -> str:
    return f"{OPENING}{harmless(text)}{CLOSING}"


def _first_words(text: str, most: int) -> str:
    words = text.split()
    return " ".join(words) if len(words) <= most else " ".join(words[:most]) + " ..."
