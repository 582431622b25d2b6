"""Accesses that missed a tensor because its offset was computed in 32 bits.

An offset of 2^31 elements or more does not fit into a signed 32-bit integer: it wraps around and points
2^32 elements too low, into whatever is there. From the address alone that looks like an overrun of another
allocation, or like a host pointer.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from torch import Tensor

_WRAP = 2**32  # elements: how far a wrapped offset is from the right one
_FIRST_LOST = 2**31  # the first offset that wraps
NOTE = "a 32-bit offset overflowed"
_MISSES = ("out_of_bounds", "host_pointer", "use_after_free", "uninitialized_read")


def explain(finding: dict[str, Any], tensors: Iterable[Any]) -> None:
    """Turn `finding` into an out-of-bounds access of the tensor that was meant, where one of `tensors` has an
    element exactly 2^32 elements above the address.
    """
    if finding.get("kind") not in _MISSES or not finding.get("address"):
        return
    for tensor in tensors:
        if not isinstance(tensor, Tensor) or not tensor.is_cuda or not _is_far(tensor):
            continue
        element = _meant(int(finding["address"]), tensor)
        if element is None:
            continue
        storage = tensor.untyped_storage()
        finding["kind"], finding["space"] = "out_of_bounds", "global"
        finding["allocation"] = {
            "base": storage.data_ptr(),
            "bytes": storage.nbytes(),
            "offset": int(finding["address"]) - storage.data_ptr(),
            "device": tensor.device.index,
        }
        finding["note"] = f"{NOTE}: 2^32 elements below the element at {element}"
        return


def _is_far(tensor: Tensor) -> bool:
    return _last_offset(tensor) >= _FIRST_LOST


def _last_offset(tensor: Tensor) -> int:
    return sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))


def _meant(address: int, tensor: Tensor) -> list[int] | None:
    """The index of the element whose offset, wrapped to 32 bits, leads to `address`."""
    distance = address - tensor.data_ptr()
    if distance % tensor.element_size() or tensor.numel() == 0:
        return None
    offset = distance // tensor.element_size() + _WRAP
    return _index_at(offset, tensor) if _FIRST_LOST <= offset <= _last_offset(tensor) else None


def _index_at(offset: int, tensor: Tensor) -> list[int] | None:
    """The index of the element at `offset`, or None between two elements."""
    index = [0] * tensor.ndim
    for dimension in sorted(range(tensor.ndim), key=tensor.stride, reverse=True):
        stride = tensor.stride(dimension)
        if stride > 0:
            index[dimension] = min(offset // stride, tensor.size(dimension) - 1)
            offset -= index[dimension] * stride
    return index if offset == 0 else None
