from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.essay import ParagraphKind
from engine.spans import Span
from engine.worker.protocol import (
    CancelRequest,
    CheckRequest,
    DescribeRequest,
    ProtocolError,
    ShutdownRequest,
    WarmRequest,
    encode_reply,
    parse_request,
)


def parse(**request: Any) -> object:
    return parse_request(json.dumps(request).encode("utf-8"))


def check(**request: Any) -> CheckRequest:
    found = parse(type="check", **{"id": "1", "text": "One. Two.", **request})
    assert isinstance(found, CheckRequest)
    return found


def test_a_check_needs_only_an_id_and_a_text() -> None:
    request = check()
    assert request.id == "1"
    assert request.essay.text == "One. Two."
    assert request.strictness == "balanced"
    assert request.rewrites is True


def test_a_check_carries_topic_strictness_and_rewrites() -> None:
    request = check(topic=" Trees ", strictness="few", rewrites=False)
    assert request.essay.topic == "Trees"
    assert request.strictness == "few"
    assert request.rewrites is False


def test_grammar_is_corrected_only_where_that_is_asked_for() -> None:
    assert check().correct_grammar is False
    assert check(correct_grammar=True).correct_grammar is True


def test_paragraphs_may_be_given() -> None:
    request = check(text="Title\nOne. Two.", paragraphs=[[0, 5, "title"], [6, 15, "body"]])
    assert [p.kind for p in request.essay.paragraphs] == [ParagraphKind.TITLE, ParagraphKind.BODY]
    assert request.essay.paragraphs[1].span == Span(6, 15)


def test_without_paragraphs_newlines_are_normalised() -> None:
    assert check(text="One.\r\nTwo.\rThree.").essay.text == "One.\nTwo.\nThree."


@pytest.mark.parametrize(
    ("request_", "kind"),
    [
        ({"type": "cancel", "id": "1"}, CancelRequest("1")),
        ({"type": "warm"}, WarmRequest("")),
        ({"type": "describe", "id": "2"}, DescribeRequest("2")),
        ({"type": "shutdown"}, ShutdownRequest()),
        ({"type": "shutdown", "surplus": [1]}, ShutdownRequest()),
    ],
)
def test_the_other_requests(request_: dict[str, Any], kind: object) -> None:
    assert parse(**request_) == kind


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parse_request(b'\xef\xbb\xbf{"type":"warm"}\r\n') == WarmRequest("")


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"nonsense",
        b"\xff\xfe",
        b"\x00",
        b"[" * 200_000,
        b"null",
        b"[]",
        b"{}",
        b'{"type": "fly", "id": "1"}',
        b'{"type": ["check"]}',
        b'{"type": "check"}',
        b'{"type": "check", "id": 7, "text": ""}',
        b'{"type": "check", "id": "", "text": ""}',
        b'{"type": "check", "id": "1"}',
        b'{"type": "check", "id": "1", "text": null}',
        b'{"type": "check", "id": "1", "text": "a", "topic": 3}',
        b'{"type": "check", "id": "1", "text": "a", "rewrites": "yes"}',
        b'{"type": "check", "id": "1", "text": "a", "strictness": 1}',
        b'{"type": "cancel"}',
    ],
)
def test_what_is_no_request_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        parse_request(line)


@pytest.mark.parametrize(
    "paragraphs",
    [
        3,
        "abc",
        [[0, 2]],
        [[0, 2, "sonnet"]],
        [[0, 2, ["body"]]],
        [["0", "2", "body"]],
        [[0, True, "body"]],
        [[0.0, 2.0, "body"]],
        [[3, 2, "body"]],
        [[-1, 2, "body"]],
        [[0, 99, "body"]],
        [[0, 5, "body"], [4, 6, "body"]],
        [[5, 7, "body"], [0, 2, "body"]],
    ],
)
def test_paragraphs_that_do_not_fit_the_text_are_refused(paragraphs: object) -> None:
    with pytest.raises(ProtocolError) as caught:
        check(paragraphs=paragraphs)
    assert caught.value.job == "1"


def test_paragraphs_of_a_text_with_carriage_returns_are_refused() -> None:
    with pytest.raises(ProtocolError, match="carriage returns"):
        check(text="One.\r\nTwo.", paragraphs=[[0, 4, "body"]])


def test_a_refusal_never_quotes_the_line() -> None:
    with pytest.raises(ProtocolError) as caught:
        parse_request(b'{"type": "check", "id": "1", "text": "my secret"')
    assert "secret" not in str(caught.value)


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_any_text_even_with_lone_surrogates_makes_the_round_trip(text: str) -> None:
    line = encode_reply("1", "h", {"event": "found", "text": text})
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line)["text"] == text


def test_a_number_that_json_does_not_know_is_never_sent() -> None:
    with pytest.raises(ValueError, match="JSON"):
        encode_reply("1", "", {"event": "progress", "done": float("nan")})
