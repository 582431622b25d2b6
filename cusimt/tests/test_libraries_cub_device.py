"""CUB's device-wide algorithms against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from cusimt import findings
from cusimt.findings import explain
from cusimt.tests.surface_program import ON_GPU, Program, program

N = 1000


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def device(request: pytest.FixtureRequest) -> Program:
    return program("cub_device", checked=request.param)


def test_reductions(device: Program) -> None:
    values = np.random.default_rng(1).integers(-99, 99, N).astype(np.float32)
    result, arg = np.zeros(7, np.float32), np.zeros(3, np.dtype([("key", np.int32), ("value", np.float32)]))
    places = np.zeros(1, np.int32)
    device.reductions(values, result, arg, places, N)
    largest = float(np.finfo(np.float32).max)
    expected = [values.sum(), values.max(), values.min(), values.max(), (values**2).sum(), N * (N + 1) / 2]
    assert result.tolist() == [*expected, largest]
    assert arg.tolist() == [(values.argmax(), values.max()), (values.argmin(), values.min()), (1, -largest)]
    assert places.tolist() == [1]
    assert not findings.take()


def test_reductions_of_segments(device: Program) -> None:
    values = np.random.default_rng(2).integers(-99, 99, N).astype(np.float32)
    offsets = np.array([0, 3, 3, 500, 999, 1000], np.int32)
    sums, largest = np.zeros(5, np.float32), np.zeros(5, np.float32)
    device.segments(values, offsets, sums, largest, 5)
    parts = [values[first:last] for first, last in itertools.pairwise(offsets)]
    assert sums.tolist() == [part.sum() for part in parts]
    lowest = np.finfo(np.float32).min
    assert largest.tolist() == [part.max(initial=lowest) for part in parts]
    assert not findings.take()


def test_a_sum_of_halves_keeps_what_a_tree_keeps(device: Program) -> None:
    """One running sum would stay at 2,048: half has 11 bits, and 2,048 + 1 is 2,048."""
    sums = np.zeros(2, np.float16)
    device.half_sums(np.ones(8192, np.float16), sums, 8192, np.array([0, 8191], np.int32))
    assert sums.tolist() == [8192, 8192]  # 8,191 is rounded
    assert not findings.take()


def test_scans(device: Program) -> None:
    values = np.random.default_rng(3).integers(-99, 99, N, dtype=np.int32)
    keys = np.repeat(np.arange(40, dtype=np.int32), 25)
    outputs = [np.zeros(N, np.int32) for _ in range(4)]
    data = values.copy()
    device.scans(data, *outputs[:3], keys, outputs[3], N)
    exclusive, inclusive, running, by_key = outputs
    sums = values.cumsum()
    assert np.array_equal(exclusive, sums - values)
    assert np.array_equal(inclusive, sums)
    assert np.array_equal(running, np.r_[-3, np.maximum(np.maximum.accumulate(values), -3)[:-1]])
    assert np.array_equal(by_key.reshape(40, 25), values.reshape(40, 25).cumsum(axis=1))
    assert np.array_equal(data, sums)
    assert not findings.take()


@pytest.mark.skipif(ON_GPU, reason="CUB of CUDA 13 has no such argument")
def test_older_code_asks_not_to_be_synchronised() -> None:
    values, sums = np.arange(N, dtype=np.int32), np.zeros(N, np.int32)
    program("cub_before_13", checked=True).sums(values, sums, N)
    assert np.array_equal(sums, values.cumsum())


@pytest.mark.parametrize("descending", [0, 1])
def test_radix_sort_of_pairs(device: Program, descending: int) -> None:
    keys = np.random.default_rng(4).normal(scale=1e3, size=N).round().astype(np.float32)
    keys[::7], keys[3::7] = 0.0, -0.0
    values = np.arange(N, dtype=np.int32)
    sorted_keys, sorted_values = np.zeros(N, np.float32), np.zeros(N, np.int32)
    device.sort_floats(keys, sorted_keys, values, sorted_values, N, descending)
    order = np.argsort(-keys if descending else keys, kind="stable")
    assert sorted_keys.tobytes() == keys[order].tobytes()  # the zeros keep their signs
    assert np.array_equal(sorted_values, order)
    assert not findings.take()


def test_radix_sort_between_two_buffers_by_some_bits(device: Program) -> None:
    keys = np.random.default_rng(5).integers(0, 1 << 32, N, dtype=np.uint32)
    other, result = np.zeros(N, np.uint32), np.zeros(N, np.uint32)
    expected = keys[np.argsort(keys >> 5 & 0x1FFF, kind="stable")]
    device.sort_in_buffers(keys, other, result, N, 5, 18)
    assert np.array_equal(result, expected)


def test_sorts_of_segments_and_by_comparison(device: Program) -> None:
    keys = np.random.default_rng(6).integers(0, 10000, N, dtype=np.int32)
    offsets = np.array([0, 10, 10, 1000], np.int32)
    result, merged = np.zeros(N, np.int32), np.zeros(N, np.int32)
    device.sort_segments(keys, result, offsets, merged, N, 3)
    assert np.array_equal(result, np.r_[np.sort(keys[:10]), np.sort(keys[10:])])
    assert np.array_equal(merged, keys[np.argsort(keys % 10, kind="stable")])
    assert not findings.take()


def test_selections(device: Program) -> None:
    rng = np.random.default_rng(7)
    values = np.repeat(rng.integers(0, 50, 400, dtype=np.int32), 4)[:N].copy()
    flags = (rng.random(N) < 0.4).astype(np.int8)
    even, flagged, unique, lengths = (np.zeros(N, np.int32) for _ in range(4))
    counts = np.zeros(4, np.int32)
    device.selections(values, flags, even, flagged, unique, lengths, counts, N)
    heads = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    assert counts.tolist() == [(values % 2 == 0).sum(), flags.sum(), len(heads), len(heads)]
    assert np.array_equal(even[: counts[0]], values[values % 2 == 0])
    assert np.array_equal(flagged[: counts[1]], values[flags == 1])
    assert np.array_equal(unique[: counts[2]], values[heads])
    assert np.array_equal(lengths[: counts[2]], np.diff(np.r_[heads, N]))
    assert not findings.take()


def test_histograms(device: Program) -> None:
    samples = np.random.default_rng(8).uniform(-1.2, 1.2, N).astype(np.float32)
    bounds = np.array([-1.0, -0.5, 0.0, 0.75, 1.0], np.float32)
    even, by_range = np.zeros(10, np.int32), np.zeros(4, np.int32)
    device.histogram(samples, even, by_range, bounds, N)
    inside = samples[(samples >= -1) & (samples < 1)]
    assert np.array_equal(even, np.histogram(inside, bins=10, range=(-1, 1))[0])
    assert np.array_equal(by_range, np.histogram(inside, bins=bounds)[0])


def test_neighbours_and_searches(device: Program) -> None:
    rng = np.random.default_rng(9)
    data, bounds = (
        rng.integers(-99, 99, 200, dtype=np.int32),
        np.sort(rng.integers(0, 30, 50)).astype(np.float32),
    )
    values = rng.integers(-2, 33, 200).astype(np.float32)
    before, right = data.copy(), np.zeros(200, np.int32)
    lower, upper = np.zeros(200, np.int32), np.zeros(200, np.int32)
    device.neighbours(data, right, bounds, 50, values, lower, upper, 200)
    assert np.array_equal(right, np.r_[before[:-1] - before[1:], before[-1]])
    assert np.array_equal(data, np.r_[before[0], before[1:] + before[:-1]])
    assert np.array_equal(lower, np.searchsorted(bounds, values, side="left"))
    assert np.array_equal(upper, np.searchsorted(bounds, values, side="right"))
    assert not findings.take()


def test_too_little_temporary_storage_is_an_error(device: Program) -> None:
    answers, invalid_value = np.zeros(1, np.int32), 1
    device.too_little(np.ones(8, np.int32), np.zeros(8, np.int32), 8, answers)
    assert answers[0] == invalid_value


def test_an_overrun_is_found_at_the_call() -> None:
    checked = program("cub_device", checked=True)
    checked.overrun(np.ones(40, np.int32), np.zeros(50, np.int32), 50)
    [finding] = findings.take()
    assert (finding.kind, finding.access) == ("out_of_bounds", "read")
    assert finding.kernel == "cub::DeviceScan::InclusiveScan"
    assert 'extern "C" void overrun' in explain(finding)
    # no thread of the caller's could guard an access that CUB makes
    assert "memory that it was given is smaller than the number of elements" in explain(finding)
