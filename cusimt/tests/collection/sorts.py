"""References of sorts.cu."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Call, kernel, unset


@kernel(0, 1)
def sort_bitonic_shared(rng: Generator, ascending: int) -> Call:
    keys = np.stack([rng.permutation(500)[:128] for _ in range(3)]).astype(np.uint32)
    values = rng.integers(0, 1000, (3, 128), dtype=np.uint32)
    order = np.argsort(keys, axis=1) if ascending else np.argsort(keys, axis=1)[:, ::-1]
    expected = {0: np.take_along_axis(keys, order, 1), 1: np.take_along_axis(values, order, 1)}
    outputs = unset(3, 128, dtype=np.uint32), unset(3, 128, dtype=np.uint32)
    return Call((*outputs, keys, values, 3, ascending), expected)


@kernel(1, 33, 200)
def sort_bitonic_global(rng: Generator, n: int) -> Call:
    x = rng.normal(size=n).astype(np.float32)
    return Call((x, n), {0: np.sort(x)})


@kernel(1, 2, 101, 300)
def sort_odd_even(rng: Generator, n: int) -> Call:
    x = rng.integers(-100, 100, n).astype(np.int16)
    return Call((x, n, unset(1, dtype=np.int32)), {0: np.sort(x)})


@kernel(1, 64, 501)
def sort_radix(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 1 << 32, n).astype(np.uint32)
    return Call((x, unset(n, dtype=np.uint32), n), {0: np.sort(x)})


@kernel(0, 1, 100, 333)
def merge_sorted(rng: Generator, n: int) -> Call:
    a, b = np.sort(rng.integers(0, 50, n)).astype(float), np.sort(rng.integers(0, 50, 77)).astype(float)
    a_or_one = a if n else np.zeros(1)
    arguments = a_or_one, n, b, 77, unset(n + 77, dtype=np.float64)
    return Call(arguments, {4: np.sort(np.concatenate([a, b]))})


@kernel(7, 32, 100)
def top_k(rng: Generator, cols: int) -> Call:
    k = 5
    x = rng.integers(-9, 9, (4, cols)).astype(np.float32)  # ties: the smaller index first
    indices = np.argsort(-x, axis=1, kind="stable")[:, :k]
    outputs = unset(4, k), unset(4, k, dtype=np.int32)
    return Call((x, *outputs, 4, cols, k), {1: np.take_along_axis(x, indices, 1), 2: indices})
