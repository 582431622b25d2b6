"""Check that the learner's tests accept every correct implementation, however it is written.

The given one is tested three times, since a test that fails now and then says nothing when it fails. In two
of these runs, every time is longer or shorter by far: no number of milliseconds is right in both.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from cusimt.support.words import counted
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome, passed
from grader.checks.suites import slow_suites
from grader.checks.suites.readings import counts_memory_after_backward, measures_time
from grader.checks.suites.runs import Failure, Run, run_all, tests_of
from grader.checks.values.devices import present
from grader.course.implementations import Implementation, collection
from grader.verdict import Status

if TYPE_CHECKING:
    from grader.checks.results import Progress

_SHOWN_LINES = 12
_MORE_FAILURES = 5
_LONGEST_LINE = 160  # characters
_ADDRESS = re.compile(r" at 0x[0-9a-f]+|(?<=[= ])0x[0-9a-f]{6,}")
_STILL_HELD = (
    "It counts memory after a backward, and a thread of autograd releases the gradients a moment after the "
    "call has returned: how much is counted differs from run to run. Count it after a forward."
)
_TIMES = {1e6: "a million times as long", 1e-6: "a millionth as long"}  # of events, a suite's only clock
_MILLISECONDS = (
    "No number of milliseconds is right on every machine: compare a time with another one of the same run."
)
_TOO_STRICT = (
    "That implementation keeps every promise of op.py's docstring: the test demands more than the "
    "docstring promises."
)


def check(bench: Bench, progress: Progress) -> Outcome:
    """All correct implementations pass all tests; else report the first that fails, with its test."""
    known = collection(bench.exercise).shown_by(bench.backend, present(bench.backend))
    given, *others = known.correct
    slowness = [1.0, *_TIMES]
    first, *again = run_all(
        bench, [given] * len(slowness), False, lambda said: progress("the given implementation"),
        slowness=slowness,
    )  # fmt: skip
    runs = len(_TIMES) + len(known.correct) + len(known.mistakes)
    outcome = _judge_suite(bench, first) or slow_suites.too_slow(first, runs, tests_of(bench))
    if outcome is not None:
        return outcome
    for times, run in zip(_TIMES.values(), again, strict=True):
        if not run.accepted:
            return _fails_later(bench, given, run, times)
    for implementation, run in zip(others, run_all(bench, others, False, progress), strict=True):
        if not run.accepted:
            return _refused(bench, run, _refuses(bench, run, implementation), "accepts")
    skipped = f", {first.skipped} skipped" if first.skipped else ""
    who = f"{len(known.correct)} correct implementations, each written in another way, pass"
    if not others:
        who = (
            "the implementation that you were given, the only correct one in this copy of the course, passes"
        )
    outcome = passed(f"{counted(first.passed, 'test')}{skipped}: {who} all of them.")
    return replace(outcome, lines=slow_suites.advice(first, runs, tests_of(bench)))


def _fails_later(bench: Bench, given: Implementation, run: Run, times: str) -> Outcome:
    """A suite that passed for the given implementation once: are ``times`` why, or does it fail at random?"""
    source = (bench.files / tests_of(bench).file).read_text(encoding="utf-8")
    if run.failures and measures_time(source, run.failures[0].test):
        [as_before] = run_all(bench, [given], False, lambda said: None)
        if as_before.accepted:
            what = f"passes for the given implementation, and refuses it where every time is {times}"
            return _refused(bench, run, what, "flaky", _MILLISECONDS)
    return _refused(bench, run, "passes for the given implementation once, and fails another time", "flaky")


def _refuses(bench: Bench, run: Run, implementation: Implementation) -> str:
    """Of a test that measures time, the trait explains nothing."""
    source = (bench.files / tests_of(bench).file).read_text(encoding="utf-8")
    if run.failures and measures_time(source, run.failures[0].test):
        return "refuses a correct implementation for the time that it takes"
    return f"refuses a correct implementation, one with {implementation.trait}"


def _judge_suite(bench: Bench, run: Run) -> Outcome | None:
    """What is wrong with the suite itself: seen against the implementation that the learner has."""
    file = tests_of(bench).file
    if run.broken:
        return Outcome(Status.FAIL, f"No test was collected: {run.broken}", topic="collected")
    if own := next((each for each in run.failures if each.own), None):
        return _itself_wrong(file, own)
    if not run.accepted:
        return _refused(bench, run, "refuses the implementation that you were given", "accepts")
    if run.passed:
        return None
    left = run.skipped + run.expected
    if not left:
        sentence = f"{file} holds no test. pytest collects functions whose names begin with test_."
        return Outcome(Status.FAIL, sentence, topic="collected")
    which = f"all {left} are" if left > 1 else "the only one is"
    sentence = f"No test ran: {which} skipped or expected to fail. A test that does not run finds no mistake."
    return Outcome(Status.FAIL, sentence, topic="collected")


def _itself_wrong(file: str, failure: Failure) -> Outcome:
    """A test that raised before anything was judged asks neither too much nor too little."""
    said, *following = _lines(failure.message) or ["it failed without a message"]
    sentence = f"{_place(file, failure)}{failure.test} itself is wrong: {said}"
    lines = tuple(following[:_SHOWN_LINES])
    return Outcome(Status.FAIL, sentence, case=failure.test, lines=lines, topic="wrong_test")


def _place(file: str, failure: Failure) -> str:
    if not failure.line:
        return ""
    called = f" (called in line {failure.caller})" if failure.caller else ""
    return f"{file}:{failure.line}{called}: "


def _refused(bench: Bench, run: Run, what: str, topic: str, rule: str = "") -> Outcome:
    """The test that refuses, or during which the run ended, what it said, and the rule that it breaks."""
    tests = tests_of(bench)
    if run.late:
        sentence = slow_suites.stopped(run, tests)
        lines = _failed_before(tests.file, run)
        return Outcome(Status.TIMEOUT, sentence, case=run.late, lines=lines, topic="time")
    if run.crash:
        during = f" In {run.during}." if run.during else ""
        sentence = f"Your suite {what}: {run.crash}{during}"
        lines = _failed_before(tests.file, run)
        return Outcome(Status.CRASH, sentence, case=run.during, lines=lines, topic="crash")
    if run.broken:
        return Outcome(Status.FAIL, f"Your suite {what}: {run.broken}", topic=topic)
    failure, *more = run.failures
    said, *following = _lines(failure.message) or ["it failed without a message"]
    sentence = f'{_place(tests.file, failure)}Your suite {what}: {failure.test} says "{said.rstrip(".")}".'
    source = (bench.files / tests.file).read_text(encoding="utf-8")
    if counts_memory_after_backward(source, failure.line):
        sentence, topic = f"{sentence} {_STILL_HELD}", "flaky"
    elif topic == "accepts":
        rule = _TOO_STRICT
    sentence = f"{sentence} {rule}".rstrip()
    if more:
        names = [each.test for each in more[:_MORE_FAILURES]]
        left = len(more) - len(names)
        following = [
            *following[:_SHOWN_LINES],
            f"Also: {', '.join(names)}{f', and {left} more' if left else ''}",
        ]
    lines = tuple(following[: _SHOWN_LINES + 1])
    return Outcome(Status.FAIL, sentence, case=failure.test, lines=lines, topic=topic)


def _failed_before(file: str, run: Run) -> tuple[str, ...]:
    """What the run had found when it ended."""
    found = []
    for each in run.failures[:_MORE_FAILURES]:
        said = (_lines(each.message) or ["it failed without a message"])[0]
        found.append(f'Before that, {_place(file, each)}{each.test} says "{said.rstrip(".")}".')
    left = len(run.failures) - len(found)
    return (*found, f"{left} more tests failed.") if left > 0 else tuple(found)


def _lines(message: str) -> list[str]:
    """What a test said, without addresses, which are others every time; long lines cut."""
    lines = [_ADDRESS.sub("", line).rstrip() for line in message.strip().splitlines()]
    return [line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE]} ..." for line in lines if line]
