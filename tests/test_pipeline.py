from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import engine.tagger
from engine import pipeline
from engine.abilities import nothing
from engine.analysis import Action, Judgement, Reason, Rewrite, Scorer
from engine.errors import BackendError, Cancelled, EmptyEssay, ModelError, UsageError
from engine.essay import Essay
from engine.events import Event, Finished, Found, Progress, Scored
from engine.explanations import without_rewrite
from engine.models.device import DeviceChoice, Probe
from engine.models.manifest import Manifest
from engine.models.store import ModelStore
from engine.pipeline import Engine
from engine.scheme import ReasonCode
from tests.fakes import FLAGGED, MIXED_ESSAY, UNFLAGGED, FakeTagger
from tests.models.model_folder import write_model

MIXED = Essay.from_text(MIXED_ESSAY, topic="Work and study")
DELETION = Rewrite(Action.DELETE, "", (), 0.0, "delete", ReasonCode.R6)


class ScriptedRewriter:
    """Gives the rewrites it was told to, in the order it was told to, and nothing for the rest."""

    def __init__(self, answers: Mapping[int, tuple[Rewrite, ...]] | None = None) -> None:
        self.answers = dict(answers or {})
        self.asked: dict[str, Any] = {}

    def suggest_all(
        self,
        sentences: Sequence[str],
        topic: str,
        judgements: Sequence[Judgement],
        flagged: Sequence[int],
        *,
        score: Scorer,
        threshold: float,
        relate: object = None,
        check_cancelled: Callable[[], None] = nothing,
    ) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
        self.asked = {
            "sentences": tuple(sentences),
            "topic": topic,
            "judgements": tuple(judgements),
            "flagged": list(flagged),
            "threshold": threshold,
            "scored": dict(score(sentences, topic, [2])),
        }
        order = [*self.answers, *(index for index in flagged if index not in self.answers)]
        for index in order:
            yield index, self.answers.get(index, ())


class FixedTagger:
    """Gives every sentence the probability and the reasons it was told to."""

    def __init__(self, judgements: Mapping[int, Judgement]) -> None:
        self.judgements = judgements

    def judge(
        self,
        sentences: Sequence[str],
        topic: str,
        only: Collection[int] | None = None,
        *,
        check_cancelled: Callable[[], None] = nothing,
    ) -> Mapping[int, Judgement]:
        return self.judgements


def reasons(*probabilities: float) -> tuple[Reason, ...]:
    return tuple(Reason(code, p) for code, p in zip(ReasonCode, probabilities, strict=True))


def three_sentences(judgement: Judgement) -> FixedTagger:
    return FixedTagger({1: judgement, 2: Judgement(0.1, judgement.reasons, 1)})


THREE = Essay.from_text("One goes first. Two comes next. Three is last.")


def scripted(answers: Mapping[int, tuple[Rewrite, ...]] | None = None) -> Engine:
    return Engine(tagger=FakeTagger(), rewriter=ScriptedRewriter(answers))


# What a check finds


def test_every_sentence_is_judged_and_the_first_has_no_probability() -> None:
    analysis = scripted().check(MIXED)
    assert [s.text for s in analysis.sentences] == [s.text for s in MIXED.sentences]
    assert [s.probability for s in analysis.sentences] == [
        None,
        UNFLAGGED,
        FLAGGED,
        FLAGGED,
        UNFLAGGED,
    ]
    assert [s.span.of(MIXED.text) for s in analysis.sentences] == [
        s.text for s in analysis.sentences
    ]


def test_findings_come_in_text_order_whatever_order_their_rewrites_come_in() -> None:
    analysis = scripted({3: (DELETION,), 2: ()}).check(MIXED)
    assert [finding.sentence for finding in analysis.findings] == [2, 3]
    assert [finding.rewrites for finding in analysis.findings] == [(), (DELETION,)]


def test_a_finding_is_explained_and_says_how_sure_it_is() -> None:
    first, second = scripted().check(MIXED).findings
    assert first.code is ReasonCode.R3
    assert second.code is ReasonCode.R6
    assert first.explanation
    assert first.explanation != second.explanation
    assert first.confidence == "very likely"
    assert first.anchor == 1


def test_a_note_stands_where_nothing_clears_the_flag_and_only_there() -> None:
    first, second = scripted({3: (DELETION,)}).check(MIXED).findings
    assert first.note == without_rewrite(ReasonCode.R3)
    assert first.note.startswith("Another linking word alone does not clear this flag.")
    assert second.note == ""


def test_without_rewrites_nothing_is_suggested_and_nothing_is_said_of_it() -> None:
    rewriter = ScriptedRewriter()
    analysis = Engine(tagger=FakeTagger(), rewriter=rewriter).check(MIXED, rewrites=False)
    assert rewriter.asked == {}
    assert [(finding.rewrites, finding.note) for finding in analysis.findings] == [((), "")] * 2


