"""`segue models`: see, download, bring in, verify and remove models."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.commands.models_output import LINE, show_list
from engine.commands.models_progress import ModelProgressDisplay
from engine.commands.stopping import StopRequest
from engine.console import Console
from engine.errors import Cancelled, ModelError
from engine.exit_codes import DESCRIPTION, ExitCode

if TYPE_CHECKING:
    from engine.models.catalogue import Catalogue
    from engine.models.device import Probe
    from engine.models.overview import ModelOverview
    from engine.models.speed import Machine
    from engine.models.store import ModelStore


@dataclass(frozen=True)
class Surroundings:
    """What the command works on: the models here, those on offer, and this computer."""

    store: ModelStore
    catalogue: Catalogue
    machine: Machine
    probe: Probe

    def survey(self) -> tuple[ModelOverview, ...]:
        """Every model at a glance."""
        from engine.models.overview import survey

        return survey(self.store, self.catalogue, self.machine, self.probe)


def surroundings() -> Surroundings:
    """The user's own models and this very computer."""
    from engine.models.catalogue import load_catalogue
    from engine.models.device import probe
    from engine.models.speed import look_at_machine
    from engine.models.store import default_store

    return Surroundings(default_store(), load_catalogue(), look_at_machine(), probe())


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands of `segue models`."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="the models on this computer and those on offer")
    install = actions.add_parser(
        "install",
        help="download a model (the only thing in Segue that uses the internet)",
        description="Download a model. Ctrl+C stops it; the same command goes on from there.",
    )
    install.add_argument("model", metavar="ID", help="the id that list shows")
    install.add_argument("--mirror", default="", metavar="URL", help="a copy of the model hub")
    install.add_argument("--proxy", default="", metavar="URL", help="as http://name:port")
    install.add_argument(
        "--accept-licence", action="store_true", help="agree to a licence that has conditions"
    )
    bring = actions.add_parser(
        "import",
        help="copy in a model from a file or folder, without the internet",
        description="Copy in a model: a GGUF file, a folder as Transformers saves it, or a "
        "folder with a manifest.json. What could run as a program is left behind.",
    )
    bring.add_argument("source", type=Path, metavar="PATH", help="the file or folder")
    bring.add_argument("--name", default="", metavar="ID", help="what to call it")
    bring.add_argument(
        "--like", default="", metavar="ID", help="the model on offer that it is a copy of"
    )
    verify = actions.add_parser("verify", help="read models again and compare their checksums")
    verify.add_argument("models", nargs="*", metavar="ID", help="which ones (default: all)")
    remove = actions.add_parser("remove", help="delete a model, or what is left of a download")
    remove.add_argument("model", metavar="ID", help="the id that list shows")
    for action in (listing, install, bring, verify):
        action.add_argument("--json", action="store_true", help="write JSON (segue.models/1)")
    for action in actions.choices.values():
        action.description = textwrap.fill(action.description or "", 80)
        action.epilog = DESCRIPTION
        action.formatter_class = argparse.RawDescriptionHelpFormatter


def run(
    arguments: argparse.Namespace, console: Console, *, around: Surroundings | None = None
) -> int:
    """Do what was asked. Raises UsageError, UnreadableFile, DownloadError and ModelError."""
    here = around or surroundings()
    match arguments.action:
        case "list":
            return _list(arguments, console, here)
        case "install":
            return _install(arguments, console, here)
        case "import":
            return _import(arguments, console, here)
        case "verify":
            return _verify(arguments, console, here)
    return _remove(arguments, console, here)


def _list(arguments: argparse.Namespace, console: Console, here: Surroundings) -> int:
    found = here.survey()
    if arguments.json:
        _write_json(console, [one.as_dict() for one in found])
    else:
        show_list(found, here.machine, console)
    return ExitCode.OK


def _install(arguments: argparse.Namespace, console: Console, here: Surroundings) -> int:
    from engine.models.hub import Hub
    from engine.models.installing import Installer

    entry = here.catalogue.find(arguments.model)
    hub = Hub(endpoint=arguments.mirror, proxy=arguments.proxy)
    try:
        with ModelProgressDisplay(console) as display, StopRequest() as stop:
            folder = Installer(here.store, hub).install(
                entry,
                accept_licence=arguments.accept_licence,
                on_progress=display.hear,
                check_cancelled=stop.check,
            )
    except (Cancelled, KeyboardInterrupt):
        console.say("What was downloaded so far is kept; the same command goes on from there.")
        raise
    finally:
        hub.close()
    return _tell(entry.id, folder, "Installed", arguments, console, here)


def _import(arguments: argparse.Namespace, console: Console, here: Surroundings) -> int:
    from engine.models.importing import import_model

    like = here.catalogue.find(arguments.like) if arguments.like else None
    with ModelProgressDisplay(console) as display, StopRequest() as stop:
        folder = import_model(
            here.store,
            arguments.source,
            name=arguments.name,
            like=like,
            catalogue=here.catalogue,
            on_progress=display.hear,
            check_cancelled=stop.check,
        )
    return _tell(folder.name, folder, "Brought in", arguments, console, here)


def _tell(
    model: str,
    folder: Path,
    done: str,
    arguments: argparse.Namespace,
    console: Console,
    here: Surroundings,
) -> int:
    found = [one for one in here.survey() if one.id == model]
    if arguments.json:
        _write_json(console, [one.as_dict() for one in found])
        return ExitCode.OK
    console.line(f"{done}: {model}, in {folder}")
    for one in found:
        about = one.device.reason if one.device else one.problem
        if about:
            console.line(about)
    return ExitCode.OK


def _verify(arguments: argparse.Namespace, console: Console, here: Surroundings) -> int:
    from engine.models.installing import verify_model

    wanted: Sequence[str] = arguments.models or [one.id for one in here.store.models()]
    if not wanted:
        raise ModelError("There is no model to verify.", hint="`segue models list` shows more.")
    for model in wanted:
        here.store.folder(model)
    results = []
    for model in wanted:
        error: ModelError | None = None
        try:
            with ModelProgressDisplay(console) as display, StopRequest() as stop:
                verify_model(
                    here.store, model, on_progress=display.hear, check_cancelled=stop.check
                )
        except ModelError as caught:
            error = caught
        results.append(
            {"id": model, "ok": error is None, "error": error.as_dict() if error else None}
        )
        if not arguments.json:
            word = (
                console.paint("ok", "green") if error is None else console.paint("DAMAGED", "red")
            )
            console.line(f"{model}: {word}")
        if error is not None:
            console.error(error.message, error.hint)
    if arguments.json:
        _write_json(console, results)
    return ExitCode.OK if all(one["ok"] for one in results) else ExitCode.NO_MODEL


def _remove(arguments: argparse.Namespace, console: Console, here: Surroundings) -> int:
    from engine.models.placing import in_words

    size = here.store.remove(arguments.model)
    freed = f" ({in_words(size)})" if size else ""
    console.say(f"Removed {arguments.model}{freed}.")
    return ExitCode.OK


def _write_json(console: Console, models: list[dict[str, object]]) -> None:
    from engine.models.overview import SCHEMA

    data = {"schema": SCHEMA, "models": models}
    console.line(json.dumps(data, ensure_ascii=False, indent=LINE))
