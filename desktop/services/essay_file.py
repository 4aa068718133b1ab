"""Opening and saving essays, and keeping a document's structure while its text is edited."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate
from pathlib import Path

from desktop.services.autosave import DraftContent
from engine import documents
from engine.errors import InputError, UnreadableFile
from engine.essay import Essay, Notice, Paragraph, ParagraphKind, find_paragraphs
from engine.spans import Span

_logger = logging.getLogger(__name__)
_COMPARABLE = 4_000_000
"""How many pairs of lines are compared at most; beyond, structure is found afresh."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A saved essay, as its file now holds it, and what the saving wants known."""

    essay: Essay
    notices: tuple[Notice, ...]


def open_essay(path: Path, topic: str = "", *, encoding: str | None = None) -> Essay:
    """Read an essay from a file of any known format. Raises the InputError family.

    `encoding` is needed only for plain text whose encoding cannot be told.
    """
    try:
        return documents.load(path, topic=topic, encoding=encoding)
    except OSError as error:
        raise UnreadableFile(
            f"{path.name} could not be read: {error.strerror or error}."
        ) from error


def essay_of_draft(content: DraftContent) -> Essay:
    """The essay of a recovered draft, with its file's structure where that can be read."""
    if content.path:
        try:
            essay = with_text(open_essay(Path(content.path)), content.text)
            return essay.with_topic(content.topic)
        except InputError:
            _logger.info("A draft's file cannot be read; the draft stands for itself")
    return Essay.from_text(content.text, topic=content.topic)


def save_essay(essay: Essay, text: str, target: Path) -> Saved:
    """Write `text` to `target` in its format; `essay` is what was opened.

    A file of the essay's own format keeps its formatting. Raises the InputError family; the file
    that was there is then untouched.
    """
    try:
        notices = documents.save(essay, text, target)
    except OSError as error:
        raise UnreadableFile(
            f"{target.name} could not be written: {error.strerror or error}.",
            hint="Check that you may write there and that the disk has room.",
        ) from error
    saved = replace(with_text(essay, text), path=target, format=target.suffix.lstrip(".").lower())
    return Saved(saved, notices)


def can_save_to(path: Path) -> bool:
    """Whether the format of `path` can be written."""
    return path.suffix.lower().lstrip(".") in {"docx", "odt", "html", "htm", "md", "txt"}


def with_text(essay: Essay, text: str) -> Essay:
    """The essay with an edited text, its paragraphs keeping their kinds as far as they can.

    What a word processor calls a heading stays one while it is edited. Lines that were not in
    `essay`, and all of plain text, are laid out by their looks.
    """
    if text == essay.text:
        return essay
    if essay.format == "txt" or not essay.paragraphs:
        return replace(essay, text=text, paragraphs=find_paragraphs(text))
    kept, is_used = _kept_paragraphs(essay, text)
    added = [
        paragraph
        for start, stretch in _unused_stretches(text, is_used)
        for paragraph in _moved(find_paragraphs(stretch), start)
    ]
    paragraphs = tuple(sorted((*kept, *added), key=lambda paragraph: paragraph.span))
    return replace(essay, text=text, paragraphs=paragraphs)


def _moved(paragraphs: tuple[Paragraph, ...], by: int) -> list[Paragraph]:
    """The paragraphs of a stretch in place; only the essay's first lines can be its title."""
    return [
        Paragraph(
            Span(paragraph.span.start + by, paragraph.span.end + by),
            ParagraphKind.HEADING
            if by and paragraph.kind is ParagraphKind.TITLE
            else paragraph.kind,
        )
        for paragraph in paragraphs
    ]


def _line_starts(lines: list[str]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _same_lines(old: list[str], new: list[str]) -> dict[int, int]:
    """Which old line became which new line; lines added and removed have no counterpart."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    same = {number: number for number in range(head)}
    same |= {len(old) - 1 - number: len(new) - 1 - number for number in range(tail)}
    old_middle, new_middle = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old_middle) * len(new_middle) > _COMPARABLE:
        return same
    matcher = SequenceMatcher(None, old_middle, new_middle, autojunk=False)
    for _, old_start, old_end, new_start, new_end in matcher.get_opcodes():
        if old_end - old_start == new_end - new_start:
            pairs = zip(range(old_start, old_end), range(new_start, new_end), strict=True)
            same |= {head + number: head + became for number, became in pairs}
    return same


def _kept_paragraphs(essay: Essay, text: str) -> tuple[list[Paragraph], list[bool]]:
    """The essay's paragraphs that are still there, and which lines of `text` they use."""
    old, new = essay.text.split("\n"), text.split("\n")
    old_starts, new_starts = _line_starts(old), _line_starts(new)
    same = _same_lines(old, new)
    is_used = [not line.strip() for line in new]
    kept: list[Paragraph] = []
    line = 0
    for paragraph in essay.paragraphs:
        while old_starts[line + 1] <= paragraph.span.start:
            line += 1
        last = line + paragraph.span.of(essay.text).count("\n")
        became = [same.get(number) for number in range(line, last + 1)]
        first_new, last_new = became[0], became[-1]
        if first_new is None or last_new is None or last_new - first_new != last - line:
            continue
        # What stands before the paragraph on its first line (a bullet) and after it stays so.
        lead = old[line][: paragraph.span.start - old_starts[line]]
        trail = old[last][paragraph.span.end - old_starts[last] :]
        start = new_starts[first_new] + (len(lead) if new[first_new].startswith(lead) else 0)
        end = new_starts[last_new + 1] - 1 - (len(trail) if new[last_new].endswith(trail) else 0)
        piece = text[start:end]
        if piece.strip():
            start += len(piece) - len(piece.lstrip())
            kept.append(Paragraph(Span(start, start + len(piece.strip())), paragraph.kind))
            is_used[first_new : last_new + 1] = [True] * (last_new - first_new + 1)
    return kept, is_used


def _unused_stretches(text: str, is_used: list[bool]) -> list[tuple[int, str]]:
    """The runs of lines that no kept paragraph uses, with where each begins."""
    stretches: list[tuple[int, str]] = []
    start, lines = 0, text.split("\n")
    at = 0
    run: list[str] = []
    for number, line in enumerate(lines):
        if is_used[number]:
            if run:
                stretches.append((start, "\n".join(run)))
            run = []
        else:
            start = at if not run else start
            run.append(line)
        at += len(line) + 1
    if run:
        stretches.append((start, "\n".join(run)))
    return stretches
