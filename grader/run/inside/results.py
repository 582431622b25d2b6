"""Packs the values that an entry returned into a reply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy
import torch
from torch import Tensor

from grader.run.inside.arguments import Given
from grader.run.wire import ITEMSIZE, MAX_DIMENSIONS, Outgoing, TensorRecord


def flatten(result: Any) -> tuple[str, list[Any]]:
    """`("value", [result])`, or the elements of a tuple or list with its kind."""
    if isinstance(result, tuple):
        return "tuple", list(result)
    if isinstance(result, list):
        return "list", list(result)
    return "value", [result]


def pack(value: Any, outgoing: Outgoing, given: Sequence[Given], name: str = "") -> dict[str, Any]:
    """Add one returned value to `outgoing`; returns its entry in the reply."""
    entry: dict[str, Any] = {"name": name, "type": type(value).__name__}
    if value is None:
        return {**entry, "kind": "none"}
    if isinstance(value, Tensor):
        return {**entry, **_tensor(value, outgoing, given)}
    if isinstance(value, numpy.ndarray):
        return {**entry, **_array(value, outgoing, given)}
    if isinstance(value, numpy.generic):
        value = value.item()
    return {**entry, "kind": "other", "value": _scalar(value)}


def _tensor(tensor: Tensor, outgoing: Outgoing, given: Sequence[Given]) -> dict[str, Any]:
    dtype = str(tensor.dtype).removeprefix("torch.")
    if dtype not in ITEMSIZE or tensor.layout != torch.strided or tensor.device.type not in ("cpu", "cuda"):
        return {"kind": "other", "type": f"{tensor.layout} {dtype} tensor on {tensor.device}"}
    if tensor.dim() > MAX_DIMENSIONS:
        return {"kind": "other", "type": f"tensor of {tensor.dim()} dimensions"}
    place = str(tensor.device) if tensor.device.type == "cpu" else f"cuda:{tensor.device.index or 0}"
    dense = tensor.detach().to("cpu").resolve_conj().resolve_neg().contiguous()
    record = TensorRecord(
        dtype, place, tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()), nbytes=dense.nbytes
    )
    alias = next((each.name for each in given if each.value is tensor or _share(each.storage, tensor)), "")
    index = outgoing.add(record, dense.data_ptr(), dense)
    return {"kind": "tensor", "record": index, "requires_grad": tensor.requires_grad, "alias": alias}


def _array(array: numpy.ndarray[Any, Any], outgoing: Outgoing, given: Sequence[Given]) -> dict[str, Any]:
    try:
        dense = torch.from_numpy(numpy.array(array, order="C"))
    except TypeError:
        return {"kind": "other", "type": f"numpy array of {array.dtype}"}
    if array.ndim > MAX_DIMENSIONS:
        return {"kind": "other", "type": f"numpy array of {array.ndim} dimensions"}
    strides = tuple(stride // array.itemsize for stride in array.strides)
    record = TensorRecord(
        str(dense.dtype).removeprefix("torch."), "numpy", tuple(array.shape), strides, nbytes=dense.nbytes
    )
    arrays = [each for each in given if isinstance(each.value, numpy.ndarray)]
    alias = next((each.name for each in arrays if numpy.may_share_memory(each.value, array)), "")
    index = outgoing.add(record, dense.data_ptr(), dense)
    return {"kind": "numpy", "record": index, "type": "ndarray", "alias": alias}


def pack_bytes(tensor: Tensor, outgoing: Outgoing, flags: int) -> None:
    """Add the elements of `tensor` as plain bytes."""
    dense = tensor.to("cpu").contiguous().view(-1)
    every = dense.view(torch.uint8) if dense.numel() else torch.empty(0, dtype=torch.uint8)
    record = TensorRecord("uint8", "cpu", (every.numel(),), (1,), flags=flags, nbytes=every.numel())
    outgoing.add(record, every.data_ptr(), every)


def _share(storage: Tensor, tensor: Tensor) -> bool:
    address = tensor.untyped_storage().data_ptr()
    return bool(address) and storage.untyped_storage().data_ptr() == address


def _scalar(value: Any) -> int | float | bool | str | None:
    """A plain value as JSON can carry it, None for the rest."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return value if value.bit_length() < 64 else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return None
