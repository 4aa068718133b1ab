"""llama.cpp: quantized GGUF models on the processor, or on a GPU where it was built for one.

The only module that imports llama_cpp. What a model has read stays in its memory between
requests, so that the next sentence of an essay costs only what is new in its prompt. Cancelling
works between two tokens, and inside a long prompt through llama.cpp's own abort hook.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import llama_cpp
import numpy as np
import psutil
from llama_cpp.llama_chat_format import Jinja2ChatFormatter

from engine.errors import BackendError, ModelError
from engine.llm.batches import one_by_one
from engine.llm.chat import plain_chat, templated
from engine.llm.decoding import Reader
from engine.llm.model_files import find_writer
from engine.llm.options import BackendOptions
from engine.llm.protocol import CancelCheck, Generation, GenerationRequest, TextListener, never
from engine.llm.sampling import Sampler, Scores, mean_log_chance
from engine.llm.streaming import TextStream

_BATCH = 512
_LONG_PASS = 32
"""From so many tokens on a pass may take long enough to be worth breaking off."""
_ABORTED = 2
_LONGEST_PIECE = 512


class LlamaCpp:
    """A loaded GGUF model. `reason` says why it runs where it runs."""

    leaves_machine = False

    def __init__(
        self,
        path: Path,
        *,
        context_tokens: int = 2048,
        threads: int | None = None,
        is_on_gpu: bool = False,
        reason: str = "",
    ) -> None:
        """Load the model. Raises ModelError where the file is no model that llama.cpp can run."""
        self._path = path
        self._device = "gpu" if is_on_gpu else "cpu"
        self._reason = reason
        threads = threads or psutil.cpu_count(logical=False) or 1
        try:
            self._llama = llama_cpp.Llama(
                model_path=str(path),
                n_ctx=context_tokens,
                n_batch=_BATCH,
                n_threads=threads,
                n_threads_batch=threads,
                n_gpu_layers=-1 if is_on_gpu else 0,
                verbose=False,
            )
        except (ValueError, RuntimeError, OSError) as error:
            raise ModelError(
                f"llama.cpp cannot load {path.name}.",
                hint="Check that it is a whole GGUF file, and that there is memory enough for it.",
            ) from error
        self._memory = _Memory(self._llama)
        self._reader = Reader(self._memory)
        self._template = _chat_template(self._llama)

    def generate(
        self,
        request: GenerationRequest,
        *,
        on_text: TextListener | None = None,
        check_cancelled: CancelCheck = never,
    ) -> Generation:
        """One text for the request. Raises BackendError and Cancelled."""
        began = time.perf_counter()
        check_cancelled()
        prompt = self._prompt_tokens(request)
        stream = TextStream(request.stop, on_text=on_text)
        sampler = Sampler(temperature=request.temperature, top_p=request.top_p, seed=request.seed)
        count = 0
        self._memory.check_cancelled = check_cancelled
        try:
            for token in self._reader.generate(
                prompt, sampler, most=request.max_tokens, is_end=self._is_end
            ):
                count += 1
                check_cancelled()
                stream.add_bytes(self._piece(token))
                if stream.is_stopped:
                    break
        finally:
            self._memory.check_cancelled = never
        is_cut = count >= request.max_tokens and not stream.is_stopped
        return Generation(
            stream.finish(),
            tokens=count,
            seconds=time.perf_counter() - began,
            prompt_tokens=len(prompt),
            finish_reason="length" if is_cut else "stop",
        )

    def generate_all(
        self, requests: Sequence[GenerationRequest], *, check_cancelled: CancelCheck = never
    ) -> list[tuple[Generation, ...]]:
        """`request.n` texts for each request, one after the other."""
        return one_by_one(self, requests, check_cancelled=check_cancelled)

    def likelihood(
        self, text: str, *, context: str = "", check_cancelled: CancelCheck = never
    ) -> float:
        """The mean log probability of the text's tokens after the context, in nats a token."""
        if not text.strip():
            raise ValueError("there is no text to score")
        before = self._tokens(context, is_chat=False)
        tokens = self._tokens(f"{context} {text}" if context else text, is_chat=False)
        start = 0
        while start < min(len(before), len(tokens) - 1) and before[start] == tokens[start]:
            start += 1
        start = max(start, 1)
        self._refuse_too_long(len(tokens))
        if len(tokens) <= start:
            return 0.0
        self._memory.check_cancelled = check_cancelled
        try:
            rows = self._reader.score(tokens[:-1], rows=len(tokens) - start)
        finally:
            self._memory.check_cancelled = never
        return mean_log_chance(rows, tokens[start:])

    def describe(self) -> dict[str, Any]:
        """Backend, model file, device and why it runs there."""
        return {
            "backend": "llama-cpp",
            "model": self._path.name,
            "device": self._device,
            "reason": self._reason,
            "leaves_machine": False,
        }

    def close(self) -> None:
        """Give back the memory."""
        self._memory.close()
        self._llama.close()

    def _prompt_tokens(self, request: GenerationRequest) -> list[int]:
        template = self._template
        if not request.messages:
            text = request.prompt
        elif template is None:
            text = plain_chat(request.messages)
        else:
            # Templates that know no such thing pass it over; Qwen3's would have it think aloud.
            text = templated(
                request.messages,
                lambda told: template(messages=told, enable_thinking=False).prompt,
            )
        tokens = self._tokens(text, is_chat=bool(request.messages))
        self._refuse_too_long(len(tokens) + request.max_tokens)
        return tokens

    def _tokens(self, text: str, *, is_chat: bool) -> list[int]:
        """The text's tokens; only a chat template's own marks are read as control tokens."""
        begin = self._llama.token_bos()
        adds_begin = bool(llama_cpp.llama_vocab_get_add_bos(self._vocab)) and begin >= 0
        tokens: list[int] = self._llama.tokenize(text.encode("utf-8"), False, is_chat)
        if adds_begin and tokens[:1] != [begin]:
            tokens.insert(0, begin)
        return tokens or [max(begin, 0)]

    def _refuse_too_long(self, count: int) -> None:
        room = self._llama.n_ctx()
        if count > room:
            raise BackendError(
                f"The text is too long for the model: {count} tokens, and it takes {room}.",
                hint="Give the model more context, or ask for less at a time.",
            )

    @property
    def _vocab(self) -> Any:
        return llama_cpp.llama_model_get_vocab(self._llama.model)

    def _is_end(self, token: int) -> bool:
        return bool(llama_cpp.llama_vocab_is_eog(self._vocab, token))

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(_LONGEST_PIECE)
        length = llama_cpp.llama_token_to_piece(
            self._vocab, token, buffer, _LONGEST_PIECE, 0, False
        )
        return bytes(buffer.raw[: max(length, 0)])


