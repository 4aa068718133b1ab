"""`segue check` as text: what a learner reads in a terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from engine.console import Console, line_width
from tests.cli.cli_support import Terminal, run_check

ESCAPE = re.compile(r"\033\[[0-9;]*m")


def test_each_finding_names_line_sentence_reason_and_confidence(essay: Path) -> None:
    out = run_check(essay).out
    assert "1. Line 1, sentence 3: Linking word (R3, discourse relation), " in out
    assert "2. Line 1, sentence 4: Side remark (R6, tangential relevance), " in out
    assert "   | But they are happy." in out


def test_changed_words_are_marked_without_colour(essay: Path) -> None:
    out = run_check(essay).out
    assert "Instead of [But] they are happy." in out
    assert "Try        [However,] they are happy." in out
    assert "Or         delete this sentence" in out


def test_a_finding_without_a_rewrite_says_so(essay: Path) -> None:
    assert "No small change clears this flag" in run_check(essay).out


def test_the_summary_counts_essays_sentences_and_findings(essay: Path) -> None:
    out = run_check(essay).out
    assert "Summary: 1 essay checked, 5 sentences, 2 findings." in out


def test_a_finding_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("A first line is here.\n\nAll is well. A volcano is hot.\n", encoding="utf-8")
    assert "1. Line 3, sentence 3:" in run_check(path).out


def test_a_finding_names_the_paragraph_of_a_document(tmp_path: Path) -> None:
    path = tmp_path / "essay.md"
    path.write_text(
        "# Title here\n\nOne is fine. Two is fine.\n\n\nBut three is not.\n", encoding="utf-8"
    )
    assert "1. Paragraph 3, sentence 3:" in run_check(path).out


def test_no_line_is_wider_than_a_terminal(essay: Path) -> None:
    essay.write_text(
        "Here is a sentence. But " + "many long words follow one another here and " * 9 + "end.",
        encoding="utf-8",
    )
    report = run_check(essay).out.splitlines()[1:]
    assert max(map(len, report)) <= 80


def test_a_pipe_gets_no_colour_and_no_progress_bar(essay: Path) -> None:
    run = run_check(essay, essay)
    assert "\033" not in run.out + run.err


def test_a_terminal_gets_the_same_words_in_colour(
    essay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured = run_check(essay, console=Console(Terminal(), io.StringIO())).out
    assert "\033[" in coloured
    assert ESCAPE.sub("", coloured) == run_check(essay).out


def test_no_color_keeps_a_terminal_plain(essay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\033" not in run_check(essay, console=Console(Terminal(), io.StringIO())).out


def test_an_escape_code_in_an_essay_does_not_reach_the_terminal(essay: Path) -> None:
    essay.write_text("It is late. But \033[2J\033]0;owned\a we are happy.", encoding="utf-8")
    out = run_check(essay).out
    assert "\033" not in out
    assert "\a" not in out


def test_no_rewrites_leaves_only_the_findings(essay: Path) -> None:
    out = run_check(essay, "--no-rewrites").out
    assert "2 findings" in out
    assert "Instead of" not in out


def test_an_essay_without_findings_says_so(tmp_path: Path) -> None:
    path = tmp_path / "good.txt"
    path.write_text("Cities grow. People like them.", encoding="utf-8")
    run = run_check(path)
    assert "good.txt: 2 sentences, nothing found" in run.out
    assert run.code == 0


def test_long_work_shows_a_bar_on_a_terminal_only(
    essay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    err = Terminal()
    run_check(essay, essay, console=Console(io.StringIO(), err))
    assert "Judging sentences" in err.getvalue() or "Finding rewrites" in err.getvalue()


def test_what_is_wrapped_fits_a_narrow_terminal(
    essay: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.console.line_width", lambda stream: 40)
    text = run_check(essay, console=Console(Terminal(), io.StringIO())).out
    lines = ESCAPE.sub("", text).splitlines()
    assert max(len(line) for line in lines if line.startswith("  ")) <= 40


def test_a_stream_that_is_no_terminal_gets_the_usual_width(tmp_path: Path) -> None:
    assert line_width(io.StringIO()) == 80
    with (tmp_path / "out.txt").open("w") as file:
        assert line_width(file) == 80
