"""Reading ahead and remembering prompts change the work, never the text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Cancelled
from engine.llm.decoding import BLOCK, Reader, draft
from engine.llm.sampling import Sampler, Scores

WORDS = 12
END = 0


class CopyingModel:
    """Its scores depend on the last three tokens and the place; it remembers what it has read.

    `passes` keeps how many tokens each pass read. Asked to fail, it breaks off the next pass.
    """

    def __init__(self, *, can_cut: bool = True) -> None:
        self.known: list[int] = []
        self.passes: list[int] = []
        self.fails = False
        self.can_cut = can_cut

    def keep(self, count: int) -> int:
        if count < len(self.known) and not self.can_cut:
            count = 0
        del self.known[count:]
        return len(self.known)

    def read(self, tokens: Sequence[int], *, rows: int) -> Scores:
        if self.fails:
            self.fails = False
            raise Cancelled
        self.passes.append(len(tokens))
        start = len(self.known)
        self.known += tokens
        ends = range(start + len(tokens) - rows + 1, start + len(tokens) + 1)
        return np.array([self._scores(end) for end in ends], dtype=np.float32).reshape(rows, WORDS)

    def _scores(self, end: int) -> list[float]:
        clue = sum(token * (i + 1) for i, token in enumerate(self.known[max(0, end - 3) : end]))
        return [((clue * 7 + token * 13 + end) % 29) / 4 for token in range(WORDS)]


def text_of(reader: Reader, prompt: list[int], **changes: object) -> list[int]:
    options: dict[str, object] = {"temperature": 0.0, "seed": 0, "looks_ahead": True} | changes
    sampler = Sampler(temperature=options["temperature"], seed=options["seed"])  # type: ignore[arg-type]
    tokens = reader.generate(
        prompt,
        sampler,
        most=40,
        is_end=lambda token: token == END,
        looks_ahead=bool(options["looks_ahead"]),
    )
    return list(tokens)


@given(
    st.lists(st.integers(1, WORDS - 1), min_size=1, max_size=150),
    st.sampled_from([0.0, 0.7]),
    st.integers(0, 5),
)
def test_reading_ahead_gives_the_text_of_one_token_at_a_time(
    prompt: list[int], temperature: float, seed: int
) -> None:
    ahead = text_of(Reader(CopyingModel()), prompt, temperature=temperature, seed=seed)
    single = text_of(
        Reader(CopyingModel()), prompt, temperature=temperature, seed=seed, looks_ahead=False
    )
    assert ahead == single


@given(st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=150), min_size=1, max_size=4))
def test_what_was_asked_before_does_not_change_the_text(prompts: list[list[int]]) -> None:
    reader = Reader(CopyingModel())
    for prompt in prompts:
        assert text_of(reader, prompt) == text_of(Reader(CopyingModel()), prompt)


def test_a_text_that_repeats_itself_takes_fewer_passes_than_tokens() -> None:
    class Cycle(CopyingModel):
        def _scores(self, end: int) -> list[float]:
            return [float(token == self.known[end - 1] % 5 + 1) for token in range(WORDS)]

    model = Cycle()
    text = text_of(Reader(model), [1, 2, 3, 4, 5, 1, 2, 3, 4, 5])
    assert len(text) == 40
    assert len(model.passes) <= 10  # five words at a time, up to the end of what is known


def test_whole_blocks_of_a_prompt_that_are_known_are_not_read_again() -> None:
    model = CopyingModel()
    reader = Reader(model)
    prompt = [1 + i % 7 for i in range(2 * BLOCK + 10)]
    text_of(reader, prompt)
    model.passes.clear()
    text_of(reader, [*prompt[: 2 * BLOCK], 9, 9, 9])
    assert model.passes[0] == 3


def test_a_model_that_cannot_forget_a_part_reads_everything_again() -> None:
    model = CopyingModel(can_cut=False)
    reader = Reader(model)
    prompt = [1 + i % 7 for i in range(BLOCK + 10)]
    first = list(reader.generate(prompt, Sampler(), most=1, is_end=lambda t: t == END))
    again = list(reader.generate(prompt, Sampler(), most=1, is_end=lambda t: t == END))
    assert first == again


def test_after_a_pass_that_was_broken_off_the_next_text_is_right() -> None:
    model = CopyingModel()
    reader = Reader(model)
    prompt = [1 + i % 7 for i in range(BLOCK + 10)]
    model.fails = True
    with pytest.raises(Cancelled):
        text_of(reader, prompt)
    model.keep(0)
    assert text_of(reader, prompt) == text_of(Reader(CopyingModel()), prompt)


def test_at_most_so_many_tokens_are_given() -> None:
    reader = Reader(CopyingModel())
    tokens = reader.generate([1, 2], Sampler(), most=3, is_end=lambda token: False)
    assert len(list(tokens)) == 3


def test_scores_come_for_the_last_tokens_only() -> None:
    rows = Reader(CopyingModel()).score([1 + i % 7 for i in range(BLOCK * 2)], rows=BLOCK + 5)
    assert rows.shape == (BLOCK + 5, WORDS)


def test_the_latest_and_longest_clue_is_followed() -> None:
    assert draft([1, 2, 3, 4, 9, 2, 3, 7, 8, 2, 3], 2) == [7, 8]
    assert draft([5, 2, 3, 4, 9, 2, 3, 7, 5, 2, 3], 2) == [4, 9]
    assert draft([1, 2, 3, 4], 5) == []
    assert draft([1, 2, 1, 2], 0) == []
