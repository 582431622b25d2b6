"""References of miscellany.cu."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, Check, kernel, unset


@kernel(1, 20, 33)
def mandelbrot(rng: Generator, width: int) -> Call:
    height, limit = 21, 40
    single = np.float32
    y, x = np.mgrid[:height, :width].astype(single)
    c = single(3) * x / single(width) - single(2), single(2) * y / single(height) - single(1)
    a = np.zeros_like(x), np.zeros_like(x)
    steps, running = np.zeros((height, width), np.uint8), np.ones((height, width), bool)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(limit):
            a = a[0] * a[0] - a[1] * a[1] + c[0], a[1] * a[0] + a[0] * a[1] + c[1]
            running &= ~(a[0] * a[0] + a[1] * a[1] > 4)
            steps += running
    alpha = np.where(steps == limit, 0, 255)
    expected = np.stack([steps, 255 - steps, np.zeros_like(steps), alpha], axis=2)
    return Call((unset(height, width, 4, dtype=np.uint8), width, height, limit), {0: expected})


@kernel(3, 16, 37)
def life(rng: Generator, width: int) -> Call:
    height, generations = 11, 4
    cells = rng.random((height, width)) < 0.4
    now = cells.astype(int)
    for _ in range(generations):
        shifts = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)]
        around = sum(np.roll(now, shift, axis=(0, 1)) for shift in shifts)
        now = ((around == 3) | (now == 1) & (around == 2)).astype(int)
    return Call((cells, np.zeros_like(cells), width, height, generations), {0: now.astype(bool)})


@kernel(1, 65)
def set_bits(rng: Generator, n: int) -> Call:
    words = rng.integers(0, 1 << 32, n).astype(np.uint32)
    bits = np.unpackbits(words.view(np.uint8), bitorder="little")
    positions = np.flatnonzero(bits)
    reversed_words = np.packbits(bits.reshape(n, 32), axis=1).view(">u4").astype(np.uint32)

    def same_positions(result: Array) -> None:
        assert np.array_equal(np.sort(result[: len(positions)]), positions)

    outputs = unset(32 * n, dtype=np.uint32), unset(1, dtype=np.int32), unset(n, dtype=np.uint32)
    expected: dict[int, Array | Check] = {
        2: same_positions,
        3: np.array([len(positions)]),
        4: reversed_words[:, 0],
    }
    return Call((words, n, *outputs), expected)


@kernel(3, 64, 500)
def string_search(rng: Generator, length: int) -> Call:
    text, wanted = rng.integers(97, 99, length).astype(np.uint8), np.frombuffer(b"aba", np.uint8)
    hits = [text[i : i + 3].tobytes() == b"aba" for i in range(length)]
    first = hits.index(True) if any(hits) else 0x7F7F7F7F
    outputs = unset(length, dtype=np.uint8), unset(1, dtype=np.int32)
    return Call((text, length, wanted.copy(), 3, *outputs), {4: np.array(hits), 5: np.array([first])})


@kernel(1, 33)
def monte_carlo_pi(rng: Generator, threads: int) -> Call:
    blocks, draws = 3, 50
    state = 1 + np.arange(blocks * threads, dtype=np.uint32)

    def draw() -> Array:
        nonlocal state
        state = state ^ state << np.uint32(13)
        state = state ^ state >> np.uint32(17)
        state = state ^ state << np.uint32(5)
        return np.asarray(state * 2.0**-32)

    inside = sum(int(np.count_nonzero(draw() ** 2 + draw() ** 2 < 1)) for _ in range(draws))
    return Call((unset(1, dtype=np.uint64), blocks, threads, draws), {0: np.array([inside])})


@kernel(1, 200)
def bloom(rng: Generator, count: int) -> Call:
    keys, queries = rng.integers(0, 1000, (2, count)).astype(np.uint32)

    def positions(x: Array) -> Array:
        seeds = np.array([0x9747B28C, 17, 0xDEADBEEF], np.uint32)[:, None]
        x = (x ^ seeds) * np.uint32(0x85EBCA6B)
        x = (x ^ x >> np.uint32(13)) * np.uint32(0xC2B2AE35)
        return np.asarray((x ^ x >> np.uint32(16)) % np.uint32(1000))

    bits = np.zeros(1024, bool)
    bits[positions(keys)] = True
    found = np.asarray(bits[positions(queries)].all(axis=0))
    words = np.packbits(bits, bitorder="little").view(np.uint32)
    outputs = np.zeros(count, bool), unset(1, dtype=np.int32)
    arguments = unset(32, dtype=np.uint32), 1000, keys, count, queries, count, *outputs
    return Call(arguments, {0: words, 6: found, 7: np.array([found.sum()])})


def _gemv(rng: Generator, cols: int, dtype: Any) -> Call:
    a, x = rng.normal(size=(9, cols)).astype(dtype), rng.normal(size=cols).astype(dtype)
    expected = a.astype(np.float64) @ x.astype(np.float64)
    atol = 100 * float(np.finfo(dtype).eps)
    return Call((a, x, unset(9, dtype=dtype), 9, cols), {2: expected}, atol=atol)


@kernel(1, 16, 77)
def gemv_float(rng: Generator, cols: int) -> Call:
    return _gemv(rng, cols, np.float32)


@kernel(1, 250)
def gemv_double(rng: Generator, cols: int) -> Call:
    return _gemv(rng, cols, np.float64)


def _group_by(rng: Generator, n: int, key: Any, value: Any) -> Call:
    groups = 13
    keys, values = rng.integers(0, 20, n).astype(key), rng.integers(-9, 9, n).astype(value)
    sums = np.bincount(keys.clip(max=groups - 1), values, minlength=groups)
    counts = np.bincount(keys.clip(max=groups - 1), minlength=groups)
    outputs = unset(groups, dtype=value), unset(groups, dtype=np.int32)
    return Call((keys, values, *outputs, n, groups), {2: sums, 3: counts})


@kernel(1, 500)
def group_by_short(rng: Generator, n: int) -> Call:
    return _group_by(rng, n, np.int16, np.float32)


@kernel(1, 333)
def group_by_int(rng: Generator, n: int) -> Call:
    return _group_by(rng, n, np.int32, np.float64)


@kernel(1, 50)
def modern(rng: Generator, n: int) -> Call:
    a, b = rng.integers(-9, 9, (2, n)).astype(np.float32)
    c = rng.integers(-9, 9, n).astype(np.float64)
    numbers = rng.integers(0, 3**10, n, dtype=np.int32)
    expected = np.stack([a + b + c, b, 2.0 * np.arange(n) ** 2])
    arguments = a, b, c, unset(3, n), numbers, unset(n, dtype=np.int32), n
    return Call(arguments, {3: expected, 5: numbers})


@kernel(1, 5000)
def two_streams(rng: Generator, n: int) -> Call:
    x, y = rng.integers(-9, 9, (2, n)).astype(np.float32)
    return Call((x, y, 2.0, n), {1: y + 2 * x}, on_host=True)
