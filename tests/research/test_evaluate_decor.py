import argparse
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.analysis import Judgement, Reason
from engine.console import Console
from engine.errors import BackendError, DamagedFile, UsageError
from engine.research.data import AnnotatedEssay, AnnotatedPair
from engine.research.evaluate_command import LoadedTagger, add_arguments, run
from engine.research.evaluate_decor import (
    TASKS,
    Cuts,
    Predictions,
    evaluate,
    group_probabilities,
    judge_essays,
    predict,
    predict_codes,
    predict_groups,
)
from engine.research.evaluate_plot import reason_confusion
from engine.scheme import CODES, Group, ReasonCode
from tests.fakes import FakeTagger
from tests.research.corpus_files import decor_rows, write_csv

sklearn_metrics = pytest.importorskip("sklearn.metrics")

KEYS = {"n", "weighted_f1", "macro_f1", "auc", "kappa", "majority_weighted_f1"}

# FakeTagger flags "But" (R3), "volcano" (R6), "They" (R2) and "never" (R4).
CATS = ["Cats are quiet.", "But they sleep.", "A volcano is hot.", "I like cats."]
DOGS = ["Dogs are loyal.", "They guard us.", "We feed dogs.", "He never barks.", "Fine."]


def split(path: Path, essays: int = 4) -> Path:
    """Cats and dogs in turn; the experts disagree with the fake tagger about the dogs."""
    rows = []
    for number in range(essays):
        if number % 2:
            rows += decor_rows(f"{number}.txt", DOGS, {2: "R6", 3: "R1 R4"})
        else:
            rows += decor_rows(f"{number}.txt", CATS, {1: "R3", 2: "R6"})
    return write_csv(path, rows)


def judged(probability: float | None, **reasons: float) -> Judgement:
    ranked = sorted(reasons.items(), key=lambda item: -item[1])
    return Judgement(probability, tuple(Reason(ReasonCode(code), p) for code, p in ranked))


