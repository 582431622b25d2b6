"""Which copies to the device carry an argument, and what the others were."""

from __future__ import annotations

import ctypes

import numpy
import pytest

from grader.run.inside.arguments import Given
from grader.run.inside.staging import foreign_copies
from grader.run.wire import TensorRecord


def digest(address: int, length: int) -> int:
    return hash(ctypes.string_at(address, length))


def told(array: numpy.ndarray, copied: bytes) -> list[str]:
    given = Given("a", TensorRecord("float32", "numpy", (), ()), None, array)  # type: ignore[arg-type]
    line = {"kind": "h2d", "call": "cudaMemcpy", "bytes": len(copied), "content": hash(copied)}
    return foreign_copies([line], [given], digest)


@pytest.mark.parametrize("view", [slice(None), slice(None, None, 2), slice(3, None)])
def test_an_arguments_elements_are_no_foreign_copy(view: slice) -> None:
    array = numpy.arange(20, dtype=numpy.float32)[view]
    assert told(array, numpy.ascontiguousarray(array).tobytes()) == []


def test_a_strided_view_that_was_taken_for_a_dense_array_is_named() -> None:
    memory = numpy.arange(20, dtype=numpy.float32)
    assert told(memory[::2], memory[:10].tobytes()) == [
        "cudaMemcpy of 40 bytes: 10 consecutive elements of `a`, which is a strided view"
    ]


def test_anything_else_is_told_by_its_size() -> None:
    memory = numpy.arange(20, dtype=numpy.float32)
    for array in (memory, memory[::2], memory[::-1]):
        assert told(array, (memory + 1).tobytes()) == ["cudaMemcpy of 80 bytes"]
