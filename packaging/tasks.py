#!/usr/bin/env python3
"""Every command of this checkout, in one file: set up, run, test, check, pack.

    python3 packaging/tasks.py run -- check resources/samples/city-life.txt
    python3 packaging/tasks.py gui
    python3 packaging/tasks.py test

Only the standard library is used. The first command makes `.venv` in the checkout; later ones
start at once.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

from environment import Environment, TaskError, check_python, fail, run_child, say

ROOT = Path(__file__).resolve().parent.parent

# A folder called `engine` where the user happens to be must not be taken for ours.
SAFE = {"PYTHONSAFEPATH": "1"}


def run(arguments: Sequence[str]) -> int:
    """run -- ARGS: start `segue ARGS`."""
    python = Environment(ROOT).ensure()
    return run_child([str(python), "-m", "engine.cli", *arguments], extra_env=SAFE)


def gui(arguments: Sequence[str]) -> int:
    """gui [FILE]: open the window."""
    python = Environment(ROOT).ensure()
    hint = _qt_hint(("import", "window") if _has_x11_only() else ("import",))
    if hint:
        fail(hint)
    return run_child([str(python), "-m", "desktop.app", *arguments], extra_env=SAFE)


def test(arguments: Sequence[str]) -> int:
    """test [PYTEST ARGS]: set up everything the tests need and run them."""
    python = Environment(ROOT).ensure(("dev", "train"))
    hint = _qt_hint(("import",))
    if hint:
        fail(hint)
    return run_child([str(python), "-m", "pytest", "-q", *arguments], cwd=ROOT)


def lint(arguments: Sequence[str]) -> int:
    """lint: ruff's rules and format, and the rules on who imports whom."""
    _refuse(arguments)
    python = str(Environment(ROOT).ensure(("dev",)))
    checks = (
        [python, "-m", "ruff", "check", "."],
        [python, "-m", "ruff", "format", "--check", "."],
        [python, "-c", "from importlinter.cli import lint_imports_command as run; run()"],
    )
    return max([run_child(check, cwd=ROOT) for check in checks])


def types(arguments: Sequence[str]) -> int:
    """types: mypy in its strict mode."""
    _refuse(arguments)
    python = str(Environment(ROOT).ensure(("dev", "train")))
    return run_child([python, "-m", "mypy"], cwd=ROOT)


def bench(arguments: Sequence[str]) -> int:
    """bench [--json]: time the start, a cold and a warm check, and the window; memory of both.

    `bench tagger [--json OUT]` times the tagger against the published per-sentence scheme.
    """
    if arguments[:1] == ["tagger"]:
        python = str(Environment(ROOT).ensure(("train",)))
        module = "tests.benchmarks.bench_tagger"
        return run_child([python, "-m", module, *arguments[1:]], cwd=ROOT)
    python = str(Environment(ROOT).ensure())
    return run_child([python, str(ROOT / "packaging" / "bench.py"), *arguments], cwd=ROOT)


def shots(arguments: Sequence[str]) -> int:
    """shots: take the window's screenshots into resources/screenshots/."""
    python = str(Environment(ROOT).ensure())
    return run_child([python, "-m", "desktop.screenshots", *arguments], cwd=ROOT)


def pack(arguments: Sequence[str]) -> int:
    """pack: build the sdist and the wheel, then install the wheel and ask it how it is."""
    _refuse(arguments)
    python = str(Environment(ROOT).ensure(("dev",)))
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    code = run_child([python, "-m", "build", "--outdir", str(target)], cwd=ROOT)
    if code:
        return code
    wheel = next(target.glob("*.whl"))
    with tempfile.TemporaryDirectory(prefix="segue-pack-") as folder:
        return _try_wheel(wheel, Path(folder))


def _try_wheel(wheel: Path, folder: Path) -> int:
    """Install the wheel where no checkout is near, and run its `segue doctor`."""
    scripts = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    suffix = ".exe" if os.name == "nt" else ""
    constraints = ROOT / "packaging" / "constraints.txt"
    steps = (
        [sys.executable, "-m", "venv", str(folder / "venv")],
        [str(scripts / f"python{suffix}"), "-m", "pip", "install", "--quiet"]
        + ["--constraint", str(constraints), str(wheel)],
        [str(scripts / f"segue{suffix}"), "doctor"],
    )
    for step in steps:
        code = run_child(step, cwd=folder)
        if code:
            return code
    say(f"{wheel.name} installs and runs.")
    return 0


def libraries(arguments: Sequence[str]) -> int:
    """libraries: print the Debian packages that Qt needs and this system lacks."""
    _refuse(arguments)
    missing = _system_libraries().missing_libraries()
    print(" ".join(dict.fromkeys(library.package for library in missing)))
    return 0


COMMANDS: dict[str, Callable[[Sequence[str]], int]] = {
    command.__name__: command
    for command in (run, gui, test, lint, types, bench, shots, pack, libraries)
}


def _refuse(arguments: Sequence[str]) -> None:
    if arguments:
        fail(f"This command takes no arguments, but got: {' '.join(arguments)}")


def _system_libraries() -> ModuleType:
    """The engine's list of Qt's libraries, read alone: nothing may be installed yet."""
    path = ROOT / "engine" / "system_libraries.py"
    spec = importlib.util.spec_from_file_location("segue_system_libraries", path)
    if spec is None or spec.loader is None:
        fail(f"{path} is missing: this checkout is not complete.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up by name
    spec.loader.exec_module(module)
    return module


def _has_x11_only() -> bool:
    chosen = os.environ.get("QT_QPA_PLATFORM", "")
    wayland = "WAYLAND_DISPLAY" in os.environ and chosen in ("", "wayland")
    return not wayland and chosen in ("", "xcb")


def _qt_hint(purposes: Sequence[str]) -> str:
    known = _system_libraries()
    missing = tuple(lib for lib in known.missing_libraries() if lib.needed_for in purposes)
    return str(known.install_hint(missing))


def usage() -> str:
    """The list of commands, each with the first line of its description."""
    lines = [line.__doc__ or "" for line in COMMANDS.values()]
    commands = "\n".join(f"  {line.splitlines()[0]}" for line in lines)
    return f"usage: python3 packaging/tasks.py COMMAND [ARGS]\n\n{commands}"


def main(arguments: Sequence[str]) -> int:
    """Run one command; its exit code, 2 for a wrong call and 3 where setting up failed."""
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(usage())
        return 0 if arguments else 2
    name, rest = arguments[0], list(arguments[1:])
    if name not in COMMANDS:
        say(f"There is no command {name}.\n\n{usage()}")
        return 2
    if rest[:1] == ["--"]:
        rest = rest[1:]
    try:
        check_python()
        return COMMANDS[name](rest)
    except TaskError as error:
        say(f"tasks.py: {error}")
        return 3
    except KeyboardInterrupt:
        say("Stopped.")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
