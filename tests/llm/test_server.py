"""A server that the user names: streamed, cancelled at once, every failure told plainly."""

from __future__ import annotations

import logging
import socket
import time

import pytest

from engine.errors import BackendError, Cancelled, UsageError
from engine.llm.options import BackendOptions
from engine.llm.protocol import GenerationRequest
from engine.llm.server import KEY_VARIABLE, Server, connect
from tests.llm.language_server import Behaviour, language_server
from tests.llm.llm_helpers import ask


@pytest.fixture(autouse=True)
def _without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY_VARIABLE, raising=False)


def failure(behaviour: Behaviour, **changes: object) -> BackendError:
    """The error that a server with that behaviour leads to."""
    with language_server(behaviour) as url, pytest.raises(BackendError) as error:
        Server(url, model="tiny", **changes).generate(ask())  # type: ignore[arg-type]
    return error.value


def test_text_comes_in_pieces_with_what_it_cost() -> None:
    heard: list[str] = []
    behaviour = Behaviour(pieces=("Yes", ", naïve", " 🙂."))
    with language_server(behaviour) as url:
        told = Server(url, model="tiny").generate(ask(), on_text=heard.append)
    assert told.text == "Yes, naïve 🙂."
    assert heard == ["Yes", ", naïve", " 🙂."]
    assert (told.tokens, told.prompt_tokens, told.finish_reason) == (3, 11, "stop")


def test_the_request_says_all_that_was_asked() -> None:
    behaviour = Behaviour()
    with language_server(behaviour) as url:
        Server(url, model="tiny").generate(
            ask("Hello", max_tokens=9, temperature=0.5, top_p=0.9, seed=4, stop=("\n",))
        )
    (seen,) = behaviour.seen
    assert seen["path"] == "/v1/chat/completions"
    assert seen["messages"] == [{"role": "user", "content": "Hello"}]
    assert seen["stream"] is True
    assert (seen["model"], seen["max_tokens"], seen["temperature"]) == ("tiny", 9, 0.5)
    assert (seen["top_p"], seen["seed"], seen["stop"]) == (0.9, 4, ["\n"])


def test_plain_text_goes_to_the_completions_address() -> None:
    behaviour = Behaviour()
    with language_server(behaviour) as url:
        told = Server(url, model="tiny").generate(GenerationRequest(prompt="Once"))
    assert told.text == "Yes, it does."
    assert (behaviour.seen[0]["path"], behaviour.seen[0]["prompt"]) == ("/v1/completions", "Once")


def test_without_a_model_the_first_that_the_server_lists_is_used() -> None:
    behaviour = Behaviour(models=("first", "second"))
    with language_server(behaviour) as url:
        server = Server(url)
        server.generate_all([ask(n=2, seed=1)])
    assert [(seen["model"], seen["seed"]) for seen in behaviour.seen] == [
        ("first", 1),
        ("first", 2),
    ]


def test_a_server_that_names_no_model_is_reported() -> None:
    with language_server(Behaviour(models=())) as url, pytest.raises(BackendError) as error:
        Server(url).generate(ask())
    assert "--model" in error.value.hint


def test_a_server_that_does_not_stream_is_read_as_well() -> None:
    with language_server(Behaviour(streams=False)) as url:
        told = Server(url, model="tiny").generate(ask())
    assert (told.text, told.tokens) == ("Yes, it does.", 3)


def test_a_stop_string_that_the_server_ignores_ends_the_text_and_hangs_up() -> None:
    behaviour = Behaviour(pieces=("One.\n", *["more "] * 500), delay=0.02)
    with language_server(behaviour) as url:
        told = Server(url, model="tiny").generate(ask(stop=("\n",)))
        assert behaviour.hung_up.wait(5)
    assert told.text == "One."


def test_a_text_that_the_server_cut_says_so() -> None:
    with language_server(Behaviour(finish_reason="length")) as url:
        assert Server(url, model="tiny").generate(ask()).finish_reason == "length"


def test_cancelling_before_the_first_word_takes_effect_at_once() -> None:
    behaviour = Behaviour(silence=30.0)
    asked_at: list[float] = []

    def stop_once_asked() -> None:
        if behaviour.seen:
            asked_at.append(time.monotonic())
            raise Cancelled

    with language_server(behaviour) as url, pytest.raises(Cancelled):
        Server(url, model="tiny").generate(ask(), check_cancelled=stop_once_asked)
    assert time.monotonic() - asked_at[0] < 5


