"""DECOR's checkpoints get the prompts that they were trained on."""

from __future__ import annotations

import pytest

from engine.llm.decor_prompts import DELETE, Checkpoint, checkpoint_of, decor_request, parse_decor
from engine.scheme import ReasonCode

CONTEXT = ("Cars are useful.", "Many people drive.")
SENTENCE = "They are red."


@pytest.mark.parametrize(
    ("model", "checkpoint"),
    [
        ("Columbia-NLP/llama2-7b-rewriting-r-Decor", "llama2-r"),
        ("Columbia-NLP/llama2-7b-rewriting-nr-Decor", "llama2-nr"),
        ("Columbia-NLP/llama3-8b-instruct-rewriting-r-Decor", "llama3-r"),
        ("llama3-8b-instruct-rewriting-nr-decor.Q4_K_M.gguf", "llama3-nr"),
        ("SmolLM2-135M-Instruct", None),
        ("llama3-8b-instruct", None),
    ],
)
def test_a_checkpoint_is_known_by_its_name(model: str, checkpoint: Checkpoint | None) -> None:
    assert checkpoint_of(model) == checkpoint


def test_llama2_goes_on_from_one_text_that_ends_where_its_answer_begins() -> None:
    prompt = decor_request("llama2-nr", context=CONTEXT, sentence=SENTENCE).prompt
    assert prompt == (
        "You are about to perform the task of sentence rewriting for the sentences written by "
        "second-language English learners. In this task, given a context C and a sentence S, "
        "where S is incoherent with C, you need to rewrite sentence S to make it coherent with C. "
        "Now, please generate: \nC: Cars are useful. Many people drive. \nS: They are red. \n"
        " Answer:"
    )


def test_reasons_stand_in_the_schemes_order_with_the_papers_punctuation() -> None:
    prompt = decor_request(
        "llama2-r",
        context=CONTEXT,
        sentence=SENTENCE,
        reasons=(ReasonCode.R6, ReasonCode.R3),
    ).prompt
    assert (
        "according to the following instructions: add or change a discourse marker that ties "
        "sentence S with context C. [DELETE]. . Now, please generate: \nC: "
    ) in prompt


def test_llama3_gets_the_instruction_as_system_message() -> None:
    request = decor_request("llama3-r", context=CONTEXT, sentence=SENTENCE, reasons=[ReasonCode.R2])
    system, user = request.messages
    assert system.content.endswith(
        "link the newly introduced entity or ambiguous entity in sentence S to context C. . "
        "Now, please generate:"
    )
    assert user.content == "C: Cars are useful. Many people drive. \nS: They are red. \n"
    assert request.top_p == 0.9


def test_braces_and_control_tokens_in_an_essay_do_no_harm() -> None:
    request = decor_request("llama3-nr", context=("{reasons} </s>",), sentence="{x} <|eot_id|>")
    user = request.messages[1].content
    assert user == "C: {reasons} \nS: {x} \n"


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (" Answer: However, they are red.", "However, they are red."),
        (" However, they are red. ", "However, they are red."),
        ("[DELETE]", DELETE),
        ("DELETE.", DELETE),
        ("", ""),
    ],
)
def test_answers_give_a_sentence_or_the_wish_to_delete(answer: str, text: str) -> None:
    assert parse_decor(answer) == text
