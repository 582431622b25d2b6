"""Which tensors a descriptor of Triton's can read: the interpreter asserts it, in few words."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

_UNIT = 16  # bytes
_RULE = (
    "The hardware that copies the tiles of a descriptor takes an address and strides that are multiples of "
    f"{_UNIT} bytes, and a last stride of 1. A kernel for any view and any width reads by pointers and a "
    "mask."
)


def explained(validate: Callable[[Any], None]) -> Callable[[Any], None]:
    """Around the interpreter's check of a descriptor: a ValueError with what does not fit, and the rule."""

    @functools.wraps(validate)
    def check(descriptor: Any) -> None:
        if what := _unfit(descriptor):
            raise ValueError(f"tl.make_tensor_descriptor: {what}. {_RULE}")
        validate(descriptor)

    return check


def _unfit(descriptor: Any) -> str:
    """What of the base or the strides a descriptor cannot have; "" if nothing."""
    address = int(descriptor.base.data.item())
    if address % _UNIT:
        return f"the base begins {address % _UNIT} bytes behind a multiple of {_UNIT}"
    itemsize = descriptor.base.dtype.element_ty.primitive_bitwidth // 8
    *outer, last = (int(stride.data.item()) for stride in descriptor.strides)
    for number, stride in enumerate(outer):
        if stride * itemsize % _UNIT:
            taken = f"{stride} elements of {itemsize} bytes are {stride * itemsize} bytes"
            return f"strides[{number}] does not fit, as {taken}, not a multiple of {_UNIT}"
    return f"the last stride is {last}, not 1" if last != 1 else ""
