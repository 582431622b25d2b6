"""What holds for every test of the simulator, whether it runs alone or with the grader's."""

from __future__ import annotations

import pytest

from cusimt.tests import surface_program
from cusimt.tests.scheduling import schedule


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    schedule(config, items)


@pytest.fixture(autouse=True)
def findings_of_this_test_alone() -> None:
    """The runtime keeps findings until somebody takes them, and not every test that causes some does."""
    surface_program.forget_findings()
