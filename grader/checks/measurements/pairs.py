"""Two planted workloads side by side: the speedup, the memory saved, and the bandwidth that one reaches."""

from __future__ import annotations

import math
from collections.abc import Iterator

from grader.checks.bench import Bench
from grader.checks.measurements.benchmark_run import Problem, ask, uniform
from grader.checks.measurements.drawn_workloads import Drawn, drawn
from grader.checks.measurements.subject import Trap
from grader.checks.measurements.tolerance import shown, within
from grader.specification.workloads import COMPARED, Pair, Workloads

_NEAR = 0.06
_GIBI = 1 << 30


def judged(bench: Bench, asked: Workloads, pair: Pair, number: int) -> Problem | None:
    """The first number of the comparison that is wrong, with what it is instead."""
    draw = uniform(bench, "pair", number)
    call, baseline = drawn(pair.call, draw), drawn(pair.baseline, draw)
    low, high = pair.bytes_moved if isinstance(pair.bytes_moved, tuple) else (pair.bytes_moved,) * 2
    moved = round(draw(low, high))
    plan = {
        "workloads": [call.plan(), baseline.plan()], "attributes": list(COMPARED), "bytes_moved": moved,
        "warm_up": asked.warm_up, "rounds": asked.rounds,
    }  # fmt: skip
    run = ask(bench, "compare", asked.compare, plan)
    if isinstance(run, Problem):
        return run
    if 0 in run.calls:
        return Problem(f"`{asked.compare}` did not call both of the functions that it was given.", "errors")
    for quantity in pair.judged:
        reported = run.reported[quantity]
        if reported is None:
            sentence = f"`{asked.compare}` returned nothing with a number `{quantity}`."
            return Problem(sentence, "errors")
        truth = _truth(quantity, call, baseline, moved)
        if not within(bench.backend, quantity, reported, truth):
            return _problem(quantity, reported, truth, call, baseline, moved)
    return None


def _truth(quantity: str, call: Drawn, baseline: Drawn, moved: int) -> float:
    own, other = call.truth("median_ms"), baseline.truth("median_ms")
    return {
        "speedup": other / own,
        "saved_bytes": baseline.truth("peak_bytes") - call.truth("peak_bytes"),
        "gigabytes_per_second": moved / own / 1e6,
    }[quantity]


def _problem(
    quantity: str, reported: float, truth: float, call: Drawn, baseline: Drawn, moved: int
) -> Problem:
    got, expected = shown(quantity, reported), shown(quantity, truth)
    sentence = f"`{quantity}` is {got} instead of {expected}."
    for trap in _traps(quantity, truth, call, baseline, moved):
        if _is(trap.value, reported, truth):
            return Problem(sentence, trap.topic, trap.sentence, expected, got)
    return Problem(sentence, "compare", "", expected, got)


def _is(trap: float, reported: float, truth: float) -> bool:
    """Whether `reported` is that of a trap, and much nearer to it than to the truth.

    GiB differ from gigabytes by 7 %, and so does a time that is a little wrong for another reason.
    """
    if reported * trap <= 0:
        return False
    from_truth = abs(math.log(reported / truth)) if reported * truth > 0 else math.inf
    return abs(math.log(reported / trap)) <= min(_NEAR, from_truth / 5)


def _traps(quantity: str, truth: float, call: Drawn, baseline: Drawn, moved: int) -> Iterator[Trap]:
    own, other = call.truth("median_ms"), baseline.truth("median_ms")
    if quantity == "speedup":
        yield Trap(1 / truth, "That is its reciprocal: divide the baseline's time by the call's.", "compare")
        yield Trap(other - own, "That is a difference of times, not a ratio.", "compare")
        said = "That is the gain alone: a call that is as fast as the baseline has the speedup 1."
        yield Trap(truth - 1, said, "compare")
        yield Trap(100 * truth, "That is a percentage.", "compare")
    elif quantity == "saved_bytes":
        said = "The sign is wrong: a call that needs less than the baseline saves more than 0."
        yield Trap(-truth, said, "compare")
        yield Trap(call.truth("peak_bytes"), "That is the peak of the call alone.", "compare")
        yield Trap(baseline.truth("peak_bytes"), "That is the peak of the baseline alone.", "compare")
    else:
        said = "That divides by the time of the baseline."
        yield Trap(moved / other / 1e6, said, "bandwidth")
        for factor, unit in (
            (1e6 * 1e3, "bytes a second"), (1e6, "bytes a millisecond"), (1e-3, "terabytes a second"),
            (1e3, "megabytes a second"), (1e9 / _GIBI, "GiB, of 2^30 bytes, a second"),
        ):  # fmt: skip
            said = f"That is {unit}: a gigabyte is 10^9 bytes, a second is 1000 ms."
            yield Trap(truth * factor, said, "bandwidth")
