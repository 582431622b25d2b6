"""Copies in the background: the bytes arrive at the wait, not before."""

from __future__ import annotations

import numpy as np
import pytest

from cusimt.tests.surface_program import ON_GPU, Program, no_findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def copies(request: pytest.FixtureRequest) -> Program:
    return program("async", checked=request.param)


@pytest.mark.skipif(ON_GPU, reason="a GPU may be faster than the kernel that does not wait")
def test_bytes_arrive_at_the_wait(copies: Program) -> None:
    seen = np.zeros((4, 4), np.int32)
    copies.arrival(np.array([10, 11, 12, 13], np.int32), seen)
    assert seen.tolist() == [[-1, -1, -1, -1], [10, -1, -1, -1], [10, 11, 12, -1], [10, 11, 12, 13]]


def test_the_end_of_a_copy_is_zero(copies: Program) -> None:
    seen = np.zeros(16, np.int8)
    copies.zero_fill(np.arange(1, 17, dtype=np.int8), seen)
    assert seen.tolist() == [0] * 16


@pytest.mark.skipif(ON_GPU, reason="a GPU may be faster than the kernel that does not wait")
def test_without_a_wait_the_old_bytes_are_read(copies: Program) -> None:
    seen = np.zeros(32, np.int32)
    copies.no_wait(np.arange(32, dtype=np.int32), seen)
    assert set(seen) == {7}


@pytest.mark.parametrize("stages", [1, 2, 4])
def test_a_pipeline_of_the_block(copies: Program, stages: int) -> None:
    values = np.random.default_rng(0).integers(0, 100, (9, 64)).astype(np.float32)
    sums = np.zeros(64, np.float32)
    copies.staged_sum(values, sums, 9, stages)
    assert np.array_equal(sums, values.sum(axis=0)[::-1])
    assert no_findings()


def test_producers_and_consumers(copies: Program) -> None:
    values = np.random.default_rng(1).integers(0, 100, (7, 96)).astype(np.float32)
    sums = np.zeros(96, np.float32)
    copies.specialised(values, sums, 7)
    assert np.array_equal(sums, values.sum(axis=0))
    assert no_findings()


def test_a_pipeline_of_each_thread(copies: Program) -> None:
    values = np.random.default_rng(2).normal(size=(6, 32))
    sums = np.zeros(32)
    copies.own_pipeline(values, sums, 6)
    np.testing.assert_allclose(sums, values.sum(axis=0), rtol=1e-14)
    assert no_findings()


def test_copies_that_arrive_with_a_barrier(copies: Program) -> None:
    values = np.random.default_rng(3).integers(-999, 999, (3, 100)).astype(np.int16)
    seen = np.zeros((3, 64), np.int32)
    copies.barrier(values, seen)
    assert np.array_equal(seen, np.arange(64) * 1_000_000 + values[:, ::-1][:, :64])
    assert no_findings()


def test_threads_leave_a_barrier(copies: Program) -> None:
    order = np.full(40, -1, np.int32)
    copies.leaving(order)
    assert np.array_equal(order, np.arange(40))


def test_the_primitives_of_barriers(copies: Program) -> None:
    values, seen = np.arange(32, dtype=np.int32) * 3, np.zeros((2, 32), np.int32)
    copies.primitive_barrier(values, seen)
    assert np.array_equal(seen[0], values[::-1])
    assert sorted(seen[1]) == list(range(1, 33))  # what was missing when each thread came


def test_copies_of_cooperative_groups(copies: Program) -> None:
    values, seen = np.arange(128, dtype=np.int32), np.zeros((3, 64), np.int32)
    copies.group_copies(values, seen)
    warps = values.reshape(2, 2, 32)[:, :, ::-1].reshape(2, 64)
    assert np.array_equal(seen[:2], warps)
    assert np.array_equal(seen[2], [*values[64:104], *values[40:64]])
    assert no_findings()
