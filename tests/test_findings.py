"""From judgements to findings: gaps are refused, few reasons are shown, keys tell repeats apart."""

from __future__ import annotations

import pytest

from engine.analysis import Action, Judgement, Reason, Rewrite
from engine.errors import BackendError
from engine.essay import Essay
from engine.findings import bounds, complete, findings_of, many_flags, note, too_short
from engine.scheme import ReasonCode

ESSAY = Essay.from_text("Parks help. They are green. It rains. They are green. It rains.")
ORDER = (ReasonCode.R3, ReasonCode.R1, ReasonCode.R6, ReasonCode.R2)


def judgement(probability: float, *shares: float) -> Judgement:
    reasons = tuple(Reason(code, share) for code, share in zip(ORDER, shares, strict=False))
    return Judgement(probability, reasons or (Reason(ReasonCode.R3, 0.9),), 0)


JUDGED = [Judgement(None), *(judgement(one) for one in (0.6, 0.2, 0.7, 0.9))]


def test_the_first_sentence_is_never_judged() -> None:
    given = {0: judgement(0.9), 1: judgement(0.1)}
    assert complete(given, 2) == [Judgement(None), given[1]]


@pytest.mark.parametrize(
    "judged", [{}, {1: Judgement(None)}, {1: judgement(float("nan"))}, {1: judgement(float("inf"))}]
)
def test_a_gap_is_no_clean_bill(judged: dict[int, Judgement]) -> None:
    with pytest.raises(BackendError, match="sentence 2"):
        complete(judged, 2)


def test_a_finding_begins_at_the_threshold() -> None:
    assert [one.sentence for one in findings_of(ESSAY, JUDGED, 0.6)] == [1, 3, 4]


def test_sentences_that_are_named_are_found_marked_or_not() -> None:
    assert [one.sentence for one in findings_of(ESSAY, JUDGED, 0.6, {2, 4})] == [2, 4]


def test_the_likeliest_reason_is_shown_and_two_more_that_are_likely() -> None:
    def shown(*shares: float) -> int:
        judged = [Judgement(None), judgement(0.9, *shares)]
        (finding,) = findings_of(Essay.from_text("Parks help. It rains."), judged, 0.5)
        return len(finding.reasons)

    assert shown(0.05, 0.04) == 1
    assert shown(0.9, 0.1, 0.09) == 2
    assert shown(0.9, 0.5, 0.4, 0.3) == 3


def test_a_sentence_that_stands_there_twice_has_two_keys() -> None:
    text = "Parks help. It rains. " * 3
    essay = Essay.from_text(text.strip())
    judged = [Judgement(None), *(judgement(0.9) for _ in range(5))]
    keys = [one.key for one in findings_of(essay, judged, 0.5)]
    assert len(set(keys)) == len(keys)


def test_what_was_not_marked_has_to_get_better_than_it_is() -> None:
    findings = findings_of(ESSAY, JUDGED, 0.6, {1, 2, 3})
    assert list(bounds(findings, 0.6)) == [(0.6, (1, 3)), (0.2, (2,))]
    assert list(bounds([], 0.6)) == []


def test_a_note_tells_where_nothing_helps_or_a_mark_remains() -> None:
    finding = findings_of(ESSAY, JUDGED, 0.6)[0]
    clears = Rewrite(Action.DELETE, "", (), 0.1)
    stays = Rewrite(Action.REPLACE, "Also, they are green.", (), 0.6, clears=False)
    assert note(finding, (), 0.6)
    assert note(finding, (clears,), 0.6) == ""
    assert note(finding, (clears, stays), 0.6) != note(finding, (), 0.6)
    assert note(finding, (clears, stays), 0.6)
    assert note(finding, (clears, stays), 0.9) == "", "there was no mark that could remain"


def test_a_better_wording_that_stands_alone_is_called_better_not_a_way_to_keep_the_sentence() -> (
    None
):
    (finding,) = findings_of(ESSAY, JUDGED, 0.6, {4})
    goes = Rewrite(Action.DELETE, "", (), 0.1)
    stays = Rewrite(Action.REPLACE, "However, it rains.", (), 0.7, clears=False)
    assert "better" in note(finding, (stays,), 0.6)
    assert "70%" in note(finding, (stays,), 0.6)
    assert "keep the sentence" in note(finding, (goes, stays), 0.6)


def test_an_essay_of_one_sentence_says_why_nothing_is_judged() -> None:
    analysis = too_short(Essay.from_text("Parks help."))
    assert analysis.findings == ()
    assert analysis.sentences[0].probability is None
    assert [one.code for one in analysis.notices] == ["one-sentence"]


def test_a_long_text_without_a_full_stop_is_told_to_put_some() -> None:
    (told,) = too_short(Essay.from_text("parks help and it rains " * 20)).notices
    assert "full stop" in told.message
    (short,) = too_short(Essay.from_text("Parks help.")).notices
    assert "full stop" not in short.message


def straying(code: ReasonCode, anchor: int | None, probability: float = 0.9) -> Judgement:
    return Judgement(probability, (Reason(code, 0.9),), anchor)


def test_nobody_is_told_to_connect_a_sentence_to_one_that_may_go() -> None:
    judged = [
        Judgement(None),
        straying(ReasonCode.R6, 0),
        straying(ReasonCode.R5, 1),
        straying(ReasonCode.R3, 2),
        straying(ReasonCode.R6, 3),
    ]
    found = findings_of(ESSAY, judged, 0.5)
    assert [one.anchor for one in found] == [0, 0, 0, 3]
    assert "“It rains”" not in found[1].explanation


def test_a_sentence_that_hangs_on_nothing_but_strays_is_to_connect_to_nothing() -> None:
    judged = [
        Judgement(None),
        straying(ReasonCode.R6, None),
        straying(ReasonCode.R6, 1),
        straying(ReasonCode.R6, 2, 0.1),
        straying(ReasonCode.R6, 3),
    ]
    assert [one.anchor for one in findings_of(ESSAY, judged, 0.5)] == [None, None, 3]


def test_a_text_that_is_marked_nearly_everywhere_is_told_of() -> None:
    many = findings_of(Essay.from_text("It rains. " * 9), [judgement(0.9)] * 9, 0.5)
    (notice,) = many_flags(many[:7], 10)
    assert notice.code == "many-flags"
    assert "7 of 10 sentences" in notice.message
    assert "grammar corrected" in notice.message
    (corrected,) = many_flags(many[:7], 10, corrects=True)
    assert "grammar corrected" not in corrected.message
    assert many_flags(many[:6], 10) == ()
    assert many_flags(many[:5], 6) == ()
