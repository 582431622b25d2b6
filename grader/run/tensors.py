"""Tensors on the parent's side: arguments into a message, the dense tensors of a reply out of its segment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from grader.run.shared_memory import Segment
from grader.run.values import Arg, TensorArg
from grader.run.wire import (
    REQUIRES_GRAD,
    SPARSE,
    UNDEFINED,
    Header,
    Outgoing,
    TensorRecord,
    WireError,
    check_dense,
)

# A view that touches little of a large storage travels as its elements: the worker makes the storage itself,
# and what lies between the elements is then the allocator's poison.
_SPARSE_BYTES = 64 * 2**20
_SPARSE_RATIO = 4


def dtype_name(dtype: torch.dtype) -> str:
    """`float32` for `torch.float32`."""
    return str(dtype).removeprefix("torch.")


def tensor_arguments(args: Sequence[Arg]) -> list[TensorArg]:
    """All tensor arguments, those in lists included, in order."""
    found: list[TensorArg] = []
    for arg in args:
        if isinstance(arg, TensorArg):
            found.append(arg)
        elif isinstance(arg, list | tuple):
            found += tensor_arguments(arg)
    return found


def pack_arguments(args: Sequence[Arg], outgoing: Outgoing) -> list[Any]:
    """Add the tensors among `args` to `outgoing`; returns the tree that the worker rebuilds the arguments
    from.
    """
    return [_pack(arg, outgoing) for arg in args]


def _pack(arg: Arg, outgoing: Outgoing) -> dict[str, Any]:
    if isinstance(arg, TensorArg):
        return {"tensor": pack_tensor(arg.tensor, outgoing, arg.device, arg.requires_grad), "name": arg.name}
    if isinstance(arg, list | tuple):
        return {"list": pack_arguments(arg, outgoing), "type": type(arg).__name__}
    return {"value": arg}


def pack_tensor(tensor: Tensor, outgoing: Outgoing, place: str = "cpu", requires_grad: bool = False) -> int:
    """Add a CPU tensor with its whole storage and its geometry; returns its index."""
    tensor = tensor.detach()
    if tensor.device.type != "cpu" or tensor.layout != torch.strided:
        raise ValueError("arguments are given as dense CPU tensors; `device` says where the worker puts them")
    flags = REQUIRES_GRAD if requires_grad else 0
    owner = tensor
    storage_bytes = tensor.untyped_storage().nbytes()
    if storage_bytes > max(_SPARSE_BYTES, _SPARSE_RATIO * tensor.nbytes):
        owner, flags = tensor.clone(memory_format=torch.contiguous_format), flags | SPARSE
        storage_bytes = owner.nbytes
    record = TensorRecord(
        dtype_name(tensor.dtype), place, tuple(tensor.shape), tensor.stride(), int(tensor.storage_offset()),
        flags, nbytes=storage_bytes - storage_bytes % tensor.element_size(),
    )  # fmt: skip
    return outgoing.add(record, owner.untyped_storage().data_ptr(), owner)


def pack_undefined(outgoing: Outgoing) -> int:
    """Add an undefined cotangent."""
    return outgoing.add(TensorRecord("float32", "cpu", (), (), flags=UNDEFINED), 0, None)


def read_dense(segment: Segment, header: Header, record: TensorRecord) -> Tensor:
    """The tensor of a reply's record as a new row-major CPU tensor; raises `WireError`."""
    check_dense(record)
    try:
        tensor = torch.empty(record.sizes, dtype=getattr(torch, record.dtype))
    except (RuntimeError, OverflowError) as error:  # zero elements, and yet sizes that overflow
        raise WireError("announced a tensor of impossible size") from error
    if record.nbytes:
        segment.read_into(tensor.data_ptr(), record.nbytes, header.payload_start + record.offset)
    return tensor


def sent_bytes(tensor: Tensor, sparse: bool) -> Tensor:
    """The bytes that `pack_tensor` takes from a CPU tensor, as uint8: its storage, or its elements if
    `sparse`.
    """
    source = tensor.detach()
    if sparse:
        source = source.clone(memory_format=torch.contiguous_format)
    storage = source.untyped_storage()
    every = torch.empty(0, dtype=torch.uint8).set_(storage)
    return every[: storage.nbytes() - storage.nbytes() % tensor.element_size()]
