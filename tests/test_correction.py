"""Judged as if corrected: the model reads other words, everything else speaks of the writer's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from engine import Engine
from engine.analysis import Analysis, Correction
from engine.correction import CODE, Corrector, correction_notice
from engine.essay import Essay
from tests.fakes import FakeTagger, Speller

_TEXT = "Many students work. A volcanno is hot. But it cost hours. It is a gost.\n\nGost are never seen."


@pytest.fixture
def essay() -> Essay:
    return Essay.from_text(_TEXT)


def _check(essay: Essay, tagger: FakeTagger, *, correct_grammar: bool = False) -> Analysis:
    engine = Engine(tagger=tagger, grammar=Speller())
    return engine.check(essay, correct_grammar=correct_grammar)


def test_it_is_off_unless_asked_for(essay: Essay) -> None:
    tagger = FakeTagger()
    analysis = _check(essay, tagger)
    assert tagger.calls[0].sentences[1] == "A volcanno is hot."
    assert analysis.corrections is None
    assert analysis.notices == ()
    assert "corrections" not in analysis.as_dict()


def test_the_model_reads_the_corrected_text(essay: Essay) -> None:
    tagger = FakeTagger()
    _check(essay, tagger, correct_grammar=True)
    assert tagger.calls
    assert all("volcanno" not in " ".join(call.sentences) for call in tagger.calls)


def test_everything_else_speaks_of_the_writers_own_text(essay: Essay) -> None:
    analysis = _check(essay, FakeTagger(), correct_grammar=True)
    assert analysis.content_hash == essay.content_hash
    assert [s.text for s in analysis.sentences] == [s.text for s in essay.sentences]
    finding = next(one for one in analysis.findings if one.sentence == 1)
    assert finding.key == next(
        one.key
        for one in _check(Essay.from_text(_TEXT), FakeTagger(), correct_grammar=True).findings
        if one.sentence == 1
    )
    sentence = essay.sentences[1].text
    for rewrite in finding.rewrites:
        for edit in rewrite.edits:
            assert sentence[edit.start : edit.end] == edit.old
        assert "volcano " not in rewrite.text


def test_what_was_corrected_stands_where_the_writer_wrote_it(essay: Essay) -> None:
    analysis = _check(essay, FakeTagger(), correct_grammar=True)
    at = _TEXT.index("volcanno")
    assert analysis.corrections == (Correction(1, at, at + 8, "volcanno", "volcano"),)
    assert essay.text[at : at + 8] == "volcanno"


def test_it_is_said_what_was_corrected_and_that_the_text_was_not_changed(essay: Essay) -> None:
    (notice,) = _check(essay, FakeTagger(), correct_grammar=True).notices
    assert notice.code == CODE
    assert "sentence 2: “volcanno” → “volcano”" in notice.message
    assert "Your own text was not changed." in notice.message


def test_it_is_said_where_nothing_was_to_correct() -> None:
    (notice,) = _check(
        Essay.from_text("We rest. We work."), FakeTagger(), correct_grammar=True
    ).notices
    assert "none was found" in notice.message


def test_many_corrections_are_counted_and_the_first_are_named() -> None:
    many = [Correction(n, 0, 1, "x", "y") for n in range(33)]
    message = correction_notice(many).message
    assert "33 corrections" in message
    assert "and 3 more" in message


def test_an_analysis_comes_back_from_its_plain_form(essay: Essay) -> None:
    analysis = _check(essay, FakeTagger(), correct_grammar=True)
    back = Analysis.from_dict(analysis.as_dict())
    assert back.corrections == analysis.corrections
    assert back.notices == analysis.notices


def test_a_sentence_is_corrected_once_however_often_it_is_judged() -> None:
    speller = Speller()
    corrector = Corrector(speller.fixes)
    for _ in range(3):
        assert corrector.read(["A volcanno.", "We rest."]) == ["A volcano.", "We rest."]
    assert speller.asked == ["A volcanno.", "We rest."]


def test_rewrites_never_add_a_mistake_and_the_checker_loads_ahead(essay: Essay) -> None:
    speller = Speller()
    analysis = Engine(tagger=FakeTagger(), grammar=speller).check(essay)
    assert speller.prepared == 1
    for finding in analysis.findings:
        own = speller.mistakes(essay.sentences[finding.sentence].text)
        assert all(speller.mistakes(one.text) <= own for one in finding.rewrites)


def test_a_check_without_rewrites_loads_no_grammar(essay: Essay) -> None:
    speller = Speller()
    Engine(tagger=FakeTagger(), grammar=speller).check(essay, rewrites=False)
    assert speller.prepared == 0


class _Relating(FakeTagger):
    """Remembers what it read when it was asked how sentences hang together."""

    def __init__(self) -> None:
        super().__init__()
        self.related: list[str] = []
        self.stop: Callable[[], None] | None = None

    def relations(
        self,
        sentences: Sequence[str],
        topic: str,
        cued: Mapping[int, Mapping[str, float]],
        *,
        check_cancelled: Callable[[], None],
    ) -> Mapping[int, Mapping[str, float]]:
        self.related += sentences
        self.stop = check_cancelled
        return cued


def test_linking_words_are_chosen_by_the_corrected_text_too(essay: Essay) -> None:
    tagger = _Relating()
    _check(essay, tagger, correct_grammar=True)
    assert "A volcano is hot." in tagger.related
    assert not any("volcanno" in text for text in tagger.related)


def test_choosing_linking_words_can_be_stopped(essay: Essay) -> None:
    tagger = _Relating()
    asked: list[bool] = []
    engine = Engine(tagger=tagger, grammar=Speller())
    engine.check(essay, check_cancelled=lambda: asked.append(True))
    assert tagger.stop is not None
    before = len(asked)
    tagger.stop()
    assert len(asked) == before + 1
