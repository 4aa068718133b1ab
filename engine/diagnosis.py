"""What works on this computer and what is missing: the findings of `segue doctor`.

Runtimes are tried in a child process, because a broken one can take the whole process down.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from engine import folders
from engine.errors import SegueError
from engine.essay import Essay
from engine.models.device import choose_device, probe
from engine.models.manifest import Manifest, load_manifest, verify
from engine.models.offline import send_no_telemetry
from engine.models.placing import in_words
from engine.models.store import ModelStore
from engine.system_libraries import QT_LIBRARIES, install_hint, missing_libraries

SCHEMA = "segue.doctor/1"
TRY_SECONDS = 120


class Status(StrEnum):
    """How an item is: fine, worth knowing, or in the way of the main job."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True)
class Item:
    """One thing that was looked at."""

    name: str
    status: Status
    message: str
    hint: str = ""

    def as_dict(self) -> dict[str, str]:
        """Plain data, as in the JSON output."""
        return {
            "name": self.name,
            "status": self.status.value,
            "message": self.message,
            "hint": self.hint,
        }


@dataclass(frozen=True)
class Section:
    """Items that belong together."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Diagnosis:
    """Everything that was looked at."""

    sections: tuple[Section, ...]

    @property
    def can_check(self) -> bool:
        """Whether the main job can run."""
        return all(i.status is not Status.PROBLEM for s in self.sections for i in s.items)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, as in `segue doctor --json`."""
        return {
            "schema": SCHEMA,
            "can_check": self.can_check,
            "sections": [
                {"name": section.name, "items": [item.as_dict() for item in section.items]}
                for section in self.sections
            ],
        }


@dataclass(frozen=True)
class Runtime:
    """A library that runs models: its distribution's name, and what is lost without it."""

    module: str
    distribution: str
    loss: str
    extra: str
    is_needed: bool = False


RUNTIMES = (
    Runtime("onnxruntime", "onnxruntime", "Essays cannot be checked.", "", is_needed=True),
    Runtime("tokenizers", "tokenizers", "Essays cannot be checked.", "", is_needed=True),
    Runtime(
        "torch",
        "torch",
        "Only needed for checking on a GPU and for training; checking works without it.",
        "gpu",
    ),
    Runtime(
        "llama_cpp",
        "llama-cpp-python",
        "No generated rewrites; findings and all other rewrites work without it.",
        "llm",
    ),
    Runtime(
        "transformers",
        "transformers",
        "Only needed for models that write in Transformers' format; all else works without it.",
        "gpu",
    ),
)
_WRITER_RUNTIMES = {
    "gguf": ("llama-cpp", ("llama_cpp",), "llm"),
    "transformers": ("transformers", ("transformers", "torch"), "gpu"),
}
"""A writer's format -> the name for --writer, the modules that it takes, the extra with them."""

Trial = Callable[[Sequence[str]], tuple[int, str, str]]
"""Runs a command: exit code (negative: a signal), standard output, standard error."""


