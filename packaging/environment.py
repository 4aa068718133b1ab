"""The checkout's own virtual environment: made when needed, mended when half made.

Standard library only. It must stay readable for Python 3.8, so that an old Python gets a clear
sentence instead of a syntax error.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NoReturn

MINIMUM = (3, 11)
STAMP = "segue-installed.json"
UNFINISHED = "segue-unfinished"
SPACE_NEEDED = {"": 1.5, "train": 4.0, "gpu": 8.0}  # GiB, downloads and unpacked files together


class TaskError(Exception):
    """Something the user can act on; shown as one sentence, without a traceback."""


def fail(message: str) -> NoReturn:
    """Stop with a sentence for the user."""
    raise TaskError(message)


def check_python(version: Sequence[int] = sys.version_info[:3]) -> None:
    """Refuse a Python that is too old, naming a newer one if there is one on the path."""
    if tuple(version[:2]) >= MINIMUM:
        return
    newer = next((name for name in _newer_names() if shutil.which(name)), None)
    advice = (
        f"{newer} is here: start this file with it."
        if newer
        else "Install one from python.org or your system's package manager."
    )
    fail(f"Segue needs Python 3.11 or newer, and this is {version[0]}.{version[1]}. {advice}")


def _newer_names() -> Iterator[str]:
    for minor in range(14, MINIMUM[1] - 1, -1):
        yield f"python3.{minor}"


def requirements_key(root: Path) -> str:
    """A hash of everything that decides what an installation holds, the extras apart.

    Tool settings in pyproject.toml are left out, so that a change of lint rules installs nothing.
    """
    import tomllib  # absent from the older Pythons that check_python turns away

    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    hatch = settings.get("tool", {}).get("hatch", {})
    parts = [settings.get("project"), settings.get("build-system"), hatch]
    constraints = (root / "packaging" / "constraints.txt").read_text(encoding="utf-8")
    facts = [parts, constraints, str(root), list(sys.version_info[:3]), sys.platform]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


class Environment:
    """The virtual environment in `<root>/.venv`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        scripts = "Scripts" if os.name == "nt" else "bin"
        self.python = self.folder / scripts / ("python.exe" if os.name == "nt" else "python")
        self.stamp = self.folder / STAMP
        self.unfinished = self.folder / UNFINISHED

    def ensure(self, extras: Iterable[str] = ()) -> Path:
        """Install what is missing; the path of the environment's Python.

        An environment with more extras than asked for is kept as it is. One whose installation
        was cut off is made anew, because a killed pip can leave halves of packages behind.
        """
        wanted = frozenset(extras)
        key = requirements_key(self.root)
        if self._is_ready(key, wanted):
            return self.python
        with self._lock():
            stamp = self._read_stamp()
            if self._is_ready(key, wanted):  # another process may have done it meanwhile
                return self.python
            everything = wanted | frozenset(stamp.get("extras", ()))
            self._check_space(everything)
            if self.unfinished.exists() or not self._is_sound():
                self._remove()
            if not self.folder.exists():
                self._create()
            self._install(everything)
            self._write_stamp(key, everything)
        return self.python

    def _is_ready(self, key: str, extras: frozenset[str]) -> bool:
        stamp = self._read_stamp()
        installed = frozenset(stamp.get("extras", ()))
        return stamp.get("key") == key and extras <= installed and self.python.exists()

    def _read_stamp(self) -> Mapping[str, Any]:
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, key: str, extras: frozenset[str]) -> None:
        new = self.stamp.with_suffix(".new")
        new.write_text(json.dumps({"key": key, "extras": sorted(extras)}), encoding="utf-8")
        new.replace(self.stamp)
        self.unfinished.unlink()

    def _is_sound(self) -> bool:
        """Whether the environment's Python starts, is the one we run on, and has pip."""
        if not self.python.exists():
            return False
        question = "import pip, sys; print(sys.prefix, sys.version_info[:2] == {!r})"
        asked = subprocess.run(
            [str(self.python), "-I", "-c", question.format(tuple(sys.version_info[:2]))],
            capture_output=True,
            text=True,
            check=False,
        )
        prefix, _, is_same = asked.stdout.strip().rpartition(" ")
        return asked.returncode == 0 and is_same == "True" and Path(prefix) == self.folder

    def _remove(self) -> None:
        if not self.folder.exists():
            return
        ours = any((self.folder / name).exists() for name in ("pyvenv.cfg", STAMP, UNFINISHED))
        if not ours and any(self.folder.iterdir()):
            fail(f"{self.folder} is not a virtual environment. Move it away and try again.")
        say("Mending a half-made .venv: making it anew.")
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            fail(f"The old .venv cannot be removed ({error}). Close programs that use it.")

    def _create(self) -> None:
        say("Setting up .venv. The first time takes a few minutes.")
        made = subprocess.run(
            [sys.executable, "-m", "venv", str(self.folder)],
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            fail(explain_failure(made.stdout + made.stderr, "The virtual environment"))

    def _install(self, extras: frozenset[str]) -> None:
        self.unfinished.touch()
        self.stamp.unlink(missing_ok=True)
        names = ", ".join(sorted(extras))
        say(f"Installing Segue{f' with the extras {names}' if names else ''} ...")
        began = time.monotonic()
        target = f"{self.root}[{','.join(sorted(extras))}]" if extras else str(self.root)
        constraints = self.root / "packaging" / "constraints.txt"
        code, output = _run_quietly(
            [str(self.python), "-m", "pip", "install", "--no-input"]
            + ["--disable-pip-version-check", "--constraint", str(constraints)]
            + ["--editable", target]
        )
        if code:
            fail(explain_failure(output, "The installation"))
        say(f"Installed in {time.monotonic() - began:.0f} s.")

    def _check_space(self, extras: frozenset[str]) -> None:
        needed = max(SPACE_NEEDED.get(extra, 0.0) for extra in {"", *extras})
        free = shutil.disk_usage(self.root).free / 2**30
        if free < needed:
            fail(
                f"Not enough disk space: the installation needs {needed:.1f} GiB in {self.root}, "
                f"and {free:.1f} GiB are free."
            )

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        """Let one process install at a time; the system drops the lock of one that dies."""
        path = self.root / ".venv.lock"
        try:
            handle = path.open("a+", encoding="utf-8")
        except OSError as error:
            fail(f"{self.root} cannot be written to ({error.strerror}).")
        with handle:
            _lock_file(handle)
            yield


def _lock_file(handle: IO[str]) -> None:
    if sys.platform == "win32":
        import msvcrt

        while True:
            with contextlib.suppress(OSError):
                msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
                return
    else:
        import fcntl

        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("Waiting for another installation in this folder ...")
            fcntl.flock(handle, fcntl.LOCK_EX)


def explain_failure(output: str, what: str) -> str:
    """Turn what venv or pip printed into one sentence with a next step."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    text = output.lower()
    for signs, sentence in _CAUSES:
        if any(sign in text for sign in signs):
            return f"{what} failed: {sentence}"
    shown = "\n  ".join(lines[-8:]) or "pip said nothing"
    return f"{what} failed:\n  {shown}"


_CAUSES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("no space left on device", "errno 28", "winerror 112", "disk quota exceeded"),
        "the disk is full. Free some space and try again; what is there will be mended.",
    ),
    (
        (
            "name resolution",
            "newconnectionerror",
            "network is unreachable",
            "nameresolutionerror",
            "getaddrinfo failed",
            "nodename nor servname",
            "connection refused",
            "connecttimeouterror",
            "proxyerror",
            "max retries exceeded",
        ),
        (
            "the package index cannot be reached. The first start needs a network connection "
            "(or a pip mirror); later starts need none."
        ),
    ),
    (
        ("certificate_verify_failed", "sslerror"),
        (
            "the package index's certificate is not trusted here. Set PIP_CERT to your "
            "organisation's certificate file."
        ),
    ),
    (
        ("ensurepip is not available", "no module named ensurepip", "no module named 'ensurepip'"),
        "this Python has no venv support. On Debian or Ubuntu: sudo apt-get install python3-venv",
    ),
    (
        ("permission denied", "winerror 5"),
        "this folder may not be written to. Put the checkout into a folder of your own.",
    ),
)


def say(message: str) -> None:
    """Tell the user what goes on; on stderr, so that a command's own output stays clean."""
    print(message, file=sys.stderr, flush=True)


def _run_quietly(command: Sequence[str]) -> tuple[int, str]:
    """Run pip; its exit code and all that it printed. A terminal shows what it is busy with."""
    kept: list[str] = []
    live = sys.stderr.isatty()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            kept.append(line)
            if live and not line.startswith("WARNING"):
                sys.stderr.write(f"\r\033[K  {line.strip()[:74]}")
                sys.stderr.flush()
    if live:
        sys.stderr.write("\r\033[K")
    return process.returncode, "".join(kept)


def run_child(
    command: Sequence[str], *, cwd: Path | None = None, extra_env: Mapping[str, str] | None = None
) -> int:
    """Run a command on our terminal; its exit code, or 128 + the signal that ended it.

    Ctrl+C reaches the child from the terminal itself, so we only wait for its answer; a request
    to terminate is passed on.
    """
    environment = {**os.environ, **(extra_env or {})}
    process = subprocess.Popen(list(command), cwd=cwd, env=environment)
    previous_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    previous_terminate = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        code = process.wait()
    finally:
        signal.signal(signal.SIGINT, previous_interrupt)
        signal.signal(signal.SIGTERM, previous_terminate)
    if code >= 0:
        return code
    say(f"{Path(command[0]).name} was ended by {_signal_name(-code)}.")
    return 128 - code


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
