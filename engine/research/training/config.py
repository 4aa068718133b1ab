"""The training recipe, read from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class TrainingConfig:
    """Every number that the shipped weights depend on.

    `frozen_layers` counts encoder layers that stay as the base model has them; `learning_rate`
    belongs to the encoder and `head_rate` to the heads; weights multiply the four losses. Before
    the soft labels come `corrupted_epochs` on essays with `corrupted_share` of their sentences
    broken on purpose, see `corruption`; after them `typed_epochs` on the essays as typed, of whose
    change to the weights `typed_share` is kept, see `typed`.
    """

    base: str = "all-mpnet-base-v2"
    seed: int = 7
    epochs: int = 3
    patience: int = 1
    batch: int = 8
    learning_rate: float = 4e-5
    head_rate: float = 5e-4
    layer_decay: float = 0.95
    weight_decay: float = 0.01
    warm_up: float = 0.06
    dropout: float = 0.1
    frozen_layers: int = 2
    detection_weight: float = 1.0
    reason_weight: float = 0.5
    anchor_weight: float = 0.2
    surprise_weight: float = 0.5
    corrupted_epochs: int = 0
    corrupted_share: float = 0.3
    typed_epochs: int = 0
    typed_share: float = 1.0
    checkpoint_every: int = 40
    card_history: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for the model card."""
        return asdict(self)


Recipe = TypeVar("Recipe", bound="DataclassInstance")

_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str,
    "int": int,
    "float": (int, float),
    "bool": bool,
    "tuple[str, ...]": list,
}


def read_config(path: Path) -> TrainingConfig:
    """The recipe in a TOML file; UsageError where a name or a type is not known."""
    return read_recipe(path, TrainingConfig)


def read_recipe(path: Path, kind: type[Recipe]) -> Recipe:
    """A TOML file as a recipe of that kind; UsageError where a name or a type is not known."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"The configuration {path.name} cannot be read: {error}") from error
    known = {field.name: str(field.type) for field in fields(kind)}
    for name, value in values.items():
        if name not in known:
            raise UsageError(f"{path.name}: no setting is called {name!r}.")
        if not isinstance(value, _TYPES[known[name]]):
            raise UsageError(f"{path.name}: {name} should be a {known[name]}.")
    return kind(**{n: tuple(v) if isinstance(v, list) else v for n, v in values.items()})
