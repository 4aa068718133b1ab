"""Essay -> Analysis: the tagger judges every sentence, the rewriter mends what was flagged.

`Engine` is the one object that the command line, the worker and other people's Python use.
It is plain synchronous code that reports to a callback and asks another whether to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.abilities import (
    ComparesSentences,
    JudgesSentences,
    RelatesSentences,
    SuggestsRewrites,
    nothing,
)
from engine.analysis import Analysis, Finding, Judgement, ScoredSentence
from engine.correction import Corrector, correction_notice
from engine.errors import BackendError, EmptyEssay, UsageError
from engine.essay import Essay, Notice
from engine.events import Event, EventListener, Finished, Found, Progress, Scored
from engine.findings import bounds, complete, findings_of, many_flags, note, too_short
from engine.grammar import ChecksGrammar, default_checker
from engine.language import language_notices
from engine.models.device import DeviceChoice, choose_device, probe
from engine.models.manifest import STRICTNESS_LEVELS, Manifest, load_manifest, verify
from engine.models.store import ModelStore, default_store
from engine.writer_in_use import WriterInUse

if TYPE_CHECKING:
    from engine.rewriter.generated import WritesEdits

_Answer = TypeVar("_Answer")
DEFAULT_THRESHOLDS: Mapping[str, float] = {"few": 0.7, "balanced": 0.5, "thorough": 0.3}
"""Used with a tagger that was handed in and therefore has no manifest."""

_REMEMBERED = 512
"""Sentences whose mistakes are remembered, since candidates are compared with their original."""


class Engine:
    """Checks essays. Loads its model at the first check, or ahead of it with `warm`.

    `store` says where models lie, `device` is "auto", "cpu" or "gpu". A `tagger` handed in is
    used instead of a stored model, with `thresholds` for each strictness; `rewriter` likewise.
    `generator` is a language model that writes edits where the rewriter's rules do not reach,
    see `engine.llm.writer`; without one the rules work alone. `grammar` is used instead of the
    shipped grammar checker.
    """

    def __init__(
        self,
        *,
        store: ModelStore | None = None,
        device: str = "auto",
        tagger: JudgesSentences | None = None,
        thresholds: Mapping[str, float] | None = None,
        rewriter: SuggestsRewrites | None = None,
        generator: WritesEdits | None = None,
        grammar: ChecksGrammar | None = None,
    ) -> None:
        self._store = store
        self._device = device
        self._tagger = tagger
        self._is_given = tagger is not None
        self._thresholds = thresholds
        self._rewriter = rewriter
        self._is_rewriter_given = rewriter is not None
        self._writer = WriterInUse(generator)
        self._grammar = grammar
        self._manifest: Manifest | None = None
        self._folder: Path | None = None
        self._choice: DeviceChoice | None = None

    def warm(self) -> None:
        """Load the model now. Raises ModelError or BackendError."""
        self._grammar_checker().prepare()
        self._loaded_tagger()

    def write_with(self, generator: WritesEdits | None) -> None:
        """From the next check on have this language model write, or None: the rules alone."""
        self._writer = WriterInUse(generator)
        if not self._is_rewriter_given:
            self._rewriter = None

    def describe(self) -> dict[str, Any]:
        """The model (id, version, hash, base_model, licence) and the device (with its reason).

        Under "operating_points" stand, for each strictness, the precision and the recall of its
        flags and on how many expert-annotated sentences `n` they were measured. Reads the
        manifest but loads no model. Raises ModelError or BackendError.
        """
        points = {} if self._is_given else self._model()[1].operating_points
        return {
            "model": self._describe_model(),
            "device": self._describe_device(),
            "operating_points": {level: dict(point) for level, point in points.items()},
        }

    def check(
        self,
        essay: Essay,
        *,
        strictness: str = "balanced",
        rewrites: bool = True,
        only: Collection[int] | None = None,
        correct_grammar: bool = False,
        on_event: EventListener | None = None,
        check_cancelled: Callable[[], None] | None = None,
    ) -> Analysis:
        """Judge every sentence of the essay, and suggest rewrites for those flagged.

        `only` names sentences by index: findings are then on these, flagged or not, and on no
        others. What replaces one that is not flagged lowers its probability.
        `correct_grammar` has the text judged as if its sure mistakes were corrected; the analysis
        says which, and still refers to the essay's own text.
        `on_event` hears of each step on the calling thread. `check_cancelled` is called between
        passes and raises Cancelled to stop. Raises UsageError on an unknown strictness,
        EmptyEssay on an essay without a sentence, ModelError and BackendError.
        """
        if strictness not in STRICTNESS_LEVELS:
            raise UsageError(
                f"There is no strictness called {strictness!r}: use few, balanced or thorough."
            )
        started = time.perf_counter()
        job = _Job(
            essay,
            strictness,
            rewrites,
            on_event or _unheard,
            check_cancelled or nothing,
            None if only is None else frozenset(only),
            Corrector(self._grammar_checker().fixes) if correct_grammar else None,
        )
        total = len(essay.sentences)
        if total == 0:
            raise EmptyEssay("There is no text to check.")
        job.emit(Progress("reading", total, total))
        job.stop()
        analysis = too_short(essay) if total == 1 else self._analyse(job)
        analysis = replace(analysis, seconds=time.perf_counter() - started)
        job.emit(Finished(analysis))
        return analysis

    def _analyse(self, job: _Job) -> Analysis:
        essay = job.essay
        total = len(essay.sentences)
        job.emit(Progress("judging", 0, total))
        if job.rewrites and self._rewriter is None:
            self._grammar_checker().prepare()
        self._loaded_tagger()
        job.stop()
        threshold = self._thresholds_in_use()[job.strictness]
        judgements = complete(self._judge(job, job.texts, essay.topic, None), total)
        scored = tuple(
            ScoredSentence(sentence.span, sentence.text, judgement.probability)
            for sentence, judgement in zip(essay.sentences, judgements, strict=True)
        )
        job.emit(Progress("judging", total, total))
        job.emit(Scored(scored))
        findings = findings_of(essay, judgements, threshold, job.only)
        for finding in findings:
            job.emit(Found(finding))
        if job.rewrites:
            self._writer.begin()
            findings = self._mend(job, findings, judgements, threshold)
        corrections = None if job.corrector is None else job.corrector.corrections(essay)
        return Analysis(
            content_hash=essay.content_hash,
            topic=essay.topic,
            sentences=scored,
            findings=findings,
            threshold=threshold,
            model=self._describe_model(),
            device=self._describe_device(),
            notices=(
                *job.notices(findings),
                *(() if corrections is None else (correction_notice(corrections),)),
                *(self._writer.notices() if job.rewrites else ()),
            ),
            corrections=corrections,
            writer=self._writer.record() if job.rewrites else None,
        )

    def _mend(
        self,
        job: _Job,
        findings: tuple[Finding, ...],
        judgements: Sequence[Judgement],
        threshold: float,
    ) -> tuple[Finding, ...]:
        def score(
            sentences: Sequence[str], topic: str, only: Collection[int]
        ) -> Mapping[int, Judgement]:
            return self._judge(job, sentences, topic, only)

        if not findings:
            return ()
        waiting = {finding.sentence: finding for finding in findings}
        mended: dict[int, Finding] = {}
        job.emit(Progress("rewriting", 0, len(findings)))
        suggestions = chain.from_iterable(
            self._loaded_rewriter().suggest_all(
                job.texts,
                job.essay.topic,
                judgements,
                some,
                score=score,
                threshold=bound,
                relate=partial(self._relate, job),
                check_cancelled=job.stop,
            )
            for bound, some in bounds(findings, threshold)
        )
        for index, found in suggestions:
            job.stop()
            said = note(waiting[index], found, threshold)
            rewrites = self._writer.signed(found)
            mended[index] = replace(waiting[index], rewrites=rewrites, note=said)
            job.emit(Found(mended[index]))
            job.emit(Progress("rewriting", len(mended), len(findings)))
        missing = [index for index in waiting if index not in mended]
        if missing:
            raise RuntimeError(f"the rewriter gave no answer for sentences {missing}")
        return tuple(mended[finding.sentence] for finding in findings)

    def _loaded_tagger(self) -> JudgesSentences:
        if self._tagger is None:
            folder, manifest = self._model()
            verify(folder, manifest)
            self._tagger = self._load(folder, manifest)
        return self._tagger

    def _judge(
        self, job: _Job, sentences: Sequence[str], topic: str, only: Collection[int] | None
    ) -> Mapping[int, Judgement]:
        read = job.read(sentences)
        return self._asked(lambda tagger: tagger.judge(read, topic, only, check_cancelled=job.stop))

    def _relate(
        self,
        job: _Job,
        sentences: Sequence[str],
        topic: str,
        cued: Mapping[int, Mapping[str, float]],
    ) -> Mapping[int, Mapping[str, float]]:
        """How sentences follow from those before; what the cues say where the tagger cannot tell."""
        read = job.read(sentences)

        def ask(tagger: JudgesSentences) -> Mapping[int, Mapping[str, float]]:
            if not isinstance(tagger, RelatesSentences):
                return cued
            return tagger.relations(read, topic, cued, check_cancelled=job.stop)

        return self._asked(ask)

    def _asked(self, ask: Callable[[JudgesSentences], _Answer]) -> _Answer:
        """One call of the tagger; where a GPU fails in it, another one on the processor."""
        try:
            return ask(self._loaded_tagger())
        except BackendError as error:
            if self._is_given or self._chosen_device().device == "cpu":
                raise
            self._tagger = self._load_on_processor(error)
        return ask(self._tagger)

    def _load(self, folder: Path, manifest: Manifest) -> JudgesSentences:
        from engine import tagger

        choice = self._chosen_device()
        try:
            return tagger.load(folder, manifest, choice)
        except BackendError as error:
            if choice.device == "cpu":
                raise
            return self._load_on_processor(error)

    def _load_on_processor(self, error: BackendError) -> JudgesSentences:
        """The tagger where every machine can run it, with the reason kept for the user."""
        from engine import tagger

        folder, manifest = self._model()
        fallback = choose_device(manifest, "cpu", probe())
        reason = f"Runs on the processor because the GPU failed: {error.message}"
        self._choice = replace(fallback, reason=reason)
        return tagger.load(folder, manifest, self._choice)

    def _loaded_rewriter(self) -> SuggestsRewrites:
        if self._rewriter is None:
            from engine.rewriter import Rewriter
            from engine.rewriter.checks import Checks

            checks = Checks(
                mistakes=lru_cache(maxsize=_REMEMBERED)(self._grammar_checker().mistakes),
                likeness=self._likeness,
            )
            self._rewriter = Rewriter(generator=self._writer.generator, checks=checks)
        return self._rewriter

    def _likeness(self, left: str, right: str) -> float:
        """How alike two sentences are in meaning; 1.0 where the tagger cannot tell."""
        tagger = self._loaded_tagger()
        return tagger.likeness(left, right) if isinstance(tagger, ComparesSentences) else 1.0

    def _grammar_checker(self) -> ChecksGrammar:
        if self._grammar is None:
            self._grammar = default_checker()
        return self._grammar

    def _model(self) -> tuple[Path, Manifest]:
        if self._folder is None or self._manifest is None:
            store = self._store or default_store()
            self._folder = store.find("tagger")
            self._manifest = load_manifest(self._folder)
        return self._folder, self._manifest

    def _chosen_device(self) -> DeviceChoice:
        if self._choice is None:
            self._choice = choose_device(self._model()[1], self._device, probe())
        return self._choice

    def _thresholds_in_use(self) -> Mapping[str, float]:
        if self._thresholds is not None:
            return self._thresholds
        return DEFAULT_THRESHOLDS if self._is_given else self._model()[1].thresholds

    def _describe_model(self) -> dict[str, Any]:
        if self._is_given:
            name = type(self._tagger).__name__
            return {"id": name, "version": "", "hash": "", "base_model": "", "licence": ""}
        manifest = self._model()[1]
        return {
            "id": manifest.id,
            "version": manifest.version,
            "hash": manifest.fingerprint,
            "base_model": manifest.base_model,
            "licence": manifest.licence,
        }

    def _describe_device(self) -> dict[str, Any]:
        if self._is_given:
            return {"backend": "given", "device": "cpu", "reason": "The tagger was handed in."}
        return self._chosen_device().as_dict()


@dataclass(frozen=True)
class _Job:
    """One check as it was asked for; `stop` raises Cancelled when the user asked to stop."""

    essay: Essay
    strictness: str
    rewrites: bool
    emit: EventListener
    stop: Callable[[], None]
    only: frozenset[int] | None = None
    corrector: Corrector | None = None

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The sentences' texts, in order."""
        return tuple(sentence.text for sentence in self.essay.sentences)

    def notices(self, findings: Sequence[Finding]) -> tuple[Notice, ...]:
        """What is to be said of the text as a whole: that it is not English, or all marked."""
        said = language_notices(self.essay)
        if said or self.only is not None or self.strictness == "thorough":
            return said
        return many_flags(findings, len(self.texts), corrects=self.corrector is not None)

    def read(self, sentences: Sequence[str]) -> Sequence[str]:
        """The sentences as the tagger is to read them."""
        return sentences if self.corrector is None else self.corrector.read(sentences)


def _unheard(_event: Event) -> None:
    """Takes events that nobody listens to."""
