"""References of reductions.cu."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, Check, kernel, unset


def _first(wanted: Any, tolerance: float = 0.0) -> Check:
    """Element 0 is near `wanted`; the others are scratch."""

    def check(result: Array) -> None:
        assert abs(float(result[0]) - float(wanted)) <= tolerance

    return check


@kernel(1, 127, 128, 1000)
def sum_int(rng: Generator, n: int) -> Call:
    x = rng.integers(-1000, 1000, n, dtype=np.int32)
    return Call((x, unset(n, dtype=np.int32), n), {1: _first(x.sum())})


@kernel(3, 129, 20_000)
def sum_double(rng: Generator, n: int) -> Call:
    x = rng.normal(size=n)
    return Call((x, unset(n, dtype=np.float64), n), {1: _first(x.sum(), 1e-11)})


@kernel(64, 128, 256)
def sum_unrolled(rng: Generator, threads: int) -> Call:
    n = 1531
    x = rng.integers(-50, 50, n).astype(np.float32)  # sums of small integers are exact in any order
    chunk = np.arange(n) // (2 * threads) % 3
    return Call((x, unset(3), n, threads), {1: np.bincount(chunk, weights=x, minlength=3)})


@kernel(1, 500, 5001)
def sum_single_pass(rng: Generator, n: int) -> Call:
    x = rng.integers(-50, 50, n).astype(np.float32)
    return Call((x, unset(7), unset(1), n), {2: x.sum(keepdims=True)})


@kernel(1, 1000)
def sum_grid(rng: Generator, n: int) -> Call:
    x = rng.integers(-1000, 1000, n, dtype=np.int32)
    return Call((x, unset(5, dtype=np.int32), unset(1, dtype=np.int32), n), {2: x.sum(keepdims=True)})


@kernel(1, 33, 200)
def argmax(rng: Generator, cols: int) -> Call:
    x = rng.integers(-9, 9, (6, cols)).astype(np.float32)  # many ties: the first one counts
    return Call((x, unset(6, dtype=np.int32), 6, cols), {1: x.argmax(axis=1)})


@kernel(1, 127, 300)
def variance(rng: Generator, cols: int) -> Call:
    x = (1000 + rng.normal(size=(3, cols))).astype(np.float32)
    wide = x.astype(np.float64)
    outputs = unset(3, dtype=np.float64), unset(3, dtype=np.float64)
    return Call((x, *outputs, 3, cols), {1: wide.mean(axis=1), 2: wide.var(axis=1)}, rtol=1e-9, atol=1e-9)


@kernel(1, 65, 1000)
def extremes(rng: Generator, n: int) -> Call:
    x = rng.integers(-50, 50, n).astype(np.float32)
    outputs = unset(1), unset(1), unset(1, dtype=np.uint32)
    expected = {1: x.max(keepdims=True), 2: x.sum(keepdims=True), 3: (x > 0).sum(keepdims=True)}
    return Call((x, *outputs, n), expected)


@kernel(1, 31, 128, 777)
def row_sums_and_maxima(rng: Generator, cols: int) -> Call:
    x = rng.normal(size=(5, cols))
    outputs = unset(5, dtype=np.float64), unset(5, dtype=np.float64)
    return Call((x, *outputs, 5, cols), {1: x.sum(axis=1), 2: x.max(axis=1)}, rtol=1e-12, atol=1e-12)
