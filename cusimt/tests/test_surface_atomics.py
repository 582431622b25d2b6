"""Atomic operations: totals, extremes, and the values they return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cusimt.tests.surface_program import Program, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def atomics(request: pytest.FixtureRequest) -> Program:
    return program("atomics", checked=request.param)


def test_histogram_in_shared_memory(atomics: Program) -> None:
    values = np.random.default_rng(0).integers(0, 37, 5000).astype(np.int32)
    bins = np.zeros(37, np.int32)
    atomics.histogram(values, 5000, bins, 37)
    assert np.array_equal(bins, np.bincount(values, minlength=37))


def test_every_ticket_is_taken_once(atomics: Program) -> None:
    counter, taken = np.zeros(1, np.uint32), np.zeros(250, np.uint32)
    atomics.ticket(counter, taken)
    assert np.array_equal(np.bincount(taken), [3] * 50 + [2] * 50)
    assert counter[0] == 50


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("int", np.int32),
        ("unsigned", np.uint32),
        ("long", np.uint64),
        ("float", np.float32),
        ("double", np.float64),
    ],
)
def test_sums(atomics: Program, name: str, dtype: type) -> None:
    values = np.random.default_rng(1).integers(0, 1000, 128).astype(dtype)
    sums = np.zeros(4, dtype)
    atomics.call(f"sum_{name}", values, sums)
    assert sums.tolist() == [values.sum(), values[:64].sum(), values[64:].sum(), 128]


def test_an_integer_sum_wraps(atomics: Program) -> None:
    sums = np.array([2**31 - 1, 0, 0, 0], np.int32)
    atomics.sum_int(np.ones(128, np.int32), sums)
    assert sums[0] == -(2**31) + 127


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("int", np.int32), ("unsigned", np.uint32), ("long", np.int64), ("ulong", np.uint64)],
)
def test_integer_operations(atomics: Program, name: str, dtype: Any) -> None:
    limits = np.iinfo(dtype)
    values = np.random.default_rng(2).integers(limits.min, limits.max, 64, dtype=dtype)
    result = np.array([limits.max, limits.min, dtype(0) ^ dtype(~dtype(0)), 0, 0], dtype)
    atomics.call(f"integer_{name}", values, result)
    operations = [np.bitwise_and, np.bitwise_or, np.bitwise_xor]
    assert result.tolist() == [values.min(), values.max(), *(op.reduce(values) for op in operations)]


def test_returned_values(atomics: Program) -> None:
    out, unsigned = np.array([10] + [0] * 6, np.int32), np.array([2] + [0] * 5, np.uint32)
    floats, shorts = np.array([1.5, 0, 0], np.float32), np.array([3, 0], np.uint16)
    atomics.returned(out, unsigned, floats, shorts)
    assert out.tolist() == [7, 10, 15, 12, 100, 7, 7]
    assert unsigned.tolist() == [8, 2, 3, 0, 9, 8]
    assert floats.tolist() == [3.5, 1.5, 2.5]
    assert shorts.tolist() == [4, 3]


def test_compare_and_swap_loop(atomics: Program) -> None:
    values = np.random.default_rng(3).normal(size=256).astype(np.float32)
    result = np.full(1, -np.inf, np.float32)
    atomics.maximum(values, result)
    assert result[0] == values.max()


def test_the_last_block_sees_what_all_blocks_wrote(atomics: Program) -> None:
    values = np.arange(256, dtype=np.float32)
    partial, total = np.zeros(8, np.float32), np.zeros(1, np.float32)
    for _ in range(2):
        atomics.last_block(values, partial, total)
        assert total[0] == values.sum()


def test_vector_sums(atomics: Program) -> None:
    sums, pairs = np.zeros(4, np.float32), np.zeros(2, np.float32)
    atomics.vector(sums, pairs)
    assert sums.tolist() == [496, 992, 1488, 1984]
    assert pairs.tolist() == [496, 32]
