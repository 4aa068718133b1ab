"""Pictures of the window: `python -m desktop.screenshots [OUT] [--scale 1|2] [--all]`.

Drawn off screen with data of its own, so the user's folders are not touched. The essay is a
shipped sample that the engine checks in its child process, and so is the shipped sample class;
`--analysis FILE` takes a stored result instead: JSON with `text`, `topic`, `name` and `analysis`
(as `Analysis.as_dict` writes it), and then there are no pictures of a class.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.analysis import Action, Analysis
from engine.history import RunRecord, RunRow, RunStatus
from engine.resources import resources_folder

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from desktop.composition import Desktop
    from desktop.theme import Palette

SAMPLES = ("city-life.txt", "part-time-work.txt", "studying-abroad.docx")
"""What is checked, so that the history has rows; the last one stays open."""
TOPIC = "Should students spend a year abroad?"
SIZES = {1: (1200, 760), 2: (860, 600)}
"""Width and height of the window in its own pixels, by scale."""
GALLERY = {
    1: (
        ("editor", "light"),
        ("editor", "dark"),
        ("history", "light"),
        ("models", "light"),
        ("settings", "dark"),
        ("writing", "light"),
        ("writing", "dark"),
        ("class", "light"),
        ("review", "light"),
        ("review", "dark"),
    ),
    2: (("editor", "light"), ("delete", "dark")),
}
"""The pictures that the project shows, by scale."""
PAGES = ("editor", "delete", "history", "models", "settings", "writing")
CLASS_PAGES = ("class", "review")
CLASS = "School life"
THEMES = ("light", "dark")
LIMIT_BYTES = 300_000
PATIENCE = 120.0
"""Seconds to wait for a file or a check."""


class NoPictureError(Exception):
    """A picture could not be made; the words say why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pictures and name them; the exit code is 1 where one could not be made."""
    parser = argparse.ArgumentParser(prog="python -m desktop.screenshots")
    parser.add_argument("out", type=Path, nargs="?", help="default: resources/screenshots")
    parser.add_argument("--scale", type=int, choices=sorted(SIZES), help="default: both")
    parser.add_argument("--all", action="store_true", help="every page in both themes")
    parser.add_argument("--analysis", type=Path, help="a stored result to show")
    arguments = parser.parse_args(argv)
    if arguments.scale is None:
        return _both_scales(list(sys.argv[1:] if argv is None else argv))
    wanted = GALLERY[arguments.scale]
    if arguments.all:
        wanted = tuple((page, theme) for theme in THEMES for page in (*PAGES, *CLASS_PAGES))
    if arguments.analysis is not None:
        wanted = tuple(one for one in wanted if one[0] not in CLASS_PAGES)
    out = arguments.out or resources_folder() / "screenshots"
    # Qt reads these once, when it is loaded.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["QT_SCALE_FACTOR"] = str(arguments.scale)
    with tempfile.TemporaryDirectory(prefix="segue-pictures-") as home:
        os.environ["SEGUE_HOME"] = home
        try:
            paths = _Studio(arguments.scale, arguments.analysis).take(wanted, out)
        except NoPictureError as error:
            sys.stderr.write(f"{error}\n")
            return 1
    for path in paths:
        sys.stdout.write(f"{path}\n")
    return 0


def _both_scales(argv: list[str]) -> int:
    """A process a scale, because Qt takes its scale once."""
    for scale in SIZES:
        command = [sys.executable, "-m", "desktop.screenshots", *argv, "--scale", str(scale)]
        code = subprocess.run(command, check=False).returncode
        if code:
            return code
    return 0


class _Studio:
    """Opens the window, fills it and takes the pictures."""

    def __init__(self, scale: int, analysis: Path | None) -> None:
        self._scale = scale
        self._analysis = analysis

    def take(self, wanted: Sequence[tuple[str, str]], out: Path) -> list[Path]:
        """Take these (page, theme) pictures into the folder `out`."""
        from desktop.composition import Desktop, make_application

        desktop = Desktop(make_application())
        desktop.window.resize(*SIZES[self._scale])
        desktop.show()
        try:
            self._fill(desktop)
            if any(page in CLASS_PAGES for page, _theme in wanted):
                self._fill_class(desktop)
            out.mkdir(parents=True, exist_ok=True)
            return [self._picture(desktop, page, theme, out) for page, theme in wanted]
        finally:
            desktop.close()

    def _fill(self, desktop: Desktop) -> None:
        session = desktop.session
        if self._analysis is not None:
            session.open_run(_stored_run(self._analysis))
        else:
            for name in SAMPLES:
                self._open(desktop, name)
                session.set_topic(TOPIC if name == SAMPLES[-1] else "")
                session.check()
                self._wait(lambda: not session.busy, "The check did not end.")
        self._wait(lambda: bool(session.findings()), "The check found nothing to show.")
        self._rest()

    def _fill_class(self, desktop: Desktop) -> None:
        """Check the sample class and open the essay with the most flags."""
        from desktop.main_window import CLASSROOM
        from desktop.services.classroom_service import NewClass
        from engine.classroom.model import AssignmentSettings

        page, runner = desktop.window.classroom, desktop.classroom.runner
        desktop.window.show_page(CLASSROOM)
        source = resources_folder() / "samples" / "class"
        desktop.classroom.service.create(NewClass(source, CLASS, AssignmentSettings()))
        self._wait(lambda: page.in_class, "The class could not be read.")
        self._wait(lambda: not runner.is_running, "The class's check did not end.")
        self._rest()
        rows = page.klass.model.submissions()
        page.klass.opened.emit(max(rows, key=lambda one: one.findings))
        self._wait(lambda: page.in_review, "The class has no essay to review.")

    def _open(self, desktop: Desktop, name: str) -> None:
        desktop.session.open(resources_folder() / "samples" / name)
        self._wait(lambda: desktop.session.name == name, f"{name} could not be opened.")

    def _picture(self, desktop: Desktop, page: str, theme: str, out: Path) -> Path:
        desktop.settings.theme = theme
        _turn_to(desktop, page)
        history = desktop.window.history
        if page == "history":
            self._wait(lambda: history.is_read, "The history could not be read.")
        if page == "models":
            models = desktop.window.models
            self._wait(lambda: models.is_read, "The models could not be listed.")
        self._rest()
        suffix = "" if self._scale == 1 else f"@{self._scale}x"
        path = out / f"{page}-{theme}{suffix}.png"
        self._save(desktop, path)
        return path

    def _save(self, desktop: Desktop, path: Path) -> None:
        picture = _with_few_colours(desktop.window.grab().toImage(), desktop.theme.palette)
        if not picture.save(str(path)):
            raise NoPictureError(f"{path} could not be written.")
        if path.stat().st_size > LIMIT_BYTES:
            raise NoPictureError(f"{path} is larger than {LIMIT_BYTES // 1000} kB.")

    def _rest(self) -> None:
        from PySide6.QtTest import QTest

        QTest.qWait(300)

    def _wait(self, is_done: Callable[[], bool], failure: str) -> None:
        from PySide6.QtTest import QTest

        end = time.monotonic() + PATIENCE
        while not is_done():
            if time.monotonic() > end:
                raise NoPictureError(failure)
            QTest.qWait(50)


def _with_few_colours(picture: QImage, palette: Palette) -> QImage:
    """The picture in the theme's and its own commonest 256 colours: a far smaller file."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QColor, QImage

    plain = picture.convertToFormat(QImage.Format.Format_RGB32)
    counted = Counter(memoryview(plain.constBits()).cast("I"))
    own = [str(getattr(palette, field.name)) for field in fields(palette)]
    table = [QColor(colour).rgb() for colour in own if colour.startswith("#")]
    table += [colour for colour, _count in counted.most_common(256 - len(table))]
    flags = Qt.ImageConversionFlag.ThresholdDither | Qt.ImageConversionFlag.AvoidDither
    return plain.convertToFormat(QImage.Format.Format_Indexed8, table, flags)


