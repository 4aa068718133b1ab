"""`segue train writer` from rewrites and a base model to a model folder, in small."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.cli import build_parser
from engine.errors import ModelError, UnreadableFile, UsageError
from engine.models.manifest import load_manifest, verify
from engine.research.training.writer.command import run
from tests.training.tiny_writer import write_base, write_essays

RECIPE = (
    "epochs = 2\nrank = 4\nalpha = 8\nfirst_layer = 0\nbatch_tokens = 450\nmost_changed = 1.0\nmost_tokens = 900\n"
    "learning_rate = 0.01\nheld_out = 0.2\ngenerated = 3\ncheckpoint_every = 2\nseed = 3\n"
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_base(tmp_path_factory.mktemp("base") / "tiny.gguf")


@pytest.fixture(scope="module")
def synth(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_essays(tmp_path_factory.mktemp("synth") / "synth.jsonl")


def called_with(folder: Path, synth: Path, base: Path, recipe: str = RECIPE) -> argparse.Namespace:
    config = folder / "recipe.toml"
    config.write_text(recipe, encoding="utf-8")
    return argparse.Namespace(
        config=config,
        synth=synth,
        base=base,
        work=folder / "work",
        output=folder / "model",
        minutes=float("inf"),
        limit=None,
    )


@pytest.fixture(scope="module")
def trained(
    tmp_path_factory: pytest.TempPathFactory, synth: Path, base: Path
) -> argparse.Namespace:
    """A finished run, exported without loss."""
    folder = tmp_path_factory.mktemp("trained")
    arguments = called_with(folder, synth, base, RECIPE + 'quantization = "F32"\n')
    assert run(arguments) == 0
    return arguments


def progress_of(arguments: argparse.Namespace) -> dict[str, Any]:
    text = (arguments.work / "progress.json").read_text(encoding="utf-8")
    progress: dict[str, Any] = json.loads(text)
    return progress


def material_of(arguments: argparse.Namespace) -> Any:
    from engine.research.readers import read_synth
    from engine.research.training.config import read_recipe
    from engine.research.training.writer import stages
    from engine.research.training.writer.config import WriterConfig

    config = read_recipe(arguments.config, WriterConfig)
    return stages.prepare(config, read_synth(arguments.synth), arguments.base)


def merged_of(arguments: argparse.Namespace) -> Any:
    """The merged model; its file was written without loss."""
    from engine.research.training.writer.gguf_base import read_model

    return read_model(arguments.output / "segue-writer.gguf")


def test_one_command_leaves_a_model_that_says_how_it_was_made(
    trained: argparse.Namespace,
) -> None:
    manifest = load_manifest(trained.output)
    verify(trained.output, manifest, again=True, cache=trained.work / "verified.json")
    assert (manifest.id, manifest.role, manifest.licence) == (
        "segue-writer",
        "writer",
        "Apache-2.0",
    )
    assert manifest.formats == {"gguf": "segue-writer.gguf"}
    figures = manifest.metrics["held-out training essays"]
    assert figures["greedy"]["n"] == 3.0
    assert figures["loss_n"] == 6
    card = (trained.output / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "(kept)" in card
    assert "- `rank`: 4" in card
    assert "Items: 18 trained on, 6 held out, 0 left out." in card


def test_training_lowers_the_loss(trained: argparse.Namespace) -> None:
    first, last = (progress_of(trained)["history"][place]["loss"] for place in (0, -1))
    assert last < first


def test_the_command_line_knows_the_writer_by_two_names() -> None:
    options = ["--synth", "s", "--base", "b", "--work", "w", "--output", "o", "--minutes", "5"]
    for name in ("writer", "rewriter"):
        arguments = build_parser().parse_args(["train", name, *options])
        assert arguments.delegate_run is run
        assert arguments.minutes == 5.0


def test_a_stopped_run_goes_on_and_ends_where_an_unbroken_one_does(
    tmp_path: Path, synth: Path, base: Path, trained: argparse.Namespace
) -> None:
    arguments = called_with(tmp_path, synth, base, RECIPE + 'quantization = "F32"\n')
    arguments.minutes = 0.0
    stops = 0
    while run(arguments) == 1:
        stops += 1
    broken, whole = progress_of(arguments), progress_of(trained)
    assert stops >= 6
    assert broken["items"] == whole["items"]
    for one, other in zip(whole["history"], broken["history"], strict=True):
        assert one["loss"] == pytest.approx(other["loss"], abs=0.02)


def test_a_finished_run_is_exported_anew_but_not_trained_again(
    tmp_path: Path, trained: argparse.Namespace
) -> None:
    before = (trained.work / "best.pt").stat().st_mtime_ns
    recipe = trained.config.read_text(encoding="utf-8").replace("F32", "Q5_1")
    config = tmp_path / "small.toml"
    config.write_text(recipe, encoding="utf-8")
    again = argparse.Namespace(**{**vars(trained), "config": config, "output": tmp_path / "small"})
    assert run(again) == 0
    assert (trained.work / "best.pt").stat().st_mtime_ns == before
    large, small = (each.output / "segue-writer.gguf" for each in (trained, again))
    assert small.stat().st_size < large.stat().st_size
    assert load_manifest(again.output).recipe["quantization"] == "Q5_1"


def test_training_stops_early_when_held_out_essays_say_so(
    tmp_path: Path, synth: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engine.research.training.writer.judging import WriterJudge

    falling = iter([0.9, 0.8, 0.7, 0.6, 0.5])

    def judge(self: WriterJudge, network: object) -> dict[str, float]:
        figures = dict.fromkeys(
            ("loss", "edited_loss", "n", "edit_f05", "edit_precision", "edit_recall"), 0.5
        )
        return {**figures, "exact": 0.0, "copied": 0.0, "changed": 0.0, "criterion": next(falling)}

    monkeypatch.setattr(WriterJudge, "__call__", judge)
    recipe = RECIPE.replace("epochs = 2", "epochs = 5")
    arguments = called_with(tmp_path, synth, base, recipe)
    assert run(arguments) == 0
    progress = progress_of(arguments)
    assert progress["best_epoch"] == 0
    assert len(progress["history"]) == 3


def test_a_shared_beginning_changes_neither_losses_nor_gradients(
    trained: argparse.Namespace,
) -> None:
    import torch

    from engine.research.training.writer.config import WriterConfig
    from engine.research.training.writer.encoding import collate
    from engine.research.training.writer.gguf_base import read_model
    from engine.research.training.writer.network import WriterNetwork

    material = material_of(trained)
    assert material.prefix > 50
    torch.manual_seed(1)
    network = WriterNetwork(read_model(trained.base), WriterConfig(rank=4, alpha=8, first_layer=0))
    for name, parameter in network.named_parameters():
        if "lora_B" in name:  # which begins at zero, and then A would get no gradient
            torch.nn.init.normal_(parameter, std=0.1)
    found = []
    for prefix in (material.prefix, 0):
        network.zero_grad()
        losses = network(collate(material.train[:3], prefix=prefix))
        losses.mean().backward()
        gradients = [p.grad.clone() for p in network.parameters() if p.grad is not None]
        found.append((losses.detach(), gradients))
    (shared, shared_gradients), (plain, plain_gradients) = found
    assert torch.allclose(shared, plain, atol=1e-4)
    assert len(shared_gradients) == len(plain_gradients) == 2 * 2 * 7
    for one, other in zip(shared_gradients, plain_gradients, strict=True):
        assert torch.allclose(one, other, atol=1e-4)


def test_the_losses_are_those_of_the_plain_language_model(trained: argparse.Namespace) -> None:
    import torch

    from engine.research.training.writer.config import WriterConfig
    from engine.research.training.writer.encoding import collate
    from engine.research.training.writer.gguf_base import read_model
    from engine.research.training.writer.network import WriterNetwork

    material = material_of(trained)
    item = material.train[0]
    ids = torch.tensor([item.prompt + item.answer])
    labels = torch.tensor([(-100,) * len(item.prompt) + item.answer])
    with torch.no_grad():
        expected = read_model(trained.base)(input_ids=ids, labels=labels).loss
        network = WriterNetwork(read_model(trained.base), WriterConfig(rank=4))
        found = network(collate([item, material.train[1]], prefix=material.prefix))
    assert float(found[: len(item.answer)].mean()) == pytest.approx(float(expected), abs=1e-4)


def test_layers_below_the_first_adapted_one_stay_as_they_are(base: Path) -> None:
    from engine.research.training.writer.config import WriterConfig
    from engine.research.training.writer.gguf_base import read_model
    from engine.research.training.writer.network import WriterNetwork

    config = WriterConfig(rank=2, first_layer=1, targets=("q_proj", "v_proj"))
    network = WriterNetwork(read_model(base), config)
    assert set(network.adapters()) == {
        "model.layers.1.self_attn.q_proj",
        "model.layers.1.self_attn.v_proj",
    }


def test_the_exported_file_holds_the_merged_weights_and_the_rest_of_the_base(
    trained: argparse.Namespace,
) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from engine.research.training.writer.gguf_base import field, open_gguf, read_model

    exported = read_model(trained.output / "segue-writer.gguf").state_dict()
    merged = AutoModelForCausalLM.from_pretrained(trained.work / "merged", dtype=torch.float32)
    for name, values in merged.state_dict().items():
        assert torch.allclose(exported[name], values, rtol=0.01, atol=1e-3), name
    before, after = (open_gguf(p) for p in (trained.base, trained.output / "segue-writer.gguf"))
    old = {tensor.name: tensor for tensor in before.tensors}
    changed = {t.name for t in after.tensors if not np.array_equal(t.data, old[t.name].data)}
    assert changed == {name for name in old if ".attn_" in name or ".ffn_" in name} - {
        name for name in old if "norm" in name
    }
    assert field(after, "general.name") == "segue-writer"
    for key in ("general.license", "tokenizer.ggml.merges", "tokenizer.chat_template"):
        assert field(after, key) == field(before, key)
    tokenizer = AutoTokenizer.from_pretrained(trained.work / "merged")
    assert (
        tokenizer("In 1999", add_special_tokens=False)["input_ids"]
        == (material_of(trained).tokenizer("In 1999", add_special_tokens=False)["input_ids"])
    )


def test_llama_cpp_foretells_the_same_as_transformers(trained: argparse.Namespace) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    import torch

    file = trained.output / "segue-writer.gguf"
    item = material_of(trained).train[0]
    llama = llama_cpp.Llama(str(file), n_ctx=1024, logits_all=True, verbose=False)
    llama.eval(item.prompt)
    found = np.array(llama.scores[: len(item.prompt)])
    llama.close()
    with torch.no_grad():
        expected = merged_of(trained)(input_ids=torch.tensor([item.prompt])).logits[0].numpy()
    # llama.cpp keeps what it has read in 16 bits.
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()


def test_llama_cpp_gives_greedy_answers_as_transformers_does(trained: argparse.Namespace) -> None:
    pytest.importorskip("llama_cpp")
    from engine.research.training.writer.agreement import check_export

    material = material_of(trained)
    found = check_export(
        trained.output / "segue-writer.gguf",
        merged_of(trained),
        material.tokenizer,
        material.held_out,
    )
    assert found is not None
    # A random model rambles on for a hundred tokens, where some 16-bit roundings turn a choice.
    assert found.same >= 2
    assert found.compared == 6
    assert found.tokens_per_second > 0


def test_the_adapter_alone_does_in_llama_cpp_what_the_merged_file_does(
    trained: argparse.Namespace,
) -> None:
    llama_cpp = pytest.importorskip("llama_cpp")
    merged = llama_cpp.Llama(str(trained.output / "segue-writer.gguf"), n_ctx=256, verbose=False)
    adapted = llama_cpp.Llama(
        str(trained.base),
        n_ctx=256,
        verbose=False,
        lora_path=str(trained.work / "adapter.gguf"),
    )
    plain = llama_cpp.Llama(str(trained.base), n_ctx=256, verbose=False)
    prompt = b"People need parks. However, cars like"
    texts = []
    for model in (merged, adapted, plain):
        tokens = model.tokenize(prompt, add_bos=False)
        found = []
        for token in model.generate(tokens, temp=0.0):
            found.append(token)
            if len(found) == 12:
                break
        texts.append(found)
        model.close()
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_an_export_that_says_other_things_is_refused(
    trained: argparse.Namespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    from engine.research.training.writer import agreement

    monkeypatch.setattr(agreement, "LEAST_COMPARED", 6)
    monkeypatch.setattr(
        agreement, "greedy_answers", lambda model, tokenizer, items: ["?"] * len(items)
    )
    material = material_of(trained)
    with pytest.raises(ModelError, match="0 of 6"):
        agreement.check_export(
            trained.output / "segue-writer.gguf",
            merged_of(trained),
            material.tokenizer,
            material.held_out,
        )


def test_answers_are_scored_as_edits() -> None:
    from engine.research.training.writer.items import WriterItem
    from engine.research.training.writer.judging import answer_figures

    item = WriterItem("1", "", ("A.",), "But cars come.", None, None, "However, cars come.", False)
    other = replace(item, sentence="So cars come.", answer="Therefore, cars come.")
    figures = answer_figures([item, other], ["However, cars come.", "So cars come."])
    assert figures["edit_precision"] == 1.0
    assert figures["edit_recall"] == 0.5
    assert figures["edit_f05"] == pytest.approx(1.25 * 0.5 / (0.25 + 0.5))
    assert (figures["exact"], figures["copied"]) == (0.5, 0.5)
    assert figures["changed"] == pytest.approx(1 / 3)


def test_the_rate_warms_up_and_falls_to_a_tenth() -> None:
    from engine.research.training.writer.loop import rate_scale

    assert rate_scale(0.05, 0.1) == pytest.approx(0.5)
    assert rate_scale(0.1, 0.1) == pytest.approx(1.0)
    assert rate_scale(1.0, 0.1) == pytest.approx(0.1)


def test_a_missing_corpus_is_named_before_anything_is_done(
    tmp_path: Path, synth: Path, base: Path
) -> None:
    arguments = called_with(tmp_path, synth.with_name("nowhere.jsonl"), base)
    with pytest.raises(UnreadableFile, match=r"nowhere\.jsonl"):
        run(arguments)
    assert not arguments.work.exists()


def test_an_unknown_quantization_is_refused_before_training(
    tmp_path: Path, synth: Path, base: Path
) -> None:
    arguments = called_with(tmp_path, synth, base, RECIPE + 'quantization = "Q1"\n')
    with pytest.raises(UsageError, match="Q1"):
        run(arguments)
    assert not arguments.work.exists()
