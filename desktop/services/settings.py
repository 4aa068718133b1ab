"""The user's settings, each declared once with its type, title and range."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from PySide6.QtCore import QObject, Signal

from engine.documents.atomic import write_bytes
from engine.errors import InputError
from engine.folders import config_folder
from engine.history import RunKind

Value = TypeVar("Value")
_logger = logging.getLogger(__name__)


class Option(Generic[Value]):
    """One setting: a typed attribute of `Settings` that checks, stores and announces its value.

    `title` is what the settings page calls it, empty for what the window only remembers.
    """

    def __init__(self, default: Value, *, title: str = "", help: str = "") -> None:
        self.default = default
        self.title = title
        self.help = help
        self.name = ""

    def __set_name__(self, owner: type[Settings], name: str) -> None:
        self.name = name
        owner.options[name] = self

    @overload
    def __get__(self, settings: None, owner: type[Settings]) -> Self: ...

    @overload
    def __get__(self, settings: Settings, owner: type[Settings]) -> Value: ...

    def __get__(self, settings: Settings | None, owner: type[Settings]) -> Self | Value:
        if settings is None:
            return self
        value: Value = settings.value(self.name)
        return value

    def __set__(self, settings: Settings, value: Value) -> None:
        settings.set_value(self.name, value)

    def accepts(self, value: object) -> bool:
        """Whether a value has the right type and lies in the range."""
        return type(value) is type(self.default)


class Choice(Option[str]):
    """One of a few named values; `choices` maps each to its title."""

    def __init__(
        self, default: str, choices: Mapping[str, str], *, title: str, help: str = ""
    ) -> None:
        super().__init__(default, title=title, help=help)
        self.choices = dict(choices)

    def accepts(self, value: object) -> bool:
        """Whether it is one of the choices."""
        return isinstance(value, str) and value in self.choices


class Number(Option[int]):
    """A whole number from `minimum` to `maximum`."""

    def __init__(
        self,
        default: int,
        *,
        minimum: int,
        maximum: int,
        title: str,
        unit: str = "",
        help: str = "",
    ) -> None:
        super().__init__(default, title=title, help=help)
        self.minimum = minimum
        self.maximum = maximum
        self.unit = unit

    def accepts(self, value: object) -> bool:
        """Whether it lies in the range."""
        return type(value) is int and self.minimum <= value <= self.maximum


class Switch(Option[bool]):
    """On or off."""


class Line(Option[str]):
    """A line of free text; where `picture` is set, the path of a picture file."""

    def __init__(self, *, title: str, picture: bool = False, help: str = "") -> None:
        super().__init__("", title=title, help=help)
        self.picture = picture

    def accepts(self, value: object) -> bool:
        """Whether it is one line of reasonable length."""
        return isinstance(value, str) and len(value) <= 500 and "\n" not in value


class StoredModel(Option[str]):
    """The id of an installed model with this `role`; empty for the first there is."""

    def __init__(self, role: str, *, title: str, help: str = "") -> None:
        super().__init__("", title=title, help=help)
        self.role = role

    def accepts(self, value: object) -> bool:
        """Whether it can be an id."""
        return isinstance(value, str) and len(value) <= 100 and "\n" not in value


class Texts(Option[list[str]]):
    """A list of short texts, such as paths."""

    def accepts(self, value: object) -> bool:
        """Whether it is a list of texts."""
        return isinstance(value, list) and all(isinstance(item, str) for item in value)


class Settings(QObject):
    """The settings, kept in one JSON file that is written whole at each change.

    A damaged file is set aside and the defaults hold; values out of range fall back to their
    default; entries that this version does not know are kept for the one that does.
    """

    changed = Signal(str)  # the setting's name
    failed = Signal(str)  # a plain sentence: the settings cannot be stored

    options: ClassVar[dict[str, Option[Any]]] = {}

    strictness = Choice(
        "balanced",
        {"few": "Only the clearest", "balanced": "Balanced", "thorough": "As many as possible"},
        title="How many sentences to flag",
        help="More flags find more problems, but more of them are false alarms.",
    )
    show_rewrites = Switch(True, title="Suggest rewrites")
    correct_grammar = Switch(
        False,
        title="Correct grammar before judging",
        help="Segue then judges how the text flows as if its surest spelling and grammar mistakes "
        "were corrected, and lists them. Your text stays as it is.",
    )
    recheck = Switch(
        True,
        title="Check again after changes",
        help="Once an essay was checked, later changes are judged in the background.",
    )
    writer = Choice(
        "off",
        {
            "off": "Off",
            "computer": "By a model on this computer",
            "server": "By a server that you name",
        },
        title="Generate rewrites",
        help="Where Segue's own rules find no small change, or few, a language model can write more. "
        "What it writes is checked like any other rewrite, and marked as generated.",
    )
    writer_model = StoredModel("writer", title="Model")
    server_address = Line(
        title="Address of the server",
        help="An OpenAI-compatible server, such as http://127.0.0.1:8080/v1. If it asks for a key, "
        "put it into the environment variable SEGUE_SERVER_KEY before you start Segue: Segue "
        "stores no key.",
    )
    server_model = Line(
        title="Model on the server", help="Leave it empty for the first that the server lists."
    )
    theme = Choice(
        "system", {"system": "Like the system", "light": "Light", "dark": "Dark"}, title="Colours"
    )
    font_size = Number(12, minimum=9, maximum=32, unit="pt", title="Size of all text")
    device = Choice(
        "auto",
        {"auto": "Choose for me", "cpu": "Processor", "gpu": "Graphics card"},
        title="Check with",
    )
    school_name = Line(title="School")
    school_logo = Line(title="Logo", picture=True, help="A PNG, JPEG or SVG of at most 1 MB.")
    teacher_name = Line(title="Teacher", help="These stand at the head of the reports on a class.")
    download_mirror = Line(
        title="Mirror",
        help="The address of a copy of the model hub, where yours is blocked or slow. Leave it "
        "empty otherwise.",
    )
    download_proxy = Line(
        title="Proxy",
        help="As http://name:port, if your school or company needs one and your system does not "
        "name it.",
    )
    recent_files = Texts([])
    window_geometry = Option("")
    history_kind = Choice(
        RunKind.ALL.value,
        {
            RunKind.ALL.value: "All checks",
            RunKind.OWN.value: "My essays",
            RunKind.CLASS.value: "Class essays",
        },
        title="",
    )

    def __init__(self, file: Path | None = None, parent: QObject | None = None) -> None:
        """`file` is by default `settings.json` in the user's configuration folder."""
        super().__init__(parent)
        self.file = file or config_folder() / "settings.json"
        self._stored: dict[str, Any] = self._read()

    def value(self, name: str) -> Any:
        """The value of the setting called `name`."""
        option = self.options[name]
        stored = self._stored.get(name)
        value = stored if option.accepts(stored) else option.default
        return list(value) if isinstance(value, list) else value

    def set_value(self, name: str, value: object) -> None:
        """Change a setting. Raises ValueError when the value does not fit its declaration."""
        option = self.options[name]
        if not option.accepts(value):
            raise ValueError(f"{value!r} does not fit the setting {name!r}")
        if value == self.value(name):
            return
        self._stored[name] = value
        self._write()
        self.changed.emit(name)

    def reset(self) -> None:
        """Put everything that the settings page shows back to its default."""
        for name, option in self.options.items():
            if option.title:
                self.set_value(name, option.default)

    def _read(self) -> dict[str, Any]:
        try:
            data = json.loads(self.file.read_bytes())
            if not isinstance(data, dict):
                raise TypeError("not an object")
        except FileNotFoundError:
            return {}
        except OSError:
            _logger.exception("The settings cannot be read")
            return {}
        except (ValueError, TypeError, RecursionError):
            self._set_aside()
            return {}
        return data

    def _set_aside(self) -> None:
        stamp = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
        aside = self.file.with_name(f"{self.file.name}.damaged-{stamp}")
        _logger.warning("The settings are damaged and set aside as %s", aside.name)
        try:
            self.file.replace(aside)
        except OSError:
            _logger.exception("The damaged settings cannot be renamed")

    def _write(self) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            write_bytes(self.file, json.dumps(self._stored, indent=2, sort_keys=True).encode())
        except (OSError, InputError):
            _logger.exception("The settings cannot be written")
            self.failed.emit("Your settings could not be stored. They hold until you close Segue.")
