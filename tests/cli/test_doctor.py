"""`segue doctor`: it names what is missing and what still works."""

from __future__ import annotations

import argparse
import io
import json
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine import diagnosis
from engine.commands import doctor
from engine.console import Console
from engine.diagnosis import Diagnosis, Item, Section, Status, writer_items
from engine.exit_codes import ExitCode
from engine.models.manifest import write_manifest
from engine.models.store import ModelStore


def healthy_trial(command: Sequence[str]) -> tuple[int, str, str]:
    return 0, "1.2.3\n", ""


def items_by_name(items: Sequence[Item]) -> dict[str, Item]:
    return {item.name: item for item in items}


def a_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"weights" * 100)
    write_manifest(
        folder,
        {
            "id": "tiny-tagger",
            "role": "tagger",
            "version": "1",
            "formats": {"onnx": "model.onnx"},
            "labels": ["incoherent"],
            "thresholds": {"few": 0.7, "balanced": 0.5, "thorough": 0.3},
        },
    )
    return folder


def show(found: Diagnosis, *, as_json: bool = False) -> tuple[int, str]:
    out = io.StringIO()
    arguments = argparse.Namespace(json=as_json)
    code = doctor.run(arguments, Console(out, io.StringIO()), look=lambda: found)
    return code, out.getvalue()


def one_item(status: Status) -> Diagnosis:
    return Diagnosis((Section("Things", (Item("Thing", status, "is here", "Do this."),)),))


def test_a_note_does_not_stop_the_main_job() -> None:
    code, text = show(one_item(Status.NOTE))
    assert code == ExitCode.OK
    assert "note    Thing: is here" in text
    assert "Do this." in text


def test_a_problem_does() -> None:
    code, text = show(one_item(Status.PROBLEM))
    assert code == ExitCode.FAILED
    assert "PROBLEM Thing" in text


def test_json_holds_the_same() -> None:
    code, text = show(one_item(Status.PROBLEM), as_json=True)
    assert code == ExitCode.FAILED
    assert json.loads(text) == {
        "schema": "segue.doctor/1",
        "can_check": False,
        "sections": [
            {
                "name": "Things",
                "items": [
                    {
                        "name": "Thing",
                        "status": "problem",
                        "message": "is here",
                        "hint": "Do this.",
                    }
                ],
            }
        ],
    }


def test_without_llama_cpp_it_says_what_still_works() -> None:
    found = items_by_name(
        list(
            diagnosis.runtime_items(
                trial=healthy_trial, is_installed=lambda name: name != "llama_cpp"
            )
        )
    )
    item = found["llama-cpp-python"]
    assert item.status is Status.NOTE
    assert "all other rewrites work" in item.message
    assert "segue[llm]" in item.hint
    assert "compiler" in item.hint


def test_a_runtime_that_crashes_is_named_with_its_signal() -> None:
    def crash(command: Sequence[str]) -> tuple[int, str, str]:
        return -11, "", ""

    found = items_by_name(
        list(diagnosis.runtime_items(trial=crash, is_installed=lambda name: True))
    )
    assert found["onnxruntime"].status is Status.PROBLEM
    assert "ended by signal 11" in found["onnxruntime"].message
    assert found["torch"].status is Status.NOTE


def test_looking_at_the_runtimes_leaves_no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ORT_DISABLE_TELEMETRY", raising=False)
    heeded = []

    def trial(command: Sequence[str]) -> tuple[int, str, str]:
        heeded.append(os.environ.get("ORT_DISABLE_TELEMETRY"))
        return 0, "1.0", ""

    list(diagnosis.runtime_items(trial=trial, is_installed=lambda name: True))
    assert heeded
    assert set(heeded) == {"1"}


def test_a_runtime_that_cannot_be_imported_is_named_with_the_cause() -> None:
    def fail(command: Sequence[str]) -> tuple[int, str, str]:
        return 1, "", "Traceback ...\nImportError: libgomp.so.1: cannot open shared object file\n"

    found = items_by_name(list(diagnosis.runtime_items(trial=fail, is_installed=lambda n: True)))
    assert "libgomp.so.1" in found["llama-cpp-python"].message


