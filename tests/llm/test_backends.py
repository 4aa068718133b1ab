"""The table of backends: lazy, with hints for near names and for missing extras."""

from __future__ import annotations

import builtins
import importlib
import subprocess
import sys
from typing import Any

import pytest

from engine.errors import BackendError, UsageError
from engine.llm.backends import BACKENDS, open_backend
from engine.llm.fake import FakeGenerator


def test_a_backend_is_opened_by_name(fake_backend: str) -> None:
    assert isinstance(open_backend(fake_backend), FakeGenerator)


def test_the_generator_for_tests_is_not_on_offer() -> None:
    with pytest.raises(UsageError) as error:
        open_backend("fake")
    assert "fake" not in error.value.hint


@pytest.mark.parametrize(
    ("name", "meant"),
    [("llama_cpp", "llama-cpp"), ("lama-cp", "llama-cpp"), ("Transformer", "transformers")],
)
def test_a_near_name_is_suggested(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as error:
        open_backend(name)
    assert error.value.hint == f"Did you mean {meant}?"


def test_a_name_like_no_other_gets_the_list() -> None:
    with pytest.raises(UsageError) as error:
        open_backend("xyz")
    assert all(name in error.value.hint for name in BACKENDS)


def test_a_runtime_that_is_not_installed_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without_llama(name: str, *args: Any, **kw: Any) -> Any:
        if name.partition(".")[0] == "llama_cpp":
            raise ModuleNotFoundError("No module named 'llama_cpp'", name="llama_cpp")
        return real(name, *args, **kw)

    monkeypatch.delitem(sys.modules, "engine.llm.llama_cpp_runtime", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_llama)
    with pytest.raises(BackendError) as error:
        open_backend("llama-cpp")
    assert "llama_cpp" in error.value.message
    assert "segue[llm]" in error.value.hint


def test_every_entry_of_the_table_leads_to_a_module() -> None:
    for place in BACKENDS.values():
        assert importlib.util.find_spec(place.partition(":")[0]) is not None


def test_the_table_and_the_prompts_load_no_runtime() -> None:
    code = (
        "import sys, engine.llm.backends, engine.llm.writer, engine.rewriter; "
        "found = {'torch', 'transformers', 'llama_cpp', 'http.client'} & set(sys.modules); "
        "sys.exit(repr(found) if found else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
