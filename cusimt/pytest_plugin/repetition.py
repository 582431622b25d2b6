"""Runs each test once in every schedule, until it fails in one."""

from __future__ import annotations

import os

import pytest
from _pytest.runner import runtestprotocol  # what plugins that repeat tests call; pytest has no public name

from cusimt.activate import driver
from cusimt.programs.schedules import SCHEDULE_VARIABLE, first_schedules

_ORDERS = {"forward": 0, "reversed": 1, "seeded": 2}


def set_schedule(name: str) -> None:
    """Let later launches run in this order: here, and in the processes that a test starts."""
    order, _, seed = name.partition(":")
    os.environ[SCHEDULE_VARIABLE] = name if order == "seeded" else order
    driver().simt_set_schedule(_ORDERS[order], int(seed or 0))


class Repetition:
    """A test passes if it passes in all orders. Its fixtures of function scope are made anew in each."""

    def __init__(self, count: int) -> None:
        self._schedules = first_schedules(count)

    @pytest.hookimpl
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports: list[pytest.TestReport] = []
        for schedule in self._schedules:
            set_schedule(schedule)
            reports = runtestprotocol(item, nextitem=nextitem, log=False)
            if any(report.failed for report in reports):
                _tell(reports, schedule)
                break
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        set_schedule(self._schedules[0])
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True


def _tell(reports: list[pytest.TestReport], schedule: str) -> None:
    for report in reports:
        if report.failed:
            report.sections.append(("schedule", f"The blocks and threads ran {schedule}."))
