"""A learner's test file, run by pytest beside one implementation of the operation that it tests.

It answers with text: a JSON object that holds ``passed``, ``skipped`` and ``expected`` (failures that a test
announces), all numbers; ``failures``, each with ``test``, ``line``, ``caller``, ``message`` and ``own``,
whether the test itself went wrong; ``broken``, why the file could not be collected; ``late``, the test that
ran when the time was over, and ``waited``, whether it was the time by the clock; ``seconds`` of processor
time for all tests, and ``slowest``, the slowest tests with theirs. Each failure is also printed as it
happens, for a run that never answers. What comes from here is a claim.
"""

from __future__ import annotations

import functools
import itertools
import json
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import pytest
import torch

_SEEDED = 2  # the simulated device's third order of blocks and threads
_MOST_FAILURES = 20
_JUDGEMENTS = ("AssertionError", "assert", "Failed", "GradcheckError")  # raised about what is tested
_MISSING_FIXTURE = re.compile(r"fixture '(\w+)' not found")
_LONGEST_MESSAGE = 2000
_SHOWN_SLOWEST = 3
_SETTLING_STEPS = 20  # milliseconds
# What a suite of one file has no use for, what would write files, and what collects garbage for a quarter of
# a second at the end.
_LEFT_OUT = (
    "cacheprovider", "capture", "doctest", "faulthandler", "junitxml", "monkeypatch", "pastebin", "terminal",
    "threadexception", "tmpdir", "unittest", "unraisableexception",
)  # fmt: skip


class OutOfTime(BaseException):
    """Raised in the test that runs when the time is over; no ``except Exception`` holds it back."""


def run(
    module: ModuleType, file: str, entry: str, first: bool, seconds: float, wall: float, simulated: bool,
    seed: int, slowness: float = 1.0,
) -> str:  # fmt: skip
    """Run the tests in ``file``, whose ``import op`` is ``module``; with ``first`` up to the first failure.

    They have ``seconds`` of processor time, and ``wall`` by the clock, for a suite that waits.
    ``simulated`` makes each call of ``entry`` run its blocks and threads in an order of its own, as a GPU
    would. ``seed`` is of this run alone: every new process has the same random numbers otherwise, and a test
    that depends on them would never be seen to fail. ``slowness`` is by how much the times of events are
    multiplied: a machine that many times as slow, to a suite that has no other clock.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # another run goes on beside this one; for small tensors, threads only wait
    if simulated:
        setattr(module, entry, _in_other_orders(getattr(module, entry)))
    if slowness != 1.0:
        _slow_down_events(slowness)
    recorder = Recorder(file, seconds, wall, first)
    options = ["--import-mode=importlib", "--noconftest", "-c", "/dev/null"]
    options += [f"--rootdir={Path(file).parent}", f"--confcutdir={Path(file).parent}"]
    options += [f"-pno:{name}" for name in _LEFT_OUT]
    print(f"[tests] {Path(file).name}", flush=True)
    # The grading person's environment may set these for other tests.
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    ended = pytest.main([*options, file], plugins=[recorder])
    if ended in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR) and not recorder.found["late"]:
        recorder.found["broken"] = "pytest ended with an error of its own"
    return json.dumps(recorder.found)


def _in_other_orders(function: Callable[..., Any]) -> Callable[..., Any]:
    from cusimt.activate import driver

    seeds = itertools.count(1)

    @functools.wraps(function)
    def called(*args: Any, **named: Any) -> Any:
        driver().simt_set_schedule(_SEEDED, next(seeds))
        return function(*args, **named)

    return called


def _slow_down_events(slowness: float) -> None:
    measured = torch.cuda.Event.elapsed_time

    @functools.wraps(measured)
    def elapsed_time(self: torch.cuda.Event, end_event: torch.cuda.Event) -> float:
        return slowness * float(measured(self, end_event))

    torch.cuda.Event.elapsed_time = elapsed_time  # type: ignore[method-assign]


class Recorder:
    """A plugin that writes down how every test ended, and ends the run when its time is over."""

    def __init__(self, file: str, seconds: float, wall: float, first: bool) -> None:
        self.file = file
        self.seconds = seconds
        self.wall = wall
        self.first = first  # not an option of pytest's: a suite could ask for it, and refuse what it likes
        self.current = ""
        self.found: dict[str, Any] = {
            "passed": 0, "skipped": 0, "expected": 0, "failures": [], "broken": "", "late": "",
            "waited": False, "seconds": 0.0, "slowest": [],
        }  # fmt: skip
        self._begun = 0.0
        self._allocated = 0

    @pytest.hookimpl(wrapper=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Any:
        """The clocks run from before the file is imported.

        Processor time is the same on a busy machine; a suite that sleeps uses none.
        """

        def over(number: int, frame: FrameType | None) -> None:
            self.found["late"] = self.current or Path(self.file).name
            self.found["waited"] = number == signal.SIGALRM
            raise OutOfTime("the time of the suite is over")

        clocks = (
            (signal.ITIMER_PROF, signal.SIGPROF, self.seconds),
            (signal.ITIMER_REAL, signal.SIGALRM, self.wall),
        )
        earlier = [signal.signal(number, over) for _, number, _ in clocks]
        for timer, _, seconds in clocks:
            signal.setitimer(timer, seconds)
        begun = time.process_time()
        try:
            return (yield)
        finally:
            self.found["seconds"] = time.process_time() - begun
            for (timer, number, _), handler in zip(clocks, earlier, strict=True):
                signal.setitimer(timer, 0)
                signal.signal(number, handler)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool | None:
        """After the first failure, where that is all that is asked, the other tests are passed over."""
        return True if self.first and self.found["failures"] else None

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Said aloud, so that after a crash it is known which test ran."""
        self.current = _short(nodeid)
        self._allocated = torch.cuda.memory_allocated()
        self._begun = time.process_time()
        print(f"[tests] {self.current}", flush=True)

    def pytest_runtest_logfinish(self) -> None:
        """A suite may have thousands of tests: the slowest are kept."""
        self._let_autograd_finish()
        times = [*self.found["slowest"], (self.current, time.process_time() - self._begun)]
        self.found["slowest"] = sorted(times, key=lambda each: each[1], reverse=True)[:_SHOWN_SLOWEST]

    def _let_autograd_finish(self) -> None:
        """Autograd's threads drop what they hold a moment after backward: the next test may count memory."""
        for _ in range(_SETTLING_STEPS):
            if torch.cuda.memory_allocated() <= self._allocated:
                return
            time.sleep(0.001)

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
        told = _told(report, Path(self.file).name)
        message = told["message"][:_LONGEST_MESSAGE]
        failure = {**told, "test": _short(report.nodeid), "message": message}
        self.found["failures"].append(failure)
        print(f"[failed] {json.dumps(failure)}", flush=True)


