"""Bulk copies between global and shared memory: values, and when they arrive."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import ON_GPU, Program, no_findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def bulk(request: pytest.FixtureRequest) -> Program:
    return program("bulk_copies", checked=request.param)


@pytest.mark.parametrize("how", range(4), ids=["asm", "ptx", "device", "experimental"])
def test_a_tile_goes_in_and_out(bulk: Program, how: int) -> None:
    values = np.random.default_rng(how).integers(0, 1000, 3 * 256).astype(np.int32)
    result = values.copy()
    bulk.increment(result, 3, how)
    assert np.array_equal(result, values + 1)
    assert no_findings()


def test_stages_between_a_producer_and_consumers(bulk: Program) -> None:
    values = np.random.default_rng(0).integers(0, 100, (11, 96)).astype(np.float32)
    sums = np.zeros(96, np.float32)
    bulk.pipeline(values, sums, 11)
    assert np.array_equal(sums, values.sum(axis=0)[::-1])
    assert no_findings()


@pytest.mark.skipif(ON_GPU, reason="a GPU may be faster than the kernel that does not wait")
def test_copies_arrive_at_their_waits(bulk: Program) -> None:
    seen, out = np.zeros(7, np.int32), np.full(8, -2, np.int32)
    bulk.arrival(np.array([10, 11, 12, 13], np.int32), out, seen)
    assert seen.tolist() == [-1, 10, -2, 20, -2, -2, 24]
    assert out.tolist() == list(range(20, 28))