def test_the_real_rewriter_mends_an_informal_marker() -> None:
    finding = Engine(tagger=FakeTagger()).check(MIXED).findings[0]
    assert finding.rewrites
    assert all(rewrite.probability_after < 0.5 for rewrite in finding.rewrites)
    assert not finding.rewrites[0].text.startswith("But")


def test_the_rewriter_is_given_the_essay_the_threshold_and_the_tagger() -> None:
    rewriter = ScriptedRewriter()
    Engine(tagger=FakeTagger(), rewriter=rewriter).check(MIXED, strictness="thorough")
    assert rewriter.asked["sentences"] == tuple(s.text for s in MIXED.sentences)
    assert rewriter.asked["topic"] == "Work and study"
    assert rewriter.asked["flagged"] == [2, 3]
    assert rewriter.asked["threshold"] == 0.3
    assert rewriter.asked["judgements"][0] == Judgement(None)
    assert rewriter.asked["scored"][2].probability == FLAGGED


def test_an_answer_that_the_rewriter_owes_is_a_bug_not_an_absence() -> None:
    class Forgetful(ScriptedRewriter):
        def suggest_all(
            self, *_args: Any, **_kwargs: Any
        ) -> Iterator[tuple[int, tuple[Rewrite, ...]]]:
            yield 3, ()

    with pytest.raises(RuntimeError, match=r"\[2\]"):
        Engine(tagger=FakeTagger(), rewriter=Forgetful()).check(MIXED)


@pytest.mark.parametrize(
    ("probabilities", "shown"),
    [
        ((0.5, 0.3, 0.2, 0.15, 0.1, 0.0, 0.0), 3),
        ((0.5, 0.1, 0.0999, 0.0, 0.0, 0.0, 0.0), 2),
        ((0.9, 0.01, 0.01, 0.01, 0.01, 0.01, 0.01), 1),
        ((0.05, 0.04, 0.03, 0.02, 0.01, 0.0, 0.0), 1),
    ],
)
def test_likely_reasons_are_shown_at_least_one_at_most_three(
    probabilities: tuple[float, ...], shown: int
) -> None:
    tagger = three_sentences(Judgement(0.9, reasons(*probabilities), 0))
    (finding,) = (
        Engine(tagger=tagger, rewriter=ScriptedRewriter()).check(THREE, rewrites=False).findings
    )
    assert finding.reasons == reasons(*probabilities)[:shown]


def test_sentences_repeated_word_for_word_have_keys_of_their_own() -> None:
    essay = Essay.from_text("\n".join(["Trees grow. But they fall. Trees grow."] * 3))
    analysis = Engine(tagger=FakeTagger()).check(essay, rewrites=False)
    keys = [finding.key for finding in analysis.findings]
    assert len(keys) == 3
    assert len(set(keys)) == 3


def test_a_key_survives_an_edit_elsewhere() -> None:
    edited = Essay.from_text("A new opening stands here. " + MIXED_ESSAY)
    before = [f.key for f in scripted().check(MIXED).findings]
    assert [f.key for f in scripted().check(edited).findings] == before


# Strictness


@pytest.mark.parametrize(("strictness", "count"), [("few", 0), ("balanced", 1), ("thorough", 2)])
def test_strictness_sets_the_threshold(strictness: str, count: int) -> None:
    tagger = FixedTagger(
        {1: Judgement(0.5, reasons(*[0.5] * 7), 0), 2: Judgement(0.31, reasons(*[0.5] * 7), 1)}
    )
    analysis = Engine(tagger=tagger).check(THREE, strictness=strictness, rewrites=False)
    assert len(analysis.findings) == count


def test_a_text_that_is_all_marked_is_told_of_unless_that_is_asked_for() -> None:
    essay = Essay.from_text("Parks help. " + "A volcano is hot. " * 9)
    engine = Engine(tagger=FakeTagger())

    def codes(**options: Any) -> list[str]:
        return [notice.code for notice in engine.check(essay, **options).notices]

    assert "many-flags" in codes()
    assert "many-flags" not in codes(strictness="thorough")
    assert "many-flags" not in codes(only=range(1, 10))


def test_thresholds_of_ones_own_may_be_handed_in() -> None:
    engine = Engine(
        tagger=FakeTagger(), thresholds={"few": 0.99, "balanced": 0.95, "thorough": 0.01}
    )
    assert engine.check(MIXED, rewrites=False).findings == ()
    assert len(engine.check(MIXED, strictness="thorough", rewrites=False).findings) == 4


def test_an_unknown_strictness_is_refused() -> None:
    with pytest.raises(UsageError, match="'strict'"):
        scripted().check(MIXED, strictness="strict")


# Essays with nothing to judge