def test_cancelling_between_two_words_hangs_up() -> None:
    behaviour = Behaviour(pieces=("word ",) * 900, delay=0.05)
    heard: list[str] = []

    def stop_once_heard() -> None:
        if len(heard) >= 2:
            raise Cancelled

    with language_server(behaviour) as url:
        with pytest.raises(Cancelled):
            Server(url, model="tiny").generate(
                ask(), on_text=heard.append, check_cancelled=stop_once_heard
            )
        assert behaviour.hung_up.wait(10)
    assert len(heard) < 20


def test_a_connection_that_breaks_in_the_middle_is_no_text() -> None:
    assert "broke off" in failure(Behaviour(cut_after=2)).message


def test_a_stream_that_ends_without_an_end_is_no_text() -> None:
    raw = b'data: {"choices": [{"delta": {"content": "Half a"}}]}\n\n'
    assert "broke off" in failure(Behaviour(raw=raw)).message


def test_a_server_that_stalls_is_given_up() -> None:
    error = failure(Behaviour(silence=30.0), stall_seconds=0.3)
    assert "does not answer" in error.message


def test_a_server_that_is_not_there_is_reported() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(BackendError) as error:
        Server(f"http://127.0.0.1:{port}/v1", model="tiny").generate(ask())
    assert "cannot be reached" in error.value.message


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (401, KEY_VARIABLE),
        (403, KEY_VARIABLE),
        (404, "/v1"),
        (413, "too long"),
        (429, "minute"),
        (500, "whoever runs"),
        (503, "whoever runs"),
    ],
)
def test_each_refusal_says_what_to_do(status: int, hint: str) -> None:
    error = failure(Behaviour(status=status))
    assert str(status) in error.message
    assert hint in error.hint


def test_the_servers_own_words_are_not_repeated_since_they_may_hold_the_essay() -> None:
    said = b'{"error": {"type": "invalid_request_error", "message": "bad: MY SECRET ESSAY"}}'
    error = failure(Behaviour(status=400, error=said))
    assert "invalid_request_error" in error.message
    assert "SECRET" not in error.message + error.hint


def test_another_address_is_not_followed() -> None:
    behaviour = Behaviour(status=307, headers={"Location": "http://127.0.0.1:9/v1"})
    assert "does not follow" in failure(behaviour).message


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>Welcome</html>",
        b"data: {not json}\n\n",
        b'data: ["a", "list"]\n\n',
        b'data: {"choices": "none"}\n\n',
    ],
)
def test_an_answer_that_makes_no_sense_is_reported(raw: bytes) -> None:
    assert "makes no sense" in failure(Behaviour(raw=raw)).message


def test_an_error_in_the_middle_of_the_stream_is_reported() -> None:
    raw = b'data: {"error": {"message": "out of memory"}}\n\n'
    assert "failed while it generated" in failure(Behaviour(raw=raw)).message


def test_comments_and_pieces_without_text_are_passed_over() -> None:
    raw = (
        b': keep-alive\n\nevent: message\ndata: {"choices": []}\n\n'
        b'data: {"choices": [{"delta": {"content": null}}]}\n\n'
        b'data: {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]}\n\n'
    )
    with language_server(Behaviour(raw=raw)) as url:
        assert Server(url, model="tiny").generate(ask()).text == "Yes."


def test_the_key_comes_from_the_environment_and_is_never_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "top-secret")
    behaviour = Behaviour(status=401)
    with caplog.at_level(logging.DEBUG), language_server(behaviour) as url:
        options = BackendOptions(model="tiny", url=url)
        server = connect(options)
        with pytest.raises(BackendError) as error:
            server.generate(ask("MY ESSAY"))
    assert behaviour.keys == ["Bearer top-secret"]
    keyed = BackendOptions(api_key="top-secret")
    shown = f"{server!r} {server.describe()} {keyed!r} {error.value} {caplog.text}"
    assert "top-secret" not in shown
    assert "MY ESSAY" not in shown


def test_it_says_that_text_leaves_the_machine() -> None:
    server = Server("http://example.org/v1", model="tiny")
    assert server.leaves_machine
    assert server.describe()["leaves_machine"] is True
    assert "http://example.org/v1" in server.describe()["reason"]


def test_no_server_is_used_unasked() -> None:
    with pytest.raises(UsageError):
        connect(BackendOptions())


@pytest.mark.parametrize("url", ["ftp://host/v1", "http://", "http://host:port/v1"])
def test_an_address_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        Server(url)


def test_a_name_and_password_in_the_address_are_not_shown() -> None:
    server = Server("https://name:word@example.org/v1/")
    assert server.describe()["device"] == "https://example.org/v1"
