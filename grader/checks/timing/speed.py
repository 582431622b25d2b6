"""How fast is it, next to a baseline that is measured in the same worker at the same time?

The times are a claim of the worker's. The parent bounds them by its own clock over many calls, and by the
bytes that the operation has to move: no device is that fast.
"""

from __future__ import annotations

import os
import statistics

from grader.checks.bench import Bench
from grader.checks.obstacle import obstacle
from grader.checks.outcome import Outcome, passed
from grader.checks.timing.ratios import Ratio, ratio
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import error_outcome
from grader.processors import processors
from grader.run.values import Measurement
from grader.spec import Speed
from grader.verdict import NOT_JUDGED, Status

NOISE = 0.10  # an interval wider than this, or an A/A run further from 1, decides nothing
FASTEST_BYTES_PER_MS = 1e10  # 10 TB/s, more than any device on sale moves
LAUNCH_BOUND_MS = 0.05  # below, the parent's clock sees launches rather than kernels
TRIES = 3  # what decides nothing is measured again: most of what disturbs a timing is short


def check(bench: Bench) -> Outcome:
    """Time the spec's speed case against its baseline and give the share that the ratio earns."""
    speed = bench.spec.speed
    if bench.backend != "cuda":
        return Outcome(
            Status.UNAVAILABLE,
            "Speed is measured on a GPU only; without one these points do not count. To count the kernel's "
            f"memory traffic here, run: grader profile {bench.exercise.number:02d}",
        )
    if speed is None:
        return Outcome(Status.UNAVAILABLE, "This exercise is not timed.")
    wrong = obstacle(bench, "correctness")
    if wrong is not None:
        return Outcome(wrong.status, f"{NOT_JUDGED}: the speed of a wrong answer means nothing.")
    inputs = bench.draw(speed.args, "speed")
    parameters = ", ".join(bench.spec.parameters[: len(speed.args)])
    baseline = f"lambda {parameters}: {speed.baseline}"
    outcome = _timed(bench, speed, inputs, baseline)
    for _ in range(TRIES - 1):
        if outcome.status is not Status.INCONCLUSIVE:
            break
        outcome = _timed(bench, speed, inputs, baseline)
    return outcome


def _timed(bench: Bench, speed: Speed, inputs: Inputs, baseline: str) -> Outcome:
    measured = bench.session.measure(bench.spec.entry, inputs.for_worker(), baseline)
    if measured.error is not None:
        return error_outcome(bench.text(inputs), measured.error, "speed")
    doubt = implausible(bench, inputs, measured) or noisy(measured, bench.seed)
    return doubt or judge(speed, ratio(measured.blocks, bench.seed))


def noisy(measured: Measurement, seed: int) -> Outcome | None:
    """The baseline timed against itself must come out equal; else the machine is too busy to judge."""
    control, own = ratio(measured.control, seed), ratio(measured.blocks, seed)
    if control.spread <= NOISE and abs(control.value - 1) <= NOISE and own.spread <= 2 * NOISE:
        return None
    return Outcome(
        Status.INCONCLUSIVE,
        f"Too noisy to judge: the baseline against itself came out at {control.value:.2f} (95 % interval "
        f"{control.low:.2f} to {control.high:.2f}). Is something else running on this GPU?",
    )


def implausible(bench: Bench, inputs: Inputs, measured: Measurement) -> Outcome | None:
    """A claim that the parent's clock or the memory's bandwidth contradicts."""
    claimed = statistics.median([time for block in measured.blocks for time in (block[0], block[3])])
    seen = measured.entry_bulk_ms
    if seen > LAUNCH_BOUND_MS and claimed < seen / 2:
        what = f"the events claim {claimed:.3g} ms per call, the grader's own clock saw {seen:.3g} ms"
        return _unclear(what) if busy() else _contradicted(what)
    if bench.spec.traffic is None:
        return None
    floor = bench.spec.traffic(*inputs.for_reference(widen=False)) / FASTEST_BYTES_PER_MS
    if claimed < floor:
        return _contradicted(
            f"the events claim {claimed:.3g} ms per call, but no device moves the bytes in less than "
            f"{floor:.3g} ms"
        )
    return None


def busy() -> bool:
    """Whether the processors have so much else to do that launching may take longer than the kernels."""
    return os.getloadavg()[0] > processors() / 2


def _unclear(what: str) -> Outcome:
    return Outcome(
        Status.INCONCLUSIVE,
        f"This machine's processors are too busy to judge the time: {what}. Grade again when they are not.",
    )


def _contradicted(what: str) -> Outcome:
    return Outcome(
        Status.FAIL,
        f"The measured time cannot be right: {what}. The work has to happen on the current stream, on every "
        "call.",
        topic="speed",
    )


def judge(speed: Speed, found: Ratio) -> Outcome:
    """The highest step that the ratio reaches; below the first there is nothing to earn."""
    interval = f"95 % interval {found.low:.2f} to {found.high:.2f}"
    text = f"{found.value:.2f} times the speed of {speed.baseline} ({interval})"
    reached = [share for needed, share in speed.steps if found.value >= needed]
    if reached:
        better = min((needed for needed, share in speed.steps if share > max(reached)), default=None)
        goal = f" The next step is at {better:g}." if better is not None else ""
        return passed(f"{text}.{goal}", share=max(reached))
    first = min(needed for needed, _ in speed.steps)
    return Outcome(
        Status.FAIL, f"{text}; points begin at {first:g}.", expected=f"at least {first:g}",
        got=f"{found.value:.2f}", topic="speed",
    )  # fmt: skip