@pytest.mark.parametrize("text", ["", "  \n\n ", "\ufeff", "\u200b"])
def test_an_essay_without_a_sentence_is_refused_without_a_model_call(text: str) -> None:
    tagger = FakeTagger()
    with pytest.raises(EmptyEssay):
        Engine(tagger=tagger).check(Essay.from_text(text))
    assert tagger.calls == []


def test_one_sentence_gets_a_plain_message_without_a_model_call() -> None:
    tagger = FakeTagger()
    analysis = Engine(tagger=tagger).check(Essay.from_text("But a volcano stands alone."))
    assert tagger.calls == []
    assert analysis.findings == ()
    assert [s.probability for s in analysis.sentences] == [None]
    assert analysis.notices[0].code == "one-sentence"


def test_one_sentence_needs_no_installed_model(tmp_path: Path) -> None:
    engine = Engine(store=ModelStore(tmp_path, tmp_path))
    assert engine.check(Essay.from_text("Alone.")).findings == ()


def test_the_first_sentence_is_never_flagged_whatever_the_model_says() -> None:
    always = FixedTagger({n: Judgement(1.0, reasons(*[0.5] * 7), None) for n in range(3)})
    analysis = Engine(tagger=always).check(THREE, rewrites=False)
    assert [finding.sentence for finding in analysis.findings] == [1, 2]
    assert analysis.sentences[0].probability is None


# Models that misbehave


@pytest.mark.parametrize(
    "judgements",
    [
        {},
        {1: Judgement(0.5, reasons(*[0.5] * 7), 0)},
        {1: Judgement(None), 2: Judgement(0.5)},
        {1: Judgement(float("nan")), 2: Judgement(0.5)},
        {1: Judgement(float("inf")), 2: Judgement(0.5)},
    ],
)
def test_a_gap_in_the_judgements_is_an_error_not_a_clean_essay(
    judgements: dict[int, Judgement],
) -> None:
    with pytest.raises(BackendError, match="judgement of sentence"):
        Engine(tagger=FixedTagger(judgements)).check(THREE)


# Events and stopping


def listen(engine: Engine, essay: Essay = MIXED, **options: Any) -> list[Event]:
    heard: list[Event] = []
    engine.check(essay, on_event=heard.append, **options)
    return heard


def test_events_come_in_order() -> None:
    heard = listen(scripted())
    names = [e.stage if isinstance(e, Progress) else type(e).__name__ for e in heard]
    assert names == [
        "reading",
        "judging",
        "judging",
        "Scored",
        "Found",
        "Found",
        "rewriting",
        "Found",
        "rewriting",
        "Found",
        "rewriting",
        "Finished",
    ]


def test_each_finding_is_told_twice_first_without_rewrites() -> None:
    heard = listen(scripted({3: (DELETION,)}))
    told = [e.finding for e in heard if isinstance(e, Found)]
    assert [f.rewrites for f in told] == [(), (), (DELETION,), ()]
    assert {told[0].key, told[1].key} == {told[2].key, told[3].key}
    assert told[1] == replace(told[2], rewrites=(), note="")


def test_the_last_event_is_the_result() -> None:
    heard: list[Event] = []
    analysis = scripted().check(MIXED, on_event=heard.append)
    assert heard[-1] == Finished(analysis)
    assert Scored(analysis.sentences) in heard


def test_progress_runs_from_nothing_to_all() -> None:
    steps = [e for e in listen(scripted()) if isinstance(e, Progress) and e.stage == "rewriting"]
    assert [(step.done, step.total) for step in steps] == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("after", range(8))
def test_a_check_stops_at_the_first_question_after_the_request(after: int) -> None:
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > after:
            raise Cancelled

    with pytest.raises(Cancelled):
        Engine(tagger=FakeTagger(), rewriter=ScriptedRewriter({2: (), 3: ()})).check(
            Essay.from_text(MIXED_ESSAY + " But no. But yes. But why. But how."),
            check_cancelled=stop,
        )
    assert asked == after + 1


def test_the_engine_can_be_used_again_after_a_stop() -> None:
    engine = scripted()

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        engine.check(MIXED, check_cancelled=stop)
    assert len(engine.check(MIXED).findings) == 2


# The result says what it belongs to


def test_the_analysis_names_its_text_its_topic_and_its_time() -> None:
    analysis = scripted().check(MIXED)
    assert analysis.content_hash == MIXED.content_hash
    assert analysis.topic == "Work and study"
    assert analysis.threshold == 0.5
    assert 0 < analysis.seconds < 60


def test_the_same_essay_gives_the_same_result() -> None:
    first, second = scripted().check(MIXED), scripted().check(MIXED)
    assert replace(first, seconds=0.0) == replace(second, seconds=0.0)


# Stored models


