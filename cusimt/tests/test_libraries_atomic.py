"""cuda::atomic and cuda::atomic_ref: their values, and the order that they make in the access checks."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cusimt import findings
from cusimt.tests.surface_program import Program, program, runtime


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def atomic(request: pytest.FixtureRequest) -> Program:
    return program("atomic_objects", checked=request.param)


@pytest.fixture(autouse=True)
def no_findings() -> None:
    findings.take()


def test_counters_of_every_scope(atomic: Program) -> None:
    values = np.random.default_rng(1).integers(0, 1000, 500, dtype=np.int32)
    sums, total, bits = np.zeros(2, np.int32), np.zeros(1, np.float32), np.zeros(1, np.uint32)
    atomic.counts(values, sums, total, bits, 500)
    assert sums.tolist() == [values.sum(), values.max()]
    assert total[0] == 250
    parity = np.bincount(values & 31, minlength=32) % 2
    assert bits[0] == sum(1 << bit for bit in range(32) if parity[bit])
    assert not findings.take()


def test_a_lock_guards_an_ordinary_variable(atomic: Program) -> None:
    lock, guarded = np.zeros(1, np.int32), np.zeros(1, np.int32)
    atomic.locks(lock, guarded, 3)
    assert (lock[0], guarded[0]) == (0, 120)
    assert not findings.take()


@pytest.mark.parametrize("order", ["forward", "reversed"])
def test_a_released_value_is_acquired(atomic: Program, order: str, request: pytest.FixtureRequest) -> None:
    set_schedule = runtime().simt_set_schedule
    set_schedule.argtypes = [ctypes.c_int, ctypes.c_uint64]
    request.addfinalizer(lambda: set_schedule(0, 0))
    set_schedule(int(order == "reversed"), 0)  # then the blocks that wait come first
    value, ready, result = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(4, np.int32)
    atomic.publish(value, ready, result, 4)
    assert result.tolist() == [0, 42, 42, 42]
    assert not findings.take()


def test_on_the_host(atomic: Program) -> None:
    result = np.zeros(1, np.int32)
    atomic.on_host(result)
    assert result[0] == 4
