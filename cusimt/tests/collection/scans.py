"""References of scans.cu."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, kernel, unset


@kernel(1, 37, 128)
def scan_hillis_steele(rng: Generator, n: int) -> Call:
    x = rng.integers(-9, 9, n).astype(np.float32)
    return Call((unset(n), x, n), {0: np.cumsum(x) - x})


@kernel(1, 128, 1000)
def scan_three_kernels(rng: Generator, n: int) -> Call:
    x = rng.integers(-9, 9, n, dtype=np.int32)
    return Call((x, unset(n, dtype=np.int32), n), {1: np.cumsum(x) - x})


@kernel(32, 96, 1024)
def scan_rows(rng: Generator, cols: int) -> Call:
    x = rng.normal(size=(2, cols))
    return Call((x, unset(2, cols, dtype=np.float64), 2, cols), {1: np.cumsum(x, axis=1)}, atol=1e-11)


@kernel(1, 64, 777)
def scan_lookback(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 1 << 30, n, dtype=np.uint32)  # sums wrap
    return Call((x, unset(n, dtype=np.uint32), n), {1: np.cumsum(x, dtype=np.uint32)})


@kernel(1, 96, 500)
def compact_ordered(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 100, n, dtype=np.int32)
    kept = x[x % 2 == 1]
    out, count = unset(n, dtype=np.int32), unset(1, dtype=np.int32)
    expected = np.concatenate([kept, out[len(kept) :]])
    return Call((x, out, count, n), {1: expected, 2: np.array([len(kept)])})


@kernel(1, 300, 1001)
def filter_positive(rng: Generator, n: int) -> Call:
    x = rng.integers(-100, 100, n, dtype=np.int32)
    kept = np.sort(x[x > 0])

    def same_values(result: Array) -> None:
        assert np.array_equal(np.sort(result[: len(kept)]), kept)

    out, count = unset(n, dtype=np.int32), unset(1, dtype=np.int32)
    return Call((out, count, x, n), {0: same_values, 1: np.array([len(kept)])})


@kernel(1, 33, 128)
def scan_segmented(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 9, n).astype(np.float32)
    heads = (rng.random(n) < 0.1).astype(np.uint8)
    heads[0] = 1
    totals = np.cumsum(x)
    starts = np.maximum.accumulate(np.where(heads, np.arange(n), 0))
    return Call((x, heads, unset(n), n), {2: totals - totals[starts] + x[starts]})
