import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.console import Console
from engine.errors import BackendError, DamagedFile, UsageError
from engine.llm.fake import FakeGenerator
from engine.llm.protocol import GenerationRequest
from engine.research.judge import (
    Judge,
    Metric,
    acceptance_question,
    judged_items,
    parse_acceptance,
    parse_winner,
    rates,
    reason_text,
    win_question,
)
from engine.research.judge_cache import AnswerFile
from engine.research.judge_command import add_arguments, run
from engine.research.rewrites.examples import Example
from engine.scheme import ReasonCode

R1, R3, R6 = ReasonCode.R1, ReasonCode.R3, ReasonCode.R6


def example(index: int = 1, **changes: Any) -> Example:
    values: dict[str, Any] = {
        "setting": "experts",
        "essay_id": "cats.txt",
        "index": index,
        "context": "Cats are {quiet} pets.",
        "sentence": "But they sleep.",
        "incoherent": True,
        "reasons": (R3,),
        "expert": "However, they sleep.",
        "answers": {
            "copy": (),
            "delete": ("DELETE",),
            "product": ("DELETE", "Yet they sleep."),
            "expert": ("However, they sleep.",),
        },
    }
    return Example(**(values | changes))


def asked_text(request: GenerationRequest) -> str:
    return request.messages[-1].content


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("1", True),
        ("0", False),
        (" 1 \nConcise explanation: it fits.", True),
        ("0\n1", False),
        ("Answer: 1", True),
        ("**0**", False),
        ("1.", True),
        ("10", None),
        ("2", None),
        ("Yes", None),
        ("I think 1", None),
        ("", None),
    ],
)
def test_an_acceptance_is_the_number_on_the_first_line(answer: str, accepted: bool | None) -> None:
    assert parse_acceptance(answer) is accepted


@pytest.mark.parametrize(
    ("answer", "winner"),
    [
        ("### Which is best, m or M?\nm", "m"),
        ("It flows better.\n\nM", "M"),
        ("M\n", "M"),
        ("The best is **m**.", "m"),
        ("`M`", "M"),
        ("They are from Vietnam", None),
        ("I'm", None),
        ("1", None),
        ("", None),
    ],
)
def test_a_winner_is_the_letter_that_the_answer_ends_with(answer: str, winner: str | None) -> None:
    assert parse_winner(answer) == winner


def test_only_texts_that_experts_rewrote_are_judged() -> None:
    examples = [
        example(1),
        example(2, expert="DELETE"),
        example(3, incoherent=False),
        example(4, setting="own"),
    ]
    assert [item.index for item in judged_items(examples, "experts")] == [1]
    assert [item.index for item in judged_items(examples, "own")] == [4]


def test_acceptance_asks_about_the_first_text_that_keeps_the_sentence() -> None:
    request = acceptance_question(example(), "product").request
    assert asked_text(request) == "C: Cats are {quiet} pets. \nS: Yet they sleep. \nAnswer:"
    assert request.temperature == 0.0
    rules, _, rest = request.messages[0].content.partition("Here are some examples:\n")
    assert "output 1 if S is coherent with C" in rules
    assert rest.count("\nS: ") == 16
    assert rest.endswith("Now, please generate:")
    assert "{" not in rules + rest


def test_a_system_without_a_text_is_judged_by_the_sentence_as_it_stands() -> None:
    for system in ("copy", "delete"):
        assert "S: But they sleep. " in asked_text(acceptance_question(example(), system).request)


def test_a_win_question_shows_both_texts_and_the_reasons_without_filling_in_the_essay() -> None:
    item = example(reasons=(R3, R6), sentence="But {reasons} sleep.")
    asked = asked_text(win_question(item, "product", "expert").request)
    assert "C: Cats are {quiet} pets. \nS: But {reasons} sleep. \n" in asked
    assert reason_text((R3, R6)) == (
        "add or change a discourse marker that ties sentence S with context C. [DELETE] "
    )
    assert reason_text((R3, R6)) in asked
    assert "#### output: Yet they sleep. \n" in asked
    assert "#### output: However, they sleep. \n" in asked


def test_without_reasons_the_other_prompt_is_used() -> None:
    asked = asked_text(win_question(example(), "product", "expert", with_reasons=False).request)
    assert "discourse marker" not in asked
    assert "coherent with C. The rewrite should be as minimal as possible. \nC:" in asked


