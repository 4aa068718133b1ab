import pytest

from engine.analysis import Action, Judgement, Reason
from engine.llm.fake import FakeGenerator
from engine.llm.protocol import GenerationRequest
from engine.llm.writer import EditWriter
from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.rewrites.acceptance import SecondReading
from engine.research.rewrites.answers import Suggestion
from engine.research.rewrites.items import (
    Task,
    expert_judgement,
    expert_tasks,
    own_tasks,
    rewrite_items,
)
from engine.research.rewrites.systems import (
    Meter,
    ModelAlone,
    UnreadCandidates,
    WithRewriter,
    baselines,
    experts,
    marker_rule,
)
from engine.rewriter import Rewriter
from engine.scheme import CODES, ReasonCode
from tests.fakes import FakeTagger

R3, R6 = ReasonCode.R3, ReasonCode.R6

# FakeTagger flags "But" (R3) and "volcano" (R6).
CATS = ("Cats are quiet pets.", "But they sleep a lot.", "A volcano is hot.", "I like cats.")


def essay(*pairs: AnnotatedPair, sentences: tuple[str, ...] = CATS) -> AnnotatedEssay:
    return AnnotatedEssay("1.txt", "Pets.", sentences, pairs)


def judged(sentences: tuple[str, ...] = CATS) -> list[Judgement]:
    told = FakeTagger().judge(sentences, "Pets.")
    return [told[index] for index in range(len(sentences))]


def task(*findings: int) -> Task:
    return Task("Pets.", CATS, tuple(judged()), findings)


def replacing(text: str) -> Suggestion:
    return Suggestion(Action.REPLACE, text)


DELETION = Suggestion(Action.DELETE, "")


@pytest.mark.parametrize(
    ("sentence", "changed"),
    [
        ("But they sleep.", "However, they sleep."),
        ("But, they sleep.", "However, they sleep."),
        ("So I like cats.", "Therefore, I like cats."),
        ("And they sleep.", "They sleep."),
        ("And, they sleep.", "They sleep."),
        ("Butter is soft.", "Butter is soft."),
        ("Some cats sleep.", "Some cats sleep."),
        ("Andy has cats.", "Andy has cats."),
        ("They sleep, but not now.", "They sleep, but not now."),
    ],
)
def test_the_marker_rule_touches_three_openings_only(sentence: str, changed: str) -> None:
    assert marker_rule(sentence) == changed


def test_the_baselines_copy_delete_and_follow_the_rule() -> None:
    found = {system.name: system.answer(task(1, 2)) for system in baselines()}
    assert [answer.suggestions for answer in found["copy"].values()] == [(), ()]
    assert all(answer.deletes for answer in found["delete"].values())
    assert found["rule"][1].first_text(CATS[1]) == "However, they sleep a lot."
    assert found["rule"][2].suggestions == ()


def test_a_kept_text_is_the_first_that_does_not_delete() -> None:
    answer = baselines()[1].answer(task(1))[1]
    assert answer.first_text(CATS[1]) == ""
    assert answer.kept_text(CATS[1]) == CATS[1]


def test_items_are_the_pairs_with_an_answer() -> None:
    (one, two, three) = rewrite_items(
        [
            essay(
                AnnotatedPair(0, True, delete=True),
                AnnotatedPair(1, True, frozenset({R3, ReasonCode.R1}), rewrite="Yet, they do."),
                AnnotatedPair(2, True, frozenset({R6}), delete=True),
                AnnotatedPair(2, True, frozenset({R6})),
                AnnotatedPair(3, False),
            )
        ]
    )
    assert (one.rewrite, one.reasons, one.delete) == ("Yet, they do.", (ReasonCode.R1, R3), False)
    assert (two.rewrite, two.expert_answer, two.delete) == (None, "DELETE", True)
    assert (three.rewrite, three.incoherent) == (CATS[3], False)
    assert one.context == CATS[0]


def test_parts_of_one_essay_share_a_group() -> None:
    pair = AnnotatedPair(1, False)
    other = AnnotatedEssay("2.txt", "", CATS, (pair,))
    items = rewrite_items([essay(pair), other, essay(pair)])
    assert [(item.part, item.group) for item in items] == [(0, 0), (1, 1), (2, 0)]


def test_experts_reasons_take_the_place_of_the_taggers_and_share_the_probability() -> None:
    own = Judgement(0.4, (Reason(R6, 1.0),), anchor=0)
    given = expert_judgement([R3, R6], own)
    assert (given.probability, given.anchor) == (0.4, 0)
    assert [reason.code for reason in given.reasons[:2]] == [R3, R6]
    assert {reason.code for reason in given.reasons} == set(CODES)
    assert given.reasons[0].probability == given.reasons[1].probability
    assert sum(reason.probability for reason in given.reasons) == pytest.approx(1.0)
    assert expert_judgement([], own) == own


def test_in_the_experts_setting_their_findings_are_asked_about() -> None:
    pairs = (AnnotatedPair(3, True, frozenset({R3}), rewrite="So I like cats."),)
    (given,) = expert_tasks([essay(*pairs)], [judged()])
    assert given.findings == (3,)
    assert given.judgements[3].reasons[0].code is R3
    assert list(given.judgements[:3]) == judged()[:3]


