"""Dataclasses out of JSON, read strictly: exactly the fields of the class, each of its type."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

Record = TypeVar("Record")


def strict(kind: type[Record], values: Mapping[str, Any]) -> Record:
    """Build the dataclass `kind` from its own fields: a missing or surplus key is an error, not a default.

    Raises ValueError that names the keys, or the first value of another type than its field's.
    """
    expected = {each.name for each in fields(kind)}  # type: ignore[arg-type]
    if expected != set(values):
        odd = ", ".join(sorted(expected ^ set(values)))
        raise ValueError(f"{kind.__name__}: keys missing or surplus: {odd}")
    hints = _hints(kind)  # type: ignore[arg-type]
    for name, value in values.items():
        if not _fits(value, hints[name]):
            raise ValueError(f"{kind.__name__}: {name} is of the wrong type: {str(value)[:40]!r}")
    return kind(**values)


@cache
def _hints(kind: type) -> dict[str, Any]:
    """Types by name; to find them out takes longer than reading a verdict."""
    return get_type_hints(kind)


def with_tuples(document: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """`document` with tuples for the lists that JSON has under `names`."""
    return {
        key: tuple(value) if key in names and isinstance(value, list) else value
        for key, value in document.items()
    }


def _fits(value: object, hint: Any) -> bool:
    """Whether `value` is of the type `hint`; a whole number is also a float, but a NaN is none."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, each) for each in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        return isinstance(value, tuple) and all(_fits(each, inner[0]) for each in value)
    if origin is Mapping:
        return isinstance(value, dict) and all(
            _fits(each, hint) for pair in value.items() for each, hint in zip(pair, inner, strict=True)
        )
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, NoneType if hint is None else hint)
