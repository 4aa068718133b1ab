"""The generator without a model keeps to its script and to the protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import Cancelled, UsageError
from engine.llm.fake import FakeGenerator, load
from engine.llm.options import BackendOptions
from engine.llm.prompts import edit_request
from engine.llm.protocol import GeneratesText, JudgesFluency
from tests.llm.llm_helpers import CancelAfter, ask


def test_answers_come_in_order_and_start_over() -> None:
    fake = FakeGenerator(["one", "two"])
    assert [fake.generate(ask()).text for _ in range(3)] == ["one", "two", "one"]


def test_a_script_can_be_a_function_of_the_request() -> None:
    fake = FakeGenerator(lambda request: f"{request.seed}")
    (texts,) = fake.generate_all([ask(n=3, seed=5)])
    assert [text.text for text in texts] == ["5", "6", "7"]


def test_text_is_streamed_word_by_word_and_ends_at_a_stop_string() -> None:
    heard: list[str] = []
    told = FakeGenerator(["One two.\nThree"]).generate(ask(stop=("\n",)), on_text=heard.append)
    assert told.text == "One two."
    assert heard == ["One", " two."]
    assert told.finish_reason == "stop"


def test_a_text_that_is_cut_off_says_so() -> None:
    told = FakeGenerator(["one two three"]).generate(ask(max_tokens=2))
    assert (told.text, told.tokens, told.finish_reason) == ("one two", 2, "length")


def test_cancelling_stops_between_two_words() -> None:
    heard: list[str] = []
    with pytest.raises(Cancelled):
        FakeGenerator(["one two three"]).generate(
            ask(), on_text=heard.append, check_cancelled=CancelAfter(2)
        )
    assert heard == ["one", " two"]


def test_it_is_a_backend_like_any_other() -> None:
    fake: GeneratesText = FakeGenerator(["x"])
    assert isinstance(fake, JudgesFluency)
    assert fake.describe()["backend"] == "fake"
    assert not fake.leaves_machine
    assert fake.likelihood("short words") > fake.likelihood("considerably lengthier vocabulary")


def test_without_a_script_it_repeats_the_sentence() -> None:
    request = edit_request(topic="", context=("One.",), sentence="But two.")
    assert load(BackendOptions()).generate(request).text == "But two."


def test_a_script_file_is_a_list_of_answers(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps(["first", "second"]), encoding="utf-8")
    assert load(BackendOptions(model=path)).generate(ask()).text == "first"


@pytest.mark.parametrize("text", ["{", "{}", "[]", "[1]"])
def test_any_other_script_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        load(BackendOptions(model=path))
