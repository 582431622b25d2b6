"""From what a worker sent to ``values``: every field is checked, and what no worker of ours writes is a
``WireError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeVar, cast

from torch import Tensor

from grader.run import counts, records
from grader.run.values import Dim3, Launch, Output, Placed, RemoteError, Trace
from grader.run.wire import TensorRecord, WireError

WRITERS = ("unwritten", "kernel", "library", "copy", "memset", "host")
_T = TypeVar("_T")
_LEAST = -(1 << 63)
_NO_TRACE = Trace()


def field(table: Any, name: str, kind: type[_T], default: _T | None = None) -> _T:
    """``table[name]``, which must be of type ``kind``; absent, it is ``default`` where there is one."""
    value = table.get(name, default) if isinstance(table, dict) else None
    if not isinstance(value, kind) or (kind is int and not records.is_whole(value, _LEAST)):
        raise WireError(f"sent a reply whose field `{name}` is not as it must be")
    return value


def remote_error(document: dict[str, Any]) -> RemoteError | None:
    """The exception that learner code raised, if any."""
    if document.get("error") is None:
        return None
    table = field(document, "error", dict)
    return RemoteError(
        field(table, "type", str), field(table, "message", str), field(table, "where", str, "")
    )


def outputs(
    document: dict[str, Any], geometry: Sequence[TensorRecord], tensors: Sequence[Tensor]
) -> tuple[Output, ...]:
    """The returned values; each tensor of the message must be used by exactly one of them."""
    found = []
    used = 0
    for entry in field(document, "outputs", list, []):
        kind = field(entry, "kind", str)
        name, alias = field(entry, "name", str, ""), field(entry, "alias", str, "")
        if kind in ("tensor", "numpy"):
            if field(entry, "record", int) != used or used >= len(tensors):
                raise WireError("sent a reply whose outputs do not match its tensors")
            record = geometry[used]
            place = cast(Literal["tensor", "numpy"], kind)
            found.append(_tensor_output(place, record, tensors[used], entry, name, alias))
            used += 1
        elif kind == "none":
            found.append(Output("none", type="NoneType", name=name))
        elif kind == "other":
            found.append(
                Output("other", type=field(entry, "type", str), value=_scalar(entry.get("value")), name=name)
            )
        else:
            raise WireError(f"sent an output of the unknown kind `{kind}`")
    if used != len(tensors):
        raise WireError("sent tensors that belong to no output")
    return tuple(found)


def _tensor_output(
    kind: Literal["tensor", "numpy"],
    record: TensorRecord,
    tensor: Tensor,
    entry: dict[str, Any],
    name: str,
    alias: str,
) -> Output:
    return Output(
        kind, tensor, record.place, record.dtype, record.sizes, record.strides,
        requires_grad=field(entry, "requires_grad", bool, False),
        name=name, alias=alias, type=field(entry, "type", str, "Tensor"),
    )  # fmt: skip


def returned(document: dict[str, Any]) -> Literal["value", "tuple", "list"]:
    """What the entry returned as a whole."""
    name = field(document, "returned", str, "value")
    if name not in ("value", "tuple", "list"):
        raise WireError("sent a reply of an unknown form")
    return cast(Literal["value", "tuple", "list"], name)


def trace(document: dict[str, Any]) -> Trace:
    """What happened on the device; empty where none was asked for."""
    table = field(document, "trace", dict, {})
    if not table:
        return _NO_TRACE
    sticky = table.get("sticky_error")
    if sticky is not None and not isinstance(sticky, str):
        raise WireError("sent a reply whose field `sticky_error` is not as it must be")
    launches = tuple(_launch(entry) for entry in field(table, "launches", list, []))
    return Trace(
        findings=records.findings(_tables(table, "findings")),
        launches=launches,
        launches_total=field(table, "launches_total", int, len(launches)),
        operators=_strings(table, "operators"),
        copies=_strings(table, "copies"),
        foreign_copies=_strings(table, "foreign_copies"),
        api_calls=records.api_calls(_tables(table, "api_calls")),
        writers=tuple(_writers(entry) for entry in field(table, "writers", list, [])),
        live_allocations=field(table, "live_allocations", int, 0),
        live_bytes=field(table, "live_bytes", int, 0),
        alive_before=field(table, "alive_before", int, 0),
        sticky_error=sticky,
        stream=field(table, "stream", int, 0),
        host_syncs=field(table, "host_syncs", int, 0),
        allocations=field(table, "allocations", int, 0),
        counts=counts.validated(_tables(table, "counts")),
        placed=tuple(_placed(entry) for entry in field(table, "placed", list, [])),
    )


def _launch(entry: Any) -> Launch:
    return Launch(
        field(entry, "kernel", str), _dim3(entry, "grid"), _dim3(entry, "block"),
        field(entry, "shared", int, 0), field(entry, "stream", int, 0), field(entry, "device", int, 0),
        field(entry, "file", str, ""), field(entry, "line", int, 0), field(entry, "error", int, 0),
        _answer(entry, "waits"), _answer(entry, "awaited"),
        _moment(entry["moment"]) if "moment" in entry else None,
        tuple(map(_moment, field(entry, "after", list, []))), _strings(entry, "operators"),
    )  # fmt: skip


def _answer(entry: Any, name: str) -> bool | None:
    return bool(field(entry, name, int)) if name in entry else None


def _moment(value: Any) -> tuple[int, int]:
    if not records.is_moment(value):
        raise WireError("sent a launch whose order is none")
    return value[0], value[1]


def _placed(entry: Any) -> Placed:
    return Placed(field(entry, "name", str), field(entry, "base", int), field(entry, "itemsize", int))


def _dim3(entry: Any, name: str) -> Dim3:
    value = field(entry, name, list)
    if len(value) != 3 or not all(map(records.is_whole, value)):
        raise WireError(f"sent a launch whose {name} is none")
    return cast(Dim3, tuple(value))


def _strings(table: dict[str, Any], name: str) -> tuple[str, ...]:
    values = field(table, name, list, [])
    if not all(isinstance(value, str) for value in values):
        raise WireError(f"sent a reply whose field `{name}` is not as it must be")
    return tuple(values)


def _tables(table: dict[str, Any], name: str) -> tuple[dict[str, Any], ...]:
    values = field(table, name, list, [])
    if not all(isinstance(value, dict) for value in values):
        raise WireError(f"sent a reply whose field `{name}` is not as it must be")
    return tuple(values)


def _writers(entry: Any) -> dict[str, int] | None:
    return None if entry is None else {writer: field(entry, writer, int, 0) for writer in WRITERS}


def _scalar(value: Any) -> int | float | bool | str | None:
    if (
        value is not None
        and not isinstance(value, float | bool | str)
        and not records.is_whole(value, _LEAST)
    ):
        raise WireError("sent a value that is no number and no string")
    return cast(int | float | bool | str | None, value)
