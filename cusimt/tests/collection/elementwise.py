"""References of elementwise.cu."""

from __future__ import annotations

import numpy as np
import torch
from numpy.random import Generator

from cusimt.tests.collection_program import Call, kernel, unset


@kernel(1, 63, 1000)
def axpy(rng: Generator, n: int) -> Call:
    x, y = rng.normal(size=(2, n)).astype(np.float32)
    return Call((n, 2.5, x, y), {3: np.float32(2.5) * x + y})


@kernel(1, 4, 515, 1021)
def relu(rng: Generator, n: int) -> Call:
    x = rng.normal(size=n).astype(np.float32)
    return Call((x, unset(n), n), {1: np.maximum(x, 0)})


@kernel(1, 97, 500)
def zip_functors(rng: Generator, n: int) -> Call:
    a, b = rng.normal(size=(2, n))
    expected = np.stack([a + b, np.sqrt(a * a + b * b), a * b + a])
    return Call((a, b, unset(3, n, dtype=np.float64), n), {2: expected})


@kernel(2, 30, 66)
def gelu_half2(rng: Generator, cols: int) -> Call:
    x, bias = rng.normal(size=(7, cols)).astype(np.float16), rng.normal(size=cols).astype(np.float16)
    expected = torch.nn.functional.gelu(torch.from_numpy(x + bias).double()).numpy()
    return Call((x, bias, unset(7, cols, dtype=np.float16), 7, cols), {2: expected}, rtol=1e-3, atol=1e-6)


@kernel(1, 129, 300)
def unary_by_macro(rng: Generator, n: int) -> Call:
    x = rng.normal(scale=10, size=n).astype(np.float32)
    wide = x.astype(np.float64)
    expected = np.stack([wide**2, 1 / (1 + np.exp(-wide)), np.logaddexp(0, wide), wide.clip(-1, 1)])
    return Call((x, unset(4, n), n), {1: expected}, rtol=1e-5)


@kernel(1, 33, 100)
def table_of_kernels(rng: Generator, n: int) -> Call:
    a, b = rng.integers(-1000, 1000, (2, n), dtype=np.int32)
    return Call((a, b, unset(3, n, dtype=np.int32), n), {2: np.stack([a + b, a - b, np.maximum(a, b)])})


@kernel(1, 31, 100)
def lambdas(rng: Generator, n: int) -> Call:
    x = rng.normal(size=n).astype(np.float32)
    index = np.arange(n, dtype=np.float32)
    return Call((x, unset(3, n), n), {1: np.stack([3 * x, x[::-1], index * n])})


@kernel(1, 1000)
def vector_add_program(rng: Generator, n: int) -> Call:
    a, b = rng.normal(size=(2, n)).astype(np.float32)
    return Call((a, b, unset(n), n), {2: a + b}, on_host=True)