def test_in_the_own_setting_the_taggers_findings_are_asked_about() -> None:
    (given,) = own_tasks([essay(AnnotatedPair(3, True))], [judged()], 0.5)
    assert given.findings == (1, 2)
    assert list(given.judgements) == judged()


def test_the_experts_row_answers_as_they_did_and_not_on_coherent_sentences() -> None:
    pairs = (
        AnnotatedPair(1, True, rewrite="Yet they sleep."),
        AnnotatedPair(2, True, delete=True),
        AnnotatedPair(3, False),
    )
    answers = experts(rewrite_items([essay(*pairs)])).answer(task(1, 2, 3))
    assert answers[1].first_text("") == "Yet they sleep."
    assert answers[2].deletes
    assert answers[3].suggestions == ()


def score(sentences, topic, only):  # type: ignore[no-untyped-def]
    return FakeTagger().judge(sentences, topic, only)


def test_the_operators_row_offers_what_the_tagger_no_longer_flags() -> None:
    system = WithRewriter("operators", Rewriter(), score, 0.5)
    answers = system.answer(task(1, 2))
    assert not answers[1].first_text(CATS[1]).startswith("But")
    assert answers[2].deletes
    assert answers[1].seconds is not None
    assert answers[1].tokens == 0


def test_the_candidates_row_does_not_ask_the_tagger() -> None:
    answers = UnreadCandidates().answer(task(1))
    assert 1 <= len(answers[1].suggestions) <= 3


def alone(generator: FakeGenerator) -> ModelAlone:
    meter = Meter(generator)
    return ModelAlone(EditWriter(meter), meter)


def test_the_model_rows_first_answer_is_taken_as_it_is() -> None:
    generator = FakeGenerator(["However, they sleep.", "[DELETE]"])
    answers = alone(generator).answer(task(1, 2))
    assert answers[1].first_text("") == "However, they sleep."
    assert answers[1].tokens == 3
    assert answers[2].deletes
    asked = generator.requests[0].messages[-1].content
    assert CATS[1] in asked
    assert CATS[2] not in asked


def test_a_model_that_repeats_the_sentence_or_says_nothing_suggests_nothing() -> None:
    answers = alone(FakeGenerator([CATS[1], " "])).answer(task(1, 2))
    assert [answer.suggestions for answer in answers.values()] == [(), ()]


def test_the_product_row_puts_the_models_edit_beside_the_rules() -> None:
    meter = Meter(FakeGenerator(["A cat can be hot like a volcano.", "Yet they sleep a lot."]))
    rewriter = Rewriter(generator=EditWriter(meter))
    answers = WithRewriter("product", rewriter, score, 0.5, meter).answer(task(1, 2))
    assert sum(answer.tokens for answer in answers.values()) > 0
    assert all(answer.generating > 0 for answer in answers.values())


def test_a_meter_counts_what_passes_through_it_once() -> None:
    meter = Meter(FakeGenerator(["one two three"]))
    request = GenerationRequest(prompt="Go on.", n=2)
    meter.generate(request)
    meter.generate_all([request])
    tokens, seconds = meter.take()
    assert tokens == 9
    assert seconds > 0
    assert meter.take() == (0, 0.0)


def reading(sentences: tuple[str, ...], index: int, suggestion: Suggestion) -> bool:
    return SecondReading(score, 0.5).clears(
        sentences, "Pets.", judged(sentences), index, suggestion
    )


def test_a_text_clears_the_flag_if_it_is_no_longer_flagged() -> None:
    assert reading(CATS, 1, replacing("Yet they sleep."))
    assert not reading(CATS, 1, replacing("And they sleep."))


class TouchyTagger(FakeTagger):
    """Flags "I like cats." too, unless a sentence before it names sleep."""

    def judge(self, sentences, topic, only=None, **options):  # type: ignore[no-untyped-def]
        found = super().judge(sentences, topic, only, **options)
        at = len(sentences) - 1
        if at in found and not any("sleep" in sentence for sentence in sentences):
            found[at] = Judgement(0.9)
        return found


def test_a_suggestion_that_raises_a_later_flag_clears_nothing() -> None:
    tagger = TouchyTagger()
    told = tagger.judge(CATS, "")
    own = [told[index] for index in range(len(CATS))]
    keeps = SecondReading(tagger.judge, 0.5)
    assert keeps.clears(CATS, "", own, 1, replacing("Yet they sleep."))
    assert not keeps.clears(CATS, "", own, 1, replacing("Yet they rest."))
    assert not keeps.clears(CATS, "", own, 1, DELETION)


def test_a_deletion_of_the_last_sentence_clears_its_flag() -> None:
    assert reading(CATS[:2], 1, DELETION)


def test_the_same_suggestion_is_read_once() -> None:
    tagger = FakeTagger()
    keeps = SecondReading(tagger.judge, 0.5)
    for _ in range(2):
        keeps.clears(CATS, "", judged(), 1, replacing("Yet they sleep."))
    assert len(tagger.calls) == 1
