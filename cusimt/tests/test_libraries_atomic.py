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


@pytest.mark.parametrize("name", ["counts", "builtin_counts"])
def test_counters_of_every_scope(atomic: Program, name: str) -> None:
    values = np.random.default_rng(1).integers(0, 1000, 500, dtype=np.int32)
    sums, total, bits = np.zeros(2, np.int32), np.zeros(1, np.float32), np.zeros(1, np.uint32)
    getattr(atomic, name)(values, sums, total, bits, 500)
    assert sums.tolist() == [values.sum(), values.max()]
    assert total[0] == 250
    parity = np.bincount(values & 31, minlength=32) % 2
    assert bits[0] == sum(1 << bit for bit in range(32) if parity[bit])
    assert not findings.take()


@pytest.mark.parametrize("name", ["locks", "builtin_locks"])
def test_a_lock_guards_an_ordinary_variable(atomic: Program, name: str) -> None:
    lock, guarded = np.zeros(1, np.int32), np.zeros(1, np.int32)
    getattr(atomic, name)(lock, guarded, 3)
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


@pytest.mark.parametrize(("order", "kinds"), [(1, set()), (0, {"race_global"})])
def test_a_store_publishes_what_its_order_says(order: int, kinds: set[str]) -> None:
    value, ready, result = np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(4, np.int32)
    program("atomic_objects", checked=True).builtin_publish(value, ready, result, 4, order)
    assert result.tolist() == [0, 42, 42, 42]
    assert {finding.kind for finding in findings.take()} == kinds


def test_what_nvccs_functions_leave_and_return(atomic: Program) -> None:
    x, out = np.full(1, 3, np.int32), np.zeros(7, np.int32)
    atomic.builtin_exchange(x, out)
    assert (x[0], out.tolist()) == (4, [3, 5, 3, 11, 9, 0, 4])
    assert not findings.take()
