"""The elements that a kernel reads when it addresses its operands wrongly, for each common mistake.

Each way gives, for every element of an operand, the offset that is read instead of the element's own. What
lies outside of the operand's memory is unknown, and stands as NaN.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import torch

from cusimt.support.words import listed
from grader.checks.values.inputs import WIDER

Operand: TypeAlias = tuple[str, torch.Tensor]
Way: TypeAlias = Callable[[torch.Tensor], torch.Tensor | None]
BEFORE_OTHERS = 2  # ways that are likelier than the strides of another operand
LARGEST = 1 << 16  # elements of an operand: an offset for each of more is not computed


@dataclass(frozen=True)
class Misread:
    """``words`` say how the operands were read; ``replaced`` has what was read, in double precision."""

    words: str
    replaced: dict[str, torch.Tensor]


def misreadings(operands: Sequence[Operand], shape: Sequence[int]) -> Iterator[Misread]:
    """Every operand in every wrong way; then, in each way, all of them at once.

    `shape` is that of the result, with which the operands are broadcast.
    """
    usable = [each for each in operands if 0 < each[1].numel() <= LARGEST]
    for operand in usable:
        yield from _alone(operand, [each for each in usable if each[0] != operand[0]])
    for words, way in _WAYS:
        together = _together(usable, words, way)
        if together is not None:
            yield together
    for name, tensor in usable:
        by_row = _by_the_other_index(tensor, tuple(shape))
        if by_row is not None:
            words, values = by_row
            yield Misread(f"`{name}` {words}", {name: values})


def _alone(operand: Operand, others: Sequence[Operand]) -> Iterator[Misread]:
    name, tensor = operand
    own = tensor.stride()
    borrowed = [
        (f"with the strides of `{other}`", _with_strides(values.stride()))
        for other, values in others
        if values.shape == tensor.shape
    ]
    ways = [(words.format("its"), way) for words, way in _WAYS]
    for words, way in (*ways[:BEFORE_OTHERS], *borrowed, *ways[BEFORE_OTHERS:]):
        read = _read(tensor, way)
        if read is not None:
            yield Misread(f"`{name}` read {words}; its strides are {own}", {name: read})


def _together(operands: Sequence[Operand], words: str, way: Way) -> Misread | None:
    """Two operands or more; those that are read rightly in this way, too, need no mention."""
    read = {name: _read(tensor, way) for name, tensor in operands}
    replaced = {name: values for name, values in read.items() if values is not None}
    if len(replaced) < 2:
        return None
    names = [*replaced]
    own = next(tensor.stride() for name, tensor in operands if name == names[0])
    quoted = listed([f"`{name}`" for name in names])
    return Misread(f"{quoted} read {words.format('their')}; the strides of `{names[0]}` are {own}", replaced)


def _read(tensor: torch.Tensor, way: Way) -> torch.Tensor | None:
    """What is read; None where that is the tensor itself, or where nothing stands for what is unknown."""
    offsets = way(tensor)
    if offsets is None or torch.equal(offsets, _offsets(tensor, tensor.stride())):
        return None
    held = tensor.untyped_storage().nbytes() // tensor.element_size() - int(tensor.storage_offset())
    inside = offsets < held
    if not bool(inside.all()) and not tensor.is_floating_point():
        return None
    memory = tensor.as_strided((held,), (1,))
    values = memory[torch.where(inside, offsets, 0)].to(WIDER.get(tensor.dtype, tensor.dtype))
    return values if bool(inside.all()) else values.masked_fill(~inside, float("nan"))


def _offsets(tensor: torch.Tensor, strides: Sequence[int]) -> torch.Tensor:
    """The offset of every element of a tensor with its shape and these `strides`."""
    offsets = torch.zeros(tensor.shape, dtype=torch.int64)
    for dimension, (extent, stride) in enumerate(zip(tensor.shape, strides, strict=True)):
        steps = torch.arange(extent) * stride
        offsets += steps.reshape(-1, *[1] * (tensor.ndim - dimension - 1))
    return offsets


def _with_strides(strides: Sequence[int]) -> Way:
    return lambda tensor: _offsets(tensor, strides)


def _dense(tensor: torch.Tensor) -> torch.Tensor:
    return torch.arange(tensor.numel()).reshape(tensor.shape)


def _last_dense(tensor: torch.Tensor) -> torch.Tensor | None:
    return _offsets(tensor, (*tensor.stride()[:-1], 1)) if tensor.ndim > 1 else None


def _exchanged(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.ndim < 2:
        return None
    *outer, row, column = tensor.stride()
    return _offsets(tensor, (*outer, column, row))


def _in_bytes(tensor: torch.Tensor) -> torch.Tensor:
    return _offsets(tensor, [stride * tensor.element_size() for stride in tensor.stride()])


def _by_columns(tensor: torch.Tensor) -> torch.Tensor | None:
    return _offsets(tensor, (1, tensor.shape[0])) if tensor.ndim == 2 else None


def _by_number_of_rows(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.ndim != 2:
        return None
    (rows, _), (down, along) = tensor.shape, tensor.stride()
    return _dense(tensor) // rows * down + _dense(tensor) % rows * along


_WAYS: tuple[tuple[str, Way], ...] = (
    ("as dense memory", _dense),
    ("with a stride of 1 along {} last dimension", _last_dense),
    ("with {} last two strides exchanged", _exchanged),
    ("with {} strides in bytes, where they count elements", _in_bytes),
    ("by columns, as if the elements of a column were neighbours", _by_columns),
    ("at a row and column that are computed by the number of rows, not columns", _by_number_of_rows),
)


def _by_the_other_index(tensor: torch.Tensor, shape: tuple[int, ...]) -> tuple[str, torch.Tensor] | None:
    """An operand with a value for each column, taken by row, or one for each row, taken by column."""
    if len(shape) < 2 or not tensor.is_floating_point() or 0 in shape:
        return None
    columns, wide = shape[-1], tensor.to(WIDER.get(tensor.dtype, tensor.dtype)).reshape(-1)
    rows = torch.Size(shape).numel() // columns
    if min(rows, columns) == 1:  # an operand with a value for each element of the result
        return None
    if tensor.numel() == tensor.shape[-1] == columns:
        taken = _padded(wide, rows).reshape(rows, 1).expand(rows, columns)
        return "indexed by the row, where it has a value for each column", taken.reshape(shape)
    if tensor.numel() == rows and tensor.shape[-1] == 1:
        taken = _padded(wide, columns).expand(rows, columns)
        return "indexed by the column, where it has a value for each row", taken.reshape(shape)
    return None


def _padded(values: torch.Tensor, length: int) -> torch.Tensor:
    """The first `length`; what lies past the end is unknown."""
    return torch.cat([values, values.new_full((max(0, length - len(values)),), float("nan"))])[:length]
