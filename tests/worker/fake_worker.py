"""A real worker process with a fake tagger: `python -m tests.worker.fake_worker --delay 5`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Collection, Sequence

from engine.analysis import Judgement
from engine.llm.fake import FakeGenerator, repeat_sentence
from engine.llm.protocol import GenerationRequest
from engine.llm.writer import EditWriter, Heard
from engine.log import set_up_logging
from engine.pipeline import Engine
from engine.worker.process import run_process
from engine.worker.writers import Writers
from engine.writing import WriterChoice
from tests.fakes import FakeTagger


class NoisyTagger(FakeTagger):
    """Prints as a native library does, straight to descriptor 1, and reads from descriptor 0."""

    def judge(
        self,
        sentences: Sequence[str],
        topic: str,
        only: Collection[int] | None = None,
        *,
        check_cancelled: Callable[[], None] = lambda: None,
    ) -> dict[int, Judgement]:
        os.write(1, b"native noise\n")
        print("python noise")
        os.read(0, 100)
        return super().judge(sentences, topic, only, check_cancelled=check_cancelled)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--delay", type=float, default=0.0)
    parser.add_argument("--stubborn", action="store_true")
    parser.add_argument("--noisy", action="store_true")
    parser.add_argument("--grace", type=float, default=3.0)
    parser.add_argument("--writer-delay", type=float, default=0.0)
    arguments = parser.parse_args()
    kind = NoisyTagger if arguments.noisy else FakeTagger
    tagger = kind(delay=arguments.delay, steps=50, stubborn=arguments.stubborn)
    set_up_logging("engine")
    engine = Engine(tagger=tagger)

    def opener(choice: WriterChoice, on_text: Heard) -> EditWriter:
        fake = FakeGenerator(without_never, delay=arguments.writer_delay)
        return EditWriter(fake, id=choice.model, on_text=on_text)

    run_process(engine, writers=Writers(engine, opener=opener), grace=arguments.grace)


def without_never(request: GenerationRequest) -> str:
    """A model that mends what `FakeTagger` takes for a contradiction."""
    return repeat_sentence(request).replace("never ", "")


if __name__ == "__main__":
    main()