def test_positions_are_drawn_by_the_seed_and_both_occur() -> None:
    def places(seed: int, order: Sequence[int]) -> dict[int, bool]:
        return {i: win_question(example(i), "product", "expert", seed=seed).is_first for i in order}

    forward, backward = places(1, range(40)), places(1, range(39, -1, -1))
    assert forward == backward
    assert 10 < sum(forward.values()) < 30
    assert forward != places(2, range(40))


def test_the_letter_is_read_by_where_the_rewrite_stood() -> None:
    questions = [win_question(example(i), "product", "expert") for i in range(20)]
    for question in questions:
        first = asked_text(question.request).index("Yet they sleep.") < asked_text(
            question.request
        ).index("However, they sleep.")
        assert question.is_first is first
        assert question.verdict("so m") is first
        assert question.verdict("so M") is not first
        assert question.verdict("so neither") is None


def test_an_unparsable_answer_is_not_accepted_but_counts_in_no_win_rate() -> None:
    items = [example(i, essay_id=f"{i}.txt") for i in range(4)]
    accepted = [acceptance_question(item, "product") for item in items]
    won = [win_question(item, "product", "expert") for item in items]
    wins = ["m" if question.is_first else "M" for question in won]
    found = rates(accepted + won, ["1", "0", "1", "perhaps", *wins[:3], "perhaps"], samples=50)
    acceptance, win = found
    assert (acceptance.metric, acceptance.n, acceptance.rate) == (Metric.ACCEPTANCE, 4, 0.5)
    assert (acceptance.yes, acceptance.no, acceptance.unparsable) == (2, 1, 1)
    assert (win.metric, win.n, win.rate, win.unparsable) == (Metric.WIN, 4, 1.0, 1)
    assert acceptance.interval is not None
    assert acceptance.interval.low <= 0.5 <= acceptance.interval.high


def test_pairs_of_equal_texts_are_counted() -> None:
    question = win_question(example(), "expert", "expert")
    (rate,) = rates([question], ["m"], samples=5)
    assert rate.same == 1


def test_a_known_question_is_not_asked_again_nor_one_that_comes_twice() -> None:
    asked: list[GenerationRequest] = []

    def ask(requests: Sequence[GenerationRequest]) -> list[str]:
        asked.extend(requests)
        return ["1"] * len(requests)

    questions = [acceptance_question(example(), name) for name in ("copy", "delete", "expert")]
    judge = Judge(ask, name="a")
    assert judge.answers(questions) == ["1", "1", "1"]
    assert len(asked) == 2  # copying and deleting leave the same sentence
    judge.answers(questions)
    assert len(asked) == 2
    Judge(ask, dict(judge.known), name="another judge").answers(questions)
    assert len(asked) == 4


def test_the_answer_file_survives_being_cut_at_any_place(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    answers = {"a": "1", "b": "Größer\nM", "c": "0"}
    for key, answer in answers.items():
        AnswerFile(path).add(key, answer)
    whole = path.read_bytes()
    assert AnswerFile(path).load() == answers
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        found = AnswerFile(path).load()
        assert found.items() <= answers.items()
        for key in answers.keys() - found.keys():
            AnswerFile(path).add(key, answers[key])
        assert AnswerFile(path).load() == answers


def test_a_damaged_line_of_the_answer_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"key": "a", "answer": "1"}\n{"key": 1}\n', encoding="utf-8")
    with pytest.raises(DamagedFile, match="line 2"):
        AnswerFile(path).load()


def test_an_answer_file_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert AnswerFile(tmp_path / "none.jsonl").load() == {}


def write_examples(path: Path, count: int = 4) -> Path:
    lines = []
    for number in range(count):
        item = example(number, essay_id=f"{number}.txt", context=f"Here are {number} cats.")
        answers = {name: [{"text": text} for text in texts] for name, texts in item.answers.items()}
        data = {
            name: getattr(item, name)
            for name in ("setting", "essay_id", "index", "context", "sentence", "incoherent")
        }
        lines.append(json.dumps(data | {"reasons": ["R3"], "expert": item.expert,
                                        "answers": answers}))  # fmt: skip
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def command(generator: FakeGenerator, *arguments: object) -> tuple[str, str]:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    parsed = parser.parse_args(
        ["--backend", "llama-cpp", *(str(argument) for argument in arguments)]
    )
    out, err = io.StringIO(), io.StringIO()
    assert run(parsed, Console(out, err), load=lambda _: generator) == 0
    return out.getvalue(), err.getvalue()


