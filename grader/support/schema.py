"""Reads values out of JSON and TOML by type annotations: `read(Verdict, json.loads(text))`.

An annotation is the whole rule: dataclasses, `TypedDict`, `Literal`, enumerations, `X | None`, lists, tuples
and mappings of these, with limits as in `Annotated[int, Bounds(0)]` or `Annotated[str, Size(most=80)]`. A
number has at most 64 bits and is finite, so that no value from a hostile process grows in arithmetic.

Ours, and not msgspec or pydantic: workers start with what PyTorch brings, on machines where nothing else can
be installed.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

Reader = Callable[[Any], Any]
_KEY, _ADDED_LATER = "schema key", "schema added later"
ADDED_LATER = {_ADDED_LATER: True}  # metadata of a dataclass field that older documents do not have


class SchemaError(ValueError):
    """A value that its annotation does not admit: where it is, what it must be, and what it is."""

    def __init__(self, expected: str, value: object, path: str = "") -> None:
        super().__init__(expected, value, path)
        self.expected = expected
        self.value = value
        self.path = path

    def __str__(self) -> str:
        return f"`{self.path.removeprefix('.')}` must be {self.expected}, not {reprlib.repr(self.value)}"

    def within(self, step: str) -> SchemaError:
        """The same error seen from the value around: `step` is `.name` or `[index]`."""
        return type(self)(self.expected, self.value, step + self.path)


class KeyProblem(SchemaError):
    """A key that is missing from a table, or unknown there; `expected` says which."""

    def __str__(self) -> str:
        return f"`{self.path.removeprefix('.')}` is {self.expected}"


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest number that is read; both are admitted."""

    least: float = -(1 << 63)
    most: float = (1 << 64) - 1

    def described(self, noun: str) -> str:
        if self == Bounds(0):
            return f"{noun}, zero or more"
        return noun if self == Bounds() else f"{noun} from {self.least} to {self.most}"


@dataclass(frozen=True)
class Size:
    """The least and the greatest length of a string or a list."""

    least: int = 0
    most: int = sys.maxsize


Whole = Annotated[int, Bounds(0)]
NonNegative = Annotated[float, Bounds(0)]
_FINITE = Bounds(-sys.float_info.max, sys.float_info.max)


def read(annotation: Any, value: object, lenient: bool = False) -> Any:
    """`value` as `annotation` describes it: dataclasses for tables, tuples for lists where it says so.

    A table has exactly the fields of its dataclass. `lenient` admits others, gives absent ones their
    defaults, and takes 0 and 1 for the truth values that C++ wrote. A `TypedDict` only checks, and leaves
    the table as it is. Raises SchemaError.
    """
    return _reader(annotation, lenient)(value)


def key(name: str) -> dict[str, str]:
    """Metadata of a dataclass field that is called `name` in the document."""
    return {_KEY: name}


