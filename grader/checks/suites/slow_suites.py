"""Sentences about slow suites: advice, a failed check, or a run that was stopped."""

from __future__ import annotations

from grader.checks.outcome import Outcome
from grader.checks.suites.budget import PATIENCE
from grader.checks.suites.runs import Run
from grader.specification import Tests
from grader.verdict import Status

# Of its bound: with 2 s for one run, a check takes more than half a minute on two processors.
_SLOW_SHARE = 0.1
_SMALLER = "Small tensors show the same mistakes as large ones."


def advice(run: Run, runs: int, tests: Tests) -> tuple[str, ...]:
    """For a suite that keeps its bounds, and makes a check slow: what it takes, and which tests take most."""
    if run.seconds <= _SLOW_SHARE * tests.seconds:
        return ()
    return (f"Your suite is slow: {_takes(run)} A check runs it {runs} times. {_slowest(run)}{_SMALLER}",)


def too_slow(run: Run, runs: int, tests: Tests) -> Outcome | None:
    """For a suite that would exceed the time of all runs: the first one tells, and the others are spared."""
    if run.seconds * runs <= tests.total:
        return None
    sentence = (
        f"Your suite is too slow: {_takes(run)} A check runs it {runs} times, and all runs together have "
        f"{tests.total:g} s: {tests.total / runs:.1f} s for each. {_slowest(run)}{_SMALLER}"
    )
    case = run.slowest[0][0] if run.slowest else ""
    return Outcome(Status.TIMEOUT, sentence, case=case, topic="time")


def stopped(run: Run, tests: Tests) -> str:
    """For a run that was stopped in the middle of a test."""
    if run.waited:
        return (
            f"Your suite was stopped after {PATIENCE * tests.seconds:g} s by the clock, in {run.late}. It "
            "had used little processor time: look for a test that waits for something that does not happen."
        )
    return (
        f"Your suite was stopped after {tests.seconds:g} s of processor time, in {run.late}. All tests "
        f"together have that time against one implementation. {_slowest(run)}{_SMALLER} If the suite is "
        "fast, look for a loop that never ends."
    )


def _takes(run: Run) -> str:
    """One complete sentence: the time of all tests, and that of one on average."""
    ran = run.passed + run.skipped + run.expected + len(run.failures)
    each = f", {run.seconds / ran:.2g} s per test" if ran > 1 else ""
    return f"it takes {run.seconds:.1f} s of processor time against the given implementation{each}."


def _slowest(run: Run) -> str:
    if not run.slowest:
        return ""
    named = "; ".join(f"{name}, {seconds:.1f} s" for name, seconds in run.slowest)
    return f"The slowest {'tests' if len(run.slowest) > 1 else 'test'}: {named}. "
