"""Transformers: models in their original form, on a GPU in half precision or on the processor.

The only module here that imports torch and transformers. The loop over tokens is our own, so that
several texts run together, each with its own seed and its own end, and cancelling works between
any two tokens. Where a GPU runs out of memory, fewer texts run together; where one is still too
much, the model moves to the processor. Both are said in `describe`.
"""

from __future__ import annotations

import gc
import inspect
import time
from collections.abc import Callable, Sequence
from importlib import util
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
import transformers

from engine.errors import BackendError, ModelError
from engine.llm.batches import singles
from engine.llm.chat import plain_chat, templated
from engine.llm.model_files import find_writer
from engine.llm.options import BackendOptions
from engine.llm.protocol import CancelCheck, Generation, GenerationRequest, TextListener, never
from engine.llm.sampling import Sampler, mean_log_chance
from engine.llm.streaming import TextStream

TOGETHER = 16
"""How many texts run together where the memory allows it."""

_Result = TypeVar("_Result")


class Transformers:
    """A loaded causal model with its tokenizer. `reason` says why it runs where it runs."""

    leaves_machine = False

    def __init__(
        self,
        path: Path,
        *,
        device: str = "cpu",
        reason: str = "",
        context_tokens: int = 2048,
        together: int = TOGETHER,
    ) -> None:
        """Load the model. Raises ModelError where the path is no model that Transformers knows."""
        self._path = path
        self._reason = reason
        self._room = context_tokens
        self._tokenizer = _load_tokenizer(path)
        self._device = device
        self._model = _load_model(path, device)
        self.together = together
        """How many texts run together; fewer once the memory was too small."""

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """One text for the request. Raises BackendError and Cancelled."""
        text = self._new_text(next(singles(request)), on_text)
        self._finish([text], check_cancelled)
        return text.result()

    def generate_all(
        self, requests: Sequence[GenerationRequest], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[Generation, ...]]:
        """`request.n` texts for each request, as many together as the memory allows."""
        asked = [[self._new_text(one, None) for one in singles(request)] for request in requests]
        self._finish([text for texts in asked for text in texts], check_cancelled)
        return [tuple(text.result() for text in texts) for texts in asked]

    def likelihood(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float:
        """The mean log probability of the text's tokens after the context, in nats a token."""
        if not text.strip():
            raise ValueError("there is no text to score")
        before = self._tokens(context, is_chat=False) if context else []
        tokens = self._tokens(f"{context} {text}" if context else text, is_chat=False)
        self._refuse_too_long(len(tokens))
        start = 0
        while start < min(len(before), len(tokens) - 1) and before[start] == tokens[start]:
            start += 1
        start = max(start, 1)
        if len(tokens) <= start:
            return 0.0

        def score() -> float:
            check_cancelled()
            with torch.inference_mode():
                ids = torch.tensor([tokens[:-1]], device=self._model.device)
                rows = self._model(input_ids=ids).logits[0, start - 1 :]
                return mean_log_chance(rows.float().cpu().numpy(), tokens[start:])

        return self._sparing_memory(score)

    def describe(self) -> dict[str, Any]:
        """Backend, model, device, number format, and why it runs there."""
        return {
            "backend": "transformers",
            "model": self._path.name,
            "device": self._device,
            "precision": str(self._model.dtype).removeprefix("torch."),
            "reason": self._reason,
            "leaves_machine": False,
        }

    def close(self) -> None:
        """Give back the memory."""
        self._model = None
        _free_memory()

    def _new_text(self, request: GenerationRequest, on_text: TextListener | None) -> _Text:
        tokenizer = self._tokenizer
        if not request.messages:
            prompt = request.prompt
        elif not tokenizer.chat_template:
            prompt = plain_chat(request.messages)
        else:
            prompt = templated(
                request.messages,
                # Templates that know no thinking pass that over; Qwen3's would have it think aloud.
                lambda told: tokenizer.apply_chat_template(
                    told, tokenize=False, add_generation_prompt=True, enable_thinking=False
                ),
            )
        tokens = self._tokens(prompt, is_chat=bool(request.messages))
        self._refuse_too_long(len(tokens) + request.max_tokens)
        return _Text(request, tokens, self._tokenizer, on_text)

    def _tokens(self, text: str, *, is_chat: bool) -> list[int]:
        tokenizer = self._tokenizer
        begin = tokenizer.bos_token
        has_begin = bool(is_chat and begin and text.startswith(begin))
        tokens: list[int] = list(tokenizer(text, add_special_tokens=not has_begin)["input_ids"])
        if not has_begin and len(tokens) > 1 and tokens[-1] == tokenizer.eos_token_id:
            tokens.pop()  # some tokenizers close the text, and it is to go on
        if not tokens:
            tokens = [tokenizer.bos_token_id or tokenizer.eos_token_id or 0]
        return tokens

    def _refuse_too_long(self, count: int) -> None:
        room = min(self._room, getattr(self._model.config, "max_position_embeddings", self._room))
        if count > room:
            raise BackendError(
                f"The text is too long for the model: {count} tokens, and it takes {room}.",
                hint="Give the model more context, or ask for less at a time.",
            )

    def _finish(self, texts: Sequence[_Text], check_cancelled: CancelCheck) -> None:
        """Bring all the texts to their ends, in groups that the memory has room for."""
        while waiting := [text for text in texts if not text.is_done]:
            some = waiting[: self.together]
            try:
                self._run(some, check_cancelled)
                continue
            except RuntimeError as error:
                _refuse_unless_out_of_memory(error)
            _free_memory()
            if len(some) > 1:
                self.together = len(some) // 2
                self._note(f"Memory is short: at most {self.together} at a time.")
            else:
                self._move_to_processor()

    def _run(self, texts: Sequence[_Text], check_cancelled: CancelCheck) -> None:
        """Generate for all the texts together, each from where it is."""
        check_cancelled()
        ids, mask = self._padded([text.so_far for text in texts])
        positions = (mask.cumsum(-1) - 1).clamp(min=0)
        remembered = _memory_argument(self._model)
        cache = None
        with torch.inference_mode():
            while True:
                told = self._model(
                    input_ids=ids,
                    attention_mask=mask,
                    position_ids=positions,
                    use_cache=True,
                    **{remembered: cache},
                )
                cache = told.past_key_values
                rows = told.logits[:, -1, :].float()
                likeliest = rows.argmax(-1).tolist()
                tokens = [
                    0 if text.is_done else text.take(rows[i], likeliest[i])
                    for i, text in enumerate(texts)
                ]
                check_cancelled()
                if all(text.is_done for text in texts):
                    return
                ids = torch.tensor(tokens, device=mask.device).unsqueeze(1)
                mask = torch.cat([mask, mask.new_ones(len(texts), 1)], dim=1)
                positions = positions[:, -1:] + 1

    def _padded(self, prompts: Sequence[list[int]]) -> tuple[Any, Any]:
        """The prompts as one tensor, filled up at the left, and the mask of what is text."""
        longest = max(len(prompt) for prompt in prompts)
        device = self._model.device
        ids = torch.zeros(len(prompts), longest, dtype=torch.long, device=device)
        mask = torch.zeros_like(ids)
        for i, prompt in enumerate(prompts):
            ids[i, longest - len(prompt) :] = torch.tensor(prompt, device=device)
            mask[i, longest - len(prompt) :] = 1
        return ids, mask

    def _sparing_memory(self, work: Callable[[], _Result]) -> _Result:
        """Do the work; where the memory is too small for it, do it on the processor."""
        try:
            return work()
        except RuntimeError as error:
            _refuse_unless_out_of_memory(error)
        _free_memory()
        self._move_to_processor()
        return work()

    def _move_to_processor(self) -> None:
        """Load the model where there is more memory. Raises BackendError where it was there."""
        if self._device == "cpu":
            raise BackendError(
                "There is too little memory for the language model.",
                hint="Close other programs, or use a smaller model.",
            )
        self._model = None
        _free_memory()
        self._model = _load_model(self._path, "cpu")
        self._device = "cpu"
        self._note("Moved to the processor, because the GPU has too little memory.")

    def _note(self, said: str) -> None:
        self._reason = f"{self._reason} {said}".strip()


class _Text:
    """One text on its way: the prompt, what was chosen so far, and how it goes on."""

    def __init__(
        self,
        request: GenerationRequest,
        prompt: list[int],
        tokenizer: Any,
        on_text: TextListener | None,
    ) -> None:
        self._request = request
        self._prompt = prompt
        self._tokenizer = tokenizer
        self._stream = TextStream(request.stop, on_text=on_text)
        self._sampler = Sampler(
            temperature=request.temperature, top_p=request.top_p, seed=request.seed
        )
        self._ends = _end_tokens(tokenizer)
        self._tokens: list[int] = []
        self._shown = ""
        self._began = time.perf_counter()
        self._seconds = 0.0
        self.is_done = False
        self._is_cut = False

    @property
    def so_far(self) -> list[int]:
        """Prompt and chosen tokens: from here the model reads on, also after a failure."""
        return self._prompt + self._tokens

    def take(self, row: Any, likeliest: int) -> int:
        """Choose the next token from its scores."""
        token = likeliest
        if self._request.temperature > 0.0:
            token = self._sampler.pick(row.cpu().numpy().astype(np.float32))
        if token in self._ends:
            self._close()
            return token
        self._tokens.append(token)
        text = self._tokenizer.decode(self._tokens, skip_special_tokens=True)
        if not text.endswith("\N{REPLACEMENT CHARACTER}"):  # else a character is not yet whole
            self._stream.add(text[len(self._shown) :])
            self._shown = text
        if self._stream.is_stopped:
            self._close()
        elif len(self._tokens) >= self._request.max_tokens:
            self._is_cut = True
            self._close()
        return token

    def _close(self) -> None:
        self.is_done = True
        self._seconds = time.perf_counter() - self._began

    def result(self) -> Generation:
        """The finished text, and what it cost."""
        return Generation(
            self._stream.finish(),
            tokens=len(self._tokens),
            seconds=self._seconds,
            prompt_tokens=len(self._prompt),
            finish_reason="length" if self._is_cut else "stop",
        )


def load(options: BackendOptions) -> Transformers:
    """The model that the options name, else the user's or the shipped one in this format.

    Runs on CUDA, ROCm or Apple's GPU where torch finds one, unless the options say "cpu"; where
    the model does not fit there, on the processor. Raises ModelError.
    """
    path = find_writer(options.model, "transformers")
    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()
    device, reason = _choose_device(options.device)
    try:
        return Transformers(
            path, device=device, reason=reason, context_tokens=options.context_tokens
        )
    except RuntimeError as error:
        _refuse_unless_out_of_memory(error)
    _free_memory()
    reason = "Runs on the processor, because the GPU has too little memory for the model."
    return Transformers(path, device="cpu", reason=reason, context_tokens=options.context_tokens)


def _choose_device(preference: str) -> tuple[str, str]:
    if preference == "cpu":
        return "cpu", "Runs on the processor, as the settings say."
    if torch.cuda.is_available():  # also true of ROCm builds
        return "cuda", f"Runs on the GPU ({torch.cuda.get_device_name()})."
    if torch.backends.mps.is_available():
        return "mps", "Runs on the GPU (Apple)."
    return "cpu", "Runs on the processor: torch finds no GPU here."


def _load_tokenizer(path: Path) -> Any:
    folder, extra = _source(path)
    try:
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, **extra)
    except (OSError, ValueError, KeyError) as error:
        raise _no_model(path) from error


