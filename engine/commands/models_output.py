"""How `segue models list` looks on a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from engine.console import Console, printable
from engine.models.overview import ModelOverview, ModelState
from engine.models.placing import in_words
from engine.models.speed import Machine
from engine.models.speed import in_words as speed_in_words

LINE = 2
"""Blanks that JSON is indented by."""
_STATES = {
    ModelState.SHIPPED: "part of Segue",
    ModelState.INSTALLED: "installed",
    ModelState.DAMAGED: "DAMAGED",
}


def show_list(models: Sequence[ModelOverview], machine: Machine, console: Console) -> None:
    """Two parts: the models on this computer, and those that can be downloaded."""
    here = [one for one in models if one.state in _STATES]
    offered = [one for one in models if one.state not in _STATES]
    console.line(console.paint("On this computer", "bold"))
    for one in here:
        _show(one, console)
    if not here:
        console.line("  none")
    console.line()
    console.line(console.paint("To download with `segue models install ID`", "bold"))
    for one in offered:
        _show(one, console)
    console.line()
    cores = "1 core" if machine.cpus == 1 else f"{machine.cpus} cores"
    console.line(
        f"This computer has {in_words(machine.memory_bytes)} of memory and {cores}; the times are "
        "estimates for its processor."
    )


def _show(one: ModelOverview, console: Console) -> None:
    colour = "red" if one.state is ModelState.DAMAGED else "cyan"
    known = ", ".join(facts(one))
    head = f"  {printable(one.id)}  {known}"
    fits = len(head) <= console.paint.width
    name = console.paint(printable(one.id), colour)
    console.line(f"  {name}  {known}" if fits else f"  {name}")
    for text in filter(None, ("" if fits else known, one.job, *_remarks(one))):
        for line in textwrap.wrap(printable(text), console.paint.width - 6):
            console.line(f"      {line}")


def facts(one: ModelOverview) -> Iterator[str]:
    """Size, licence, memory and speed in a few words each."""
    if one.state in _STATES:
        yield _STATES[one.state]
    if one.state is ModelState.PARTIAL:
        yield f"{in_words(one.done_bytes)} of {in_words(one.bytes)} here"
    elif one.bytes:
        yield in_words(one.bytes)
    if one.licence:
        yield one.licence
    if one.expectation is not None:
        if not one.state.is_here:
            yield f"{in_words(one.memory_bytes)} of memory"
        yield speed_in_words(one.expectation.seconds)


def _remarks(one: ModelOverview) -> Iterator[str]:
    if one.expectation is not None and not one.expectation.fits:
        yield "It needs more memory than this computer has."
    if one.device is not None:
        yield one.device.reason
    yield one.problem
    if not one.state.is_here:
        yield one.note
