"""From plain data, as JSON holds it, back to a flat dataclass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Data = TypeVar("_Data", bound="DataclassInstance")


def read_back(kind: type[_Data], data: Mapping[str, Any], **given: Any) -> _Data:
    """A `kind` whose fields are in `data` under their own names; other keys are passed over.

    Texts, numbers, truth values and enums are read by the fields' types, and a value of another
    type is refused. Fields of any other type have to be `given`. A missing field takes its
    default.

    Raises KeyError where one without a default is missing, ValueError on a value that does not
    fit.
    """
    types = _types(kind)
    values = dict(given)
    for field in fields(kind):
        if field.name in values:
            continue
        if field.name in data:
            values[field.name] = _value(field.name, types[field.name], data[field.name])
        elif field.default is MISSING and field.default_factory is MISSING:
            raise KeyError(field.name)
    return kind(**values)


@lru_cache(maxsize=64)
def _types(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind)


def _value(name: str, kind: Any, value: object) -> object:
    if kind is float and type(value) is int:
        return float(value)  # JSON knows one kind of number
    if kind in (str, int, float, bool):
        if type(value) is kind:
            return value
        # The value itself may be an essay's text, which belongs in no log.
        raise ValueError(f"{name} is of the type {type(value).__name__}, not {kind.__name__}")
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    raise TypeError(f"{name} cannot be read by its type and has to be given")
