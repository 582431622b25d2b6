"""What each test costs, in seconds of processor time; an unmarked test that costs too much fails.

Processor time says much the same on a busy machine and on a quiet one. It is that of the test, of its
fixtures and of every process below it. Those that still run count, too: a test pays for what it asks of a
zygote. It does not pay for what is made once per machine: that depends on which test happens to be first.

The limit is for the unit tests. Elsewhere tests build and grade, and ``--costs`` lists what they take.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.support.cache import cache_root
from grader.support.deadlines import usage_of

LIMIT_SECONDS = 5.0
COST = "processor seconds"
SHOWN = 30
MADE_ONCE = ("headers", "simt")  # the rooms of the cache for precompiled headers and for the simulated GPU


def spent() -> float:
    """Seconds that this process has used up to now, and everything below it."""
    usage = usage_of(os.getpid()) if _has_children() else None  # looking at all processes takes milliseconds
    own = os.times()
    return usage.seconds if usage else own.user + own.system + own.children_user + own.children_system


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


class ProcessorTime:
    """A pytest plugin: the limit of so many `seconds` is for the tests below the folder `limited`.

    If it `shows`, a run ends with the costs of all folders and of the costliest tests.
    """

    def __init__(self, limited: Path, *, shows: bool, seconds: float = LIMIT_SECONDS) -> None:
        self._limited = limited
        self._seconds = seconds
        self._shows = shows
        self._cache = cache_root()  # tests set another one
        self._at_start: float | None = None
        self._made: set[str] = set()
        self._costs: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        if self._at_start is None:
            self._at_start = spent()
        self._made = self._made_once()
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if call.when == "setup":
            return report
        now = spent()
        cost = now - (self._at_start or 0.0)
        if call.when == "teardown":
            self._at_start = now  # of the next test
        report.user_properties = [*report.user_properties, (COST, cost)]
        if call.when == "call" and report.passed and self._is_too_much(item, cost):
            report.outcome = "failed"
            report.longrepr = too_slow(cost, self._seconds)
        return report

    def _is_too_much(self, item: pytest.Item, cost: float) -> bool:
        if cost <= self._seconds or not item.path.is_relative_to(self._limited):
            return False
        return item.get_closest_marker("slow") is None and self._made_once() == self._made

    def _made_once(self) -> set[str]:
        """The names of what has been made for this machine up to now."""
        return {path.name for room in MADE_ONCE for path in (self._cache / room).glob("*")}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for name, cost in report.user_properties:
            if name == COST:
                self._costs[report.nodeid] = max(cost, self._costs.get(report.nodeid, 0.0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self._shows:
            return
        terminalreporter.section("processor time")
        folders: dict[str, float] = defaultdict(float)
        for name, cost in self._costs.items():
            folders[Path(name.partition("::")[0]).parent.as_posix()] += cost
        for folder, cost in sorted(folders.items()):
            terminalreporter.write_line(f"{cost:8.1f} s  {folder}")
        terminalreporter.write_line("")
        for name in sorted(self._costs, key=self._costs.__getitem__, reverse=True)[:SHOWN]:
            terminalreporter.write_line(f"{self._costs[name]:8.1f} s  {name}")


def too_slow(cost: float, seconds: float) -> str:
    return (
        f"The test passed, but took {cost:.1f} s of processor time. An unmarked test may take "
        f'{seconds:g} s. Make it faster, or mark it and say why: @pytest.mark.slow("...").'
    )
