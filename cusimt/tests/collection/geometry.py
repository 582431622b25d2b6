"""References of geometry.cu."""

from __future__ import annotations

import numpy as np
import torch
from numpy.random import Generator
from torch.nn import functional

from cusimt.tests.collection_program import Array, Call, kernel, unset


@kernel(1, 32, 75)
def nbody(rng: Generator, n: int) -> Call:
    dt = 0.125
    position = rng.normal(size=(n, 4)).astype(np.float32)
    position[:, 3] = rng.random(n)  # the mass
    velocity = np.zeros((n, 4), np.float32)
    p = position.astype(np.float64)
    offset = p[None, :, :3] - p[:, None, :3]
    distance = np.sqrt((offset**2).sum(axis=2) + 1e-9)
    speed = (offset * (p[None, :, 3] / distance**3)[..., None]).sum(axis=1) * dt
    moved = np.concatenate([p[:, :3] + speed * dt, p[:, 3:]], axis=1)
    expected = {1: np.concatenate([speed, np.zeros((n, 1))], axis=1), 2: moved}
    return Call((position, velocity, unset(n, 4), n, dt), expected, rtol=1e-3, atol=1e-3)


@kernel(5, 64, 150)
def farthest_points(rng: Generator, n: int) -> Call:
    batch, samples = 2, 5
    points = rng.integers(0, 100, (batch, n, 3)).astype(np.float32)  # squares of integers are exact
    expected = np.zeros((batch, samples), np.int32)
    for cloud, chosen in zip(points, expected, strict=True):
        nearest = np.full(n, 1e10)
        for j in range(1, samples):
            nearest = np.minimum(nearest, ((cloud - cloud[chosen[j - 1]]) ** 2).sum(axis=1))
            chosen[j] = nearest.argmax()
    temp, idx = np.full((batch, n), 1e10, np.float32), unset(batch, samples, dtype=np.int32)
    return Call((batch, n, samples, points, temp, idx), {5: expected})


@kernel(1, 40, 100)
def ball_query(rng: Generator, n: int) -> Call:
    samples, radius = 6, 4.0
    points, centres = (rng.integers(0, 10, (count, 3)).astype(np.float32) for count in (n, 35))
    centres[: min(n, 35)] = points[: min(n, 35)]
    idx = unset(35, samples, dtype=np.int32)
    expected = idx.copy()
    for row, centre in zip(expected, centres, strict=True):
        near = np.flatnonzero(((points - centre) ** 2).sum(axis=1) < radius * radius)[:samples]
        if len(near):
            row[:] = near[0]
            row[: len(near)] = near
    return Call((n, 35, radius, samples, points, centres, idx), {6: expected})


@kernel(1, 64, 130)
def nms(rng: Generator, n: int) -> Call:
    corner, size = rng.integers(0, 20, (n, 2)), rng.integers(5, 20, (n, 2))
    boxes = np.concatenate([corner, corner + size], axis=1).astype(np.float32)
    low, high = np.maximum(boxes[:, None, :2], boxes[:, :2]), np.minimum(boxes[:, None, 2:], boxes[:, 2:])
    inter = (high - low).clip(0).prod(axis=2)
    areas = size.prod(axis=1)
    overlaps = inter / (areas[:, None] + areas - inter) > 0.3
    words = (n + 63) // 64
    bits = np.zeros((n, words * 64), bool)
    bits[:, :n] = np.triu(overlaps, 1)
    expected = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    return Call((boxes, unset(n, words, dtype=np.uint64), n, 0.3), {1: expected})


@kernel(1, 33, 100)
def grid_sample(rng: Generator, count: int) -> Call:
    c, h, w = 3, 7, 9
    image = rng.normal(size=(c, h, w)).astype(np.float32)
    grid = rng.uniform(-1.3, 1.3, (count, 2)).astype(np.float32)
    dout = rng.normal(size=(c, count)).astype(np.float32)
    pixels = torch.from_numpy(image).double().requires_grad_()
    where = torch.from_numpy(grid).double()[None, None]
    out = functional.grid_sample(pixels[None], where, align_corners=True)[0, :, 0]
    (gradient,) = torch.autograd.grad(out, pixels, torch.from_numpy(dout).double())
    arguments = image, grid, unset(c, count), dout, unset(c, h, w), c, h, w, count
    return Call(arguments, {2: out.detach().numpy(), 4: gradient.numpy()}, rtol=1e-4, atol=1e-4)


def _bilinear(image: Array, y: float, x: float) -> float:
    """One sample of a (h, w) image, by the rules of RoIAlign at the border."""
    h, w = image.shape
    if y < -1 or y > h or x < -1 or x > w:
        return 0.0
    y, x = max(y, 0.0), max(x, 0.0)
    y0, x0 = min(int(y), h - 1), min(int(x), w - 1)
    y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
    fy, fx = (y - y0 if y0 < h - 1 else 0.0), (x - x0 if x0 < w - 1 else 0.0)
    top = (1 - fx) * image[y0, x0] + fx * image[y0, x1]
    return float((1 - fy) * top + fy * ((1 - fx) * image[y1, x0] + fx * image[y1, x1]))


@kernel(1, 4)
def roi_align(rng: Generator, count: int) -> Call:
    channels, height, width, pooled = 2, 8, 11, 3
    images = rng.normal(size=(2, channels, height, width))
    low, size = rng.uniform(-4, 10, (count, 2)), rng.uniform(1, 12, (count, 2))
    rois = np.concatenate([rng.integers(0, 2, (count, 1)), low, low + size], axis=1)
    expected = np.zeros((count, channels, pooled, pooled))
    steps = (np.arange(2 * pooled) + 0.5) / 2  # two samples a bin
    for n, (batch, x1, y1, x2, y2) in enumerate(rois * [1, 0.5, 0.5, 0.5, 0.5] - [0, 0.5, 0.5, 0.5, 0.5]):
        ys, xs = y1 + steps * (y2 - y1) / pooled, x1 + steps * (x2 - x1) / pooled
        for c in range(channels):
            samples = np.array([[_bilinear(images[int(batch), c], y, x) for x in xs] for y in ys])
            expected[n, c] = samples.reshape(pooled, 2, pooled, 2).mean(axis=(1, 3))
    out = unset(*expected.shape, dtype=np.float64)
    return Call((images, rois, out, count, channels, height, width, pooled), {2: expected}, atol=1e-12)
