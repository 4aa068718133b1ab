"""The pictures' command: whole files of a fair size, and a named reason where there are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from desktop.screenshots import CLASS_PAGES, GALLERY, PAGES, THEMES
from engine.analysis import Analysis, ScoredSentence
from engine.essay import Essay
from tests.desktop.views.view_fakes import ESSAY, aside_finding, link_finding

PNG = b"\x89PNG\r\n\x1a\n"


def take(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "desktop.screenshots", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def test_a_stored_analysis_gives_every_picture(tmp_path: Path) -> None:
    essay = Essay.from_text(ESSAY)
    scored = tuple(
        ScoredSentence(s.span, s.text, 0.5 if s.index else None) for s in essay.sentences
    )
    analysis = Analysis(essay.content_hash, "", scored, (link_finding(), aside_finding()), 0.5)
    stored = tmp_path / "stored.json"
    fields = {"name": "essay.txt", "text": ESSAY, "topic": "", "analysis": analysis.as_dict()}
    stored.write_text(json.dumps(fields), encoding="utf-8")
    out = tmp_path / "out"
    done = take(str(out), "--scale", "2", "--all", "--analysis", str(stored))
    assert done.returncode == 0, done.stderr
    pictures = sorted(out.glob("*.png"))
    assert [str(path) for path in pictures] == sorted(done.stdout.split())
    assert len(pictures) == 12
    for picture in pictures:
        assert picture.read_bytes().startswith(PNG)
        assert 5_000 < picture.stat().st_size < 300_000


def test_the_gallery_shows_the_class_and_a_review() -> None:
    shown = {page for pages in GALLERY.values() for page, _theme in pages}
    assert set(CLASS_PAGES) <= shown <= {*PAGES, *CLASS_PAGES}


def test_the_gallery_shows_the_section_on_generated_rewrites_in_both_themes() -> None:
    taken = [theme for page, theme in GALLERY[1] if page == "writing"]
    assert sorted(taken) == sorted(THEMES)


def test_what_is_no_analysis_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_text("{}", encoding="utf-8")
    done = take(str(tmp_path / "out"), "--scale", "1", "--analysis", str(wrong))
    assert done.returncode == 1
    assert "wrong.json is not a stored analysis" in done.stderr