def judge_like_a_teacher(request: GenerationRequest) -> str:
    """Accepts what does not open with But; prefers the text that stands first."""
    if "Model Outputs" in asked_text(request):
        return "It flows.\nm"
    return "0\nno" if "S: But" in asked_text(request) else "1\nyes"


def test_the_command_prints_and_writes_both_rates(tmp_path: Path) -> None:
    target = tmp_path / "rates.json"
    generator = FakeGenerator(judge_like_a_teacher)
    file = write_examples(tmp_path / "e.jsonl")
    out, _ = command(generator, "--examples", file, "--system", "product", "--system", "copy",
                     "--json", target)  # fmt: skip
    data = json.loads(target.read_text(encoding="utf-8"))
    systems = data["systems"]
    assert (systems["product"]["acceptance"]["rate"], systems["copy"]["acceptance"]["rate"]) == (
        1.0, 0.0,
    )  # fmt: skip
    assert systems["product"]["win"]["n"] == 4
    assert data["about"]["judge"]["backend"] == "fake"
    assert max(len(line) for line in out.splitlines()) <= 80
    assert "acceptance  4  100.0" in out
    assert generator.is_closed


def test_the_product_is_judged_where_no_system_is_named(tmp_path: Path) -> None:
    out, _ = command(FakeGenerator(judge_like_a_teacher), "--examples",
                     write_examples(tmp_path / "e.jsonl"), "--metric", "acceptance")  # fmt: skip
    assert "product" in out
    assert " win " not in out.splitlines()[-1]


class Stopping(FakeGenerator):
    """Fails at the third question."""

    def generate(self, request, **options):  # type: ignore[no-untyped-def]
        if len(self.requests) == 2:
            raise BackendError("The server went away.")
        return super().generate(request, **options)


def test_a_run_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    cache = tmp_path / "answers.jsonl"
    options = ("--examples", write_examples(tmp_path / "e.jsonl"), "--cache", cache,
               "--metric", "win")  # fmt: skip
    with pytest.raises(BackendError):
        command(Stopping(judge_like_a_teacher), *options)
    rest = FakeGenerator(judge_like_a_teacher)
    whole, _ = command(rest, *options)
    assert len(rest.requests) == 2
    unbroken, _ = command(FakeGenerator(judge_like_a_teacher), *options[:2], "--metric", "win")
    assert whole == unbroken
    assert "sleep" not in cache.read_text(encoding="utf-8")


def test_a_sample_is_drawn_by_the_seed(tmp_path: Path) -> None:
    file = write_examples(tmp_path / "e.jsonl", 30)

    def sample(seed: int) -> list[str]:
        generator = FakeGenerator(judge_like_a_teacher)
        command(generator, "--examples", file, "--sample", 5, "--seed", seed,
                "--metric", "acceptance")  # fmt: skip
        return [asked_text(request) for request in generator.requests]

    assert len(sample(1)) == 5
    assert sample(1) == sample(1)
    assert sample(1) != sample(2)


@pytest.mark.parametrize("option", ["--system", "--against"])
def test_a_system_that_the_file_does_not_hold_is_refused(tmp_path: Path, option: str) -> None:
    with pytest.raises(UsageError) as caught:
        command(FakeGenerator(["1"]), "--examples", write_examples(tmp_path / "e.jsonl"),
                option, "prodcut")  # fmt: skip
    assert "product" in caught.value.hint


def test_a_setting_without_judged_sentences_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no sentence with an expert's text"):
        command(FakeGenerator(["1"]), "--examples", write_examples(tmp_path / "e.jsonl"),
                "--setting", "own")  # fmt: skip


def test_a_judge_on_another_computer_is_announced(tmp_path: Path) -> None:
    generator = FakeGenerator(judge_like_a_teacher)
    generator.leaves_machine = True
    _, err = command(generator, "--examples", write_examples(tmp_path / "e.jsonl"))
    assert "sent to the server" in err
