"""Copies by tensor maps, against numpy: boxes of every rank, swizzles, steps, and what is outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt.tests.surface_program import Program, no_findings, program

UNIT, SPANS = 16, {0: 0, 1: 32, 2: 64, 3: 128}  # bytes


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def tensors(request: pytest.FixtureRequest) -> Program:
    return program("tensor_copies", checked=request.param)


@dataclass(frozen=True)
class Box:
    """A load and a store of one box; all tuples begin with the innermost dimension."""

    dtype: str
    sizes: tuple[int, ...]
    box: tuple[int, ...]
    load: tuple[int, ...]
    store: tuple[int, ...]
    swizzle: int = 0
    steps: tuple[int, ...] = ()
    nan: bool = False

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        return self.steps or (1,) * len(self.sizes)

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(-(-size // step) for size, step in zip(self.box, self.strides, strict=True))

    @property
    def bytes(self) -> int:
        return int(np.prod(self.extents)) * self.itemsize

    def facts(self) -> NDArray[np.int32]:
        def five(values: tuple[int, ...]) -> list[int]:
            return [*values, *[0] * (5 - len(values))]

        numbers = [len(self.sizes), self.swizzle, int(self.nan), self.bytes]
        for each in (self.sizes, self.box, self.strides, self.load, self.store):
            numbers += five(each)
        return np.array(numbers, np.int32)

    def padded(self) -> tuple[int, ...]:
        """The shape of the memory, outermost first: rows begin at multiples of 16 bytes."""
        row = -(-self.sizes[0] * self.itemsize // UNIT) * UNIT // self.itemsize
        return (*reversed(self.sizes[1:]), row)


# The first coordinate is a multiple of 16 bytes and no store has a negative one: the hardware takes no other.
BOXES = {
    "1d": Box("float32", (50,), (16,), (8,), (28,)),
    "1d_past_the_end": Box("float32", (50,), (16,), (40,), (44,)),
    "2d": Box("float32", (20, 9), (8, 4), (4, 2), (12, 4)),
    "2d_before_the_begin": Box("float32", (20, 9), (8, 4), (-4, -2), (16, 7)),
    "2d_far_outside": Box("float32", (20, 9), (8, 4), (100, 2), (4, 50)),
    "2d_of_nan": Box("float32", (20, 9), (8, 4), (16, 7), (0, 0), nan=True),
    "2d_rows_with_padding": Box("uint8", (37, 6), (32, 4), (16, 1), (32, 3)),
    "2d_steps": Box("float32", (24, 16), (8, 7), (4, 1), (0, 2), steps=(1, 3)),
    "3d": Box("uint8", (40, 5, 4), (16, 3, 2), (16, 1, 1), (32, 3, 3)),
    "4d": Box("uint16", (24, 4, 3, 5), (8, 2, 2, 3), (8, -1, 2, 3), (16, 3, 1, 0)),
    "5d": Box("uint16", (16, 3, 3, 2, 4), (8, 2, 2, 2, 2), (8, 1, -1, 1, 2), (0, 0, 1, 0, 3)),
    "swizzle_32": Box("uint16", (40, 30), (16, 20), (8, 4), (24, 15), swizzle=1),
    "swizzle_64": Box("uint16", (80, 30), (32, 20), (8, 4), (64, 15), swizzle=2),
    "swizzle_128": Box("uint16", (128, 64), (64, 48), (32, -9), (72, 40), swizzle=3),
    "swizzle_128_of_3d": Box("float32", (40, 6, 5), (32, 4, 3), (12, 3, 1), (0, 0, 3), swizzle=3),
}
LAUNCHERS = {"float32": "box_of_floats", "uint16": "box_of_halves", "uint8": "box_of_bytes"}


def places(
    sizes: tuple[int, ...], box: Box, at: tuple[int, ...]
) -> tuple[NDArray[np.bool_], tuple[NDArray[np.intp], ...]]:
    """Of each element of the box, outermost first: whether a tensor of these sizes has it, and where."""
    axes = [
        first + step * np.arange(extent)
        for first, step, extent in zip(at, box.strides, box.extents, strict=True)
    ]
    grids = np.meshgrid(*reversed(axes), indexing="ij")
    inside = np.ones(grids[0].shape, bool)
    for grid, size in zip(grids, reversed(sizes), strict=True):
        inside &= (grid >= 0) & (grid < size)
    return inside, tuple(np.where(inside, grid, 0) for grid in grids)


def swizzled(box: Box, raw: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Dense bytes as they lie in shared memory, whose first address is a multiple of 1024."""
    rows, result = SPANS[box.swizzle] // 32, raw.copy()
    for at in range(0, len(raw), UNIT) if box.swizzle else ():
        target = at ^ (at >> 7 & (2 * rows - 1)) << 4
        result[target : target + UNIT] = raw[at : at + UNIT]
    return result


@pytest.mark.parametrize("name", BOXES)
def test_a_box_goes_in_and_out(tensors: Program, name: str) -> None:
    box = BOXES[name]
    memory = np.random.default_rng(0).integers(1, 250, box.padded()).astype(box.dtype)
    target, seen = np.full(box.padded(), 251, box.dtype), np.zeros(box.bytes, np.uint8)
    tensors.call(LAUNCHERS[box.dtype], memory, target, seen, box.facts())
    inside, index = places(box.sizes, box, box.load)
    loaded = np.where(inside, memory[index], np.nan if box.nan else 0).astype(box.dtype)
    if box.nan:
        assert np.array_equal(seen.view(box.dtype), loaded.ravel(), equal_nan=True)
    else:
        assert np.array_equal(seen, swizzled(box, np.frombuffer(loaded.tobytes(), np.uint8).copy()))
    expected = np.full(box.padded(), 251, box.dtype)
    whole_units = (box.padded()[-1], *box.sizes[1:])  # a store completes the last 16 bytes of a row
    inside, index = places(whole_units, box, box.store)
    expected[tuple(each[inside] for each in index)] = loaded[inside]
    assert np.array_equal(target, expected, equal_nan=box.nan)
    assert no_findings()


@pytest.mark.parametrize("in_constant", [0, 1])
def test_maps_in_global_and_constant_memory(tensors: Program, in_constant: int) -> None:
    matrix = np.random.default_rng(1).normal(size=(96, 96)).astype(np.float32)
    result = np.zeros((96, 96), np.float32)
    tensors.transpose(matrix, result, 96, in_constant)
    assert np.array_equal(result, matrix.T)
    assert no_findings()


def test_what_the_driver_refuses(tensors: Program) -> None:
    results = np.full(12, -1, np.int32)
    tensors.results(results)
    assert results.tolist() == [0, *[1] * 9, 0, 1]