class Loader:
    """Stands in for `engine.tagger.load`, and fails on a GPU if told to."""

    def __init__(self, *, gpu_fails: bool = False, on_gpu: FakeTagger | None = None) -> None:
        self.gpu_fails = gpu_fails
        self.on_gpu = on_gpu or FakeTagger()
        self.on_cpu = FakeTagger()
        self.choices: list[DeviceChoice] = []

    def __call__(self, folder: Path, manifest: Manifest, choice: DeviceChoice) -> FakeTagger:
        self.choices.append(choice)
        if choice.device == "cpu":
            return self.on_cpu
        if self.gpu_fails:
            raise BackendError("CUDA is out of memory.")
        return self.on_gpu


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> Loader:
    found = Loader()
    monkeypatch.setattr(engine.tagger, "load", found)
    monkeypatch.setattr(pipeline, "probe", lambda: Probe({"onnxruntime": "1.20"}))
    return found


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    write_model(tmp_path / "shipped" / "tiny")
    return ModelStore(tmp_path / "shipped", tmp_path / "user")


def test_the_model_is_loaded_once(loader: Loader, store: ModelStore) -> None:
    engine = Engine(store=store)
    engine.warm()
    engine.check(MIXED)
    engine.check(MIXED)
    assert len(loader.choices) == 1


def test_the_thresholds_are_those_of_the_manifest(loader: Loader, store: ModelStore) -> None:
    engine = Engine(store=store)
    found = [
        engine.check(MIXED, strictness=level).threshold for level in ("few", "balanced", "thorough")
    ]
    assert found == [0.8, 0.6, 0.4]


def test_describe_names_model_and_device_without_loading(loader: Loader, store: ModelStore) -> None:
    told = Engine(store=store).describe()
    assert told["model"]["id"] == "tiny"
    assert told["model"]["version"] == "1.0"
    assert len(told["model"]["hash"]) == 64
    assert told["model"]["licence"] == "CC0-1.0"
    assert told["device"]["backend"] == "onnx"
    assert told["device"]["reason"]
    assert set(told["operating_points"]) <= {"few", "balanced", "thorough"}
    assert loader.choices == []


def test_the_analysis_carries_the_same_description(loader: Loader, store: ModelStore) -> None:
    engine = Engine(store=store)
    analysis = engine.check(MIXED)
    told = engine.describe()
    assert (analysis.model, analysis.device) == (told["model"], told["device"])


class FailingTagger(FakeTagger):
    """Loads, and fails when it is used."""

    def judge(self, *_args: Any, **_options: Any) -> dict[int, Judgement]:
        raise BackendError("CUDA is out of memory.")


@pytest.fixture
def gpu_machine(store: ModelStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with a GPU, and a model for it."""
    write_model(store.user / "both", formats={"onnx": "model.onnx", "torch": "model.onnx"})
    runtimes = {"onnxruntime": "1", "torch": "2", "transformers": "4"}
    machine = Probe(runtimes, frozenset({"cuda"}), "cuda", "NVIDIA H200")
    monkeypatch.setattr(pipeline, "probe", lambda: machine)


@pytest.mark.usefixtures("gpu_machine")
@pytest.mark.parametrize("moment", ["loading", "judging"])
def test_a_gpu_that_fails_is_replaced_by_the_processor_and_the_reason_is_told(
    store: ModelStore, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    loader = Loader(gpu_fails=moment == "loading", on_gpu=FailingTagger())
    monkeypatch.setattr(engine.tagger, "load", loader)
    checker = Engine(store=store)
    analysis = checker.check(MIXED)
    assert [choice.device for choice in loader.choices] == ["cuda", "cpu"]
    assert len(analysis.findings) == 2
    assert analysis.device["device"] == "cpu"
    assert analysis.device["reason"] == (
        "Runs on the processor because the GPU failed: CUDA is out of memory."
    )
    assert checker.check(MIXED).device == analysis.device
    assert len(loader.choices) == 2


def test_a_processor_that_fails_is_an_error(store: ModelStore, loader: Loader) -> None:
    loader.on_cpu = FailingTagger()
    with pytest.raises(BackendError):
        Engine(store=store).check(MIXED)
    assert len(loader.choices) == 1


def test_without_a_model_the_error_says_where_it_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="was not found"):
        Engine(store=ModelStore(tmp_path / "a", tmp_path / "b")).check(MIXED)


def test_a_kept_sentence_has_a_mark_to_keep_only_if_it_had_one() -> None:
    kept = Rewrite(Action.REPLACE, "Also, it is.", (), 0.6, "tie-in", ReasonCode.R6, clears=False)
    answers = {1: (DELETION, kept), 3: (DELETION, kept)}
    analysis = Engine(tagger=FakeTagger(), rewriter=ScriptedRewriter(answers)).check(
        MIXED, only=[1, 3]
    )
    notes = {finding.sentence: finding.note for finding in analysis.findings}
    assert notes[1] == ""
    assert "60%" in notes[3]
