"""One function for each annotation, put together once from those of its parts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import datetime
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

from grader.support.schema.terms import KEY, LATER, Bounds, KeyProblem, SchemaError, Size

Reader = Callable[[Any], Any]
_FINITE = Bounds(-sys.float_info.max, sys.float_info.max)


def read(annotation: Any, value: object, lenient: bool = False) -> Any:
    """`value` as `annotation` describes it: dataclasses for tables, tuples for lists where it says so.

    A table has exactly the fields of its dataclass. `lenient` admits others, gives absent ones their
    defaults, and takes 0 and 1 for the truth values that C++ wrote. A `TypedDict` only checks, and leaves
    the table as it is. Raises SchemaError.
    """
    return _reader(annotation, lenient)(value)


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
        return _one_of(inner, lenient)
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


def _one_of(alternatives: tuple[Any, ...], lenient: bool) -> Reader:
    """The alternative of the value's own type, where one is plain: to try others means to raise errors."""
    readers = {hint: _reader(hint, lenient) for hint in alternatives if hint is not NoneType}
    plain = {_base(hint): reader for hint, reader in readers.items()}

    def reader(value: Any) -> Any:
        if value is None and NoneType in alternatives:
            return None
        if len(readers) == 1 or type(value) in plain:
            return plain.get(type(value), only)(value)
        errors = []
        for each in readers.values():
            try:
                return each(value)
            except SchemaError as error:
                errors.append(error)
        raise SchemaError(" or ".join(error.expected for error in errors), value)

    only = next(iter(readers.values()))
    return reader


def _base(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _chosen(choices: Mapping[tuple[type, Any], Any], named: tuple[Any, ...]) -> Reader:
    """One of some constants; by type too, since True equals 1."""
    kinds = tuple({kind for kind, _ in choices})
    expected = f"one of {', '.join(map(str, named))}"

    def reader(value: Any) -> Any:
        if not isinstance(value, kinds) or (type(value), value) not in choices:
            raise SchemaError(expected, value)
        return choices[type(value), value]

    return reader


def _items(readers: Iterable[Reader], values: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    try:
        for reader, value in zip(readers, values, strict=False):
            found.append(reader(value))
    except SchemaError as error:
        raise error.within(f"[{len(found)}]") from None
    return found


def _values(readers: Mapping[str, Reader], table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the keys that both have; an error gets its key here, once, and not at every value."""
    found, key = {}, ""
    try:
        for key, reader in readers.items():
            if key in table:
                found[key] = reader(table[key])
    except SchemaError as error:
        raise error.within(f".{key}") from None
    return found


def _listed(inner: Reader, kind: type) -> Reader:
    def reader(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise SchemaError("a list", value)
        return kind(_items(repeat(inner), value))

    return reader


def _fixed(readers: list[Reader]) -> Reader:
    def reader(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(readers):
            raise SchemaError(f"a list of {len(readers)}", value)
        return tuple(_items(readers, value))

    return reader


def _mapped(inner: Reader) -> Reader:
    def reader(value: Any) -> Any:
        table = _table(value)
        return _values(dict.fromkeys(table, inner), table)

    return reader


def _built(kind: Any, lenient: bool) -> Reader:
    """A dataclass; to find out its types takes longer than reading a verdict, so that is done once."""
    hints = get_type_hints(kind, include_extras=True)
    names = {each.metadata.get(KEY, each.name): each.name for each in fields(kind)}
    readers = {key: _reader(hints[name], lenient) for key, name in names.items()}
    required = {each.metadata.get(KEY, each.name) for each in fields(kind) if _is_required(each, lenient)}

    def reader(value: Any) -> Any:
        table = _table(value)
        _require(required, table)
        if not lenient:
            _refuse_unknown(names, table)
        return kind(**{names[key]: each for key, each in _values(readers, table).items()})

    return reader


def _is_required(each: Field[Any], lenient: bool) -> bool:
    if lenient:
        return each.default is MISSING and each.default_factory is MISSING
    return LATER not in each.metadata


def _checked(kind: Any, lenient: bool) -> Reader:
    hints = get_type_hints(kind, include_extras=True)
    readers = {key: _reader(hint, lenient) for key, hint in hints.items()}

    def reader(value: Any) -> Any:
        table = _table(value)
        _require(kind.__required_keys__, table)
        _values(readers, table)
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
