"""What holds for every test of the simulator, whether it runs alone or with the grader's."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest

from cusimt.tests import surface_program
from cusimt.tests.device_arrays import Device, blas_handle
from cusimt.tests.scheduling import schedule, without_garbage_collection


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    with without_garbage_collection():
        return (yield)


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    schedule(config, items)


@pytest.fixture(autouse=True)
def a_runtime_of_this_test_alone() -> None:
    """The runtime keeps findings until somebody takes them, and an error of a kernel for ever."""
    surface_program.begin_anew()


@pytest.fixture
def device() -> Iterator[Device]:
    with Device() as created:
        yield created


@pytest.fixture(scope="module")
def blas() -> Iterator[ctypes.c_void_p]:
    with blas_handle() as created:
        yield created
