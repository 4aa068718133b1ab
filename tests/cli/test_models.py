"""`segue models`: the list, installing from a hub on this machine, importing, verifying, removing."""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import cli
from engine.commands import models
from engine.commands.stopping import StopRequest
from engine.console import Console
from engine.errors import Cancelled, DownloadError, UnreadableFile, UsageError
from engine.exit_codes import MEANINGS, ExitCode
from engine.models.catalogue import Catalogue, load_catalogue
from engine.models.device import Probe
from engine.models.speed import Machine
from engine.models.store import ModelStore
from tests.cli.cli_support import Run, Terminal
from tests.models.catalogue_entries import WEIGHTS, folder_entry, gguf_entry
from tests.models.hub_server import HubServer, running
from tests.models.model_folder import write_model

ROOT = Path(__file__).resolve().parents[2]
MACHINE = Machine(8_000_000_000, 4_000_000_000, cpus=2, bandwidth=10e9)
CATALOGUE = Catalogue(
    (gguf_entry(), folder_entry(note="Read the licence first.", memory_bytes=9_000_000_000))
)

Segue = Callable[..., Run]


@pytest.fixture(autouse=True)
def _no_hub_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    write_model(tmp_path / "shipped" / "tiny", id="tiny")
    return ModelStore(tmp_path / "shipped", tmp_path / "user")


@pytest.fixture
def server() -> Iterator[HubServer]:
    with running(HubServer({"model.gguf": WEIGHTS})) as served:
        yield served


@pytest.fixture
def segue(store: ModelStore) -> Segue:
    """Call `segue models` in this process."""

    def call(*arguments: str | Path, console: Console | None = None) -> Run:
        console = console or Console(io.StringIO(), io.StringIO())
        parser = argparse.ArgumentParser()
        models.add_arguments(parser)
        options = parser.parse_args([str(argument) for argument in arguments])
        probe = Probe({"onnxruntime": "1.20", "llama_cpp": "0.3"})
        around = models.Surroundings(store, CATALOGUE, MACHINE, probe)
        return Run(models.run(options, console, around=around), console)

    return call


def written(run: Run) -> list[dict[str, Any]]:
    data = json.loads(run.out)
    assert data["schema"] == "segue.models/1"
    found: list[dict[str, Any]] = data["models"]
    return found


def test_the_list_shows_what_is_here_and_what_is_on_offer(segue: Segue) -> None:
    out = segue("list").out
    here, offered = out.split("To download")
    assert "tiny  part of Segue" in here
    assert "Runs on the processor" in here
    assert "tiny-writer  300 kB, Apache-2.0, 1 MB of memory, under 1 s a sentence" in offered
    assert "Llama 2 Community License" in offered
    assert "more memory than this computer has" in offered
    assert "Read the licence first." in offered
    assert max(len(line) for line in out.splitlines()) <= 100


def test_the_list_as_json_has_every_fact(segue: Segue) -> None:
    first, second, third = written(segue("list", "--json"))
    assert (first["id"], first["state"]) == ("tiny", "shipped")
    assert (second["id"], second["state"], second["bytes"]) == (
        "tiny-writer",
        "available",
        len(WEIGHTS),
    )
    assert third["fits"] is False


def test_an_installed_model_is_on_the_list(segue: Segue, server: HubServer) -> None:
    run = segue("install", "tiny-writer", "--mirror", server.address)
    assert run.code == ExitCode.OK
    assert "Installed: tiny-writer" in run.out
    assert "Runs on the processor" in run.out
    assert "tiny-writer  installed" in segue("list").out


def test_nothing_is_asked_of_any_server_but_by_install(
    segue: Segue, server: HubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.address)
    segue("list")
    segue("verify")
    assert server.requests == []


def test_on_a_terminal_a_bar_shows_the_bytes(segue: Segue, server: HubServer) -> None:
    console = Console(io.StringIO(), Terminal())
    run = segue("install", "tiny-writer", "--mirror", server.address, console=console)
    assert "Downloading tiny-writer" in run.err
    assert "kB" in run.err


def test_a_licence_with_conditions_is_not_accepted_silently(
    segue: Segue, server: HubServer
) -> None:
    with pytest.raises(UsageError, match="conditions"):
        segue("install", "big-writer", "--mirror", server.address)
    server.files = {"config.json": b"{}", "model.safetensors": b"weights"}
    options = ("--mirror", server.address, "--accept-licence", "--json")
    (model,) = written(segue("install", "big-writer", *options))
    assert model["state"] == "installed"


def test_an_unknown_model_brings_up_near_names(segue: Segue) -> None:
    with pytest.raises(UsageError, match="tiny-riter") as caught:
        segue("install", "tiny-riter")
    assert "tiny-writer" in caught.value.hint


def test_a_file_is_brought_in_under_its_own_name_or_another(segue: Segue, tmp_path: Path) -> None:
    (tmp_path / "Some Model.gguf").write_bytes(WEIGHTS)
    assert "Brought in: some-model" in segue("import", tmp_path / "Some Model.gguf").out
    (model,) = written(
        segue("import", tmp_path / "Some Model.gguf", "--like", "tiny-writer", "--json")
    )
    assert (model["id"], model["licence"]) == ("tiny-writer", "Apache-2.0")