def _scroll_settings(desktop: Desktop, *, to_writing: bool) -> None:
    """Bring the settings' beginning, or the whole section on generated rewrites, into sight.

    Raises NoPictureError where part of that section would be cut off.
    """
    from PySide6.QtCore import QPoint
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QScrollArea

    page = desktop.window.settings_page
    scroll = page.findChild(QScrollArea)
    section = page.editors["writer"].parentWidget()
    content = scroll.widget() if isinstance(scroll, QScrollArea) else None
    if not isinstance(scroll, QScrollArea) or content is None or section is None:
        raise NoPictureError("The settings do not scroll.")
    QTest.qWait(100)  # the section grows when a server is chosen
    top = section.mapTo(content, QPoint(0, 0)).y() - 12 if to_writing else 0
    scroll.verticalScrollBar().setValue(top)
    if to_writing and section.visibleRegion().boundingRect() != section.rect():
        raise NoPictureError("The section on generated rewrites does not fit into the window.")


def _turn_to(desktop: Desktop, page: str) -> None:
    """Show a page; "editor" and "delete" choose a finding with such a rewrite."""
    from desktop.main_window import CLASSROOM, EDITOR, HISTORY, MODELS, SETTINGS

    desktop.window.messages.dismiss_all()
    if page in CLASS_PAGES:
        desktop.window.show_page(CLASSROOM)
        desktop.window.classroom.show_view(page)
        return
    rows = {"history": HISTORY, "models": MODELS, "settings": SETTINGS, "writing": SETTINGS}
    # With a server named, the section on generated rewrites has all that it can have.
    desktop.settings.writer = "server" if page == "writing" else "off"
    if page in rows:
        desktop.window.show_page(rows[page])
        if rows[page] == SETTINGS:
            _scroll_settings(desktop, to_writing=page == "writing")
        return
    wanted = Action.DELETE if page == "delete" else Action.REPLACE
    desktop.window.show_page(EDITOR)
    fitting = [
        item.key
        for item in desktop.session.findings()
        if item.finding.rewrites and item.finding.rewrites[0].action is wanted
    ]
    if not fitting:
        raise NoPictureError(f"No finding suggests to {wanted.value}; {page} shows nothing new.")
    panel = desktop.window.editor.panel
    panel.list.setFocus()
    panel.list.choose(fitting[0])
    panel.list.stepped.emit(fitting[0])


def _stored_run(file: Path) -> RunRecord:
    """A run of the history made from a file. Raises NoPictureError on other data."""
    try:
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        analysis = Analysis.from_dict(data["analysis"])
        text, name, topic = data["text"], data["name"], data["topic"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NoPictureError(f"{file} is not a stored analysis.") from error
    now = datetime.now(UTC)
    row = RunRow(
        id=0,
        essay_name=name,
        path=None,
        content_hash=analysis.content_hash,
        topic=topic,
        status=RunStatus.FINISHED,
        error_code="",
        started_at=now,
        finished_at=now,
        word_count=len(text.split()),
        sentence_count=len(analysis.sentences),
        finding_count=len(analysis.findings),
        decision_count=0,
    )
    return RunRecord(row, text, {}, analysis)


if __name__ == "__main__":
    sys.exit(main())
