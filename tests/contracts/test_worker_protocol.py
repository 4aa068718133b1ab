"""The lines that the worker writes. The window and the worker may be of different versions."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from engine.analysis import Action, Edit, EditKind, Rewrite
from engine.events import Finished, Found, Progress, Scored, Writing, event_from_dict
from engine.models.progress import ModelProgress, Stage
from engine.scheme import ReasonCode
from engine.worker.protocol import PROTOCOL_VERSION, encode_reply
from engine.writing import WriterChoice
from tests.history.sample_analysis import sample_analysis
from tests.worker.parent import in_process


class Describer:
    """An engine that is only ever asked what it is."""

    def warm(self) -> None:
        """Nothing to load."""

    def describe(self) -> dict[str, Any]:
        return {"model": {"id": "tiny"}, "device": {"device": "cpu"}}

    def check(self, *_args: Any, **_options: Any) -> Any:
        raise NotImplementedError


def test_ready() -> None:
    with in_process(Describer()) as parent:
        ready = parent.next()
    assert re.fullmatch(r"\d+\.\d+\.\d+", ready.pop("version"))
    assert ready == {"id": "", "hash": "", "event": "ready", "protocol": 1}
    assert PROTOCOL_VERSION == 1


def test_described() -> None:
    with in_process(Describer()) as parent:
        parent.send(type="describe", id="8")
        assert parent.until("described")[-1] == {
            "id": "8",
            "hash": "",
            "event": "described",
            "model": {"id": "tiny"},
            "device": {"device": "cpu"},
        }


def test_failed() -> None:
    with in_process(Describer()) as parent:
        parent.send(type="check", id="8")
        failed = parent.until("failed")[-1]
    assert list(failed) == ["id", "hash", "event", "code", "message", "hint"]
    assert (failed["id"], failed["code"]) == ("8", "protocol")


def test_a_reply_is_one_compact_ascii_line() -> None:
    line = encode_reply("1", "abc", Progress("judging", 1, 2).as_dict())
    assert line == (
        b'{"id":"1","hash":"abc","event":"progress","stage":"judging","done":1,"total":2}\n'
    )


def test_scored() -> None:
    assert Scored(sample_analysis().sentences[:1]).as_dict() == {
        "event": "scored",
        "sentences": [
            {
                "start": 0,
                "end": 36,
                "text": "Many students work while they study.",
                "probability": None,
            }
        ],
    }


def test_found() -> None:
    found = Found(sample_analysis().findings[0]).as_dict()
    assert found["event"] == "found"
    assert list(found["finding"]) == [
        "sentence",
        "probability",
        "reasons",
        "anchor",
        "explanation",
        "rewrites",
        "key",
        "confidence",
        "note",
    ]
    assert found["finding"]["reasons"][0] == {"code": "R3", "probability": 0.75}


def test_writing() -> None:
    told = Writing(3, "However, it").as_dict()
    assert told == {"event": "writing", "sentence": 3, "text": "However, it"}
    assert event_from_dict(told) == Writing(3, "However, it")


def test_rewrites() -> None:
    edit = Edit(EditKind.REPLACE, 0, 3, "But", "However,")
    rewrite = Rewrite(Action.REPLACE, "However, no.", (edit,), 0.12345, "marker", ReasonCode.R3)
    assert rewrite.as_dict() == {
        "action": "replace",
        "text": "However, no.",
        "edits": [{"kind": "replace", "start": 0, "end": 3, "old": "But", "new": "However,"}],
        "probability_after": 0.1235,
        "operator": "marker",
        "reason": "R3",
        "clears": True,
    }


def test_a_rewrite_that_a_language_model_wrote_names_it() -> None:
    rewrite = Rewrite(Action.REPLACE, "No.", (), 0.1, "generated", ReasonCode.R4, writer="small")
    assert list(rewrite.as_dict())[-1] == "writer"
    assert rewrite.as_dict()["writer"] == "small"


def test_an_analysis_says_which_language_model_wrote() -> None:
    told = replace(sample_analysis(), writer={"id": "small", "backend": "fake"}).as_dict()
    assert list(told)[-1] == "writer"
    assert told["writer"] == {"id": "small", "backend": "fake"}


def test_a_request_names_its_writer() -> None:
    assert WriterChoice("server", "tiny", "http://127.0.0.1:8080/v1").as_dict() == {
        "backend": "server",
        "model": "tiny",
        "server": "http://127.0.0.1:8080/v1",
    }


def test_finished() -> None:
    finished = Finished(sample_analysis()).as_dict()
    assert finished["event"] == "finished"
    assert list(finished["analysis"]) == [
        "schema",
        "content_hash",
        "topic",
        "threshold",
        "model",
        "device",
        "seconds",
        "notices",
        "sentences",
        "findings",
    ]
    assert finished["analysis"]["schema"] == "segue.check/1"


def test_progress_of_a_model() -> None:
    assert ModelProgress("tiny", Stage.DOWNLOADING, 5, 10, 2.04).as_dict() == {
        "event": "model-progress",
        "model": "tiny",
        "stage": "downloading",
        "done": 5,
        "total": 10,
        "rate": 2.0,
    }