class _Memory:
    """llama.cpp's context as `decoding.ReadsTokens`: it reads on, and forgets from a place on."""

    def __init__(self, llama: llama_cpp.Llama) -> None:
        self.check_cancelled: CancelCheck = never
        self._context = llama.ctx
        self._columns = llama.n_vocab()
        self._store = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(_BATCH, 0, 1)
        self._count = 0
        self._raised: BaseException | None = None
        self._abort = llama_cpp.ggml_abort_callback(self._must_abort)
        self._no_abort = llama_cpp.ggml_abort_callback()

    def keep(self, count: int) -> int:
        """Forget all but the first tokens; models without a cut in their memory forget all."""
        count = max(0, min(count, self._count))
        if not llama_cpp.llama_memory_seq_rm(self._store, 0, count, -1):
            llama_cpp.llama_memory_clear(self._store, True)
            count = 0
        self._count = count
        return count

    def read(self, tokens: Sequence[int], *, rows: int) -> Scores:
        """Read on, in passes of at most `_BATCH` tokens. Raises BackendError and Cancelled."""
        first_wanted = len(tokens) - rows
        scores = np.empty((rows, self._columns), dtype=np.float32)
        for start in range(0, len(tokens), _BATCH):
            part = tokens[start : start + _BATCH]
            wanted = [start + i >= first_wanted for i in range(len(part))]
            self._pass(part, wanted)
            for i, is_wanted in enumerate(wanted):
                if is_wanted:
                    scores[start + i - first_wanted] = self._row(i)
        return scores

    def close(self) -> None:
        """Free what llama.cpp allocated for us."""
        llama_cpp.llama_batch_free(self._batch)

    def _pass(self, tokens: Sequence[int], wanted: Sequence[bool]) -> None:
        batch = self._batch
        batch.n_tokens = len(tokens)
        for i, token in enumerate(tokens):
            batch.token[i] = token
            batch.pos[i] = self._count + i
            batch.n_seq_id[i] = 1
            batch.seq_id[i][0] = 0
            batch.logits[i] = wanted[i]
        self.check_cancelled()
        is_long = len(tokens) >= _LONG_PASS
        if is_long:
            llama_cpp.llama_set_abort_callback(self._context, self._abort, None)
        try:
            code = llama_cpp.llama_decode(self._context, batch)
        finally:
            if is_long:
                llama_cpp.llama_set_abort_callback(self._context, self._no_abort, None)
        if code == 0:
            self._count += len(tokens)
            return
        raised, self._raised = self._raised, None
        llama_cpp.llama_memory_clear(self._store, True)
        self._count = 0
        if code == _ABORTED and raised is not None:
            raise raised
        raise BackendError(
            f"llama.cpp failed while it read the text (code {code}).",
            hint="There may be too little memory. Close other programs, or use a smaller model.",
        )

    def _row(self, place: int) -> Scores:
        pointer = llama_cpp.llama_get_logits_ith(self._context, place)
        row: Scores = np.ctypeslib.as_array(pointer, shape=(self._columns,))
        return row

    def _must_abort(self, _data: object) -> bool:
        """Called by llama.cpp in the middle of a pass; an exception must not leave it."""
        if self._raised is None:
            try:
                self.check_cancelled()
            except BaseException as error:  # noqa: BLE001 - handed on once llama.cpp has returned
                self._raised = error
        return self._raised is not None


