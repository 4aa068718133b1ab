"""What `import engine` promises. A change here is a change that users of the library notice."""

from __future__ import annotations

import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import engine

ROOT = Path(__file__).resolve().parents[2]

PUBLIC = [
    "Action", "Analysis", "BackendError", "Cancelled", "Decision", "Edit", "EditKind",
    "EmptyEssay", "Engine", "Essay", "Event", "Finding", "Finished", "Found", "Group", "History",
    "HistoryError", "InputError", "Judgement", "ModelError", "ModelStore", "Notice", "Paragraph",
    "ParagraphKind", "Progress", "Reason", "ReasonCode", "Rewrite", "Scored", "ScoredSentence",
    "Scorer", "SegueError", "Sentence", "Span", "UsageError", "Verdict", "apply_rewrite",
    "event_from_dict", "finding_key", "group_of", "load_essay", "reanchor", "replacement_span",
    "save_essay",
]  # fmt: skip

HEAVY = ("torch", "transformers", "onnxruntime", "tokenizers", "llama_cpp", "numpy", "PySide6")


def test_the_public_names_are_these() -> None:
    assert engine.__all__ == PUBLIC


def test_the_version_is_that_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert engine.__version__ == project["version"]


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_described(name: str) -> None:
    value = getattr(engine, name)
    assert name in dir(engine)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Engin'"):
        _ = engine.Engin


def loaded_by(statement: str) -> set[str]:
    script = f"{statement}; import sys; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize(
    "statement",
    [
        "import engine",
        "from engine import Essay, Analysis, load_essay, History",
        "from engine import Engine; Engine()",
        "import engine.worker",
        "import engine.cli",
        "import engine.tagger, engine.rewriter",
    ],
)
def test_importing_loads_no_model_runtime_and_no_window(statement: str) -> None:
    allowed = {"numpy"} if "History" in statement or "tagger" in statement else set()
    assert loaded_by(statement) & set(HEAVY) <= allowed


def test_importing_the_engine_loads_nothing_from_outside_the_standard_library() -> None:
    outside = loaded_by("import engine") - loaded_by("pass") - set(sys.stdlib_module_names)
    assert outside == {"engine"}


def test_importing_the_engine_is_fast() -> None:
    # The processor's time, because the machine may be busy with something else.
    script = "import time; t = time.process_time(); import engine; print(time.process_time() - t)"
    done = [
        subprocess.run(
            [sys.executable, "-c", script], cwd=ROOT, capture_output=True, check=True, text=True
        )
        for _ in range(3)
    ]
    assert min(float(run.stdout) for run in done) < 0.15


SIGNATURES = {
    "Engine": "(*, store: 'ModelStore | None' = None, device: 'str' = 'auto',"
    " tagger: 'JudgesSentences | None' = None,"
    " thresholds: 'Mapping[str, float] | None' = None,"
    " rewriter: 'SuggestsRewrites | None' = None,"
    " generator: 'WritesEdits | None' = None,"
    " grammar: 'ChecksGrammar | None' = None) -> 'None'",
    "Engine.check": "(self, essay: 'Essay', *, strictness: 'str' = 'balanced',"
    " rewrites: 'bool' = True, only: 'Collection[int] | None' = None,"
    " correct_grammar: 'bool' = False, on_event: 'EventListener | None' = None,"
    " check_cancelled: 'Callable[[], None] | None' = None) -> 'Analysis'",
    "Engine.warm": "(self) -> 'None'",
    "Engine.write_with": "(self, generator: 'WritesEdits | None') -> 'None'",
    "Engine.describe": "(self) -> 'dict[str, Any]'",
    "Essay.from_text": "(text: 'str', *, topic: 'str' = '', path: 'Path | None' = None,"
    " format: 'str' = 'txt') -> 'Essay'",
    "load_essay": "(path: 'Path', *, topic: 'str' = '', encoding: 'str | None' = None) -> 'Essay'",
    "apply_rewrite": "(text: 'str', span: 'Span', rewrite: 'Rewrite') -> 'str'",
    "History.open": "(path: 'Path') -> 'History'",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_a_signature_stays_as_it_is(name: str) -> None:
    value = engine
    for part in name.split("."):
        value = getattr(value, part)
    assert str(inspect.signature(value)) == SIGNATURES[name]  # type: ignore[arg-type]
