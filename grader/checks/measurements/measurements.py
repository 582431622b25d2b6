"""Check that the learner's benchmark reports what planted workloads take.

The truth is drawn here, after the submission is loaded. The worker needs the numbers to plant the workload;
the benchmark gets a function that it can call and nothing else. What comes back is compared here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import torch

from cusimt.support.words import counted
from grader.checks.bench import Bench
from grader.checks.measurements import pairs
from grader.checks.measurements.benchmark_run import Problem, ask, uniform
from grader.checks.measurements.drawn_workloads import drawn
from grader.checks.measurements.recorder import SIMULATED_L2_BYTES
from grader.checks.measurements.subject import Subject
from grader.checks.measurements.tolerance import shown, within
from grader.checks.measurements.traps import explanation
from grader.checks.outcome import Outcome, passed
from grader.specification.workloads import QUANTITIES, Pair, Workload, Workloads
from grader.verdict import Status

_TRIES = {"simt": 1, "cuda": 3}
# The section of the lesson for a number that no trap explains.
_TOPICS = {
    "median_ms": "times", "low_ms": "times", "high_ms": "times", "host_ms": "asynchrony", "first_ms": "first",
    "peak_bytes": "peak",
}  # fmt: skip


def check(bench: Bench) -> Outcome:
    """The share of the points of all workloads whose numbers are right; the first wrong one is explained."""
    asked = bench.spec.workloads
    if asked is None:
        return Outcome(Status.UNAVAILABLE, "This exercise has no planted workloads.")
    found: dict[Workload | Pair, Problem | None] = {}
    for number, workload in enumerate(asked.workloads):
        found[workload] = _tried(bench, partial(_workload, bench, asked, workload, number))
    because = f"This may follow from `{asked.entry}`, which is wrong above." if any(found.values()) else ""
    for number, pair in enumerate(asked.pairs):
        problem = _tried(bench, partial(pairs.judged, bench, asked, pair, number))
        if problem is not None and not problem.cause and problem.topic != "errors":
            problem = replace(problem, cause=because)
        found[pair] = problem
    return _outcome(found)


def _tried(bench: Bench, judge: Callable[[], Problem | None]) -> Problem | None:
    """What is wrong every time; on a GPU, noise is wrong once."""
    problem = None
    for _ in range(_TRIES[bench.backend]):
        problem = judge()
        if problem is None:
            break
    return problem


def _outcome(found: dict[Workload | Pair, Problem | None]) -> Outcome:
    wrong = {each: problem for each, problem in found.items() if problem is not None}
    total = sum(each.points for each in found)
    if not wrong:
        return passed(f"The numbers of all {counted(len(found), 'planted workload')} are right.", share=1.0)
    case, first = next(iter(wrong.items()))
    width = max(len(each.name) for each in found)
    lines = tuple(f"{each.name:<{width}}  {_line(first, problem)}" for each, problem in found.items())
    return Outcome(
        Status.FAIL,
        f"{case.name[0].upper()}{case.name[1:]}: {first.sentence} {first.cause}".rstrip(),
        share=1 - sum(each.points for each in wrong) / total,
        case=case.name,
        expected=first.expected,
        got=first.got,
        lines=lines,
        topic=first.topic,
    )


def _line(first: Problem, problem: Problem | None) -> str:
    """What is wrong, and why, unless it has been said."""
    if problem is None:
        return "right"
    if problem is first:
        return "wrong: see above"
    if problem.sentence == first.sentence:
        return "wrong: the same"
    if first.topic == "units":  # in another unit, a number meets the predictions of other mistakes
        return f"wrong: {problem.sentence}"
    cause = "" if problem.topic == first.topic else f" {problem.cause}"
    return f"wrong: {problem.sentence}{cause}".rstrip()


def _workload(bench: Bench, asked: Workloads, workload: Workload, number: int) -> Problem | None:
    """The first of the judged numbers that is wrong, with what it is instead."""
    planted = drawn(workload, uniform(bench, "workload", number))
    plan = {
        "workloads": [planted.plan()], "attributes": list(QUANTITIES), "warm_up": asked.warm_up,
        "rounds": asked.rounds,
    }  # fmt: skip
    run = ask(bench, "measure", asked.entry, plan)
    if isinstance(run, Problem):
        return run
    if run.calls[0] == 0:
        return Problem(f"`{asked.entry}` never made the call that it was given.", "errors")
    for quantity in workload.judged:
        problem = _judged(bench, asked, Subject(quantity, planted, run, asked.rounds, _l2_bytes(bench)))
        if problem is not None:
            return problem
    return None


def _judged(bench: Bench, asked: Workloads, subject: Subject) -> Problem | None:
    reported = subject.run.reported[subject.quantity]
    if reported is None:
        sentence = f"`{asked.entry}` returned nothing with a number `{subject.quantity}`."
        return Problem(sentence, "errors")
    if within(bench.backend, subject.quantity, reported, subject.truth):
        return None
    got, expected = (shown(subject.quantity, value) for value in (reported, subject.truth))
    trap = explanation(subject)
    cause = trap.sentence if trap else f"It is {QUANTITIES[subject.quantity]}."
    topic = trap.topic if trap else _TOPICS[subject.quantity]
    return Problem(f"`{subject.quantity}` is {got} instead of {expected}.", topic, cause, expected, got)


def _l2_bytes(bench: Bench) -> int:
    """Of the device that the benchmark asked."""
    real = bench.backend == "cuda" and torch.cuda.is_available()
    return torch.cuda.get_device_properties(0).L2_cache_size if real else SIMULATED_L2_BYTES