def run_trial(command: Sequence[str]) -> tuple[int, str, str]:
    """Run a command without a screen, giving up after `TRY_SECONDS`."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        done = subprocess.run(
            list(command),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TRY_SECONDS,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return 1, "", f"no answer within {TRY_SECONDS} s"
    return done.returncode, done.stdout, done.stderr


def diagnose(store: ModelStore, history: Path, *, trial: Trial = run_trial) -> Diagnosis:
    """Look at everything."""
    return Diagnosis(
        (
            Section("System", tuple(_system())),
            Section("Runtimes", tuple(runtime_items(trial=trial))),
            Section("Models", tuple(model_items(store))),
            Section("Generated rewrites", tuple(writer_items(store))),
            Section("Folders", tuple(folder_items())),
            Section("History", (history_item(history),)),
            Section("Window", tuple(window_items(trial=trial))),
            Section("Trial", (trial_item(store),)),
        )
    )


def _system() -> Iterator[Item]:
    import psutil

    memory = psutil.virtual_memory()
    found = probe()
    yield Item("Python", Status.OK, f"{platform.python_version()} at {sys.executable}")
    yield Item("System", Status.OK, platform.platform(terse=True))
    cores = f"{found.cpus} core{'' if found.cpus == 1 else 's'}"
    yield Item("Processor", Status.OK, f"{platform.machine()}, {cores}")
    # Unlike files and disks, memory is sold, and shown by Windows and macOS, in these.
    free = memory.available / 2**30
    low = free < 1
    yield Item(
        "Memory",
        Status.NOTE if low else Status.OK,
        f"{free:.1f} of {memory.total / 2**30:.1f} GB available",
        "Close other programs if a check fails." if low else "",
    )
    yield Item("GPU", Status.OK, found.gpu_name or "none that Segue can use")


def runtime_items(
    *, trial: Trial = run_trial, is_installed: Callable[[str], bool] | None = None
) -> Iterator[Item]:
    """Whether each runtime is installed and starts, and what still works if not."""
    is_installed = is_installed or (lambda name: find_spec(name) is not None)
    # Their trial processes inherit it: a look at what is installed must leave no trace either.
    send_no_telemetry()
    for runtime in RUNTIMES:
        bad = Status.PROBLEM if runtime.is_needed else Status.NOTE
        if not is_installed(runtime.module):
            extra = f"segue[{runtime.extra}]" if runtime.extra else runtime.distribution
            hint = f"To add it: pip install '{extra}'."
            if runtime.module == "llama_cpp":
                hint += " It is compiled on this computer, which takes a C++ compiler and CMake."
            yield Item(runtime.distribution, bad, f"not installed. {runtime.loss}", hint)
            continue
        code = f"import {runtime.module} as m; print(getattr(m, '__version__', 'installed'))"
        status, output, errors = trial([sys.executable, "-c", code])
        if status == 0:
            version = output.strip().splitlines()[-1] if output.strip() else "installed"
            yield Item(runtime.distribution, Status.OK, version)
        else:
            cause = _cause(status, errors)
            hint = f"Install it again: pip install --force-reinstall {runtime.distribution}"
            yield Item(runtime.distribution, bad, f"broken ({cause}). {runtime.loss}", hint)


def _cause(status: int, errors: str) -> str:
    if status < 0:
        return f"ended by signal {-status}"
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    return lines[-1][:200] if lines else f"exit code {status}"


def model_items(store: ModelStore) -> Iterator[Item]:
    """Whether each model is whole, by its checksums, and where it would run."""
    found_tagger = False
    for folder in store.folders():
        bad = Status.PROBLEM
        try:
            manifest = load_manifest(folder)
            if manifest.role != "tagger":
                # Essays can be checked without the models that write.
                bad = Status.NOTE
            verify(folder, manifest, again=True)
            choice = choose_device(manifest, "auto", probe())
        except SegueError as error:
            yield Item(folder.name, bad, error.message, error.hint)
            continue
        found_tagger = found_tagger or manifest.role == "tagger"
        size = in_words(sum(record.bytes for record in manifest.files.values()))
        yield Item(
            manifest.id,
            Status.OK,
            f"{manifest.role} {manifest.version}, {size}, checksums right. {choice.reason}",
        )
    if not found_tagger:
        yield Item(
            "tagger",
            Status.PROBLEM,
            f"no usable model in {store.user} or {store.shipped}.",
            "Install Segue again, or copy a model folder into the first of these.",
        )


def writer_items(
    store: ModelStore,
    *,
    is_installed: Callable[[str], bool] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Iterator[Item]:
    """Which models could write, whether what runs them is here, and whether a key is set."""
    from engine.llm.server import KEY_VARIABLE

    is_installed = is_installed or (lambda name: find_spec(name) is not None)
    writers = [m for m in (one.manifest for one in store.models()) if m and m.role == "writer"]
    for manifest in writers:
        yield _writer_item(manifest, is_installed)
    if not writers:
        yield Item(
            "Models that write",
            Status.OK,
            "none installed, and none is needed: Segue's own rules write.",
            "To add one: `segue models list`, then `segue models install ID`.",
        )
    is_set = bool(environ.get(KEY_VARIABLE))
    words = (
        f"{KEY_VARIABLE} is {'set' if is_set else 'not set'}; only a server that you name uses it."
    )
    yield Item("Key for a server", Status.OK, words)


def _writer_item(manifest: Manifest, is_installed: Callable[[str], bool]) -> Item:
    known = [_WRITER_RUNTIMES[one] for one in _WRITER_RUNTIMES if one in manifest.formats]
    for name, modules, _extra in known:
        if all(is_installed(module) for module in modules):
            return Item(manifest.id, Status.OK, f"can write with --writer {name}.")
    extras = " or ".join(f"pip install 'segue[{extra}]'" for _name, _modules, extra in known)
    return Item(
        manifest.id,
        Status.NOTE,
        "cannot write: what runs it is not installed.",
        f"To add it: {extras}." if extras else "",
    )


def folder_items() -> Iterator[Item]:
    """Whether the user's folders can be written to."""
    for name, folder in (
        ("Data", folders.data_folder()),
        ("Settings", folders.config_folder()),
        ("Cache", folders.cache_folder()),
        ("Log", folders.log_folder()),
    ):
        existing = next(path for path in (folder, *folder.parents) if path.exists())
        if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
            yield Item(name, Status.OK, str(folder))
        else:
            yield Item(
                name,
                Status.NOTE,
                f"{folder} cannot be written to; nothing will be kept there.",
                "Change its permissions, or set SEGUE_HOME to a folder of your own.",
            )


