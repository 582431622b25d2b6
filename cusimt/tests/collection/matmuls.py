"""References of matmuls.cu: products in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, kernel, unset


def _pair(rng: Generator, m: int, n: int, k: int, dtype: Any = np.float32) -> tuple[Array, Array, Array]:
    """Two factors and their product."""
    a, b = rng.normal(size=(m, k)).astype(dtype), rng.normal(size=(k, n)).astype(dtype)
    return a, b, a.astype(np.float64) @ b.astype(np.float64)


@kernel(1, 13, 40)
def matmul_naive(rng: Generator, n: int) -> Call:
    m, k = 9, 21
    a, b, product = _pair(rng, m, n, k)
    c = rng.normal(size=(m, n)).astype(np.float32)
    return Call((m, n, k, 0.5, a, b, 2.0, c), {7: 0.5 * product + 2 * c}, atol=1e-5)


@kernel(1, 16, 37)
def matmul_tiled(rng: Generator, n: int) -> Call:
    m, k = 19, 21
    a, b, product = _pair(rng, m, n, k)
    return Call((m, n, k, a, b, unset(m, n)), {5: product}, atol=1e-5)


@kernel(1, 33, 64)
def matmul_1d_blocks(rng: Generator, n: int) -> Call:
    m, k = 45, 18
    a, b, product = _pair(rng, m, n, k)
    return Call((m, n, k, a, b, unset(m, n)), {5: product}, atol=1e-5)


@kernel(4, 16, 52)
def matmul_2d_blocks(rng: Generator, n: int) -> Call:
    m, k = 41, 36
    a, b, product = _pair(rng, m, n, k)
    return Call((m, n, k, a, b, unset(m, n)), {5: product}, atol=1e-5)


@kernel(5, 16, 35)
def matmul_half(rng: Generator, n: int) -> Call:
    m, k = 37, 40
    a, b, product = _pair(rng, m, n, k, np.float16)
    return Call((a, b, unset(m, n, dtype=np.float16), m, n, k), {2: product}, rtol=1e-3, atol=1e-3)


@kernel(1, 3)
def matmul_batched(rng: Generator, batch: int) -> Call:
    m, n, k = 5, 9, 7
    a, b = rng.normal(size=(batch, m, k)), rng.normal(size=(batch, n, k))  # the second one transposed
    c = unset(batch, m, n, dtype=np.float64)
    return Call((a, b, c, batch, m, n, k), {2: a @ b.transpose(0, 2, 1)}, atol=1e-12)


@kernel(1, 50, 131)
def matmul_split_k(rng: Generator, k: int) -> Call:
    m, n = 7, 11
    a, b, product = _pair(rng, m, n, k)
    return Call((a, b, unset(m, n), m, n, k), {2: product}, atol=2e-5)