def run_command(
    arguments: Sequence[object], *, settings: dict[str, Any] | None = None
) -> tuple[str, str]:
    """Run `segue evaluate decor` with the fake tagger; what it wrote to the two streams."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    thresholds = {"few": 0.95, "balanced": 0.5, "thorough": 0.01}
    loaded = LoadedTagger(FakeTagger(), thresholds, settings or {}, {"id": "fake"})
    out, err = io.StringIO(), io.StringIO()
    parsed = parser.parse_args([str(argument) for argument in arguments])
    assert run(parsed, Console(out, err), load=lambda _: loaded) == 0
    return out.getvalue(), err.getvalue()


def scores_of(tmp_path: Path, *options: str, essays: int = 4, **settings: Any) -> dict[str, Any]:
    target = tmp_path / "scores.json"
    file = split(tmp_path / "split.csv", essays)
    run_command(["--split", file, "--json", target, *options], settings=settings)
    data: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return data


def test_the_json_has_exactly_the_published_shape(tmp_path: Path) -> None:
    data = scores_of(tmp_path)
    assert list(data) == [*TASKS, "details"]
    assert TASKS == ("detection", "cohesion", "consistency", "relevance", "others")
    for task in TASKS:
        assert set(data[task]) == KEYS


def test_detection_is_scored_on_all_pairs_in_percent(tmp_path: Path) -> None:
    detection = scores_of(tmp_path)["detection"]
    gold = [1, 1, 0, 0, 1, 1, 0] * 2
    flagged = [1, 1, 0, 1, 0, 1, 0] * 2
    weighted = sklearn_metrics.f1_score(gold, flagged, average="weighted")
    assert detection["n"] == 14
    assert detection["weighted_f1"] == pytest.approx(100 * weighted, abs=0.005)
    assert detection["auc"] == pytest.approx(
        100 * sklearn_metrics.roc_auc_score(gold, flagged), abs=0.005
    )
    assert detection["kappa"] == pytest.approx(
        100 * sklearn_metrics.cohen_kappa_score(gold, flagged), abs=0.005
    )
    majority = sklearn_metrics.f1_score(gold, [1] * 14, average="weighted")
    assert detection["majority_weighted_f1"] == pytest.approx(100 * majority, abs=0.005)


def test_reasons_are_scored_on_the_incoherent_pairs_only(tmp_path: Path) -> None:
    data = scores_of(tmp_path)
    assert {data[group.value]["n"] for group in Group} == {8}
    # The experts' R3, R6, R6 and R1+R4 meet the tagger's R3, R6, R6 and R4.
    gold, predicted = [1, 0, 0, 1] * 2, [1, 0, 0, 0] * 2
    weighted = sklearn_metrics.f1_score(gold, predicted, average="weighted")
    assert data["cohesion"]["weighted_f1"] == pytest.approx(100 * weighted, abs=0.005)
    assert data["consistency"]["weighted_f1"] == 100.0
    assert data["relevance"]["weighted_f1"] == 100.0


def test_a_score_that_the_data_leaves_open_is_null(tmp_path: Path) -> None:
    others = scores_of(tmp_path)["others"]
    assert others["weighted_f1"] == 100.0
    assert others["auc"] is None
    assert others["kappa"] is None


def test_strictness_chooses_the_threshold(tmp_path: Path) -> None:
    few = scores_of(tmp_path, "--strictness", "few")["details"]
    thorough = scores_of(tmp_path, "--strictness", "thorough")["details"]
    assert few["tasks"]["detection"]["predicted_positives"] == 0
    assert thorough["tasks"]["detection"]["predicted_positives"] == 14
    assert (few["threshold"], thorough["threshold"]) == (0.95, 0.01)


def test_the_manifests_group_thresholds_are_used(tmp_path: Path) -> None:
    data = scores_of(tmp_path, group_thresholds={"cohesion": 0.05, "relevance": 0.99})
    tasks = data["details"]["tasks"]
    assert tasks["cohesion"]["predicted_positives"] == 8
    assert tasks["relevance"]["predicted_positives"] == 0
    assert tasks["consistency"]["predicted_positives"] == 2


def test_the_details_hold_codes_intervals_and_the_model(tmp_path: Path) -> None:
    details = scores_of(tmp_path)["details"]
    assert details["codes"]["R1"] == {
        "precision": 0.0, "recall": 0.0, "f1": 0.0, "auc": 50.0, "support": 2, "predicted": 0,
    }  # fmt: skip
    low, high = details["tasks"]["detection"]["intervals"]["weighted_f1"]
    assert low <= 71.43 <= high
    assert details["model"]["id"] == "fake"
    assert details["essays"] == 4


def test_the_same_seed_gives_the_same_numbers(tmp_path: Path) -> None:
    assert scores_of(tmp_path, "--seed", "3") == scores_of(tmp_path, "--seed", "3")


def test_halves_are_scored_when_asked_for(tmp_path: Path) -> None:
    assert scores_of(tmp_path)["details"]["halves"] == {}
    halves = scores_of(tmp_path, "--halves", essays=3)["details"]["halves"]
    assert halves["first"]["detection"]["n"] == 3
    assert halves["last"]["detection"]["n"] == 7
    assert set(halves["last"]["relevance"]) == KEYS


def test_halves_are_scored_unasked_for_all_100_essays(tmp_path: Path) -> None:
    halves = scores_of(tmp_path, essays=100)["details"]["halves"]
    assert halves["first"]["detection"]["n"] == halves["last"]["detection"]["n"] == 175


def test_each_essay_is_judged_once_with_the_sentences_as_they_are() -> None:
    essays = [AnnotatedEssay("1", "Pets.", ("Dogs. Cats.", "Fine."), (AnnotatedPair(1, False),))]
    tagger = FakeTagger()
    judge_essays(tagger, essays)
    assert [(call.sentences, call.topic) for call in tagger.calls] == [
        (("Dogs. Cats.", "Fine."), "Pets.")
    ]


def test_the_tables_fit_80_columns_and_name_every_task_and_code(tmp_path: Path) -> None:
    out, _ = run_command(["--split", split(tmp_path / "split.csv"), "--halves"])
    assert max(len(line) for line in out.splitlines()) <= 80
    for name in (*TASKS, *CODES, "majority", "95% interval", "First half", "Last half"):
        assert name in out
    assert "71.43" in out


def test_a_file_without_reasons_is_scored_for_detection_with_a_warning(tmp_path: Path) -> None:
    file = write_csv(tmp_path / "split.csv", decor_rows("1.txt", CATS))
    out, err = run_command(["--split", file])
    assert "detection" in out
    assert "names no reasons" in err


def test_a_labelled_opening_counts_as_judged_coherent() -> None:
    essay = AnnotatedEssay("1", "", ("But why?",), (AnnotatedPair(0, True),))
    found = predict([essay], [{0: Judgement(None)}], Cuts(0.0))
    assert found.flagged.tolist() == [False]
    assert not any(labels.any() for labels in found.groups.values())


def test_a_groups_probability_is_that_of_its_codes_together() -> None:
    answer = judged(0.9, R1=0.25, R2=0.5, R4=0.125, R6=0.125)
    assert group_probabilities(answer) == {
        Group.COHESION: 0.75, Group.CONSISTENCY: 0.125, Group.RELEVANCE: 0.125, Group.OTHERS: 0.0,
    }  # fmt: skip


def test_a_group_is_predicted_from_its_threshold_on() -> None:
    answer = judged(0.9, R2=0.6, R6=0.4)
    assert predict_groups(answer, {}) == {
        Group.COHESION: True, Group.CONSISTENCY: False, Group.RELEVANCE: False, Group.OTHERS: False,
    }  # fmt: skip
    moved = predict_groups(answer, {Group.COHESION: 0.61, Group.RELEVANCE: 0.4})
    assert (moved[Group.COHESION], moved[Group.RELEVANCE]) == (False, True)


def test_the_likeliest_code_is_named_however_unlikely() -> None:
    assert predict_codes(judged(0.9, R5=0.2, R6=0.3), {}) == {ReasonCode.R6}
    assert predict_codes(judged(0.9, R5=0.2, R6=0.3), {ReasonCode.R5: 0.2}) == {
        ReasonCode.R5,
        ReasonCode.R6,
    }
    assert predict_codes(judged(None), {}) == frozenset()


def test_two_parts_of_one_essay_are_one_essay_to_the_bootstrap() -> None:
    parts = [AnnotatedEssay("1", "", ("A.", "B."), (AnnotatedPair(1, True),)) for _ in range(2)]
    assert predict(parts, [{}, {}], Cuts()).essays == 1


def predictions_for(gold: str, named: str) -> Predictions:
    """Incoherent pairs with the experts' code and the tagger's likeliest, one word each."""
    essays, answers = [], []
    for number, (code, best) in enumerate(zip(gold.split(), named.split(), strict=True)):
        pair = AnnotatedPair(1, True, frozenset({ReasonCode(code)}))
        essays.append(AnnotatedEssay(str(number), "", ("A.", "B."), (pair,)))
        answers.append({1: judged(0.9, **{best: 0.8})})
    return predict(essays, answers, Cuts())


def test_the_confusion_of_reasons_has_a_row_a_code() -> None:
    table = reason_confusion(predictions_for("R6 R6 R3 R3", "R6 R3 R3 R3"))
    assert table[5].tolist() == [0, 0, 0.5, 0, 0, 0.5, 0]
    assert table[2, 2] == 1.0
    assert table[0].sum() == 0.0


def test_a_file_with_nothing_incoherent_is_scored() -> None:
    essay = AnnotatedEssay("1", "", ("A.", "B."), (AnnotatedPair(1, False),))
    report = evaluate(predict([essay], [{1: judged(0.1, R6=0.9)}], Cuts()), samples=5)
    assert report.tasks["detection"].weighted_f1 == 1.0
    assert report.tasks["relevance"].as_dict() == dict.fromkeys(KEYS) | {"n": 0}


def test_the_plot_is_a_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    target = tmp_path / "plot.png"
    run_command(["--split", split(tmp_path / "split.csv"), "--plot", target])
    assert target.read_bytes().startswith(b"\x89PNG")


def test_a_plot_without_matplotlib_fails_before_the_essays_are_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    file = split(tmp_path / "split.csv")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    parsed = parser.parse_args(["--split", str(file), "--plot", str(tmp_path / "p.png")])
    with pytest.raises(BackendError) as caught:
        run(parsed, Console(io.StringIO(), io.StringIO()), load=lambda _: pytest.fail("loaded"))
    assert "segue[train]" in caught.value.hint


def test_a_plot_format_that_cannot_be_drawn_is_a_usage_error(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(UsageError, match=r"plots are saved as"):
        run_command(["--split", split(tmp_path / "split.csv"), "--plot", tmp_path / "plot.docx"])


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_a_target_in_no_folder_fails_before_the_essays_are_judged(
    tmp_path: Path, option: str
) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        run_command(["--split", split(tmp_path / "s.csv"), option, tmp_path / "none" / "out.png"])


def test_a_damaged_file_is_refused_before_the_model_loads(tmp_path: Path) -> None:
    file = tmp_path / "split.csv"
    file.write_text("essay_id,context\n", encoding="utf-8")
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(DamagedFile):
        run(parser.parse_args(["--split", str(file)]), load=lambda _: pytest.fail("loaded"))


def test_a_part_of_the_predictions_numbers_its_essays_anew() -> None:
    whole = predictions_for("R6 R3 R1", "R6 R3 R1")
    part = whole.where(np.array([False, True, True]))
    assert part.essay.tolist() == [0, 1]
    assert part.gold_codes.sum() == 2
