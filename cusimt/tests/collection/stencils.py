"""References of stencils.cu."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, kernel, unset


@kernel(1, 64, 200)
def convolution_1d(rng: Generator, n: int) -> Call:
    x, taps = rng.normal(size=n).astype(np.float32), rng.normal(size=7).astype(np.float32)
    full = np.convolve(x.astype(np.float64), taps.astype(np.float64))
    return Call((unset(n), x, taps, n), {0: full[3 : 3 + n]}, atol=1e-5)


@kernel(1, 2, 5)
def convolution_separable(rng: Generator, radius: int) -> Call:
    h, w = 19, 37
    x = rng.normal(size=(h, w)).astype(np.float32)
    weights = radius + 1.0 - np.abs(np.arange(-radius, radius + 1))
    weights /= weights.sum()
    padded = np.pad(x.astype(np.float64), radius, mode="edge")
    rows = sum(weight * padded[:, d : d + w] for d, weight in enumerate(weights))
    expected = sum(weight * rows[d : d + h] for d, weight in enumerate(weights))
    return Call((x, unset(h, w), unset(h, w), w, h, radius), {2: np.asarray(expected)}, atol=1e-5)


@kernel(1, 16, 45)
def box_2d(rng: Generator, w: int) -> Call:
    h = 21
    x = rng.integers(0, 256, (h, w)).astype(np.uint8)
    padded = np.pad(x.astype(np.int64), 2, mode="edge")
    total = sum(padded[dy : dy + h, dx : dx + w] for dy in range(5) for dx in range(5))
    return Call((x, unset(h, w, dtype=np.uint8), w, h), {1: np.asarray(total) // 25})


def _laplace(rng: Generator, nx: int, dtype: Any) -> Call:
    nz, ny = 5, 7
    u = rng.normal(size=(nz, ny, nx)).astype(dtype)
    wide: Array = np.pad(u.astype(np.float64), 1)
    centre = wide[1:-1, 1:-1, 1:-1]
    expected = -6 * centre + wide[:-2, 1:-1, 1:-1] + wide[2:, 1:-1, 1:-1] + wide[1:-1, :-2, 1:-1]
    expected += wide[1:-1, 2:, 1:-1] + wide[1:-1, 1:-1, :-2] + wide[1:-1, 1:-1, 2:]
    atol = 100 * float(np.finfo(dtype).eps)
    return Call((u, unset(nz, ny, nx, dtype=dtype), nx, ny, nz), {1: expected}, atol=atol)


@kernel(1, 8, 19)
def stencil_7_point(rng: Generator, nx: int) -> Call:
    return _laplace(rng, nx, np.float64)


@kernel(13)
def stencil_7_point_float(rng: Generator, nx: int) -> Call:
    return _laplace(rng, nx, np.float32)


@kernel(2, 35, 100)
def heat(rng: Generator, n: int) -> Call:
    steps = 6
    start = rng.normal(size=n).astype(np.float32)
    u = start.astype(np.float64)
    for _ in range(steps):
        u[1:-1] = u[1:-1] + 0.25 * (u[:-2] - 2 * u[1:-1] + u[2:])
    return Call((start, unset(n), n, steps), {0: u}, atol=1e-6)


@kernel(4, 9)
def conv2d(rng: Generator, size: int) -> Call:
    stride, pad = 2, 1
    x = rng.normal(size=(2, 3, size, size + 1)).astype(np.float32)
    weight, bias = rng.normal(size=(4, 3, 3, 2)).astype(np.float32), rng.normal(size=4).astype(np.float32)
    x64, weight64, bias64 = (torch.from_numpy(each).double() for each in (x, weight, bias))
    expected = torch.nn.functional.conv2d(x64, weight64, bias64, stride, pad).numpy()
    return Call((x, weight, bias, unset(*expected.shape), size, stride, pad), {3: expected}, atol=1e-5)
