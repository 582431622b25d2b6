"""References of transposes.cu."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Call, kernel, unset


@kernel(1, 31, 70)
def transpose_four_ways(rng: Generator, width: int) -> Call:
    height = 45
    x = rng.normal(size=(height, width)).astype(np.float32)
    expected = np.stack([x.ravel(), *[x.T.ravel()] * 3])
    return Call((x, unset(4, width * height), width, height), {1: expected})


@kernel(1, 16, 41)
def transpose_diagonal(rng: Generator, n: int) -> Call:
    x = rng.normal(size=(n, n))
    return Call((x, unset(n, n, dtype=np.float64), n), {1: x.T})


@kernel(1, 16, 45)
def transpose_in_place(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 1000, (n, n), dtype=np.int32)
    return Call((x, n), {0: x.T})


@kernel(4, 36, 68)
def transpose_int4(rng: Generator, rows: int) -> Call:
    x = rng.integers(0, 1000, (rows, 44), dtype=np.int32)
    return Call((x, unset(44, rows, dtype=np.int32), rows, 44), {1: x.T})


@kernel(1, 5)
def swap_middle(rng: Generator, heads: int) -> Call:
    x = rng.integers(0, 1000, (2, 7, heads, 3)).astype(np.int16)
    out = unset(2, heads, 7, 3, dtype=np.int16)
    return Call((x, out, *x.shape), {1: x.transpose(0, 2, 1, 3)})


@kernel(1, 37)
def transpose_pitched(rng: Generator, width: int) -> Call:
    x = rng.normal(size=(9, width)).astype(np.float32)
    return Call((x, unset(width, 9), width, 9), {1: x.T}, on_host=True)
