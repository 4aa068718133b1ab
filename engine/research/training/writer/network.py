"""The language model with LoRA adapters, as a function from a batch to the answers' losses."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from engine.research.training.writer.config import WriterConfig
from engine.research.training.writer.encoding import Batch

_CASTS = "cast_input_dtype_enabled"


class WriterNetwork(nn.Module):
    """A `LlamaForCausalLM` whose base weights stay as they are and whose adapters are trained.

    The beginning that all prompts of a batch share is read once, and its keys and values serve
    every item, with their gradients. Scores over the vocabulary, which cost a fifth of a pass, are
    worked out only where an answer's token is foretold.
    """

    def __init__(self, model: Any, config: WriterConfig) -> None:
        super().__init__()
        self.adapted = _with_adapters(model, config)
        self.adapted.train()

    @property
    def language_model(self) -> Any:
        """The model inside, adapters and all."""
        return self.adapted.get_base_model()

    def forward(self, batch: Batch) -> torch.Tensor:
        """The loss of each foretold token, in nats (tokens,)."""
        from transformers import DynamicCache

        model = self.language_model
        cache = DynamicCache()
        read = {"use_cache": True, _cache_argument(model.model): cache}
        if batch.prefix.numel():
            model.model(input_ids=batch.prefix[None], **read)
            cache.batch_repeat_interleave(batch.ids.shape[0])
        # Padding stands on the right, where causal attention never looks.
        states = model.model(input_ids=batch.ids, **read)
        logits = model.lm_head(states.last_hidden_state[batch.rows, batch.columns])
        return functional.cross_entropy(logits.float(), batch.labels, reduction="none")

    def adapter_state(self) -> dict[str, torch.Tensor]:
        """The adapters' weights by parameter name."""
        return {
            name: parameter.detach().cpu().clone()
            for name, parameter in self.adapted.named_parameters()
            if parameter.requires_grad
        }

    def load_adapter(self, state: Mapping[str, torch.Tensor]) -> None:
        """Take over what `adapter_state` gave. Raises ValueError where the shapes differ."""
        own = {n: p for n, p in self.adapted.named_parameters() if p.requires_grad}
        if own.keys() != state.keys():
            raise ValueError("the adapters are on other layers")
        with torch.no_grad():
            for name, parameter in own.items():
                if parameter.shape != state[name].shape:
                    raise ValueError(f"{name} has another shape")
                parameter.copy_(state[name])

    def adapters(self) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
        """Module name -> (A: rank x inputs, B: outputs x rank); a weight W becomes W + scale BA."""
        found = {}
        for name, module in self.language_model.named_modules():
            if hasattr(module, "lora_A") and "default" in module.lora_A:
                down, up = module.lora_A["default"].weight, module.lora_B["default"].weight
                found[name] = (down.detach().float().cpu(), up.detach().float().cpu())
        return found


def _cache_argument(decoder: Any) -> str:
    """What the installed transformers calls the keys and values that were read before."""
    names = inspect.signature(type(decoder).forward).parameters
    return "cache" if "cache" in names else "past_key_values"


def _with_adapters(model: Any, config: WriterConfig) -> Any:
    from peft import LoraConfig, get_peft_model

    layers = model.config.num_hidden_layers
    lora = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        layers_to_transform=list(range(min(config.first_layer, layers - 1), layers)),
        task_type="CAUSAL_LM",
    )
    with warnings.catch_warnings():
        # peft asks transformers for things by names that newer versions are giving up.
        warnings.simplefilter("ignore", FutureWarning)
        adapted = get_peft_model(model, lora)
    for module in adapted.modules():
        if hasattr(module, _CASTS):
            # Autocast sees to the types; peft's own casts would only cost time.
            setattr(module, _CASTS, False)
    return adapted


def precision() -> str:
    """What accelerate should compute in: half precision where the device has it, else "no"."""
    if torch.cuda.is_available():
        return "bf16" if torch.cuda.is_bf16_supported() else "fp16"
    able = torch.cpu.get_capabilities()
    return "bf16" if able.get("avx512_bf16") or able.get("amx_bf16") else "no"


def base_dtype() -> torch.dtype:
    """What the base weights are kept in while training."""
    return torch.bfloat16 if precision() == "bf16" else torch.float32


def attention() -> str:
    """How attention is worked out while training.

    On processors PyTorch's fused form takes three times as long to go back through as plain
    matrix products, at the lengths of our prompts.
    """
    return "sdpa" if torch.cuda.is_available() else "eager"