def test_a_whole_model_is_verified(tmp_path: Path) -> None:
    a_model(tmp_path / "shipped" / "tiny")
    (item,) = diagnosis.model_items(ModelStore(tmp_path / "shipped", tmp_path / "user"))
    assert item.status is Status.OK
    assert "checksums right" in item.message


@pytest.mark.parametrize("content", [b"weights", b"WEIGHTS" * 100], ids=["cut short", "altered"])
def test_a_bad_model_is_named(tmp_path: Path, content: bytes) -> None:
    folder = a_model(tmp_path / "shipped" / "tiny")
    (folder / "model.onnx").write_bytes(content)
    found = list(diagnosis.model_items(ModelStore(tmp_path / "shipped", tmp_path / "user")))
    assert found[0].status is Status.PROBLEM
    assert "model.onnx" in found[0].message


def test_no_model_at_all_is_a_problem(tmp_path: Path) -> None:
    (item,) = diagnosis.model_items(ModelStore(tmp_path / "a", tmp_path / "b"))
    assert item.status is Status.PROBLEM
    assert str(tmp_path / "a") in item.message


def add_writer(store: ModelStore, name: str, format: str, file: str) -> None:
    folder = store.user / name
    folder.mkdir(parents=True)
    (folder / file).write_bytes(b"weights")
    fields = {"id": name, "role": "writer", "version": "1", "formats": {format: file}}
    write_manifest(folder, {**fields, "labels": [], "thresholds": {}})


def test_models_that_write_are_named_with_what_runs_them(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    add_writer(store, "a-file", "gguf", "a.gguf")
    add_writer(store, "a-folder", "transformers", "config.json")
    found = items_by_name(
        list(writer_items(store, is_installed=lambda name: name == "llama_cpp", environ={}))
    )
    assert found["a-file"].status is Status.OK
    assert "--writer llama-cpp" in found["a-file"].message
    assert found["a-folder"].status is Status.NOTE
    assert "segue[gpu]" in found["a-folder"].hint


def test_without_a_model_that_writes_nothing_is_missing(tmp_path: Path) -> None:
    store = ModelStore(tmp_path / "shipped", tmp_path / "user")
    found = list(writer_items(store, environ={"SEGUE_SERVER_KEY": "secret"}))
    assert {item.status for item in found} == {Status.OK}
    assert "none is needed" in found[0].message
    assert "SEGUE_SERVER_KEY is set" in found[1].message
    assert "secret" not in str(found)


def test_a_folder_that_cannot_be_written_to_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("SEGUE_HOME", str(tmp_path / "file"))
    assert {item.status for item in diagnosis.folder_items()} == {Status.NOTE}


def test_the_folders_of_the_user_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEGUE_HOME", str(tmp_path))
    items = list(diagnosis.folder_items())
    assert {item.status for item in items} == {Status.OK}
    assert all(str(tmp_path) in item.message for item in items)
    assert list(tmp_path.iterdir()) == []


def test_a_history_that_is_not_there_yet_is_fine(tmp_path: Path) -> None:
    assert diagnosis.history_item(tmp_path / "history.db").status is Status.OK


def test_a_damaged_history_is_a_note_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(b"not a database at all" * 50)
    before = path.read_bytes()
    item = diagnosis.history_item(path)
    assert item.status is Status.NOTE
    assert str(path) in item.message
    assert path.read_bytes() == before


def test_a_good_history_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE runs (id INTEGER)")
    database.execute("INSERT INTO runs VALUES (1), (2)")
    database.commit()
    database.close()
    assert diagnosis.history_item(path).message.startswith("2 past checks")


def test_qt_is_really_started() -> None:
    found = items_by_name(list(diagnosis.window_items(environ={})))
    assert found["Qt"].status is Status.OK
    assert "offscreen" in found["Qt"].message
    assert "families" in found["Fonts"].message


def test_without_qt_the_command_line_still_works() -> None:
    items = list(diagnosis.window_items(trial=healthy_trial, is_installed=lambda name: False))
    found = items_by_name(items)["Qt"]
    assert found.status is Status.NOTE
    assert "command line works" in found.message
