"""Rebuilding a call's arguments in the worker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.run.inside.request import Request
from grader.run.wire import REQUIRES_GRAD, TensorRecord


@dataclass
class Given:
    """One tensor argument: the entry's value, and the storage behind it (CPU for NumPy arrays)."""

    name: str
    record: TensorRecord
    storage: Tensor
    value: Any

    @property
    def requires_grad(self) -> bool:
        """Whether the parent asked for this argument's gradient."""
        return bool(self.record.flags & REQUIRES_GRAD)


def rebuild(request: Request, on_cpu: bool) -> tuple[list[Any], list[Given]]:
    """All arguments, and the tensors among them in order. `on_cpu` puts everything on the CPU."""
    given: list[Given] = []
    arguments = [_rebuild(entry, request, on_cpu, given) for entry in request.text["args"]]
    return arguments, given


def with_copies(arguments: Sequence[Any], given: Sequence[Given], names: Sequence[str]) -> list[Any]:
    """`arguments`, but copies of the leaves among the tensors `names`, which may be changed in place.

    A list in `names` means all its tensors. Made here rather than with the leaves, because a copy is work
    for the stream on which the entry runs.
    """
    leaves = {id(each.value) for each in given if each.requires_grad and each.name.partition("[")[0] in names}

    def copied(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(copied(each) for each in value)
        return value.clone() if id(value) in leaves else value

    return [copied(each) for each in arguments]


def _rebuild(entry: dict[str, Any], request: Request, on_cpu: bool, given: list[Given]) -> Any:
    if "tensor" in entry:
        given.append(_tensor(entry["tensor"], entry["name"], request, on_cpu))
        return given[-1].value
    if "list" in entry:
        items = [_rebuild(item, request, on_cpu, given) for item in entry["list"]]
        return tuple(items) if entry["type"] == "tuple" else items
    return entry["value"]


def _tensor(index: int, name: str, request: Request, on_cpu: bool) -> Given:
    record = request.records[index]
    numpy_array = record.place == "numpy"
    device = torch.device("cpu" if on_cpu or numpy_array else record.place)
    storage = request.storage(index, device)
    if numpy_array:
        return Given(name, record, storage, _array(record, storage))
    value = request.view(index, storage)
    return Given(name, record, storage, value.requires_grad_() if record.flags & REQUIRES_GRAD else value)


def _array(record: TensorRecord, storage: Tensor) -> numpy.ndarray[Any, Any]:
    base = storage.numpy()
    if base.size == 0:
        return numpy.empty(record.sizes, base.dtype)
    strides = tuple(stride * base.itemsize for stride in record.strides)
    return numpy.ndarray(record.sizes, base.dtype, base, record.storage_offset * base.itemsize, strides)
