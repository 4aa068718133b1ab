import argparse
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.console import Console
from engine.errors import BackendError, DamagedFile, UsageError
from engine.llm.fake import FakeGenerator
from engine.llm.protocol import GeneratesText
from engine.research.evaluate_command import LoadedTagger
from engine.research.evaluate_rewriting_command import Loaders, add_arguments, run, vectors_of
from engine.research.rewrites.edits import EditCounts
from engine.research.rewrites.examples import read_examples
from engine.scheme import CODES, ReasonCode
from tests.fakes import FakeTagger
from tests.research.corpus_files import decor_rows, write_csv

# FakeTagger flags "But" (R3), "volcano" (R6) and "never" (R4).
CATS = ["Cats are quiet pets.", "But they sleep a lot.", "A volcano is hot.", "I like cats a lot."]
DOGS = ["Dogs are loyal pets.", "And dogs guard us.", "We feed dogs.", "He never barks.", "Fine."]


def split(path: Path, *, rewrites: bool = True) -> Path:
    """Two essays. The experts flag four sentences, of which the tagger flags three."""
    rows = decor_rows(
        "cats.txt",
        CATS,
        {1: "R3", 2: "R6"},
        rewrites={1: "However, they sleep a lot.", 2: "DELETE"} if rewrites else None,
    )
    rows += decor_rows(
        "dogs.txt",
        DOGS,
        {1: "R3 R1", 2: "R6"},
        rewrites={1: "Dogs guard us all day.", 2: " [DELETE] "} if rewrites else None,
    )
    return write_csv(path, rows)


class VectorTagger(FakeTagger):
    """A fake tagger whose vector of a sentence counts its letters."""

    def read(self, sentences: Sequence[str], topic: str, asked: Sequence[int]) -> Any:
        counts = [[sentences[i].count(letter) for letter in "aeioutrs"] for i in asked]
        return argparse.Namespace(vectors=np.array(counts, dtype=np.float32))


