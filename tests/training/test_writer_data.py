"""What the writer is trained on, and how it becomes tokens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.errors import ModelError, UsageError
from engine.research.data import DELETE, TrainingEssay, TrainingSentence
from engine.research.readers import read_synth
from engine.research.training.config import read_recipe
from engine.research.training.writer.config import WriterConfig
from engine.research.training.writer.encoding import (
    Encoded,
    batches,
    collate,
    common_prefix,
    encode,
    prompt_text,
)
from engine.research.training.writer.gguf_base import read_tokenizer
from engine.research.training.writer.items import (
    WriterItem,
    divide,
    sample,
    small_enough,
    writer_items,
)
from engine.resources import resources_folder
from engine.scheme import ReasonCode
from tests.training.tiny_writer import write_base, write_essays


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return read_tokenizer(write_base(tmp_path_factory.mktemp("base") / "tiny.gguf"))


@pytest.fixture(scope="module")
def items(tmp_path_factory: pytest.TempPathFactory) -> list[WriterItem]:
    return writer_items(read_synth(write_essays(tmp_path_factory.mktemp("synth") / "s.jsonl")))


def essay(*sentences: TrainingSentence) -> TrainingEssay:
    return TrainingEssay("1.txt", "Parks.", "ARA", True, sentences)


def item(sentence: str, answer: str) -> WriterItem:
    return WriterItem(
        "1.txt", "Parks.", ("I like parks.",), sentence, ReasonCode.R3, None, answer, False
    )


def test_rewrites_and_kept_deletions_become_items() -> None:
    found = writer_items(
        [
            essay(
                TrainingSentence("I like parks."),
                TrainingSentence(
                    "But, cars come.", 0.8, (ReasonCode.R3,), 0, "However, cars come."
                ),
                TrainingSentence(
                    "I ate.", 0.9, (ReasonCode.R6,), None, DELETE, "In parks, I also ate."
                ),
            )
        ]
    )
    assert [(one.answer, one.keeps, one.context[-1]) for one in found] == [
        ("However, cars come.", False, "I like parks."),
        ("In parks, I also ate.", True, "But, cars come."),
    ]
    assert found[0].reason is ReasonCode.R3
    assert found[0].anchor == 0


@pytest.mark.parametrize(
    ("sentence", "rewrite", "alternative"),
    [
        ("I ate.", DELETE, None),
        ("I ate.", None, None),
        ("I ate.", "i  ate.", None),
        ("I <|im_end|> ate.", "So I ate.", None),
        ("I ate.", "So I >>> ate.", None),
    ],
)
def test_what_teaches_nothing_or_cannot_be_quoted_is_left_out(
    sentence: str, rewrite: str | None, alternative: str | None
) -> None:
    flagged = TrainingSentence(sentence, 0.8, (ReasonCode.R6,), None, rewrite, alternative)
    assert writer_items([essay(TrainingSentence("I like parks."), flagged)]) == []


def test_an_essay_is_either_trained_on_or_held_out(items: list[WriterItem]) -> None:
    train, held_out = divide(items, share=0.3, seed=1)
    assert len(train) + len(held_out) == len(items)
    assert not {one.essay_id for one in train} & {one.essay_id for one in held_out}
    assert len({one.essay_id for one in held_out}) == 2
    assert divide(items, share=0.3, seed=1) == (train, held_out)
    assert divide(items, share=0.3, seed=2) != (train, held_out)


def test_rewrites_that_change_too_much_are_left_out() -> None:
    small, large = item("But cars come here.", "However cars come here."), item("I ate.", "Yes.")
    assert small.changed == pytest.approx(0.25)
    assert small_enough([small, large], 0.5) == [small]


def test_a_sample_is_the_same_for_the_same_seed(items: list[WriterItem]) -> None:
    assert sample(items, 5, seed=3) == sample(items, 5, seed=3)
    assert len(sample(items, 5, seed=3)) == 5
    assert sample(items, 500, seed=3) == items


def test_the_tokenizer_cuts_digits_apart_and_knows_control_tokens(tokenizer: Any) -> None:
    ids = tokenizer("In 1999<|im_end|>", add_special_tokens=False)["input_ids"]
    assert tokenizer.convert_ids_to_tokens(ids)[-5:] == ["1", "9", "9", "9", "<|im_end|>"]
    assert tokenizer.decode(ids) == "In 1999<|im_end|>"
    assert tokenizer.eos_token_id == 2


def test_a_prompt_ends_where_the_answer_begins(tokenizer: Any) -> None:
    text = prompt_text(tokenizer, item("But cars come.", "However, cars come."))
    assert text.startswith("<|im_start|>system\n")
    assert text.endswith("Sentence: <<<But cars come.>>><|im_end|>\n<|im_start|>assistant\n")


def test_only_what_is_not_copied_weighs_more(tokenizer: Any) -> None:
    encoded = encode(tokenizer, item("But people like parks.", "Now people like parks."),
                     edit_weight=3.0)  # fmt: skip
    texts = [tokenizer.decode([token]) for token in encoded.answer]
    heavy = "".join(
        text for text, weight in zip(texts, encoded.weights, strict=True) if weight == 3.0
    )
    assert heavy.strip() == "Now"
    assert texts[-1] == "<|im_end|>"
    assert encoded.weights[-1] == 1.0


def test_the_word_after_a_dropped_one_weighs_more(tokenizer: Any) -> None:
    encoded = encode(tokenizer, item("People really like parks.", "People like parks."),
                     edit_weight=3.0)  # fmt: skip
    heavy = [
        tokenizer.decode([token])
        for token, weight in zip(encoded.answer, encoded.weights, strict=True)
        if weight == 3.0
    ]
    assert len(heavy) == 1
    assert " like".startswith(heavy[0])


def made_up(lengths: list[int]) -> list[Encoded]:
    return [Encoded((9, 9, 9, *range(n)), (5, 2), (1.0, 1.0)) for n in lengths]


def test_every_item_is_in_one_batch_of_like_lengths() -> None:
    encoded = made_up([7 + 3 * n % 80 for n in range(90)])
    groups = batches(encoded, prefix=3, tokens=300, seed=1, epoch=0)
    assert sorted(one.length for group in groups for one in group) == sorted(
        one.length for one in encoded
    )
    for group in groups:
        lengths = [one.length for one in group]
        assert (max(lengths) - 3) * len(group) <= 300
        assert max(lengths) - min(lengths) < 40
    assert groups == batches(encoded, prefix=3, tokens=300, seed=1, epoch=0)
    assert groups != batches(encoded, prefix=3, tokens=300, seed=1, epoch=1)


def test_an_item_longer_than_a_batch_stands_alone() -> None:
    groups = batches(made_up([400, 10]), prefix=3, tokens=100, seed=1, epoch=0)
    assert sorted(len(group) for group in groups) == [1, 1]


def test_the_common_beginning_leaves_each_prompt_a_token() -> None:
    assert common_prefix(made_up([5, 5])) == 7
    differing = [Encoded((1, 2, 3, 4), (5,), (1.0,)), Encoded((1, 2, 7, 4), (5,), (1.0,))]
    assert common_prefix(differing) == 2


def test_a_batch_foretells_the_answers_and_nothing_else() -> None:
    one = Encoded((1, 2, 3, 4), (8, 9, 2), (3.0, 1.0, 1.0))
    two = Encoded((1, 2, 3), (7, 2), (1.0, 1.0))
    batch = collate([one, two], prefix=2)
    assert batch.prefix.tolist() == [1, 2]
    assert batch.ids.tolist() == [[3, 4, 8, 9], [3, 7, 0, 0]]
    assert batch.labels.tolist() == [8, 9, 2, 7, 2]
    read = batch.ids[batch.rows, batch.columns].tolist()
    assert read == [4, 8, 9, 3, 7]
    assert batch.weights.tolist() == [3.0, 1.0, 1.0, 1.0, 1.0]


def test_the_shipped_recipe_is_a_recipe() -> None:
    path = resources_folder() / "training" / "writer.toml"
    assert read_recipe(path, WriterConfig) == WriterConfig()


@pytest.mark.parametrize("text", ["ranks = 3", "targets = 'q_proj'", "rank = 'three'"])
def test_a_recipe_with_a_mistake_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"recipe\.toml"):
        read_recipe(path, WriterConfig)


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text.gguf"
    path.write_text("I am a text, not a model, and long enough to look at.", encoding="utf-8")
    with pytest.raises(ModelError, match=r"text\.gguf"):
        read_tokenizer(path)