def _short(nodeid: str) -> str:
    """``test_rows[float32-3]`` of ``test_op.py::test_rows[float32-3]``."""
    return nodeid.partition("::")[2] or nodeid


def _told(report: pytest.TestReport, name: str) -> dict[str, Any]:
    """The last line of the test file that was reached and the one it was called from, and what was said."""
    shown: Any = report.longrepr
    if missing := _MISSING_FIXTURE.match(str(getattr(shown, "errorstring", ""))):
        message = f"no fixture {missing[1]!r}; was parametrize forgotten?"
        return {"line": int(shown.firstlineno) + 1, "caller": 0, "message": message, "own": True}
    crash = getattr(shown, "reprcrash", None)
    if crash is None:
        return {"line": 0, "caller": 0, "message": str(shown), "own": False}
    entries = getattr(getattr(shown, "reprtraceback", None), "reprentries", ())
    places = [place for entry in entries if (place := getattr(entry, "reprfileloc", None)) is not None]
    lines = [int(place.lineno) for place in places if Path(place.path).name == name] or [0]
    kind = re.split(r"[: ]", str(crash.message), maxsplit=1)[0].rpartition(".")[2]
    own = kind not in _JUDGEMENTS and all(Path(place.path).name != "op.py" for place in places)
    caller = lines[0] if lines[0] != lines[-1] else 0
    return {"line": lines[-1], "caller": caller, "message": str(crash.message), "own": own}


def _first_words(text: str, file: str) -> str:
    """What is wrong with a file that cannot be imported: pytest marks the line that says so with an E."""
    marked = [line[2:].strip() for line in text.splitlines() if line.startswith("E ")]
    said = marked[-1] if marked else text.strip()
    name = Path(file).name
    lines = re.findall(rf'{re.escape(name)}(?::|", line )(\d+)', text)
    place = f"{name}:{lines[-1]}: " if lines else ""
    return place + said.replace(f"{Path(file).parent}/", "")[:_LONGEST_MESSAGE]
