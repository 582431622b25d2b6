"""References of reduced.cu."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Call, kernel, unset


@kernel(32)
def last_barrier(rng: Generator, n: int) -> Call:
    return Call((unset(n, dtype=np.int32),), {0: 63 - np.arange(n)})


@kernel(1, 6)
def device_variable_orders(rng: Generator, blocks: int) -> Call:
    outputs = unset(blocks, dtype=np.int32), unset(1, dtype=np.int32)
    return Call((*outputs, blocks), {1: np.array([blocks * (blocks + 1) // 2])})


@kernel(5)
def default_streams(rng: Generator, n: int) -> Call:
    x = rng.integers(1, 100, n, dtype=np.int32)
    return Call((x, unset(n, dtype=np.int32), n), {1: x})


@kernel(32)
def shared_halves(rng: Generator, n: int) -> Call:
    x = rng.normal(size=n).astype(np.float16)
    return Call((x, unset(n)), {0: x[::-1], 1: np.arange(n)[::-1]})


@kernel(4)
def own_lerp(rng: Generator, n: int) -> Call:
    x = rng.integers(0, 8, n).astype(np.float32)
    return Call((x,), {0: x / 2 + 5})


@kernel(20)
def symbol_size(rng: Generator, size: int) -> Call:
    return Call((unset(1, dtype=np.int32),), {0: np.array([size])})


@kernel(8)
def owner_as_argument(rng: Generator, n: int) -> Call:
    expected = np.stack([3 + np.arange(n), 4 + np.arange(n), np.full(n, 13)])
    return Call((unset(3, n, dtype=np.int32),), {0: expected})


@kernel(100)
def dynamic_programming(rng: Generator, n: int) -> Call:
    a, b, c = rng.integers(-(1 << 31), 1 << 31, (3, n)).astype(np.int32)
    a16, b16, c16 = (each.view(np.int16) for each in (a, b, c))  # the low half first
    ua16, ub16 = a16.view(np.uint16), b16.view(np.uint16)
    not_larger = (ua16 <= ub16).reshape(n, 2)
    words = (each.view(np.uint32) for each in (a, b, c))
    expected = [
        np.maximum(np.maximum(a + b, c), 0),
        np.minimum(np.minimum(a, b), c),
        np.maximum(a, b),
        a >= b,
        np.minimum(a16 + b16, c16).view(np.int32),
        np.maximum(np.maximum(a16, b16), 0).astype(np.int16).view(np.int32),
        np.minimum(ua16, ub16).view(np.int32),
        2 * not_larger[:, 1] + not_larger[:, 0],
        np.maximum.reduce(list(words)).view(np.int32),
    ]
    return Call((a, b, c, unset(9, n, dtype=np.int32), n), {3: np.stack(expected).astype(np.int32)})


@kernel(3)
def undefined_value(rng: Generator, blocks: int) -> Call:
    counter, out = np.zeros(1, np.int32), unset(blocks, 32, dtype=np.int32)
    expected = np.tile(np.arange(32), (blocks, 1))
    return Call((counter, out, blocks), {0: np.array([32 * blocks]), 1: expected})


@kernel(4)
def short_macros(rng: Generator, n: int) -> Call:
    return Call((unset(n, dtype=np.int32),), {0: np.full(n, 37)})