def history_item(path: Path) -> Item:
    """Whether the database of past checks is whole; it is opened for reading only."""
    import sqlite3
    from contextlib import closing

    if not path.exists():
        return Item("Database", Status.OK, "none yet; it begins with the first check")
    try:
        uri = f"{path.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=2)) as database:
            answer = database.execute("PRAGMA quick_check").fetchone()[0]
            runs = database.execute("SELECT count(*) FROM runs").fetchone()[0]
    except sqlite3.Error as error:
        hint = "Segue will set it aside and begin a new one; checking is not affected."
        return Item("Database", Status.NOTE, f"{path} cannot be read ({error}).", hint)
    if answer != "ok":
        hint = "Segue will set it aside and begin a new one; checking is not affected."
        return Item("Database", Status.NOTE, f"{path} is damaged ({answer}).", hint)
    size = in_words(path.stat().st_size)
    return Item("Database", Status.OK, f"{runs} past checks, {size}, in {path}")


_QT_TRIAL = """
import json
from PySide6.QtCore import qVersion
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication
application = QApplication([])
systems = QFontDatabase.WritingSystem
print(json.dumps({
    "version": qVersion(),
    "families": len(QFontDatabase.families()),
    "scripts": {
        name: bool(QFontDatabase.families(system))
        for name, system in {
            "Latin": systems.Latin, "Arabic": systems.Arabic,
            "Chinese": systems.SimplifiedChinese,
        }.items()
    },
}))
"""


def window_items(
    *,
    trial: Trial = run_trial,
    is_installed: Callable[[str], bool] | None = None,
    environ: Mapping[str, str] = os.environ,
) -> Iterator[Item]:
    """Whether Qt starts, can open a window here, and has fonts. The command line needs none."""
    is_installed = is_installed or (lambda name: find_spec(name) is not None)
    yield _libraries_item()
    if not is_installed("PySide6"):
        hint = "To add it: pip install PySide6-Essentials."
        yield Item("Qt", Status.NOTE, "not installed; the command line works without it.", hint)
        return
    status, output, errors = trial([sys.executable, "-c", _QT_TRIAL])
    facts = _last_json(output) if status == 0 else None
    if facts is None:
        yield Item("Qt", Status.NOTE, f"does not start ({_cause(status, errors)}).")
        return
    yield Item("Qt", Status.OK, f"{facts['version']}, platform plugins: {_platform_plugins()}")
    has_screen = not sys.platform.startswith("linux") or any(
        environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if not has_screen:
        yield Item("Screen", Status.NOTE, "none here; the command line works without one.")
    yield _fonts_item(facts)


def _last_json(output: str) -> dict[str, Any] | None:
    try:
        facts = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return None
    return facts if isinstance(facts, dict) else None


def _libraries_item() -> Item:
    missing = missing_libraries()
    if missing:
        return Item("Libraries", Status.NOTE, install_hint(missing))
    what = "none missing" if sys.platform.startswith("linux") else "not needed on this system"
    return Item("Libraries", Status.OK, f"{what} ({len(QT_LIBRARIES)} that Qt needs on Linux)")


def _platform_plugins() -> str:
    spec = find_spec("PySide6")
    roots = [] if spec is None else [Path(p) for p in spec.submodule_search_locations or ()]
    names = {
        path.stem.removeprefix("lib").removeprefix("q")
        for root in roots
        for folder in (root / "Qt" / "plugins" / "platforms", root / "plugins" / "platforms")
        if folder.is_dir()
        for path in folder.iterdir()
    }
    wanted = ("xcb", "wayland", "windows", "cocoa", "offscreen")
    return ", ".join(name for name in wanted if name in names) or "none"


def _fonts_item(facts: Mapping[str, Any]) -> Item:
    without = [name for name, found in facts["scripts"].items() if not found]
    message = f"{facts['families']} families"
    if not without:
        return Item("Fonts", Status.OK, message)
    return Item(
        "Fonts",
        Status.NOTE,
        f"{message}; none for {', '.join(without)}.",
        "On Debian or Ubuntu: sudo apt-get install fonts-dejavu-core fonts-noto-core "
        "fonts-noto-cjk",
    )


_TRIAL_TEXT = "Many people live in cities. They find work there. Bananas are yellow."


def trial_item(store: ModelStore) -> Item:
    """Check three sentences, cold, the way an essay is checked."""
    from engine.pipeline import Engine

    began = time.perf_counter()
    try:
        Engine(store=store).check(Essay.from_text(_TRIAL_TEXT))
    except SegueError as error:
        return Item("Check", Status.PROBLEM, error.message, error.hint)
    except Exception as error:  # noqa: BLE001 - the doctor reports whatever fails
        return Item("Check", Status.PROBLEM, f"fails ({type(error).__name__}: {error}).")
    seconds = time.perf_counter() - began
    return Item("Check", Status.OK, f"three sentences in {seconds:.1f} s, loading included")
