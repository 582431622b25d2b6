"""What holds for every test of the simulator, whether it runs alone or with the grader's."""

from __future__ import annotations

import pytest

from cusimt.tests.scheduling import group_by_fixture, slow_first


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    group_by_fixture(items)
    slow_first(items)
