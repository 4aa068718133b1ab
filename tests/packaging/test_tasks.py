"""`packaging/tasks.py`: each command starts the right program in the right environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.packaging_support import ROOT, load_script

environment = load_script("environment")
tasks = load_script("tasks")


class Calls:
    """What was installed and started."""

    def __init__(self) -> None:
        self.extras: list[tuple[str, ...]] = []
        self.commands: list[list[str]] = []
        self.settings: list[Mapping[str, str]] = []
        self.codes: list[int] = []

    def ensure(self, extras: Sequence[str] = ()) -> Path:
        self.extras.append(tuple(extras))
        return Path("python")

    def run_child(self, command: Sequence[str], **options: Any) -> int:
        self.commands.append(list(command))
        self.settings.append(options.get("extra_env") or {})
        return self.codes.pop(0) if self.codes else 0


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Nothing is installed or started, only noted."""
    noted = Calls()
    monkeypatch.setattr(environment.Environment, "ensure", noted.ensure)
    monkeypatch.setattr(tasks, "run_child", noted.run_child)
    return noted


def test_run_hands_its_arguments_to_segue(calls: Calls) -> None:
    assert tasks.main(["run", "--", "check", "--format", "json", "a b.txt"]) == 0
    assert calls.commands == [
        ["python", "-m", "engine.cli", "check", "--format", "json", "a b.txt"]
    ]
    assert calls.extras == [()]


def test_run_is_not_fooled_by_folders_where_the_user_is(calls: Calls) -> None:
    tasks.main(["run", "--", "doctor"])
    assert calls.settings == [{"PYTHONSAFEPATH": "1"}]


def test_run_gives_back_the_exit_code(calls: Calls) -> None:
    calls.codes = [139]
    assert tasks.main(["run", "--", "doctor"]) == 139


def test_test_sets_up_what_the_tests_need(calls: Calls) -> None:
    assert tasks.main(["test", "tests/cli", "-x"]) == 0
    assert calls.extras == [("dev", "train")]
    assert calls.commands == [["python", "-m", "pytest", "-q", "tests/cli", "-x"]]


def test_lint_runs_every_check_even_when_one_fails(calls: Calls) -> None:
    calls.codes = [1, 0, 0]
    assert tasks.main(["lint"]) == 1
    assert len(calls.commands) == 3


@pytest.mark.parametrize("purpose", ["gui", "test"])
def test_missing_system_libraries_are_named_before_qt_starts(
    calls: Calls,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    purpose: str,
) -> None:
    known = tasks._system_libraries()
    missing = tuple(lib for lib in known.QT_LIBRARIES if lib.package == "libegl1")
    monkeypatch.setattr(known, "missing_libraries", lambda: missing)
    monkeypatch.setattr(tasks, "_system_libraries", lambda: known)
    assert tasks.main([purpose]) == 3
    assert "apt-get install libegl1" in capsys.readouterr().err
    assert calls.commands == []


def test_the_tests_need_no_library_of_a_real_screen(
    calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = tasks._system_libraries()
    missing = tuple(lib for lib in known.QT_LIBRARIES if lib.package == "libxcb-cursor0")
    monkeypatch.setattr(known, "missing_libraries", lambda: missing)
    monkeypatch.setattr(tasks, "_system_libraries", lambda: known)
    assert tasks.main(["test"]) == 0


def test_an_unknown_command_lists_the_known_ones(
    calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tasks.main(["instal"]) == 2
    said = capsys.readouterr().err
    assert all(f"  {name}" in said for name in tasks.COMMANDS)


def test_help_lists_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert tasks.main(["--help"]) == 0
    assert "gui" in capsys.readouterr().out


def test_a_failed_installation_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise environment.TaskError("The disk is full.")

    monkeypatch.setattr(environment.Environment, "ensure", refuse)
    assert tasks.main(["run", "--", "doctor"]) == 3
    assert capsys.readouterr().err == "tasks.py: The disk is full.\n"


def test_the_readme_describes_every_command() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in set(tasks.COMMANDS) - {"libraries"}:
        assert f"packaging/tasks.py {name}" in readme
