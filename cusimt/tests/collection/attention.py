"""References of attention.cu."""

from __future__ import annotations

import numpy as np
import torch
from numpy.random import Generator
from torch.nn import functional

from cusimt.tests.collection_program import Array, Call, kernel, unset


def _attention(q: Array, k: Array, v: Array, causal: bool) -> Array:
    q64, k64, v64 = (torch.from_numpy(each.copy()).double() for each in (q, k, v))
    return functional.scaled_dot_product_attention(q64, k64, v64, is_causal=causal).numpy()


@kernel(1, 5, 19)
def attention_naive(rng: Generator, time: int) -> Call:
    batch, heads, size = 2, 3, 4
    width = heads * size
    x = rng.normal(size=(batch, time, 3, heads, size)).astype(np.float32)
    q, k, v = x.transpose(2, 0, 3, 1, 4)
    expected = _attention(q, k, v, causal=True).transpose(0, 2, 1, 3).reshape(batch, time, width)
    scores = unset(batch, heads, time, time), unset(batch, heads, time, time)
    return Call((unset(batch, time, width), *scores, x, batch, time, width, heads), {0: expected}, atol=1e-5)


@kernel(1, 16, 33, 70)
def attention_flash(rng: Generator, time: int) -> Call:
    q, k, v = rng.normal(size=(3, 2, 3, time, 8)).astype(np.float32)
    causal = time % 2
    expected = _attention(q, k, v, causal=bool(causal))
    return Call((q, k, v, unset(2, 3, time, 8), 2, 3, time, causal), {3: expected}, atol=1e-5)


@kernel(2, 10, 64)
def rope(rng: Generator, dim: int) -> Call:
    tokens, heads = 5, 3
    x = rng.normal(size=(tokens, heads, dim)).astype(np.float16)
    positions = rng.integers(0, 50, tokens, dtype=np.int32)
    angles = positions[:, None, None] * 10000.0 ** (-np.arange(dim // 2) / (dim // 2))
    pairs = x.astype(np.float64).reshape(tokens, heads, dim // 2, 2)
    turned = (pairs[..., 0] + 1j * pairs[..., 1]) * np.exp(1j * angles)
    expected = np.stack([turned.real, turned.imag], axis=-1).reshape(x.shape)
    return Call((x, positions, tokens, heads, dim), {0: expected}, rtol=2e-3, atol=2e-3)


def _philox(counters: Array, key: tuple[int, int]) -> Array:
    """Philox 4x32-10 (Salmon et al., 2011) of the counters (i, 0, 0, 0): (n, 4) of uint32."""
    zeros = np.zeros_like(counters, np.uint64)
    c = [counters.astype(np.uint64), zeros, zeros, zeros]
    low = np.uint64(0xFFFFFFFF)
    k = [np.uint64(each) for each in key]
    for step in range(10):
        if step:
            k = [(k[0] + np.uint64(0x9E3779B9)) & low, (k[1] + np.uint64(0xBB67AE85)) & low]
        first, second = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [
            (second >> np.uint64(32)) ^ c[1] ^ k[0],
            second & low,
            (first >> np.uint64(32)) ^ c[3] ^ k[1],
            first & low,
        ]
    return np.stack(c, axis=1).astype(np.uint32)


@kernel(1, 100)
def gelu_with_dropout(rng: Generator, quads: int) -> Call:
    x = rng.normal(size=(quads, 4)).astype(np.float32)
    bits = _philox(np.arange(quads), (1234, 5678))
    gelu = functional.gelu(torch.from_numpy(x).double(), approximate="tanh").numpy()
    expected = np.where(bits < 0.25 * 2**32, 0, gelu / 0.75)
    arguments = x, unset(quads, 4), unset(quads, 4, dtype=np.uint32), quads, 0.25, 1234, 5678
    return Call(arguments, {1: expected, 2: bits}, rtol=1e-5, atol=1e-6)


@kernel(1, 33, 100)
def embedding(rng: Generator, width: int) -> Call:
    table = rng.normal(size=(11, width)).astype(np.float32)
    ids = rng.integers(0, 11, 10)
    return Call((unset(10, width), ids, table, 10, width), {0: table[ids]})


@kernel(1, 50)
def embedding_backward(rng: Generator, width: int) -> Call:
    dout, ids = rng.integers(-9, 9, (40, width)).astype(np.float64), rng.integers(0, 7, 40)
    expected = np.zeros((7, width))
    np.add.at(expected, ids, dout)
    expected[0] = 0  # padding
    return Call((unset(7, width, dtype=np.float64), ids, dout, 40, width, 7), {0: expected})


@kernel(3, 200, 1000)
def adamw(rng: Generator, n: int) -> Call:
    step = 3
    p, g, m = rng.normal(size=(3, n)).astype(np.float32)
    v = rng.random(n).astype(np.float32)
    new_m = 0.9 * m.astype(np.float64) + 0.1 * g
    new_v = 0.99 * v.astype(np.float64) + 0.01 * g.astype(np.float64) ** 2
    update = new_m / (1 - 0.9**step) / (np.sqrt(new_v / (1 - 0.99**step)) + 1e-8)
    expected = p - 1e-2 * (update + 0.1 * p)
    return Call((p, g, m, v, n, step), {0: expected, 2: new_m, 3: new_v}, rtol=1e-5, atol=1e-6)
