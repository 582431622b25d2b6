"""A learner's test file, run by pytest beside one implementation of the operation that it tests.

It answers with text: a JSON object that holds ``passed``, ``skipped`` and ``expected`` (failures that a test
announces), all numbers; ``failures``, each with ``test``, ``line`` and ``message``; ``broken``, why the file
could not be collected; ``late``, the test that ran when the time was over. What comes from here is a claim.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest

_SEEDED = 2  # the simulated device's third order of blocks and threads
_MOST_FAILURES = 20
_LONGEST_MESSAGE = 2000
# What a suite of one file has no use for, what would write files, and what collects garbage for a quarter of
# a second at the end.
_LEFT_OUT = (
    "cacheprovider", "capture", "doctest", "faulthandler", "junitxml", "monkeypatch", "pastebin", "terminal",
    "threadexception", "tmpdir", "unittest", "unraisableexception",
)  # fmt: skip


class OutOfTime(BaseException):
    """Raised in the test that runs when the time is over; no ``except Exception`` holds it back."""


def run(module: ModuleType, file: str, entry: str, first: bool, seconds: float, simulated: bool) -> str:
    """Run the tests in ``file``, whose ``import op`` is ``module``; with ``first`` up to the first failure.

    ``simulated`` makes each call of ``entry`` run its blocks and threads in an order of its own, as a GPU
    would.
    """
    if simulated:
        setattr(module, entry, _in_other_orders(getattr(module, entry)))
    recorder = Recorder(file, seconds)
    options = ["--import-mode=importlib", "--noconftest", "-c", "/dev/null"]
    options += [f"--rootdir={Path(file).parent}", f"--confcutdir={Path(file).parent}"]
    options += [f"-pno:{name}" for name in _LEFT_OUT]
    if first:
        options.append("--exitfirst")
    print(f"[tests] {Path(file).name}", flush=True)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    ended = pytest.main([*options, file], plugins=[recorder])
    if ended in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not recorder.found["late"]:
        recorder.found["broken"] = "pytest ended with an error of its own"
    return json.dumps(recorder.found)


def _in_other_orders(function: Callable[..., Any]) -> Callable[..., Any]:
    from grader.simt.activate import driver

    seeds = itertools.count(1)

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        driver().simt_set_schedule(_SEEDED, next(seeds))
        return function(*args, **named)

    return called


class Recorder:
    """A plugin that writes down how every test ended, and ends the run when its time is over."""

    def __init__(self, file: str, seconds: float) -> None:
        self.file = file
        self.seconds = seconds
        self.current = ""
        self.found: dict[str, Any] = {
            "passed": 0, "skipped": 0, "expected": 0, "failures": [], "broken": "", "late": "",
        }  # fmt: skip

    @pytest.hookimpl(wrapper=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Any:
        """The clock runs from before the file is imported."""

        def over(number: int, frame: FrameType | None) -> None:
            self.found["late"] = self.current or Path(self.file).name
            raise OutOfTime(f"the time of {self.seconds:g} s is over")

        earlier = signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, earlier)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Said aloud, so that after a crash it is known which test ran."""
        self.current = _short(nodeid)
        print(f"[tests] {self.current}", flush=True)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """pytest evaluates a condition that is a string, beside the options of the run: here none is."""
        for mark in item.iter_markers():
            conditions = (*mark.args, mark.kwargs.get("condition"))
            if mark.name in ("skipif", "xfail") and any(isinstance(each, str) for each in conditions):
                pytest.fail(f"the condition of `{mark.name}` is in quotes: write it as an expression")

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_makereport(self, item: pytest.Item) -> None:
        if self.found["late"]:
            item.session.shouldstop = "the time is over"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "wasxfail"):
            self.found["passed" if report.passed else "expected"] += report.when == "call" or report.skipped
        elif report.failed:
            self._failed(report)
        elif report.skipped:
            self.found["skipped"] += 1
        elif report.when == "call":
            self.found["passed"] += 1

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed and not self.found["broken"] and not self.found["late"]:
            self.found["broken"] = _first_words(report.longreprtext, self.file)

    def _failed(self, report: pytest.TestReport) -> None:
        if len(self.found["failures"]) >= _MOST_FAILURES or self.found["late"]:
            return
        line, message = _place_and_message(report, Path(self.file).name)
        failure = {"test": _short(report.nodeid), "line": line, "message": message[:_LONGEST_MESSAGE]}
        self.found["failures"].append(failure)


def _short(nodeid: str) -> str:
    """``test_rows[float32-3]`` of ``test_op.py::test_rows[float32-3]``."""
    return nodeid.partition("::")[2] or nodeid


def _place_and_message(report: pytest.TestReport, name: str) -> tuple[int, str]:
    """The last line of the test file that was reached, and what was said there."""
    shown: Any = report.longrepr
    crash = getattr(shown, "reprcrash", None)
    if crash is None:
        return 0, str(shown)
    line = 0
    for entry in getattr(getattr(shown, "reprtraceback", None), "reprentries", ()):
        where = getattr(entry, "reprfileloc", None)
        if where is not None and Path(where.path).name == name:
            line = int(where.lineno)
    return line, str(crash.message)


def _first_words(text: str, file: str) -> str:
    """The line of a failed import that says what is wrong: pytest marks it with an E."""
    marked = [line[2:].strip() for line in text.splitlines() if line.startswith("E ")]
    said = marked[-1] if marked else text.strip()
    return said.replace(f"{Path(file).parent}/", "")[:_LONGEST_MESSAGE]
