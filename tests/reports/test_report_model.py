"""What a student's report says before any format has a say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.classroom.review import Review, effective_findings
from engine.essay import Essay
from engine.reports.report_model import Cover, Source, student_report
from engine.reports.wording import long_date, shortened, shown
from engine.scheme import CODES, ReasonCode
from tests.reports.report_samples import (
    COVER,
    analysis_of,
    checked,
    finding,
    plain_report,
    reviewed_report,
)


def test_marks_are_numbered_in_text_order_and_name_the_sentence_to_connect_to() -> None:
    report = student_report(*checked())
    assert [mark.number for mark in report.marks] == [1, 2, 3, 4]
    assert [mark.sentence for mark in report.marks] == [3, 5, 8, 11]
    assert report.marks[0].anchor == 2
    assert report.marks[0].anchor_text == "A job teaches them to plan their week."


def test_the_essay_is_whole_and_each_marked_sentence_carries_its_number() -> None:
    report = reviewed_report()
    text = "\n".join("".join(one.text for one in line.passages) for line in report.lines)
    essay, _ = checked()
    assert text == essay.text.replace("\n\n", "\n")
    tabs = [(one.tab.label, one.text) for line in report.lines for one in line.passages if one.tab]
    assert [label for label, _ in tabs] == ["1", "2", "A", "3", "4", "5"]
    assert tabs[0][1] == "But they lose many hours of sleep."


def test_a_suggestion_marks_only_the_changed_words() -> None:
    first = student_report(*checked()).marks[0].suggestions[0]
    assert first.old[0] == ("But", True)
    assert first.new[0] == ("However,", True)
    assert "".join(text for text, _ in first.new) == first.text


def test_a_second_suggestion_for_the_same_words_does_not_repeat_the_old_ones() -> None:
    first, second = student_report(*checked()).marks[0].suggestions
    assert (first.label, second.label) == ("Try", "Or")
    assert first.old
    assert second.old == ()


def test_it_says_of_each_part_whether_it_is_the_machines_or_the_teachers() -> None:
    marks = reviewed_report().marks
    assert marks[0].origin == "Found by Segue"
    assert marks[0].comment.startswith("You use")
    assert marks[2].origin == "Found by Segue, suggestion changed by your teacher"
    assert [one.source for one in marks[2].suggestions] == [Source.TEACHER, Source.MACHINE]
    assert marks[3].origin == "Marked by your teacher"


def test_a_review_of_the_classroom_fits_in_as_it_is() -> None:
    essay, analysis = checked()
    review = (
        Review()
        .removed(analysis, analysis.findings[1].key)
        .edited(analysis, analysis.findings[0].key, comment="Look this up.")
        .added(analysis, 8, [ReasonCode.R1], explanation="Say why.")
    )
    report = student_report(essay, analysis, findings=effective_findings(analysis, review))
    assert [mark.sentence for mark in report.marks] == [3, 8, 9, 11]
    assert report.marks[0].comment == "Look this up."
    assert report.marks[2].source is Source.TEACHER


def test_an_unread_report_says_that_a_program_made_it() -> None:
    assert "no teacher has read it" in student_report(*checked()).standing
    assert reviewed_report().standing.startswith("Ms Okafor has read this report.")
    unnamed = reviewed_report(replace(COVER, teacher=""))
    assert unnamed.standing.startswith("Your teacher has read this report.")


def test_no_part_of_a_report_speaks_of_a_grade() -> None:
    report = reviewed_report()
    said = " ".join((report.standing, *report.strengths, *report.facts, report.comment)).lower()
    assert not {"grade", "score", "points", "%"} & set(said.split())


def test_strengths_are_counted_in_the_text() -> None:
    report = student_report(*checked())
    assert report.strengths[0] == "6 of the 10 sentences after the first follow on without a mark."
    assert any("“For example”, “However” and “In conclusion”" in one for one in report.strengths)


def test_a_marked_linking_word_is_no_strength() -> None:
    essay = Essay.from_text("Work is hard. However, it is warm. Therefore, we sleep.")
    analysis = analysis_of(essay, finding(essay, 1, ReasonCode.R3))
    said = " ".join(student_report(essay, analysis).strengths)
    assert "Therefore" in said
    assert "However" not in said


def test_an_essay_where_all_is_marked_gets_no_praise_that_is_not_true() -> None:
    text = "Cities are big. Dogs bark. Rain falls. Tea is hot."
    assert all(
        "without a mark" not in one and "no mark" not in one
        for one in plain_report(text, count=3).strengths
    )


def test_nothing_found_is_said_and_not_taken_for_perfection() -> None:
    report = plain_report("Cities are big. They grow fast. Then they need water.")
    assert report.practise == ()
    assert report.strengths[0].startswith("Nothing was marked: each of the 2 sentences")
    assert "A program does not notice everything" in report.nothing


def test_one_sentence_gets_no_strengths() -> None:
    assert plain_report("Cities are big.").strengths == ()


def test_a_reason_that_was_not_looked_for_is_not_praised_as_absent() -> None:
    essay = Essay.from_text("One is here. Two is here. Three is here. Four is here. Five is here.")
    analysis = analysis_of(essay, finding(essay, 1, ReasonCode.R3))
    without = [code for code in CODES if code is not ReasonCode.R6]
    assert any("leaving the topic" in one for one in student_report(essay, analysis).strengths)
    said = student_report(essay, analysis, reasons=without).strengths
    assert not any("leaving the topic" in one for one in said)


def test_the_most_frequent_reasons_come_first_and_at_most_three() -> None:
    essay = Essay.from_text(" ".join(f"Sentence number {n} is here." for n in range(10)))
    codes = [ReasonCode.R5, ReasonCode.R3, ReasonCode.R3, ReasonCode.R1, ReasonCode.R7]
    found = [finding(essay, index, code) for index, code in enumerate(codes, start=1)]
    practise = student_report(essay, analysis_of(essay, *found)).practise
    assert [one.code for one in practise] == [ReasonCode.R3, ReasonCode.R5, ReasonCode.R1]
    assert practise[0].where == "Look at marks\u00a02 and 3"


def test_reasons_that_are_switched_off_are_not_shown() -> None:
    report = student_report(*checked(), reasons={ReasonCode.R3, ReasonCode.R4})
    assert [mark.code for mark in report.marks] == [ReasonCode.R3, ReasonCode.R4]


def test_a_remark_on_a_marked_or_missing_sentence_is_not_shown_twice_or_lost_in_a_crash() -> None:
    essay, analysis = checked()
    report = student_report(essay, analysis, remarks={2: "marked", 99: "gone", 1: "Good."})
    assert [(one.letter, one.comment) for one in report.remarks] == [("A", "Good.")]


def test_an_analysis_of_another_text_is_refused() -> None:
    essay, analysis = checked()
    with pytest.raises(ValueError, match="another text"):
        student_report(Essay.from_text(essay.text + " More."), analysis)


def test_characters_that_no_file_may_hold_become_visible_and_keep_their_place() -> None:
    assert shown("a\x00b\ud800c\uffffd") == "a\ufffdb\ufffdc\ufffdd"
    assert len(shown("x\u202ey")) == 3
    assert "\u202e" not in shown("x\u202ey")
    assert plain_report("One is.\x0b Two is.", student="A\nB\u202e").cover.student == "A B\u2060"


def test_days_are_written_so_that_nobody_reads_them_the_other_way_round() -> None:
    assert long_date(date(2026, 3, 7)) == "7 March 2026"
    assert Cover().day_in_words == ""


def test_a_long_name_is_cut_at_a_word() -> None:
    assert shortened("Essay 2: Working while you study", 20) == "Essay 2: Working…"
    assert shortened("short", 20) == "short"
