"""Reads a worker's reply into `values`; a field that no worker of ours writes is a `WireError`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from torch import Tensor

from cusimt.support.writers import WRITERS
from grader.run import counts, records
from grader.run.values import Output, RemoteError, Trace
from grader.run.wire import TensorRecord, WireError
from grader.support.schema import SchemaError, Whole, read

_NO_TRACE = Trace()


@dataclass(frozen=True)
class _Entry:
    """One returned value as the worker describes it; the bytes of a tensor travel in its own record."""

    kind: Literal["tensor", "numpy", "none", "other"]
    record: Whole | None = None
    name: str = ""
    alias: str = ""
    requires_grad: bool = False
    type: str = ""
    value: Any = None


def _field(annotation: Any, document: dict[str, Any], name: str, default: Any) -> Any:
    """One field of a reply, or its default where it is absent."""
    if name not in document:
        return default
    try:
        return read(annotation, document[name], lenient=True)
    except SchemaError as error:
        raise WireError(f"sent a reply whose field {error.within(f'.{name}')}") from None


def spent(document: dict[str, Any]) -> bool:
    """Whether the device is in an error that only a new program clears."""
    return bool(_field(bool, document, "spent", False))


def remote_error(document: dict[str, Any]) -> RemoteError | None:
    """The exception that learner code raised, if any."""
    error: RemoteError | None = _field(RemoteError | None, document, "error", None)
    return error


def returned(document: dict[str, Any]) -> Literal["value", "tuple", "list"]:
    """Whether the entry returned a single value, a tuple or a list."""
    form: Literal["value", "tuple", "list"] = _field(
        Literal["value", "tuple", "list"], document, "returned", "value"
    )
    return form


def outputs(
    document: dict[str, Any], geometry: Sequence[TensorRecord], tensors: Sequence[Tensor]
) -> tuple[Output, ...]:
    """The returned values; each tensor of the message must be used by exactly one of them."""
    found = []
    used = 0
    for entry in _field(list[_Entry], document, "outputs", []):
        if entry.kind in ("tensor", "numpy"):
            if entry.record != used or used >= len(tensors):
                raise WireError("sent a reply whose outputs do not match its tensors")
            found.append(_tensor_output(entry, geometry[used], tensors[used]))
            used += 1
        elif entry.kind == "none":
            found.append(Output("none", type="NoneType", name=entry.name))
        else:
            found.append(Output("other", type=entry.type, value=_scalar(entry.value), name=entry.name))
    if used != len(tensors):
        raise WireError("sent tensors that belong to no output")
    return tuple(found)


def _tensor_output(entry: _Entry, record: TensorRecord, tensor: Tensor) -> Output:
    return Output(
        entry.kind, tensor, record.place, record.dtype, record.sizes, record.strides,
        requires_grad=entry.requires_grad, name=entry.name, alias=entry.alias, type=entry.type or "Tensor",
    )  # fmt: skip


def _scalar(value: Any) -> int | float | bool | str | None:
    """A returned number, which may be infinite or NaN, string or bool."""
    if value is None or isinstance(value, float | bool | str):
        return value
    try:
        number: int = read(int, value)
    except SchemaError:
        raise WireError("sent a value that is neither a number nor a string") from None
    return number


def trace(document: dict[str, Any]) -> Trace:
    """The events on the device; empty for a call without a trace."""
    if document.get("trace", {}) == {}:
        return _NO_TRACE
    found: Trace = _field(Trace, document, "trace", _NO_TRACE)
    return replace(
        found,
        launches_total=document["trace"].get("launches_total", len(found.launches)),
        findings=records.findings(found.findings),
        api_calls=records.api_calls(found.api_calls),
        counts=counts.validated(found.counts),
        writers=tuple(map(_all_writers, found.writers)),
    )


def _all_writers(counted: Mapping[str, int] | None) -> dict[str, int] | None:
    return None if counted is None else {name: counted.get(name, 0) for name in WRITERS}
