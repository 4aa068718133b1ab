"""The options by which a research command names a language model."""

from __future__ import annotations

import argparse
import os

from engine.errors import UsageError
from engine.llm.backends import BACKENDS, open_backend
from engine.llm.options import CONTEXT_TOKENS, BackendOptions
from engine.llm.protocol import GeneratesText

KEY_VARIABLE = "SEGUE_SERVER_KEY"
"""The environment variable that holds a server's key, so that no key stands in a command line."""


def add_generator_arguments(parser: argparse.ArgumentParser, *, without: str | None = None) -> None:
    """Declare --backend, --model, --server, --device and --seed.

    `without` is one more choice, the default, that stands for no language model.
    """
    choices = [without, *BACKENDS] if without else list(BACKENDS)
    parser.add_argument(
        "--backend",
        choices=choices,
        default=without,
        required=without is None,
        help="what runs the language model"
        + (f"; {without}: none, only the edit rules (default)" if without else ""),
    )
    parser.add_argument(
        "--model",
        metavar="ID-or-PATH",
        help="the language model: a file, a folder, or its name on the server",
    )
    parser.add_argument(
        "--server",
        default="",
        metavar="URL",
        help="an OpenAI-compatible server for --backend server; the sentences leave this "
        f"computer. Its key is taken from {KEY_VARIABLE}",
    )
    parser.add_argument(
        "--device", choices=("auto", "cpu", "gpu"), default="auto", help="where the models run"
    )
    parser.add_argument(
        "--seed", type=int, default=0, help="of every random choice (default: %(default)s)"
    )


def open_generator(
    arguments: argparse.Namespace, *, context_tokens: int = CONTEXT_TOKENS
) -> GeneratesText:
    """The language model that the arguments name.

    Raises UsageError where the server's address is missing, BackendError and ModelError.
    """
    if arguments.backend == "server" and not arguments.server:
        raise UsageError("--backend server needs the server's address: --server URL.")
    options = BackendOptions(
        model=arguments.model,
        device=arguments.device,
        url=arguments.server,
        api_key=os.environ.get(KEY_VARIABLE, ""),
        context_tokens=context_tokens,
    )
    return open_backend(arguments.backend, options)
