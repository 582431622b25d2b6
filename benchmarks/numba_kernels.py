"""The kernels of numba_comparison.cu in Python, for numba-cuda's simulator: same blocks, same work a thread.

Run by numba_comparison.py with NUMBA_ENABLE_CUDASIM=1. Prints one line a kernel: name, seconds (median of the
rounds), CUDA threads launched.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import cuda, float32, int32

BLOCK, TILE, INNER, SIDE, ROWS, BINS = 256, 16, 64, 32, 8, 64
ROUNDS = 3


@cuda.jit
def vector_add(a, b, c, n):
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    if i < n:
        c[i] = a[i] + b[i]


@cuda.jit
def tiled_matmul(a, b, c, n):
    tile_a, tile_b = cuda.shared.array((TILE, TILE), float32), cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    row, column = cuda.blockIdx.y * TILE + y, cuda.blockIdx.x * TILE + x
    total = float32(0)
    for k in range(0, INNER, TILE):
        tile_a[y, x] = a[row * INNER + k + x]
        tile_b[y, x] = b[(k + y) * n + column]
        cuda.syncthreads()
        for i in range(TILE):
            total += tile_a[y, i] * tile_b[i, x]
        cuda.syncthreads()
    c[row * n + column] = total


@cuda.jit
def transpose(source, out, n):
    tile = cuda.shared.array((SIDE, SIDE + 1), float32)
    x, y = cuda.blockIdx.x * SIDE + cuda.threadIdx.x, cuda.blockIdx.y * SIDE + cuda.threadIdx.y
    for j in range(0, SIDE, ROWS):
        tile[cuda.threadIdx.y + j, cuda.threadIdx.x] = source[(y + j) * n + x]
    cuda.syncthreads()
    x, y = cuda.blockIdx.y * SIDE + cuda.threadIdx.x, cuda.blockIdx.x * SIDE + cuda.threadIdx.y
    for j in range(0, SIDE, ROWS):
        out[(y + j) * n + x] = tile[cuda.threadIdx.x, cuda.threadIdx.y + j]


@cuda.jit
def reduction(source, out, n):
    partial = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    partial[t] = source[i] if i < n else 0
    cuda.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            partial[t] += partial[t + step]
        cuda.syncthreads()
        step //= 2
    if t == 0:
        cuda.atomic.add(out, 0, partial[0])


@cuda.jit
def histogram(data, bins, n):
    local = cuda.shared.array(BINS, int32)
    t = cuda.threadIdx.x
    if t < BINS:
        local[t] = 0
    cuda.syncthreads()
    i = cuda.blockIdx.x * cuda.blockDim.x + t
    if i < n:
        cuda.atomic.add(local, data[i], 1)
    cuda.syncthreads()
    if t < BINS:
        cuda.atomic.add(bins, t, local[t])


def measure(name: str, threads: int, launch: Callable[[], Any]) -> None:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        launch()
        cuda.synchronize()
        times.append(time.perf_counter() - start)
    print(name, f"{statistics.median(times):.6f}", threads, flush=True)


def main() -> None:
    n, side, image = 1 << 13, 64, 128
    a, b = (cuda.to_device(np.full(1 << 14, value, np.float32)) for value in (1, 2))
    c, total = cuda.to_device(np.zeros(1 << 14, np.float32)), cuda.to_device(np.zeros(1, np.float32))
    data, bins = cuda.to_device(np.full(n, 7, np.int32)), cuda.to_device(np.zeros(BINS, np.int32))
    square, wide = (side // TILE, side // TILE), (image // SIDE, image // SIDE)
    measure("vector_add", n, lambda: vector_add[n // BLOCK, BLOCK](a, b, c, n))
    measure("tiled_matmul", side * side, lambda: tiled_matmul[square, (TILE, TILE)](a, b, c, side))
    measure("transpose", image * image // (SIDE // ROWS), lambda: transpose[wide, (SIDE, ROWS)](a, c, image))
    measure("reduction", n, lambda: reduction[n // BLOCK, BLOCK](a, total, n))
    measure("histogram", n, lambda: histogram[n // BLOCK, BLOCK](data, bins, n))


if __name__ == "__main__":
    main()
