"""Times the tagger against the published per-sentence scheme, on essays of three lengths.

    python -m tests.benchmarks.bench_tagger [--model FOLDER] [--json OUT]

Each system runs in a process of its own, which is warmed up on a short essay first, so that load
times do not count and peak memory is its own. The baseline is `engine.research.cross_encoder`
with random weights of mpnet-base's shape: they take the time of trained ones. Passes over a long
essay cost the same for almost every sentence, so the baseline judges a spread of its sentences
and the rest is estimated; the table says so.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.benchmarks.made_up_essay import TOPIC, made_up_sentences

LENGTHS = (300, 3_000, 30_000)
ROOT = Path(__file__).resolve().parents[2]
MOST_PASSES = 24
"""The baseline judges at most so many sentences of an essay for real."""

_WARM_UP = made_up_sentences(300, seed=1)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds for one essay: the median of `runs`; `judged` of its `sentences` were really run."""

    words: int
    sentences: int
    judged: int
    runs: int
    median: float
    fastest: float
    slowest: float

    @property
    def per_thousand_words(self) -> float:
        """Seconds for a thousand words."""
        return 1000 * self.median / self.words


@dataclass(frozen=True, slots=True)
class Measured:
    """One system's timings and its peak memory in MB (resident, whole process)."""

    system: str
    description: str
    timings: tuple[Timing, ...]
    peak_mb: float


def peak_memory_mb() -> float:
    """The most memory that this process ever held, in MB (10^6 bytes)."""
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would count the parent's memory from before the exec.
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    if sys.platform == "win32":
        return float(psutil.Process().memory_info().peak_wset) / 1e6
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def time_runs(work: Callable[[], object], runs: int) -> list[float]:
    """Seconds of each of `runs` calls."""
    seconds = []
    for _ in range(runs):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return seconds


def _timing(
    sentences: Sequence[str], judged: int, seconds: Sequence[float], scale: float
) -> Timing:
    return Timing(
        words=sum(len(sentence.split()) for sentence in sentences),
        sentences=len(sentences),
        judged=judged,
        runs=len(seconds),
        median=scale * statistics.median(seconds),
        fastest=scale * min(seconds),
        slowest=scale * max(seconds),
    )


def measure_tagger(model: Path | None, lengths: Sequence[int], runs: int) -> Measured:
    """Time the shipped tagger, or the one in the folder `model`, on the processor."""
    from engine.research.evaluate_command import load_tagger

    loaded = load_tagger(argparse.Namespace(model=model, device="cpu"))
    loaded.tagger.judge(_WARM_UP, TOPIC)
    timings = []
    run = itertools.count()
    for words in lengths:
        sentences = made_up_sentences(words)

        # What was read once is remembered, so each run is given a word that it has not seen.
        def judge(sentences: tuple[str, ...] = sentences) -> object:
            number = next(run)
            sentences = tuple(f"{sentence[:-1]} {number}{sentence[-1]}" for sentence in sentences)
            return loaded.tagger.judge(sentences, TOPIC)

        seconds = time_runs(judge, runs if words < max(LENGTHS) else 1)
        timings.append(_timing(sentences, len(sentences) - 1, seconds, 1.0))
    described = f"{loaded.model['id']} on {loaded.model['backend']}"
    return Measured("tagger", described, tuple(timings), peak_memory_mb())


def measure_baseline(model: Path | None, lengths: Sequence[int], runs: int) -> Measured:
    """Time the cross-encoder on the tagger's own token ids."""
    from engine.models.store import default_store
    from engine.research.cross_encoder import CrossEncoder
    from engine.tagger.inputs import load_tokenizer, token_ids

    folder = model or default_store().find("tagger")
    tokenizer = load_tokenizer(folder / "tokenizer.json")
    encoder = CrossEncoder()
    encoder.judge(token_ids(tokenizer, _WARM_UP), only=range(1, 4))
    timings = []
    for words in lengths:
        sentences = made_up_sentences(words)
        tokens = token_ids(tokenizer, sentences)
        spread = spread_over(len(sentences))

        def judge(tokens: Any = tokens, spread: Any = spread) -> object:
            return encoder.judge(tokens, spread)

        scale = (len(sentences) - 1) / len(spread)
        timings.append(_timing(sentences, len(spread), time_runs(judge, runs), scale))
    described = f"cross-encoder, {encoder.parameters / 1e6:.0f}M random weights, torch"
    return Measured("baseline", described, tuple(timings), peak_memory_mb())


def spread_over(sentences: int) -> list[int]:
    """Indexes of the sentences to judge: all but the first, or `MOST_PASSES` evenly spread."""
    count = min(sentences - 1, MOST_PASSES)
    return [1 + place * (sentences - 1) // count for place in range(count)]


SYSTEMS = {"tagger": measure_tagger, "baseline": measure_baseline}


def _in_own_process(system: str, arguments: argparse.Namespace) -> Measured:
    command = [sys.executable, "-m", "tests.benchmarks.bench_tagger", "--system", system]
    command += ["--runs", str(arguments.runs), "--lengths", *map(str, arguments.lengths)]
    if arguments.model is not None:
        command += ["--model", str(arguments.model.resolve())]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    data = json.loads(done.stdout)
    timings = tuple(Timing(**timing) for timing in data.pop("timings"))
    return Measured(timings=timings, **data)


def table_lines(results: Sequence[Measured]) -> list[str]:
    """The results as text."""
    lines = [
        f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
    ]
    for result in results:
        lines += ["", f"{result.system}: {result.description}; peak {result.peak_mb:.0f} MB"]
        lines.append("   words  sentences  runs   median s  fastest  slowest  s/1000 words")
        for timing in result.timings:
            note = "" if timing.judged == timing.sentences - 1 else f"  from {timing.judged} passes"
            lines.append(
                f"{timing.words:8}  {timing.sentences:9}  {timing.runs:4}  {timing.median:9.3f}  "
                f"{timing.fastest:7.3f}  {timing.slowest:7.3f}  {timing.per_thousand_words:12.3f}{note}"
            )
    by_name = {result.system: result.timings for result in results}
    if set(by_name) == set(SYSTEMS):
        lines.append("")
        lines += [
            f"{ours.words} words: the tagger takes 1/{theirs.median / ours.median:.1f} of the baseline"
            for ours, theirs in zip(by_name["tagger"], by_name["baseline"], strict=True)
        ]
    return lines


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both systems, or one of them in this process (`--system`, writes JSON)."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, help="a tagger's model folder")
    parser.add_argument("--json", type=Path, help="also write the results as JSON")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--lengths", type=int, nargs="+", default=list(LENGTHS))
    parser.add_argument("--system", choices=SYSTEMS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.system is not None:
        result = SYSTEMS[options.system](options.model, options.lengths, options.runs)
        print(json.dumps(asdict(result)))
        return 0
    results = [_in_own_process(system, options) for system in SYSTEMS]
    print("\n".join(table_lines(results)))
    if options.json is not None:
        text = json.dumps([asdict(result) for result in results], indent=2)
        options.json.write_text(text + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
