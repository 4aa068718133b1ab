"""A writer on standby: opened when needed, done without where it fails, asked again next time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from engine.errors import BackendError, Cancelled, ModelError
from engine.llm.fake import FakeGenerator
from engine.llm.protocol import Generation, GenerationRequest
from engine.llm.standby import FAILED, StandbyWriter
from engine.llm.writer import EditWriter
from engine.rewriter.generated import EditTask
from engine.writing import WriterChoice

TASK = EditTask("", ("Many students work.",), "It is purple.", None, None)
CHOICE = WriterChoice("stored", "small")


class Opener:
    """Fails as often as it is told to, then opens a fake."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.generator = FakeGenerator(["It is hard."])
        self.count = 0

    def __call__(self) -> EditWriter:
        self.count += 1
        if self.failures:
            raise self.failures.pop(0)
        return EditWriter(self.generator, id="small")


def test_nothing_is_opened_before_it_is_needed_and_then_only_once() -> None:
    opener = Opener()
    writer = StandbyWriter(CHOICE, opener)
    writer.begin()
    assert (opener.count, writer.describe()["id"]) == (0, "small")
    assert writer.write([TASK]) == [("It is hard.",)]
    assert writer.write([TASK, TASK]) == [("It is hard.",), ("It is hard.",)]
    assert (opener.count, writer.notices()) == (1, ())
    assert (writer.describe()["id"], writer.describe()["backend"]) == ("small", "fake")


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ModelError("The model is gone.", hint="Install it."), "The model is gone. Install it."),
        (BackendError("llama_cpp is not installed.", hint=""), "llama_cpp is not installed."),
        (MemoryError(), "not enough memory"),
        (OSError("libgomp.so.1"), "runtime failed (OSError)"),
    ],
)
def test_what_cannot_be_opened_is_told_once_and_not_tried_again(
    failure: Exception, said: str
) -> None:
    opener = Opener(failure)
    writer = StandbyWriter(CHOICE, opener)
    assert writer.write([TASK, TASK]) == [(), ()]
    assert writer.fluency("It is hard.") is None
    assert writer.at_once == 1
    (notice,) = writer.notices()
    assert notice.code == FAILED
    assert notice.message.startswith("No rewrites were generated. ")
    assert said in notice.message
    assert opener.count == 1


def test_the_next_check_tries_again() -> None:
    writer = StandbyWriter(CHOICE, Opener(ModelError("The model is gone.")))
    writer.write([TASK])
    writer.begin()
    assert writer.notices() == ()
    assert writer.write([TASK]) == [("It is hard.",)]


def test_a_failure_on_the_way_is_told_as_such() -> None:
    class Breaks(FakeGenerator):
        def generate_all(
            self,
            requests: Sequence[GenerationRequest],
            *,
            check_cancelled: Callable[[], None] = lambda: None,
        ) -> list[tuple[Generation, ...]]:
            if self.requests:
                raise BackendError("The server broke off.", hint="")
            return super().generate_all(requests, check_cancelled=check_cancelled)

    writer = StandbyWriter(CHOICE, lambda: EditWriter(Breaks(["It is hard."])))
    assert writer.write([TASK]) == [("It is hard.",)]
    assert writer.write([TASK]) == [()]
    assert writer.notices()[0].message.startswith("The language model stopped before the end.")


def test_to_stop_is_no_failure() -> None:
    def stop() -> None:
        raise Cancelled("Stopped.")

    writer = StandbyWriter(CHOICE, Opener())
    with pytest.raises(Cancelled):
        writer.write([TASK], check_cancelled=stop)
    with pytest.raises(Cancelled):
        writer.fluency("It is hard.", check_cancelled=stop)
    assert writer.notices() == ()


def test_closing_gives_the_model_back() -> None:
    opener = Opener()
    writer = StandbyWriter(CHOICE, opener)
    writer.close()
    assert not opener.generator.is_closed
    writer.write([TASK])
    writer.close()
    assert opener.generator.is_closed
