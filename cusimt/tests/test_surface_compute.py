"""Whole kernels, as learners write them, against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cusimt.tests.surface_program import Program, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def compute(request: pytest.FixtureRequest) -> Program:
    return program("compute", checked=request.param)


@pytest.mark.parametrize(("name", "dtype"), [("float", np.float32), ("double", np.float64)])
def test_tiled_matmul(compute: Program, name: str, dtype: Any) -> None:
    rng = np.random.default_rng(0)
    m, n, k = 19, 13, 21
    a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    result = np.full((m, n), np.nan, dtype)
    compute.call(f"matmul_{name}", a, b, result, m, n, k)
    np.testing.assert_allclose(result, a.astype(np.float64) @ b, rtol=0, atol=40 * np.finfo(dtype).eps)


@pytest.mark.parametrize("columns", [1, 31, 96, 250])
def test_softmax(compute: Program, columns: int) -> None:
    values = np.random.default_rng(1).normal(scale=20, size=(5, columns)).astype(np.float32)
    result = np.full_like(values, np.nan)
    compute.softmax(values, result, 5, columns)
    exact = np.exp(values.astype(np.float64) - values.max(axis=1, keepdims=True))
    np.testing.assert_allclose(result, exact / exact.sum(axis=1, keepdims=True), rtol=1e-4, atol=1e-30)


@pytest.mark.parametrize("n", [1, 3, 4, 1021])
def test_vector_loads_with_a_tail(compute: Program, n: int) -> None:
    values = np.random.default_rng(2).normal(size=n).astype(np.float32)
    result = np.full_like(values, np.nan)
    compute.scale(values, result, 2.5, n)
    assert np.array_equal(result, values * np.float32(2.5))


def test_pairs_of_halves(compute: Program) -> None:
    a, b, c = np.random.default_rng(3).normal(size=(3, 202)).astype(np.float16)
    result = np.full_like(a, np.nan)
    compute.half_muladd(a, b, c, result, 101)
    exact = a.astype(np.float64) * b.astype(np.float64) + c.astype(np.float64)
    assert np.array_equal(result, exact.astype(np.float16))


def test_cooperative_groups(compute: Program) -> None:
    n = 64
    values = np.random.default_rng(4).integers(0, 50, n).astype(np.int32)
    result = np.full((10, n), -1, np.int32)
    compute.groups(values, result, n)
    tiles, warps = values.reshape(-1, 8), values.reshape(-1, 32)
    assert np.array_equal(result[0], np.repeat(tiles.sum(axis=1), 8))
    assert np.array_equal(result[1], np.repeat(warps.max(axis=1), 32))
    assert np.array_equal(result[2], np.cumsum(warps, axis=1).ravel())
    assert np.array_equal(result[3], (np.cumsum(tiles, axis=1) - tiles).ravel())
    rank = np.arange(n) % 8
    down = np.where(rank < 5, np.roll(values, -3), values)
    assert np.array_equal(result[4], down * 100 + np.repeat(tiles[:, 0], 8))
    assert np.array_equal(result[5], np.repeat((tiles % 2 << np.arange(8)).sum(axis=1), 8))
    thread = np.arange(n)
    assert np.array_equal(result[6], thread % 32 // 8 * 1000 + thread // 32 * 100 + thread % 32)
    for warp in range(2):
        threes = warp * 32 + np.flatnonzero(warps[warp] % 3 == 0)
        expected = len(threes) * 100 + np.arange(len(threes)) * 10 + (values[threes] == values[threes[1]])
        assert np.array_equal(result[7, threes], expected)
        assert set(result[8, threes]) == {values[threes].min()}
        odd = np.count_nonzero(warps[warp] % 2)
        sizes = np.where(warps[warp] % 2, odd, 32 - odd)
        assert np.array_equal(result[9, warp * 32 : warp * 32 + 32], sizes)
    assert set(result[7, values % 3 != 0]) == {-1}


def test_a_barrier_over_the_grid(compute: Program) -> None:
    values = np.arange(1000, dtype=np.float32)
    partial, totals = np.zeros(6, np.float32), np.zeros(6, np.float32)
    compute.grid(values, partial, totals, 1000)
    assert set(totals) == {499_500}


@pytest.mark.parametrize("n", [128, 500, 501])
def test_copies_in_the_background(compute: Program, n: int) -> None:
    values, result = np.arange(n, dtype=np.float32), np.zeros(1, np.float32)
    compute.pipelined_sum(values, result, n)
    assert result[0] == values.sum()
