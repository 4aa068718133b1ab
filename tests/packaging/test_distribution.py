"""The distribution: its extras, its pins, and that importing it loads nothing heavy."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.system_libraries import QT_LIBRARIES, install_hint, missing_libraries
from tests.packaging.packaging_support import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = dict(
    line.split("==")
    for line in (ROOT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements() -> Iterator[str]:
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for requirement in (item for group in groups for item in group):
        name = re.split(r"[\[<>=!~; ]", requirement, maxsplit=1)[0]
        if name != "segue":
            yield normalised(name)


def test_the_extras_are_those_that_the_readme_names() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(PROJECT["optional-dependencies"]) == {"llm", "gpu", "train", "dev"}
    assert all(f"| `{extra}` |" in readme for extra in PROJECT["optional-dependencies"])


def test_every_requirement_is_pinned_for_the_checkout() -> None:
    # llama-cpp-python is compiled on the user's machine, whatever version suits it.
    pinned = {normalised(name) for name in PINS}
    assert set(requirements()) - pinned <= {"llama-cpp-python"}


@pytest.mark.parametrize(
    ("package", "forbidden"),
    [
        ("engine", ("onnxruntime", "torch", "transformers", "llama_cpp", "PySide6", "numpy")),
        ("engine.cli", ("onnxruntime", "torch", "transformers", "llama_cpp", "PySide6", "rich")),
        ("desktop.app", ("onnxruntime", "torch", "transformers", "llama_cpp", "tokenizers")),
    ],
)
def test_importing_loads_no_model_runtime(package: str, forbidden: tuple[str, ...]) -> None:
    code = f"import sys, {package}; print(sorted(set({forbidden!r}) & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert done.stdout.strip() == "[]"


def python_files() -> list[Path]:
    return [
        path
        for folder in ("engine", "desktop", "packaging")
        for path in sorted((ROOT / folder).rglob("*.py"))
    ]


def test_no_module_or_function_is_a_hall() -> None:
    """Modules under 500 lines, classes under 350, functions under 60."""
    limits = {ast.ClassDef: 350, ast.FunctionDef: 60, ast.AsyncFunctionDef: 60}
    too_long: list[str] = []
    for path in python_files():
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(ROOT).as_posix()
        if text.count("\n") >= 500:
            too_long.append(name)
        for node in ast.walk(ast.parse(text)):
            limit = limits.get(type(node))
            if limit is None or not isinstance(node, ast.ClassDef | ast.FunctionDef):
                continue
            if (node.end_lineno or 0) - node.lineno + 1 >= limit:
                too_long.append(f"{name}: {node.name}")
    assert too_long == []


def test_every_room_says_what_it_is_for() -> None:
    for path in python_files():
        if path.name == "__init__.py":
            assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


def test_every_sample_is_a_short_essay() -> None:
    samples = ROOT / "resources" / "samples"
    assert {path.suffix for path in samples.iterdir()} >= {".txt", ".md", ".docx"}
    for path in samples.glob("*.txt"):
        assert 240 <= len(path.read_text(encoding="utf-8").split()) <= 330


def test_missing_libraries_are_found_by_loading_them() -> None:
    def load(name: str) -> None:
        if name == "libxcb-cursor.so.0":
            raise OSError(name)

    missing = missing_libraries(platform="linux", load=load)
    assert [library.package for library in missing] == ["libxcb-cursor0"]
    assert "open a window" in install_hint(missing)
    assert "sudo apt-get install libxcb-cursor0" in install_hint(missing)


def test_a_library_that_qt_cannot_be_imported_without_is_told_apart() -> None:
    def load(name: str) -> None:
        raise OSError(name)

    missing = missing_libraries(platform="linux", load=load)
    assert missing == QT_LIBRARIES
    assert "load Qt" in install_hint(missing)


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_need_none_of_them(platform: str) -> None:
    def load(name: str) -> None:
        raise OSError(name)

    assert missing_libraries(platform=platform, load=load) == ()
    assert install_hint(()) == ""
