"""Checks findings and runtime calls in a worker's trace: each field has to be one that the runtime writes.

Later readers rely on these forms, so a record of another form ends here, as a `WireError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, TypedDict

from grader.run.values import Dim3, Moment
from grader.run.wire import WireError
from grader.support.schema import NonNegative, SchemaError, Size, Whole, read

_LONGEST = 4096  # characters: a mangled name of a kernel, or a path
Text = Annotated[str, Size(most=_LONGEST)]
Time = NonNegative  # microseconds


class _Allocation(TypedDict):
    base: int
    bytes: int
    offset: int
    device: int


class _Access(TypedDict, total=False):
    pc: Whole | None
    access: Text | None


class _Party(_Access):
    """The other thread of a hazard."""

    block: Dim3 | None  # None: one of several
    thread: Dim3 | None


class _Offset(TypedDict, total=False):
    storage_offset: int


class _Tensor(_Offset):
    name: Text
    itemsize: Whole


class _Details(TypedDict, total=False):
    access: Text | None
    address: Whole | None
    allocation: _Allocation | None
    array: Text | None
    block: Dim3 | None
    bytes: Whole | None
    calls: list[Whole]
    count: Whole | None
    file: Text | None
    kernel: Text | None
    lanes: tuple[Whole, Whole] | None
    line: Whole | None
    module: Text | None
    note: Text | None
    other: _Party | None
    pc: Whole | None
    schedule: Text | None
    space: Text | None
    tensor: _Tensor | None
    thread: Dim3 | None


class _Finding(_Details):
    kind: Annotated[str, Size(1, _LONGEST)]


class _Order(TypedDict, total=False):
    """When a piece of work was queued and ran."""

    moment: Moment
    after: list[Moment]
    queued_us: Time
    begin_us: Time
    end_us: Time


class _Call(_Order):
    call: Text
    kind: Text


def findings(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The findings, each as `cusimt.findings.symbolise` takes it; else WireError."""
    found = tuple(records)
    for each in found:
        _check(_Finding, each, "finding")
    return found


def api_calls(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The calls of the runtime, with texts and whole numbers alone besides their order; else WireError."""
    found = tuple(records)
    for each in found:
        _check(_Call, each, "runtime call")
        rest = {name: value for name, value in each.items() if name not in _Order.__optional_keys__}
        _check(dict[str, Text | Whole], rest, "runtime call")
    return found


def _check(form: Any, record: dict[str, Any], noun: str) -> None:
    try:
        read(form, record)
    except SchemaError as error:
        raise WireError(f"sent a malformed {noun}: {error}") from None
