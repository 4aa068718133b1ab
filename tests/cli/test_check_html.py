"""`segue check --format html`: one page that stands alone and trusts no essay."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from tests.cli.cli_support import run_check

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Balance(HTMLParser):
    """Checks that every element is closed, and collects ids, links and text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name == "href" and value:
                self.links.append(value)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(page: str) -> Balance:
    parser = Balance()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def html_of(*paths: Path) -> str:
    return run_check(*paths, "--format", "html").out


def test_the_page_is_well_formed_and_its_links_lead_somewhere(essay: Path) -> None:
    page = parsed(html_of(essay, essay))
    assert len(page.ids) == len(set(page.ids))
    assert page.links
    assert all(link.removeprefix("#") in page.ids for link in page.links)


def test_nothing_is_fetched_and_no_script_runs(essay: Path) -> None:
    page = html_of(essay)
    assert not re.search(r"<script|<link|<img|url\(|https?://|@import", page)


def test_markup_in_an_essay_stays_text(essay: Path) -> None:
    essay.write_text(
        "I like <b>bold</b> & plain. But <script>alert(1)</script> is bad.", encoding="utf-8"
    )
    page = html_of(essay)
    assert "<script>" not in page
    assert "<script>alert(1)</script>" in parsed(page).text


def test_the_whole_essay_stands_in_the_page_with_numbered_marks(essay: Path) -> None:
    page = html_of(essay)
    text = " ".join(parsed(page).text.split())
    assert "City life is hard. Many people live in one house." in text
    assert "But they are happy. [1: Linking word]" in text
    assert "Parks help them to rest." in text


def test_changes_are_told_by_elements_not_by_colour_alone(essay: Path) -> None:
    page = html_of(essay)
    assert "<del>But</del> they are happy." in page
    assert "<ins>However,</ins> they are happy." in page


def test_the_page_is_ready_for_phones_dark_screens_and_paper(essay: Path) -> None:
    page = html_of(essay)
    assert 'name="viewport"' in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert '<html lang="en">' in page


def test_a_file_that_failed_has_its_place_in_the_page(essay: Path, tmp_path: Path) -> None:
    text = parsed(html_of(essay, tmp_path / "missing.txt")).text
    assert "Not checked" in text
    assert "missing.txt" in text
