"""Warp intrinsics and block barriers against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import Program, program

LANES = np.arange(32)


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def warp(request: pytest.FixtureRequest) -> Program:
    return program("warp", checked=request.param)


def shuffled_lane(kind: str, lane: int, operand: int, width: int) -> int:
    """The source lane by the PTX manual's pseudo-code for `shfl.sync`."""
    segment, operand = (32 - width) & 31, operand & 31
    clamp = 0 if kind == "up" else 31
    last = (lane & segment) | (clamp & ~segment)
    if kind == "up":
        source, valid = lane - operand, lane - operand >= last
    elif kind == "down":
        source, valid = lane + operand, lane + operand <= last
    elif kind == "xor":
        source, valid = lane ^ operand, lane ^ operand <= last
    else:
        source = (lane & segment) | (operand & ~segment)
        valid = source <= last
    return source if valid else lane


@pytest.mark.parametrize("width", [32, 16, 8, 4, 2, 1])
@pytest.mark.parametrize(("number", "kind"), list(enumerate(["index", "up", "down", "xor"])))
def test_shuffles_of_every_width(warp: Program, number: int, kind: str, width: int) -> None:
    values = (1000 + 7 * LANES).astype(np.int32)
    for operand in [0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33]:
        result = np.zeros(32, np.int32)
        warp.shuffle(number, operand, width, values, result)
        expected = [values[shuffled_lane(kind, lane, operand, width)] for lane in LANES]
        assert result.tolist() == expected, (kind, operand, width)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("int", np.int32),
        ("float", np.float32),
        ("double", np.float64),
        ("long_long", np.int64),
        ("unsigned_long", np.uint64),
        ("short", np.int16),
    ],
)
def test_shuffles_of_every_type(warp: Program, name: str, dtype: type) -> None:
    values = np.random.default_rng(1).normal(scale=1e4, size=64).astype(dtype)
    result = np.zeros(64, dtype)
    warp.call(f"rotate_{name}", values, result)
    expected = np.concatenate([np.roll(values[:32], -1), np.roll(values[32:], -2)])
    assert np.array_equal(result, expected)


def test_shuffles_in_divergent_branches(warp: Program) -> None:
    values = (LANES * LANES).astype(np.int32)
    result = np.zeros(32, np.int32)
    warp.divergent(values, result)
    assert np.array_equal(result, np.where(LANES % 2, values[31], values[LANES ^ 2]))


@pytest.mark.parametrize("n", [1, 31, 32, 33, 100, 1024])
def test_warp_sums_of_a_block(warp: Program, n: int) -> None:
    values = np.arange(1, n + 1, dtype=np.float32)
    result = np.zeros(1, np.float32)
    warp.block_sum(values, result, n)
    assert result[0] == n * (n + 1) / 2


def test_votes(warp: Program) -> None:
    values = np.where(LANES % 3 == 0, 5, -5).astype(np.int32)
    result = np.zeros(128, np.uint32)
    warp.vote(values, result)
    positive = int(sum(1 << lane for lane in LANES if lane % 3 == 0))
    assert set(result[:32]) == {positive}
    assert set(result[32:64]) == {0}
    assert set(result[64:96]) == {1}
    assert set(result[96:104]) == {positive & 0xFF}
    assert set(result[104:]) == {~positive & 0xFFFFFF00}


@pytest.mark.parametrize(("name", "dtype"), [("int", np.int32), ("double", np.float64)])
def test_matches(warp: Program, name: str, dtype: type) -> None:
    values = (LANES % 5 - 2).astype(dtype)
    result, same = np.zeros(64, np.uint32), np.zeros(32, np.int32)
    warp.call(f"match_{name}", values, result, same)
    expected = [sum(1 << other for other in range(32) if other % 5 == lane % 5) for lane in range(32)]
    assert result[:32].tolist() == expected
    assert not result[32:].any()
    assert not same.any()
    warp.call(f"match_{name}", np.full(32, 7, dtype), result, same)
    assert set(result) == {0xFFFFFFFF}
    assert same.all()


def test_integer_reductions(warp: Program) -> None:
    values = np.random.default_rng(2).integers(-(2**30), 2**30, 32, dtype=np.int32)
    signed, unsigned = np.zeros(96, np.int32), np.zeros(128, np.uint32)
    warp.reduce(values, signed, unsigned)
    bits = values.view(np.uint32)
    assert set(signed[:32]) == {np.sum(values, dtype=np.int32)}
    assert set(signed[32:64]) == {values.min()}
    assert set(signed[64:]) == {values.max()}
    assert set(unsigned[:32]) == {np.bitwise_and.reduce(bits)}
    assert set(unsigned[32:64]) == {np.bitwise_or.reduce(bits)}
    assert set(unsigned[64:96]) == {np.bitwise_xor.reduce(bits)}
    assert set(unsigned[96:]) == {bits.max()}


def test_barriers_that_reduce(warp: Program) -> None:
    values = (np.arange(70) % 4).astype(np.int32)
    result = np.zeros(210, np.int32)
    warp.barrier(values, result, 70)
    assert set(result[:70]) == {np.count_nonzero(values)}
    assert set(result[70:140]) == {0}
    assert set(result[140:]) == {1}


def test_exchange_through_shared_memory_within_a_warp(warp: Program) -> None:
    values = np.arange(128, dtype=np.int32)
    result = np.zeros(128, np.int32)
    warp.warp_reverse(values, result)
    assert np.array_equal(result, values.reshape(4, 32)[:, ::-1].ravel())