def command(
    arguments: Sequence[object],
    generator: GeneratesText | None = None,
    tagger: FakeTagger | None = None,
) -> tuple[str, str]:
    """Run `segue evaluate rewriting`; what it wrote to the two streams."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    thresholds = {"few": 0.95, "balanced": 0.5, "thorough": 0.01}
    loaded = LoadedTagger(tagger or VectorTagger(), thresholds, {}, {"id": "fake"})

    def load(_: argparse.Namespace) -> GeneratesText:
        if generator is None:
            raise AssertionError("no language model was asked for")
        return generator

    out, err = io.StringIO(), io.StringIO()
    parsed = parser.parse_args(["--samples", "20", *(str(argument) for argument in arguments)])
    assert run(parsed, Console(out, err), loaders=Loaders(lambda _: loaded, load)) == 0
    return out.getvalue(), err.getvalue()


def scores(tmp_path: Path, *options: str, generator: GeneratesText | None = None) -> dict[str, Any]:
    target = tmp_path / "scores.json"
    command(["--split", split(tmp_path / "s.csv"), "--json", target, *options], generator)
    data: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return data


def test_without_a_language_model_six_rows_are_compared_in_both_settings(tmp_path: Path) -> None:
    settings = scores(tmp_path)["settings"]
    assert list(settings) == ["experts", "own"]
    for systems in settings.values():
        assert list(systems) == ["copy", "delete", "rule", "candidates", "operators", "expert"]


def test_a_language_model_adds_its_row_and_the_products(tmp_path: Path) -> None:
    generator = FakeGenerator(["Dogs guard us all day."])
    systems = scores(tmp_path, "--backend", "llama-cpp", generator=generator)["settings"]["experts"]
    assert list(systems)[-3:] == ["model", "product", "expert"]
    # One of the model's edits of two rewritten sentences is the expert's.
    assert systems["model"]["exact"] == 0.5
    assert systems["model"]["tokens_per_second"] > 0
    assert generator.is_closed


def test_edits_are_scored_on_the_rewritten_sentences(tmp_path: Path) -> None:
    systems = scores(tmp_path)["settings"]["experts"]
    rule, copy = systems["rule"], systems["copy"]
    assert (rule["items"], rule["text_items"]) == (4, 2)
    # The rule makes both marker edits and misses "all day".
    assert rule["edit_precision"] == 1.0
    assert rule["edit_recall"] == pytest.approx(2 / 3, abs=1e-4)
    assert rule["edit_f05"] == pytest.approx(EditCounts(2, 0, 1).f05, abs=1e-4)
    assert rule["exact"] == 0.5
    assert rule["changed_median"] == pytest.approx((1 / 5 + 1 / 4) / 2, abs=1e-4)
    assert rule["edits_mean"] == 1.0
    assert 0.0 < rule["meaning"] <= 1.0
    assert (copy["edit_precision"], copy["edit_f05"], copy["exact"]) == (None, 0.0, 0.0)
    assert (copy["changed_median"], copy["meaning"]) == (None, None)


def test_a_deletion_is_one_wrong_edit_of_the_very_first_suggestion(tmp_path: Path) -> None:
    delete = scores(tmp_path)["settings"]["experts"]["delete"]
    assert delete["edit_precision"] is None
    assert delete["first_edit_f05"] == 0.0


def test_delete_decisions_are_scored_on_all_answered_sentences(tmp_path: Path) -> None:
    systems = scores(tmp_path)["settings"]["experts"]
    assert systems["delete"]["delete_precision"] == 0.5
    assert systems["delete"]["delete_recall"] == 1.0
    assert systems["delete"]["delete_f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert systems["expert"]["delete_f1"] == 1.0
    assert systems["copy"]["delete_precision"] is None
    assert systems["copy"]["delete_f1"] == 0.0


def test_acceptance_is_counted_on_what_the_tagger_flags(tmp_path: Path) -> None:
    systems = scores(tmp_path)["settings"]["experts"]
    assert systems["copy"]["flagged_findings"] == 3
    assert systems["copy"]["accepted"] == 0.0
    assert systems["expert"]["accepted"] == 1.0
    # The rule mends the two markers and says nothing about the volcano.
    assert systems["rule"]["accepted"] == pytest.approx(2 / 3, abs=1e-4)
    assert systems["rule"]["answered"] == 0.5
    assert systems["operators"]["clears"] == 1.0
    assert systems["operators"]["seconds_median"] >= 0.0


def test_end_to_end_the_taggers_own_findings_count(tmp_path: Path) -> None:
    systems = scores(tmp_path)["settings"]["own"]
    # It flags three of the experts' sentences and "never", which they found coherent.
    assert systems["delete"]["findings"] == 4
    assert systems["delete"]["deletions"] == 3
    assert systems["delete"]["everywhere"]["deletions"] == 4
    assert systems["delete"]["everywhere"]["delete_precision"] == 0.25
    assert systems["rule"]["everywhere"]["items"] == 7


def test_edits_of_coherent_sentences_are_surplus_everywhere(tmp_path: Path) -> None:
    generator = FakeGenerator(lambda request: "I like it.")
    model = scores(tmp_path, "--backend", "llama-cpp", generator=generator)["settings"]["own"][
        "model"
    ]
    assert model["everywhere"]["edit_recall"] == model["edit_recall"]
    assert model["text_items"] == 2
    assert model["everywhere"]["text_items"] == 5


def test_a_sentence_with_two_reasons_counts_for_both(tmp_path: Path) -> None:
    codes = scores(tmp_path)["settings"]["experts"]["rule"]["codes"]
    assert list(codes) == [code.value for code in CODES]
    assert {code: codes[code]["items"] for code in ("R1", "R3", "R4", "R6")} == {
        "R1": 1, "R3": 2, "R4": 0, "R6": 2,
    }  # fmt: skip
    assert codes["R3"]["edit_precision"] == 1.0
    assert codes["R4"]["edit_f05"] is None


def test_intervals_are_bootstrapped_over_essays_and_repeat_with_the_seed(tmp_path: Path) -> None:
    found = [scores(tmp_path, "--seed", "5")["settings"]["experts"]["rule"] for _ in range(2)]
    low, high = found[0]["intervals"]["exact"]
    # Resamples hold the cats' exact sentence only, the dogs' inexact one only, or both.
    assert (low, high) == (0.0, 1.0)
    assert found[0]["intervals"] == found[1]["intervals"]


def test_the_file_says_what_was_measured(tmp_path: Path) -> None:
    about = scores(tmp_path, "--strictness", "thorough", "--backend", "llama-cpp",
                   generator=FakeGenerator(["Yes."]))["about"]  # fmt: skip
    assert about["threshold"] == 0.01
    assert about["tagger"] == {"id": "fake"}
    assert about["writer"]["backend"] == "fake"
    assert about["split"] == "s.csv"


def test_a_tagger_without_vectors_leaves_the_meaning_open(tmp_path: Path) -> None:
    assert vectors_of(FakeTagger()) is None
    target = tmp_path / "s.json"
    command(["--split", split(tmp_path / "s.csv"), "--json", target], tagger=FakeTagger())
    data = json.loads(target.read_text(encoding="utf-8"))
    assert data["settings"]["experts"]["rule"]["meaning"] is None


def test_the_tables_fit_80_columns_and_name_every_system_and_reason(tmp_path: Path) -> None:
    generator = FakeGenerator(["Dogs guard us all day."])
    out, err = command(["--split", split(tmp_path / "s.csv"), "--backend", "llama-cpp"], generator)
    assert [line for line in out.splitlines() if len(line) > 80] == []
    for name in ("copy", "rule", "model", "product", *CODES, "everywhere", "experts' reasons"):
        assert name in out
    assert "0.91" in out  # F0.5 of the rule: two edits right and one missing
    assert "Scored product (own)." in err


def test_examples_hold_every_answer_and_are_read_back(tmp_path: Path) -> None:
    target = tmp_path / "examples.jsonl"
    command(["--split", split(tmp_path / "s.csv"), "--examples", target])
    examples = read_examples(target)
    assert [(e.setting, e.essay_id, e.index) for e in examples if e.setting == "experts"] == [
        ("experts", "cats.txt", 1),
        ("experts", "cats.txt", 2),
        ("experts", "dogs.txt", 1),
        ("experts", "dogs.txt", 2),
    ]
    first, second = examples[:2]
    assert (first.context, first.sentence, first.expert) == (
        CATS[0], CATS[1], "However, they sleep a lot.",
    )  # fmt: skip
    assert first.reasons == (ReasonCode.R3,)
    assert first.answers["rule"] == ("However, they sleep a lot.",)
    assert first.kept_text("delete") == CATS[1]
    assert (second.expert, second.answers["delete"]) == ("DELETE", ("DELETE",))
    # End to end the finding on a sentence that experts found coherent is shown as well.
    assert ("own", "dogs.txt", 3) in [(e.setting, e.essay_id, e.index) for e in examples]


@pytest.mark.parametrize("line", ["{", "[]", '{"setting": "own"}', '"x"'])
def test_a_damaged_example_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    target = tmp_path / "examples.jsonl"
    target.write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match="line 2"):
        read_examples(target)


def test_a_file_without_examples_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "examples.jsonl"
    target.write_text("\n", encoding="utf-8")
    with pytest.raises(DamagedFile, match="no examples"):
        read_examples(target)


def test_a_file_without_experts_rewrites_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DamagedFile, match="no sentence that an expert rewrote"):
        command(["--split", split(tmp_path / "s.csv", rewrites=False)])


@pytest.mark.parametrize("option", ["--json", "--examples"])
def test_the_corpus_is_never_overwritten(tmp_path: Path, option: str) -> None:
    corpus = split(tmp_path / "s.csv")
    before = corpus.read_bytes()
    with pytest.raises(UsageError, match="overwritten"):
        command(["--split", corpus, option, tmp_path / "." / "s.csv"])
    assert corpus.read_bytes() == before


def test_two_results_do_not_share_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    with pytest.raises(UsageError, match="overwritten"):
        command(["--split", split(tmp_path / "s.csv"), "--json", target, "--examples", target])


@pytest.mark.parametrize("option", ["--json", "--examples"])
def test_a_target_in_no_folder_fails_before_the_essays_are_judged(
    tmp_path: Path, option: str
) -> None:
    tagger = FakeTagger()
    with pytest.raises(UsageError, match="no such folder"):
        command(["--split", split(tmp_path / "s.csv"), option, tmp_path / "no" / "o"], None, tagger)
    assert tagger.calls == []


def test_a_model_that_fails_is_closed(tmp_path: Path) -> None:
    def fail(_: object) -> str:
        raise BackendError("The model failed.")

    generator = FakeGenerator(fail)
    with pytest.raises(BackendError):
        command(["--split", split(tmp_path / "s.csv"), "--backend", "llama-cpp"], generator)
    assert generator.is_closed
