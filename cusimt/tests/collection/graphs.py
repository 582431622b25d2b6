"""References of graphs.cu."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.random import Generator

from cusimt.tests.collection_program import Array, Call, kernel, unset


def _csr(dense: Array) -> tuple[Array, Array, Array]:
    """Offsets, columns and values of a matrix."""
    rows, columns = np.nonzero(dense)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(dense)))])
    return offsets.astype(np.int32), columns.astype(np.int32), dense[rows, columns]


def _random_edges(rng: Generator, vertices: int, count: int) -> Array:
    return rng.integers(0, vertices, (count, 2), dtype=np.int32)


@kernel(1, 2, 8, 32)
def spmv(rng: Generator, width: int) -> Call:
    dense = rng.normal(size=(45, 70)) * (rng.random((45, 70)) < 0.2)
    dense[[3, 44]] = 0
    offsets, columns, values = _csr(dense)
    x = rng.normal(size=70)
    arguments = width, 45, offsets, columns, values, x, unset(45, dtype=np.float64)
    return Call(arguments, {6: dense @ x}, atol=1e-12)


@kernel(1, 65, 300)
def spmv_coo(rng: Generator, nnz: int) -> Call:
    rows, cols = 20, 30
    entries = np.zeros(nnz, dtype=[("row", np.int32), ("col", np.int32), ("value", np.float32)])
    entries["row"], entries["col"] = rng.integers(0, rows, nnz), rng.integers(0, cols, nnz)
    entries["value"] = rng.integers(-5, 5, nnz)
    x = rng.integers(-5, 5, cols).astype(np.float32)
    expected = np.bincount(entries["row"], entries["value"] * x[entries["col"]], minlength=rows)
    return Call((entries, nnz, x, unset(rows), rows), {3: expected})


@kernel(1, 40, 200)
def bfs(rng: Generator, vertices: int) -> Call:
    adjacency = np.zeros((vertices, vertices))
    adjacency[tuple(_random_edges(rng, vertices, 2 * vertices).T)] = 1
    offsets, neighbours, _ = _csr(adjacency)
    distance, queue = {0: 0}, deque([0])
    while queue:
        v = queue.popleft()
        for u in neighbours[offsets[v] : offsets[v + 1]]:
            if int(u) not in distance:
                distance[int(u)] = distance[v] + 1
                queue.append(int(u))
    expected = np.array([distance.get(v, -1) for v in range(vertices)])
    return Call((offsets, neighbours, unset(vertices, dtype=np.int32), vertices, 0), {2: expected})


@kernel(1, 50, 200)
def components(rng: Generator, vertices: int) -> Call:
    edges = _random_edges(rng, vertices, vertices // 2 + 1)
    label = np.arange(vertices)
    for _ in range(vertices):
        smaller = np.minimum(label[edges[:, 0]], label[edges[:, 1]])
        for end in edges.T:
            np.minimum.at(label, end, smaller)
    outputs = unset(vertices, dtype=np.int32), unset(vertices, dtype=np.int32)
    return Call((edges, len(edges), *outputs, vertices), {3: label})


@kernel(2, 40)
def page_rank(rng: Generator, n: int) -> Call:
    steps = 20
    adjacency = (rng.random((n, n)) < 0.2).astype(float)  # [to, from]
    adjacency[(np.arange(n) + 1) % n, np.arange(n)] = 1  # nobody is without an outgoing edge
    offsets, sources, _ = _csr(adjacency)
    degrees = adjacency.sum(axis=0)
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        rank = 0.15 / n + 0.85 * (adjacency / degrees) @ rank
    start = np.full(n, 1 / n, np.float32)
    arguments = offsets, sources, degrees.astype(np.int32), start, unset(n), n, steps
    return Call(arguments, {3: rank}, atol=1e-5)