def load(options: BackendOptions) -> LlamaCpp:
    """The GGUF model that the options name, else the user's or the shipped writer.

    A GPU is used where llama.cpp was built for one, unless the options say "cpu"; where the model
    does not load there, the processor is used and the reason kept. Raises ModelError.
    """
    path = find_writer(options.model, "gguf")
    can_offload = bool(llama_cpp.llama_supports_gpu_offload())
    if options.device == "cpu":
        reason = "Runs on the processor, as the settings say."
    elif not can_offload:
        reason = "Runs on the processor: llama.cpp is built without GPU support here."
    else:
        try:
            return _loaded(path, options, is_on_gpu=True, reason="Runs on the GPU.")
        except ModelError:
            reason = "Runs on the processor because the model did not load on the GPU."
    return _loaded(path, options, is_on_gpu=False, reason=reason)


def _loaded(path: Path, options: BackendOptions, *, is_on_gpu: bool, reason: str) -> LlamaCpp:
    return LlamaCpp(
        path,
        context_tokens=options.context_tokens,
        threads=options.threads,
        is_on_gpu=is_on_gpu,
        reason=reason,
    )


def _chat_template(llama: llama_cpp.Llama) -> Any:
    """What turns messages into a prompt; None for a model that brings no template."""
    template = llama.metadata.get("tokenizer.chat_template")
    if not template:
        return None

    def text_of(token: int) -> str:
        if token < 0:
            return ""
        text: bytes = llama_cpp.llama_vocab_get_text(
            llama_cpp.llama_model_get_vocab(llama.model), token
        )
        return text.decode("utf-8", "replace")

    return Jinja2ChatFormatter(
        template=template,
        eos_token=text_of(llama.token_eos()),
        bos_token=text_of(llama.token_bos()),
    )
