"""CUB's block and warp primitives against NumPy, and what access checks say of their temporary storage."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt import findings
from cusimt.tests.surface_program import Program, program

Ints = NDArray[np.int32]
Floats = NDArray[np.float32]


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def block(request: pytest.FixtureRequest) -> Program:
    return program("cub_block", checked=request.param)


def integers(seed: int, count: int, low: int = -1000, high: int = 1000) -> Ints:
    return np.random.default_rng(seed).integers(low, high, count, dtype=np.int32)


@pytest.mark.parametrize("threads", [1, 20, 128, 200])
def test_block_reductions(block: Program, threads: int) -> None:
    values, result = integers(threads, threads), np.zeros(3, np.int32)
    valid = (threads + 1) // 2
    block.block_reduce(values, result, threads, valid)
    assert result.tolist() == [values.sum(), values[:valid].sum(), values.max() + 1000]
    assert not findings.take()


def test_block_reductions_of_pairs_and_wide_types(block: Program) -> None:
    values = np.random.default_rng(5).integers(0, 50, 128).astype(np.float32)
    result = np.zeros(5, np.float32)
    block.block_reduce_pairs(values, result)
    expected = [int(values.argmax()), values.max(), values.sum(), (values**2).sum(), 128]
    assert result.tolist() == expected


@pytest.mark.parametrize("threads", [16, 64, 128])
def test_raking_layout_gives_each_raking_thread_its_segment(block: Program, threads: int) -> None:
    values, segments = integers(threads, threads), min(threads, 32)
    sums = np.zeros(segments, np.int32)
    block.raking(values, sums, threads)
    assert np.array_equal(sums, values.reshape(segments, -1).sum(axis=1))
    assert not findings.take()


def test_block_scans_carry_a_prefix_from_tile_to_tile(block: Program) -> None:
    values = integers(7, 1024)
    exclusive, inclusive = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    largest, aggregates = np.zeros(512, np.int32), np.zeros(4, np.int32)
    block.block_scan(values, exclusive, inclusive, largest, aggregates)
    assert np.array_equal(exclusive, 100 + np.cumsum(values) - values)
    tiles = values.reshape(4, 256)
    assert np.array_equal(inclusive.reshape(4, 256), tiles.cumsum(axis=1))
    assert np.array_equal(aggregates, tiles.sum(axis=1))
    before = np.maximum(np.maximum.accumulate(tiles[:, ::2], axis=1), -1)
    assert np.array_equal(largest.reshape(4, 128)[:, 1:], before[:, :-1])
    assert set(largest[::128]) == {-1}
    assert not findings.take()


@pytest.mark.parametrize("way", range(5))
def test_block_loads_and_stores(block: Program, way: int) -> None:
    values = np.random.default_rng(way).normal(size=1024).astype(np.float32)
    blocked, result = np.zeros(512, np.float32), np.zeros(1024, np.float32)
    block.block_move(way, values, blocked, result, 300)
    filled = np.where(np.arange(512) < 300, values[:512], np.float32(-1))
    if way == 1:  # striped: thread t holds items t, t + 64, ...
        filled = filled.reshape(8, 64).T.ravel()
    assert np.array_equal(blocked, filled)
    assert np.array_equal(result[:300], values[:300])
    assert not result[300:512].any()
    assert np.array_equal(result[512:], values[512:])
    assert not findings.take()


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("int", np.int32),
        ("uchar", np.uint8),
        ("float", np.float32),
        ("longlong", np.int64),
        ("half", np.float16),
    ],
)
@pytest.mark.parametrize("descending", [0, 1])
def test_block_radix_sorts(block: Program, name: str, dtype: type, descending: int) -> None:
    keys: NDArray[Any] = np.random.default_rng(11).normal(scale=60, size=384).astype(np.int64).astype(dtype)
    keys[::7], keys[3::7] = 0, dtype(-0.0)
    values = np.arange(384, dtype=np.int32)
    order = np.argsort(-keys.astype(np.float64) if descending else keys, kind="stable")
    expected = keys[order]
    block.call(f"block_sort_{name}", keys, values, descending, 0, keys.itemsize * 8)
    assert keys.tobytes() == expected.tobytes()  # zeros keep their signs
    assert np.array_equal(values, order)
    assert not findings.take()


def test_a_radix_sort_by_some_bits_leaves_the_others(block: Program) -> None:
    keys = integers(13, 384, 0, 1 << 20)
    values = np.arange(384, dtype=np.int32)
    order = np.argsort(keys >> 3 & 0x7F, kind="stable")
    expected = keys[order]
    block.block_sort_int(keys, values, 0, 3, 10)
    assert np.array_equal(keys, expected)
    assert np.array_equal(values, order)


def test_block_merge_sort_is_stable_and_fills_up(block: Program) -> None:
    keys, values = integers(17, 300, 0, 3000), np.arange(300, dtype=np.int32)
    keys[keys % 100 == 99] -= 1
    order = np.argsort(keys[:250] % 100, kind="stable")
    expected = keys[:250][order]
    block.block_merge_sort(keys, values, 250)
    assert np.array_equal(keys[:250], expected)
    assert np.array_equal(values[:250], order)
    assert set(keys[250:]) == {99}
    assert not findings.take()


def test_histograms_runs_and_neighbours(block: Program) -> None:
    values = np.repeat(integers(19, 100, 0, 64), 3)[:256].copy()
    histogram = np.zeros(64, np.uint32)
    heads, tails, differences, following = (np.zeros(256, np.int32) for _ in range(4))
    block.block_neighbours(values, histogram, heads, tails, differences, following)
    assert np.array_equal(histogram, np.bincount(values, minlength=64))
    changes = values[1:] != values[:-1]
    assert np.array_equal(heads, np.r_[True, changes])
    assert np.array_equal(tails, np.r_[changes, True])
    assert np.array_equal(differences, np.r_[values[0], np.diff(values)])
    assert np.array_equal(following, np.r_[values[1:], -1])
    assert not findings.take()


@pytest.mark.parametrize("width", [32, 16, 4])
def test_warp_primitives(block: Program, width: int) -> None:
    values = integers(width, 64)
    flags = (np.random.default_rng(width).random(64) < 0.3).astype(np.int32)
    sums, scans, segments = np.zeros(128, np.int32), np.zeros(192, np.int32), np.zeros(128, np.int32)
    block.warp_primitives(width, values, flags, sums, scans, segments)
    warps = values.reshape(-1, width)
    assert np.array_equal(sums[:64:width], warps.sum(axis=1))
    assert np.array_equal(sums[64::width], warps[:, :-1].max(axis=1))
    assert np.array_equal(scans[:64].reshape(-1, width), warps.cumsum(axis=1))
    assert np.array_equal(scans[64:128], np.repeat(warps.sum(axis=1), width))
    running = np.maximum(np.maximum.accumulate(warps, axis=1), 7)
    assert np.array_equal(scans[128:].reshape(-1, width), np.c_[np.full(len(warps), 7), running[:, :-1]])
    heads = (flags == 1) | (np.arange(64) % width == 0)
    assert np.array_equal(segments[:64][heads], np.add.reduceat(values, np.flatnonzero(heads)))
    starts = np.r_[True, flags[:-1] == 1] | (np.arange(64) % width == 0)
    assert np.array_equal(segments[64:][starts], np.add.reduceat(values, np.flatnonzero(starts)))
    assert not findings.take()


def test_warp_loads_sorts_and_stores(block: Program) -> None:
    values = np.random.default_rng(23).normal(size=256).astype(np.float32)
    result = np.zeros(256, np.float32)
    block.warp_move(values, result)
    assert np.array_equal(result.reshape(4, 64), np.sort(values.reshape(4, 64), axis=1))
    assert not findings.take()


def test_storage_used_again_without_a_barrier_is_a_race() -> None:
    checked, values, result = program("cub_block", checked=True), integers(29, 64), np.zeros(2, np.int32)
    checked.reuse(values, result, 1)
    assert not findings.take()
    checked.reuse(values, result, 0)
    [race] = findings.take()
    assert (race.kind, race.frame.source.strip()) == (
        "race_shared",
        "int second = Reduce(temp).Sum(2 * in[threadIdx.x]);",
    )
    assert result.tolist() == [values.sum(), 2 * values.sum()]