@cache
def _reader(hint: Any, lenient: bool) -> Reader:
    """The function that reads values of one annotation, put together once."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is bool and lenient:
        return _chosen(_FLAGS, (True, False))
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Annotated:
        return _limited(inner[0], inner[1], lenient)
    if origin in (UnionType, Union):
        return _one_of([_reader(each, lenient) for each in inner if each is not NoneType], NoneType in inner)
    if origin is Literal:
        return _chosen({(type(each), each): each for each in inner}, inner)
    if origin is tuple and inner[1:] != (...,):
        return _fixed([_reader(each, lenient) for each in inner])
    if origin in (tuple, list):
        return _listed(_reader(inner[0], lenient), origin)
    if origin in (dict, Mapping):
        return _mapped(_reader(inner[1], lenient))
    if is_dataclass(hint):
        return _built(hint, lenient)
    if is_typeddict(hint):
        return _checked(hint, lenient)
    return _chosen({(str, each.value): each for each in hint}, tuple(each.value for each in hint))


def _instance(kind: type, expected: str) -> Reader:
    def reader(value: Any) -> Any:
        if not isinstance(value, kind):
            raise SchemaError(expected, value)
        return value

    return reader


def _number(kinds: type | UnionType, bounds: Bounds, expected: str) -> Reader:
    """A bool is no number, though Python counts it among the whole ones; NaN is within no bounds."""
    least, most = bounds.least, bounds.most

    def reader(value: Any) -> Any:
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise SchemaError(expected, value)
        return value

    return reader


def _limited(hint: Any, limit: Bounds | Size, lenient: bool) -> Reader:
    if isinstance(limit, Size):
        return _sized(_reader(hint, lenient), limit)
    if hint is int:
        return _number(int, limit, limit.described("a whole number"))
    return _number(int | float, limit, limit.described("a number"))


def _sized(inner: Reader, size: Size) -> Reader:
    def reader(value: Any) -> Any:
        found = inner(value)
        if not size.least <= len(found) <= size.most:
            raise SchemaError(f"of length {size.least} to {size.most}", value)
        return found

    return reader


def _one_of(readers: list[Reader], optional: bool) -> Reader:
    def reader(value: Any) -> Any:
        if value is None and optional:
            return None
        errors = []
        for each in readers:
            try:
                return each(value)
            except SchemaError as error:
                errors.append(error)
        if len(errors) == 1:
            raise errors[0]
        raise SchemaError(" or ".join(error.expected for error in errors), value)

    return reader


def _chosen(choices: Mapping[tuple[type, Any], Any], named: tuple[Any, ...]) -> Reader:
    """One of some constants; by type too, since True equals 1."""
    kinds = tuple({kind for kind, _ in choices})
    expected = f"one of {', '.join(map(str, named))}"

    def reader(value: Any) -> Any:
        if not isinstance(value, kinds) or (type(value), value) not in choices:
            raise SchemaError(expected, value)
        return choices[type(value), value]

    return reader


def _item(reader: Reader, value: Any, step: str) -> Any:
    try:
        return reader(value)
    except SchemaError as error:
        raise error.within(step) from None


def _listed(inner: Reader, kind: type) -> Reader:
    def reader(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise SchemaError("a list", value)
        return kind(_item(inner, each, f"[{index}]") for index, each in enumerate(value))

    return reader


def _fixed(readers: list[Reader]) -> Reader:
    def reader(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(readers):
            raise SchemaError(f"a list of {len(readers)}", value)
        pairs = enumerate(zip(readers, value, strict=True))
        return tuple(_item(inner, each, f"[{index}]") for index, (inner, each) in pairs)

    return reader


def _mapped(inner: Reader) -> Reader:
    def reader(value: Any) -> Any:
        return {key: _item(inner, each, f".{key}") for key, each in _table(value).items()}

    return reader


def _built(kind: Any, lenient: bool) -> Reader:
    """A dataclass; to find out its types takes longer than reading a verdict, so that is done once."""
    hints = get_type_hints(kind, include_extras=True)
    keys = {
        each.metadata.get(_KEY, each.name): (each.name, _reader(hints[each.name], lenient))
        for each in fields(kind)
    }
    required = {each.metadata.get(_KEY, each.name) for each in fields(kind) if _is_required(each, lenient)}

    def reader(value: Any) -> Any:
        table = _table(value)
        _require(required, table)
        if not lenient:
            _refuse_unknown(keys, table)
        return kind(
            **{
                name: _item(inner, table[key], f".{key}")
                for key, (name, inner) in keys.items()
                if key in table
            }
        )

    return reader


def _is_required(each: Field[Any], lenient: bool) -> bool:
    if lenient:
        return each.default is MISSING and each.default_factory is MISSING
    return _ADDED_LATER not in each.metadata


def _checked(kind: Any, lenient: bool) -> Reader:
    hints = {key: _reader(hint, lenient) for key, hint in get_type_hints(kind, include_extras=True).items()}

    def reader(value: Any) -> Any:
        table = _table(value)
        _require(kind.__required_keys__, table)
        for key, inner in hints.items():
            if key in table:
                _item(inner, table[key], f".{key}")
        return value

    return reader


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise SchemaError("a table", value)
    return value


def _require(required: set[str] | frozenset[str], table: Mapping[str, Any]) -> None:
    if not required <= table.keys():
        raise KeyProblem("missing", None, f".{min(required - table.keys())}")


def _refuse_unknown(known: Mapping[str, Any], table: Mapping[str, Any]) -> None:
    if not table.keys() <= known.keys():
        raise KeyProblem("not a known key", None, f".{min(table.keys() - known.keys())}")


_FLAGS = {(bool, False): False, (bool, True): True, (int, 0): False, (int, 1): True}
_PLAIN: dict[Any, Reader] = {
    Any: lambda value: value,
    str: _instance(str, "a string"),
    bool: _instance(bool, "true or false"),
    dict: _instance(dict, "a table"),
    datetime: _instance(datetime, "a date and time, as 2026-10-19T23:59:00"),
    int: _number(int, Bounds(), "a whole number"),
    float: _number(int | float, _FINITE, "a number"),
}
