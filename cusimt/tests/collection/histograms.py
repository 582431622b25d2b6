"""References of histograms.cu."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, kernel, unset


def _bins(values: Array, count: int) -> Array:
    return np.bincount(values, minlength=count)


@kernel(1, 1000, 4097)
def histogram_global(rng: Generator, n: int) -> Call:
    data = rng.integers(0, 256, n).astype(np.uint8)
    return Call((data, unset(256, dtype=np.uint32), n), {1: _bins(data, 256)})


@kernel(1, 1001, 4098)
def histogram_shared(rng: Generator, n: int) -> Call:
    data = rng.integers(100, 140, n).astype(np.uint8)
    return Call((data, unset(256, dtype=np.uint32), n), {1: _bins(data, 256)})


@kernel(1, 95, 3001)
def histogram_two_kernels(rng: Generator, n: int) -> Call:
    data = rng.integers(0, 40, n, dtype=np.int32)
    return Call((data, unset(40, dtype=np.uint32), n), {1: _bins(data, 40)})


@kernel(200, 300, 1000)
def histogram_passes(rng: Generator, total: int) -> Call:
    data = rng.integers(0, total, 1777).astype(np.uint16)
    return Call((data, unset(total, dtype=np.uint32), 1777, total), {1: _bins(data, total)})


@kernel(1, 33, 1000)
def histogram_by_match(rng: Generator, n: int) -> Call:
    data = rng.integers(0, 5, n, dtype=np.int32)
    return Call((data, unset(5, dtype=np.uint32), n, 5), {1: _bins(data, 5)})


@kernel(1, 500)
def histogram2d(rng: Generator, n: int) -> Call:
    points = rng.uniform(-0.1, 1.1, (n, 2)).astype(np.float32)
    weights = rng.integers(1, 9, n).astype(np.float64)
    x, y = np.floor(points * np.float32(8)).astype(int).clip(0, 7).T
    expected = np.bincount(y * 8 + x, weights, minlength=64)
    return Call((points, weights, unset(64, dtype=np.float64), n), {2: expected})
