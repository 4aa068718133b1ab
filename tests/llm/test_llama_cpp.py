"""llama.cpp on a tiny random model: the same text every time, cancelled at once, nothing cut."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import BackendError, Cancelled, ModelError
from engine.llm.options import BackendOptions
from engine.llm.protocol import GenerationRequest, JudgesFluency
from tests.llm.llm_helpers import CancelAfter, ask
from tests.llm.tiny_models import THINKING, write_gguf

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")

from engine.llm.llama_cpp_runtime import LlamaCpp, load

CONTEXT_TOKENS = 1024
LONG = "The plans of many students need time and sleep. " * 8


@pytest.fixture(scope="module")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_gguf(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def shared(model_file: Path) -> Iterator[LlamaCpp]:
    backend = LlamaCpp(model_file, context_tokens=CONTEXT_TOKENS, threads=1)
    yield backend
    backend.close()


@pytest.fixture
def fresh(model_file: Path) -> Iterator[LlamaCpp]:
    backend = LlamaCpp(model_file, context_tokens=CONTEXT_TOKENS, threads=1)
    yield backend
    backend.close()


def test_the_same_request_gives_the_same_text(shared: LlamaCpp) -> None:
    first, again = (shared.generate(ask(max_tokens=20)) for _ in range(2))
    assert first.text == again.text
    assert first.tokens == 20
    assert first.finish_reason == "length"


def test_a_seed_fixes_the_text_and_another_seed_gives_another(shared: LlamaCpp) -> None:
    def text(seed: int) -> str:
        return shared.generate(ask(max_tokens=20, temperature=1.0, seed=seed)).text

    assert text(1) == text(1)
    assert text(1) != text(2)


def test_what_was_asked_before_changes_nothing(shared: LlamaCpp, fresh: LlamaCpp) -> None:
    request = ask(LONG + "And so?", max_tokens=20)
    shared.generate(ask(LONG + "But why?", max_tokens=20))
    assert shared.generate(request).text == fresh.generate(request).text


def test_a_prompt_that_begins_like_the_last_one_is_not_read_again(fresh: LlamaCpp) -> None:
    read: list[int] = []
    real = fresh._memory.read

    def counted(tokens: list[int], *, rows: int) -> object:
        read.append(len(tokens))
        return real(tokens, rows=rows)

    fresh._memory.read = counted  # type: ignore[method-assign,assignment]
    fresh.generate(ask(LONG + "One?", max_tokens=1))
    first = sum(read)
    read.clear()
    fresh.generate(ask(LONG + "Two?", max_tokens=1))
    assert sum(read) < first / 2


def test_text_is_streamed_as_it_comes(shared: LlamaCpp) -> None:
    heard: list[str] = []
    told = shared.generate(ask(max_tokens=20), on_text=heard.append)
    assert "".join(heard) == told.text
    assert len(heard) > 1


def test_cancelling_works_between_two_tokens(shared: LlamaCpp) -> None:
    heard: list[str] = []
    with pytest.raises(Cancelled):
        shared.generate(
            ask("A.", max_tokens=200, temperature=1.0),
            on_text=heard.append,
            check_cancelled=CancelAfter(12),
        )
    assert len(heard) < 12


def test_cancelling_works_inside_a_long_prompt_and_leaves_the_model_sound(
    fresh: LlamaCpp,
) -> None:
    expected = fresh.generate(ask(LONG, max_tokens=10)).text
    fresh._reader.forget()
    check = CancelAfter(4)  # before the prompt, before its first pass, and twice inside it
    with pytest.raises(Cancelled):
        fresh.generate(ask(LONG, max_tokens=10), check_cancelled=check)
    assert fresh.generate(ask(LONG, max_tokens=10)).text == expected


def test_several_texts_for_one_request_count_the_seed_up(shared: LlamaCpp) -> None:
    request = ask(max_tokens=10, temperature=1.0, seed=5, n=2)
    ((one, two),) = shared.generate_all([request])
    assert one.text == shared.generate(ask(max_tokens=10, temperature=1.0, seed=5)).text
    assert two.text == shared.generate(ask(max_tokens=10, temperature=1.0, seed=6)).text


def test_a_text_too_long_for_the_model_is_refused_not_cut(shared: LlamaCpp) -> None:
    with pytest.raises(BackendError, match="too long"):
        shared.generate(ask("word " * CONTEXT_TOKENS))


def test_plain_text_is_gone_on_from(shared: LlamaCpp) -> None:
    told = shared.generate(GenerationRequest(prompt="Once upon a", max_tokens=5))
    assert told.prompt_tokens == len("Once upon a")


def test_control_tokens_in_plain_text_stay_text(shared: LlamaCpp) -> None:
    told = shared.generate(GenerationRequest(prompt="<|im_end|>", max_tokens=1))
    assert told.prompt_tokens == len("<|im_end|>")


def test_fluency_is_a_mean_log_probability(shared: LlamaCpp) -> None:
    backend: JudgesFluency = shared
    assert isinstance(shared, JudgesFluency)
    alone = backend.likelihood("Students need sleep.")
    after = backend.likelihood("Students need sleep.", context="Plans need time.")
    assert alone < 0.0
    assert after < 0.0
    assert alone != after
    assert backend.likelihood("Students need sleep.") == pytest.approx(alone)
    with pytest.raises(ValueError, match="no text"):
        backend.likelihood("  ")


def test_a_model_without_a_chat_template_gets_plain_text(tmp_path: Path) -> None:
    backend = LlamaCpp(write_gguf(tmp_path / "base.gguf", template=""), threads=1)
    told = backend.generate(ask("Hello", max_tokens=3))
    backend.close()
    assert told.prompt_tokens == len("Hello\n\n")


def test_a_model_that_could_think_aloud_is_told_not_to(tmp_path: Path) -> None:
    backend = LlamaCpp(write_gguf(tmp_path / "thinker.gguf", template=THINKING), threads=1)
    told = backend.generate(ask("Hello", max_tokens=3))
    backend.close()
    assert told.prompt_tokens == len("Think!No")


def test_it_says_what_runs_where_and_why(model_file: Path) -> None:
    backend = load(BackendOptions(model=model_file, device="cpu", threads=1))
    described = backend.describe()
    backend.close()
    assert (described["backend"], described["model"], described["device"]) == (
        "llama-cpp",
        "tiny.gguf",
        "cpu",
    )
    assert described["reason"] == "Runs on the processor, as the settings say."


def test_where_the_gpu_fails_the_processor_is_used_and_the_reason_kept(
    model_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import llama_cpp

    from engine.llm import llama_cpp_runtime as runtime

    real = runtime.LlamaCpp

    def failing_on_gpu(path: Path, **options: object) -> LlamaCpp:
        if options["is_on_gpu"]:
            raise ModelError("no room")
        return real(path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(runtime, "LlamaCpp", failing_on_gpu)
    monkeypatch.setattr(llama_cpp, "llama_supports_gpu_offload", lambda: True)
    backend = load(BackendOptions(model=model_file, threads=1))
    described = backend.describe()
    backend.close()
    assert described["device"] == "cpu"
    assert "did not load on the GPU" in described["reason"]


@pytest.mark.parametrize("content", [b"", b"GGUF", b"no model at all" * 100])
def test_a_file_that_is_no_model_is_reported(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"broken\.gguf"):
        LlamaCpp(path, threads=1)
