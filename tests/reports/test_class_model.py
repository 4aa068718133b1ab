"""What a class report says: frequencies, comparison, sentences that name nobody."""

from __future__ import annotations

from engine.reports.class_model import Earlier, Entry, class_report
from engine.reports.report_model import Cover
from engine.scheme import ReasonCode
from tests.reports.report_samples import plain_report, reviewed_report, small_class


def test_reasons_are_counted_by_marks_and_by_students() -> None:
    rows = {row.code: row for row in small_class().reasons}
    assert (rows[ReasonCode.R6].marks, rows[ReasonCode.R6].students) == (3, 2)
    assert round(rows[ReasonCode.R6].per_hundred, 1) == 16.7
    assert rows[ReasonCode.R5].marks == 0


def test_each_frequency_is_compared_with_the_last_assignments() -> None:
    rows = {row.code: row for row in small_class().reasons}
    assert rows[ReasonCode.R3].earlier_per_hundred == 15.0
    assert rows[ReasonCode.R3].change == "−9.4"
    assert rows[ReasonCode.R6].change == "+13.4"
    assert rows[ReasonCode.R7].change == "0.0"


def test_without_an_earlier_assignment_there_is_no_comparison() -> None:
    report = small_class(earlier=None)
    assert report.comparison == ""
    assert all(row.earlier_per_hundred is None and row.change == "" for row in report.reasons)


def test_an_earlier_assignment_without_sentences_divides_by_nothing() -> None:
    report = small_class(earlier=Earlier("Empty", 0, 0, {}))
    assert all(row.earlier_per_hundred == 0.0 for row in report.reasons)


def test_essays_that_were_not_checked_are_listed_with_their_cause() -> None:
    report = small_class()
    assert [one.student for one in report.not_checked] == ["Ana Silva"]
    assert len(report.students) == 3
    assert "1 not checked" in " ".join(report.facts)


def test_examples_come_from_different_writers_and_hold_a_question() -> None:
    examples = small_class().examples
    assert [one.code for one in examples] == [ReasonCode.R1, ReasonCode.R6]
    assert all(one.question.endswith("?") for one in examples)
    assert examples[0].before == "They should be free before an exam."


def test_a_sentence_that_names_a_student_of_the_class_is_never_quoted() -> None:
    def quoted(text: str, *names: str) -> str:
        entry = Entry("Student 1", plain_report(text, count=2))
        examples = class_report(Cover(), [entry], names=names).examples
        return " ".join(f"{one.before} {one.text}" for one in examples)

    text = "Cities grow. Li Wei lives there. Streets are loud."
    assert "Li Wei" in quoted(text)
    assert "Li Wei" not in quoted(text, "Li Wei")
    assert "Wei" not in quoted(text, "Wei Zhang")
    chinese = "Cities grow. 王伟 lives there. Streets are loud."
    assert "王伟" not in quoted(chinese, "王伟")
    arabic = "Cities grow. عمر lives there. Streets are loud."
    assert "عمر" not in quoted(arabic, "عمر حسن")


def test_a_name_inside_another_word_hides_nothing() -> None:
    entry = Entry("S", plain_report("Cities grow. Annual rain falls. Tea is hot.", count=1))
    assert class_report(Cover(), [entry], names=("Ann Lee",)).examples


def test_own_names_are_kept_out_of_an_anonymous_report() -> None:
    entry = Entry("Student 7", reviewed_report(), own_names=("Students",))
    report = class_report(Cover(), [entry])
    assert all("Students" not in one.text + one.before for one in report.examples)
    assert report.students[0].student == "Student 7"


def test_at_most_eight_examples_and_two_of_a_reason() -> None:
    text = " ".join(f"Sentence number {n} is here." for n in range(8))
    entries = [Entry(f"S{n}", plain_report(text, count=7)) for n in range(20)]
    assert len(class_report(Cover(), entries).examples) == 2


def test_an_empty_class_is_no_error() -> None:
    report = class_report(Cover(), [])
    assert report.sentences == 0
    assert report.examples == ()
    assert all(row.per_hundred == 0 for row in report.reasons)


def test_it_says_how_many_essays_a_teacher_has_read() -> None:
    assert "1 of 3 essays" in small_class().standing
    everything_read = class_report(Cover(), [Entry("A", reviewed_report())])
    assert everything_read.standing.startswith("A teacher has read the marks on every essay")