def test_verify_tells_a_damaged_model_from_a_whole_one(segue: Segue, store: ModelStore) -> None:
    write_model(store.user / "mine", id="mine")
    assert segue("verify").out == "mine: ok\ntiny: ok\n"
    (store.user / "mine" / "model.onnx").write_bytes(b"Weights " + b"weights " * 99)
    run = segue("verify")
    assert run.code == ExitCode.NO_MODEL
    assert "mine: DAMAGED" in run.out
    assert "tiny: ok" in run.out
    assert "checksum" in run.err
    results = written(segue("verify", "mine", "--json"))
    assert results[0]["ok"] is False


def test_a_model_that_is_not_there_cannot_be_verified(segue: Segue) -> None:
    with pytest.raises(UsageError, match="tinny"):
        segue("verify", "tinny")


def test_a_request_to_stop_ends_verifying_and_bringing_in_between_two_blocks(
    segue: Segue, store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "elsewhere"
    write_model(source, id="other")
    monkeypatch.setattr(StopRequest, "check", _stop)
    with pytest.raises(Cancelled):
        segue("verify", "tiny")
    with pytest.raises(Cancelled):
        segue("import", source)
    assert store.get("other") is None


def _stop(_request: StopRequest) -> None:
    raise Cancelled


def test_a_source_that_is_not_there_comes_with_a_way_on(segue: Segue, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as caught:
        segue("import", tmp_path / "nowhere")
    assert "Check the path" in caught.value.hint


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["verify", "nowhere"], ExitCode.USAGE),
        (["remove", "nowhere"], ExitCode.USAGE),
        (["remove", "segue-tagger"], ExitCode.USAGE),
        (["install", "nowhere"], ExitCode.USAGE),
        (["import", "{folder}/nowhere"], ExitCode.FAILED),
        (["import", "{folder}"], ExitCode.NO_MODEL),
    ],
)
def test_what_goes_wrong_has_its_exit_code(
    arguments: list[str], code: ExitCode, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert cli.main(["models", *(one.format(folder=folder) for one in arguments)]) == code
    assert len(capsys.readouterr().err.splitlines()) >= 2, "a sentence and a hint"


@pytest.mark.parametrize("action", ["install", "import", "verify", "remove"])
def test_each_action_tells_the_exit_codes(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["models", action, "--help"])
    assert MEANINGS[ExitCode.USAGE] in " ".join(capsys.readouterr().out.split())


def test_remove_says_how_much_room_there_is_now(segue: Segue, store: ModelStore) -> None:
    write_model(store.user / "mine", id="mine")
    assert segue("remove", "mine").err == "Removed mine (1 kB).\n"
    assert store.get("mine") is None


def test_the_shipped_catalogue_refuses_a_mirror_that_offers_something_else(
    store: ModelStore, server: HubServer
) -> None:
    entry = load_catalogue().find("smollm2-135m-instruct")
    server.repository, server.files = entry.repository, {entry.entry: WEIGHTS}
    around = models.Surroundings(store, load_catalogue(), MACHINE, Probe())
    options = argparse.Namespace(
        action="install",
        model=entry.id,
        mirror=server.address,
        proxy="",
        accept_licence=False,
        json=False,
    )
    with pytest.raises(DownloadError, match="another SmolLM2"):
        models.run(options, Console(io.StringIO(), io.StringIO()), around=around)


def test_other_commands_keep_every_library_offline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    monkeypatch.setenv("TRANSFORMERS_OFFLINE", "0")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "0")
    monkeypatch.setenv("DO_NOT_TRACK", "0")
    cli.main(["models", "list", "--json"])
    assert os.environ["HF_HUB_OFFLINE"] == "0"
    cli.main(["history", "list"])
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    assert os.environ["HF_HUB_DISABLE_TELEMETRY"] == "1"
    assert json.loads(capsys.readouterr().out)["schema"] == "segue.models/1"


def start_install(home: Path, server: HubServer) -> subprocess.Popen[str]:
    command = ["-m", "tests.cli.slow_install", "install", "tiny-writer", "--mirror", server.address]
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "SEGUE_HOME": str(home)},
    )


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C cannot be sent to one process there")
def test_ctrl_c_keeps_what_is_there_and_the_next_call_goes_on(
    server: HubServer, tmp_path: Path
) -> None:
    server.slow.set()
    process = start_install(tmp_path, server)
    partial = tmp_path / "data" / "models" / ".partial" / "tiny-writer"
    end = time.monotonic() + 60
    while not any(path.stat().st_size > 20_000 for path in partial.glob("*.part")):
        assert time.monotonic() < end, process.poll()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == ExitCode.STOPPED
    assert "goes on from there" in err
    assert "Traceback" not in err
    server.slow.clear()
    out, err = start_install(tmp_path, server).communicate(timeout=60)
    assert "Installed: tiny-writer" in out, err
    assert server.downloads()[-1].startswith("bytes=")
