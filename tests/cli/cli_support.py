"""What the command-line tests share: a console to look into, and an engine without a model."""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from engine.analysis import Action, Edit, EditKind, Judgement, Rewrite
from engine.commands import check
from engine.commands.engines import EngineFactory
from engine.console import Console
from engine.pipeline import Engine
from engine.scheme import ReasonCode
from tests.fakes import FakeTagger

ESSAY = (
    "City life is hard. Many people live in one house. "
    "But they are happy. A volcano is very hot.\n"
    "Parks help them to rest.\n"
)
"""Five sentences on two lines; the third (R3) and the fourth (R6) are flagged."""


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class OpenerRewriter:
    """Suggests another opening word, or to delete; nothing for a volcano."""

    def suggest_all(
        self,
        sentences: Sequence[str],
        topic: str,
        judgements: Sequence[Judgement],
        flagged: Sequence[int],
        *,
        score: object,
        threshold: float,
        relate: object = None,
        check_cancelled: Callable[[], None] = lambda: None,
    ) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
        for index in flagged:
            check_cancelled()
            sentence = sentences[index]
            if "volcano" in sentence:
                yield index, ()
                continue
            word = sentence.split()[0]
            edit = Edit(EditKind.REPLACE, 0, len(word), word, "However,")
            text = f"However,{sentence[len(word) :]}"
            yield (
                index,
                (
                    Rewrite(Action.REPLACE, text, (edit,), 0.1, "marker", ReasonCode.R3),
                    Rewrite(Action.DELETE, "", (), 0.05, "delete", ReasonCode.R6),
                ),
            )


def fake_engine(device: str) -> Engine:
    """An engine that judges by keywords."""
    return Engine(tagger=FakeTagger(), rewriter=OpenerRewriter())


class Run:
    """A finished call of `segue check`: its exit code and what it wrote."""

    def __init__(self, code: int, console: Console) -> None:
        self.code = code
        assert isinstance(console.out, io.StringIO)
        assert isinstance(console.err, io.StringIO)
        self.out = console.out.getvalue()
        self.err = console.err.getvalue()


def run_check(
    *arguments: str | Path,
    engine_factory: EngineFactory = fake_engine,
    console: Console | None = None,
) -> Run:
    """Call `segue check` in this process."""
    console = console or Console(io.StringIO(), io.StringIO())
    parser = argparse.ArgumentParser()
    check.add_arguments(parser)
    options = parser.parse_args([str(argument) for argument in arguments])
    return Run(check.run(options, console, engine_factory=engine_factory), console)