def _load_model(path: Path, device: str) -> Any:
    folder, extra = _source(path)
    if device == "cuda":
        kind = torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        if util.find_spec("accelerate") is not None:
            # Straight onto the GPU, and what has no room there into the main memory.
            extra["device_map"] = "auto"
    else:
        kind = torch.float32 if device == "cpu" else torch.float16
    try:
        model: Any = transformers.AutoModelForCausalLM.from_pretrained(
            folder, local_files_only=True, dtype=kind, **extra
        )
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        if _is_out_of_memory(error):
            raise
        raise _no_model(path) from error
    if "device_map" not in extra:
        model = model.to(device)
    return model.eval()


def _source(path: Path) -> tuple[str, dict[str, Any]]:
    """The folder to load from, and the name of a GGUF file in it."""
    if path.suffix.lower() == ".gguf":
        return str(path.parent), {"gguf_file": path.name}
    return str(path), {}


def _no_model(path: Path) -> ModelError:
    return ModelError(
        f"Transformers cannot load {path.name}.",
        hint="Check that the folder holds config.json, the tokenizer and the weights.",
    )


def _end_tokens(tokenizer: Any) -> frozenset[int]:
    """The tokens that end a text: the tokenizer's own, and those that end a chat turn."""
    ends = {tokenizer.eos_token_id}
    known = tokenizer.get_vocab()
    ends |= {known[name] for name in ("<|eot_id|>", "<|im_end|>", "<end_of_turn>") if name in known}
    return frozenset(token for token in ends if token is not None)


def _memory_argument(model: Any) -> str:
    """What the model calls the memory of what it has read, which newer versions renamed."""
    known = inspect.signature(model.forward).parameters
    return "cache" if "cache" in known else "past_key_values"


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether a GPU ran out of memory; Apple's says so only in words."""
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error)


def _refuse_unless_out_of_memory(error: RuntimeError) -> None:
    """Raises BackendError on any other failure of torch."""
    if not _is_out_of_memory(error):
        raise BackendError(
            "PyTorch failed while it generated.", hint="Try it with --device cpu."
        ) from error


def _free_memory() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
