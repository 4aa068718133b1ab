"""Transformers on a tiny random model: together or alone the same, and sparing with memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from engine.errors import BackendError, Cancelled, ModelError
from engine.llm.options import BackendOptions
from engine.llm.protocol import GenerationRequest, JudgesFluency
from engine.llm.transformers_runtime import Transformers, load
from tests.llm.llm_helpers import CancelAfter, ask
from tests.llm.tiny_models import CONTEXT, THINKING, write_transformers


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_transformers(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def shared(folder: Path) -> Transformers:
    return Transformers(folder)


@pytest.fixture
def fresh(folder: Path) -> Transformers:
    return Transformers(folder, reason="Runs here.")


REQUESTS = (
    ask("Short.", max_tokens=12),
    ask("A prompt that is a good deal longer than the other.", max_tokens=7),
    ask("Varied", max_tokens=10, temperature=1.0, seed=3, n=2),
)


def test_texts_that_run_together_are_those_that_run_alone(shared: Transformers) -> None:
    together = shared.generate_all(REQUESTS)
    assert [len(texts) for texts in together] == [1, 1, 2]
    for request, texts in zip(REQUESTS, together, strict=True):
        assert texts[0].text == shared.generate(request).text
        assert texts[0].tokens == request.max_tokens


def test_a_seed_fixes_the_text_and_another_seed_gives_another(shared: Transformers) -> None:
    def text(seed: int) -> str:
        return shared.generate(ask(max_tokens=20, temperature=1.0, seed=seed)).text

    assert text(1) == text(1)
    assert text(1) != text(2)


def test_a_model_that_could_think_aloud_is_told_not_to(tmp_path: Path) -> None:
    thinker = Transformers(write_transformers(tmp_path / "thinker", template=THINKING))
    told = thinker.generate(ask("Hello", max_tokens=3))
    assert told.prompt_tokens == len("Think!No")


def test_text_is_streamed_as_it_comes(shared: Transformers) -> None:
    heard: list[str] = []
    told = shared.generate(ask(max_tokens=15), on_text=heard.append)
    assert "".join(heard) == told.text
    assert told.finish_reason == "length"


def test_cancelling_works_between_two_tokens(shared: Transformers) -> None:
    check = CancelAfter(6)
    with pytest.raises(Cancelled):
        shared.generate(ask(max_tokens=200), check_cancelled=check)
    assert check.calls == 7


def test_a_text_too_long_for_the_model_is_refused_not_cut(shared: Transformers) -> None:
    with pytest.raises(BackendError, match="too long"):
        shared.generate(ask("word " * CONTEXT))


def test_plain_text_is_gone_on_from(shared: Transformers) -> None:
    told = shared.generate(GenerationRequest(prompt="Once upon a", max_tokens=5))
    assert told.prompt_tokens == len("Once upon a")


def test_fluency_is_a_mean_log_probability(shared: Transformers) -> None:
    assert isinstance(shared, JudgesFluency)
    alone = shared.likelihood("Students need sleep.")
    after = shared.likelihood("Students need sleep.", context="Plans need time.")
    assert alone < 0.0
    assert after < 0.0
    assert alone != after
    with pytest.raises(ValueError, match="no text"):
        shared.likelihood("")


class ShortOfMemory:
    """Stands before a model and runs out of memory where more than `room` texts run together."""

    def __init__(self, model: Any, room: int) -> None:
        self._model = model
        self._room = room
        self.sizes: list[int] = []

    def __call__(self, *, input_ids: Any, **rest: Any) -> Any:
        if len(input_ids) > self._room:
            raise torch.OutOfMemoryError("out of memory")
        self.sizes.append(len(input_ids))
        return self._model(input_ids=input_ids, **rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


def texts_of(backend: Transformers, requests: Sequence[GenerationRequest]) -> list[str]:
    return [one.text for texts in backend.generate_all(requests) for one in texts]


def test_out_of_memory_fewer_texts_run_together_and_it_says_so(
    shared: Transformers, fresh: Transformers
) -> None:
    small = ShortOfMemory(fresh._model, 2)
    fresh._model = small
    assert texts_of(fresh, REQUESTS) == texts_of(shared, REQUESTS)
    assert max(small.sizes) == 2
    assert fresh.together == 2
    assert "at most 2 at a time" in fresh.describe()["reason"]


def test_where_one_text_is_too_much_for_the_gpu_the_processor_takes_over(
    shared: Transformers, fresh: Transformers
) -> None:
    fresh._device = "cuda"
    fresh._model = ShortOfMemory(fresh._model, 0)
    assert texts_of(fresh, REQUESTS[:1]) == texts_of(shared, REQUESTS[:1])
    described = fresh.describe()
    assert described["device"] == "cpu"
    assert "Moved to the processor" in described["reason"]


def test_a_text_that_was_half_done_when_memory_ran_out_is_finished_not_begun_again(
    shared: Transformers, fresh: Transformers
) -> None:
    class FailsOnce(ShortOfMemory):
        def __call__(self, *, input_ids: Any, **rest: Any) -> Any:
            if len(self.sizes) == 5:
                self.sizes.append(0)
                raise torch.OutOfMemoryError("out of memory")
            return super().__call__(input_ids=input_ids, **rest)

    fresh._device = "cuda"
    fresh._model = FailsOnce(fresh._model, 9)
    heard: list[str] = []
    told = fresh.generate(ask(max_tokens=12), on_text=heard.append)
    assert told.text == shared.generate(ask(max_tokens=12)).text
    assert "".join(heard) == told.text


def test_apples_gpu_says_it_in_words_only(shared: Transformers, fresh: Transformers) -> None:
    class Apple(ShortOfMemory):
        def __call__(self, *, input_ids: Any, **rest: Any) -> Any:
            raise RuntimeError("MPS backend out of memory (allocated 9 GB)")

    fresh._device = "mps"
    fresh._model = Apple(fresh._model, 0)
    assert texts_of(fresh, REQUESTS[:1]) == texts_of(shared, REQUESTS[:1])
    assert fresh.describe()["device"] == "cpu"


def test_another_failure_of_the_runtime_is_told_plainly(fresh: Transformers) -> None:
    class Broken(ShortOfMemory):
        def __call__(self, *, input_ids: Any, **rest: Any) -> Any:
            raise RuntimeError("device-side assert triggered")

    fresh._model = Broken(fresh._model, 0)
    with pytest.raises(BackendError, match="failed while it generated"):
        fresh.generate(ask())


def test_out_of_memory_on_the_processor_is_told_plainly(fresh: Transformers) -> None:
    fresh._model = ShortOfMemory(fresh._model, 0)
    with pytest.raises(BackendError, match="too little memory"):
        fresh.generate(ask())


def test_fluency_also_moves_to_the_processor(fresh: Transformers) -> None:
    expected = fresh.likelihood("Students need sleep.")
    fresh._device = "cuda"
    fresh._model = ShortOfMemory(fresh._model, 0)
    assert fresh.likelihood("Students need sleep.") == pytest.approx(expected)
    assert fresh.describe()["device"] == "cpu"


def test_it_says_what_runs_where_and_why(folder: Path) -> None:
    described = load(BackendOptions(model=folder, device="cpu")).describe()
    assert described == {
        "backend": "transformers",
        "model": "tiny",
        "device": "cpu",
        "precision": "float32",
        "reason": "Runs on the processor, as the settings say.",
        "leaves_machine": False,
    }


def test_a_model_that_does_not_fit_the_gpu_is_loaded_on_the_processor(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.llm import transformers_runtime as runtime

    real: Callable[..., Any] = runtime._load_model

    def no_room_on_gpu(path: Path, device: str) -> Any:
        if device != "cpu":
            raise torch.OutOfMemoryError("out of memory")
        return real(path, device)

    monkeypatch.setattr(runtime, "_choose_device", lambda _: ("cuda", "Runs on the GPU."))
    monkeypatch.setattr(runtime, "_load_model", no_room_on_gpu)
    described = load(BackendOptions(model=folder)).describe()
    assert described["device"] == "cpu"
    assert "too little memory" in described["reason"]


def test_a_folder_that_is_no_model_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot load"):
        Transformers(tmp_path)
