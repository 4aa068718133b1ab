"""The checkout's environment: made once, mended when half made, clear about what went wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.packaging_support import ROOT, load_script

environment = load_script("environment")


class FakePip:
    """Stands in for venv and pip: notes each command, and can be told to fail."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.commands: list[list[str]] = []
        self.failure = ""
        self.is_killed = False

    def make(self, command: Sequence[str], **options: Any) -> subprocess.CompletedProcess[str]:
        """`python -m venv`, or the question whether the environment is sound."""
        self.commands.append(list(command))
        python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        if "venv" in command:
            python.parent.mkdir(parents=True)
            python.touch()
            (self.folder / "pyvenv.cfg").touch()
            return subprocess.CompletedProcess(command, 0, "", "")
        return subprocess.CompletedProcess(command, 0, f"{self.folder} True\n", "")

    def install(self, command: Sequence[str]) -> tuple[int, str]:
        """`pip install`."""
        self.commands.append(list(command))
        if self.is_killed:
            raise KeyboardInterrupt
        return (1, self.failure) if self.failure else (0, "")

    @property
    def installs(self) -> list[str]:
        """What pip was asked to install, in order."""
        return [command[-1] for command in self.commands if "install" in command]

    @property
    def makings(self) -> int:
        """How often an environment was made."""
        return sum("venv" in command for command in self.commands)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like a checkout."""
    (tmp_path / "packaging").mkdir()
    (tmp_path / "packaging" / "constraints.txt").write_text("numpy==2.0\n", encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "segue"\n[tool.ruff]\nline-length = 100\n', encoding="utf-8"
    )
    return tmp_path


@pytest.fixture
def pip(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> FakePip:
    """A pip that installs nothing."""
    fake = FakePip(checkout / ".venv")
    monkeypatch.setattr(environment.subprocess, "run", fake.make)
    monkeypatch.setattr(environment, "_run_quietly", fake.install)
    return fake


def test_the_first_call_makes_the_environment_and_installs_the_base(
    checkout: Path, pip: FakePip
) -> None:
    python = environment.Environment(checkout).ensure()
    assert python.is_relative_to(checkout / ".venv")
    assert pip.makings == 1
    assert pip.installs == [str(checkout)]
    assert "--constraint" in pip.commands[-1]


def test_the_second_call_starts_no_process(checkout: Path, pip: FakePip) -> None:
    environment.Environment(checkout).ensure()
    pip.commands.clear()
    environment.Environment(checkout).ensure()
    assert pip.commands == []


def test_more_extras_are_added_to_those_that_are_there(checkout: Path, pip: FakePip) -> None:
    environment.Environment(checkout).ensure(["dev"])
    environment.Environment(checkout).ensure(["train"])
    assert pip.installs == [f"{checkout}[dev]", f"{checkout}[dev,train]"]
    assert pip.makings == 1


def test_fewer_extras_than_installed_are_enough(checkout: Path, pip: FakePip) -> None:
    environment.Environment(checkout).ensure(["dev", "train"])
    pip.commands.clear()
    environment.Environment(checkout).ensure(["dev"])
    environment.Environment(checkout).ensure()
    assert pip.commands == []


@pytest.mark.parametrize(
    ("name", "text", "is_reinstalled"),
    [
        ("packaging/constraints.txt", "numpy==2.1\n", True),
        ("pyproject.toml", '[project]\nname = "segue"\ndependencies = ["rich"]\n', True),
        ("pyproject.toml", '[project]\nname = "segue"\n[tool.ruff]\nline-length = 90\n', False),
    ],
)
def test_a_change_of_what_is_installed_installs_again(
    checkout: Path, pip: FakePip, name: str, text: str, is_reinstalled: bool
) -> None:
    environment.Environment(checkout).ensure(["dev"])
    (checkout / name).write_text(text, encoding="utf-8")
    pip.commands.clear()
    environment.Environment(checkout).ensure()
    assert pip.installs == ([f"{checkout}[dev]"] if is_reinstalled else [])


def test_an_installation_that_was_killed_is_made_anew(checkout: Path, pip: FakePip) -> None:
    pip.is_killed = True
    with pytest.raises(KeyboardInterrupt):
        environment.Environment(checkout).ensure()
    rubbish = checkout / ".venv" / "half-a-package"
    rubbish.touch()
    pip.is_killed = False
    environment.Environment(checkout).ensure()
    assert pip.makings == 2
    assert not rubbish.exists()


def test_an_environment_that_lost_its_python_is_made_anew(checkout: Path, pip: FakePip) -> None:
    made = environment.Environment(checkout)
    made.ensure()
    made.python.unlink()
    made.ensure()
    assert pip.makings == 2


def test_an_environment_killed_while_it_was_made_is_made_anew(checkout: Path, pip: FakePip) -> None:
    (checkout / ".venv").mkdir()
    environment.Environment(checkout).ensure()
    assert pip.makings == 1
    assert len(pip.installs) == 1


def test_a_damaged_stamp_is_no_stamp(checkout: Path, pip: FakePip) -> None:
    made = environment.Environment(checkout)
    made.ensure()
    made.stamp.write_text("{", encoding="utf-8")
    pip.commands.clear()
    made.ensure()
    assert len(pip.installs) == 1


def test_a_folder_of_somebody_else_is_left_alone(checkout: Path, pip: FakePip) -> None:
    thesis = checkout / ".venv" / "thesis.docx"
    thesis.parent.mkdir()
    thesis.touch()
    with pytest.raises(environment.TaskError, match="not a virtual environment"):
        environment.Environment(checkout).ensure()
    assert thesis.exists()


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("WARNING: Retrying ... Temporary failure in name resolution", "cannot be reached"),
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("SSL: CERTIFICATE_VERIFY_FAILED", "PIP_CERT"),
        ("error: metadata-generation-failed for odd-package", "odd-package"),
        ("ensurepip is not available", "python3-venv"),
    ],
)
def test_a_failure_is_told_in_a_sentence_and_leaves_no_stamp(
    checkout: Path, pip: FakePip, output: str, sentence: str
) -> None:
    pip.failure = output
    with pytest.raises(environment.TaskError, match=sentence):
        environment.Environment(checkout).ensure()
    pip.failure = ""
    environment.Environment(checkout).ensure()
    assert len(pip.installs) == 2


def test_too_little_disk_is_said_before_anything_is_made(
    checkout: Path, pip: FakePip, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = environment.shutil.disk_usage(checkout)._replace(free=2**20)
    monkeypatch.setattr(environment.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(environment.TaskError, match="Not enough disk space"):
        environment.Environment(checkout).ensure()
    assert pip.commands == []


def test_an_old_python_is_refused_and_a_newer_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        environment.shutil, "which", lambda name: name if name == "python3.12" else None
    )
    with pytest.raises(environment.TaskError, match=r"this is 3\.8\. python3\.12 is here"):
        environment.check_python((3, 8, 10))


def test_this_python_is_new_enough() -> None:
    environment.check_python()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(3)", 3),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", 128 + signal.SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", 128 + signal.SIGKILL),
    ],
)
def test_exit_codes_and_signals_are_passed_on(
    code: str, expected: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert environment.run_child([sys.executable, "-c", code]) == expected
    said = capsys.readouterr().err
    assert ("SIG" in said) == (expected > 128)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_request_to_terminate_reaches_the_child(tmp_path: Path) -> None:
    child = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n"
        "print('up', flush=True)\ntime.sleep(60)"
    )
    parent = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'packaging')!r})\n"
        f"import environment\nsys.exit(environment.run_child([sys.executable, '-c', {child!r}]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        process.terminate()
        assert process.wait(timeout=30) == 7


def test_the_scripts_can_be_read_by_an_old_python() -> None:
    import ast

    for name in ("tasks", "environment"):
        text = (ROOT / "packaging" / f"{name}.py").read_text(encoding="utf-8")
        ast.parse(text, feature_version=(3, 8))
