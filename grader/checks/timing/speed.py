"""Check the speed relative to a baseline that runs on the same GPU at the same time, in its own worker.

The ratio is that of events on the device, which the submission's worker reads, unless the parent's clock,
over many calls with fresh inputs, shows a lower one: then the clock is believed. What the timed calls return
is compared with the reference, and what they launch has to be the submission's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from grader.checks.bench import Bench
from grader.checks.outcome import Outcome, passed
from grader.checks.prerequisites import obstacle
from grader.checks.timing import alternation
from grader.checks.timing.alternation import CASE, Measured
from grader.checks.timing.clocks import believed, undecided
from grader.checks.timing.objections import (
    changed_settings,
    held_memory,
    implausible,
    refused_work,
    wrong_result,
)
from grader.checks.timing.ratios import Ratio
from grader.checks.timing.scaling import fitted
from grader.checks.values.inputs import Drawn, Inputs, Value
from grader.checks.values.wording import call_text, error_outcome
from grader.specification import Argument, Speed, TensorSpec
from grader.verdict import NOT_JUDGED, Status

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
    if wrong is not None and wrong.not_own:
        why = f"{NOT_JUDGED}: only what your own kernels compute is timed."
        return Outcome(wrong.status, why, topic=wrong.topic, not_own=wrong.not_own)
    if wrong is not None:
        return Outcome(wrong.status, f"{NOT_JUDGED}: the speed of a wrong answer means nothing.")
    fit = fitted(bench, speed)
    speed = fit.speed
    inputs = _undrawn(speed.args)
    text = call_text(bench.spec.entry, inputs, None)
    for attempt in range(TRIES):
        bench.pending = text
        is_short = bench.hurries and attempt == 0
        length = alternation.SHORT if is_short else alternation.FULL
        measured = alternation.measure(bench, speed, text, attempt, length)
        bench.pending = ""
        outcome = judge(bench, speed, inputs, text, measured)
        decided = outcome.status is not Status.INCONCLUSIVE
        if is_short and decided and _is_close(bench, speed, measured):
            continue
        if decided and implausible(bench, inputs, measured) is None:
            break
    return replace(outcome, sentence=outcome.sentence + fit.note)


def _is_close(bench: Bench, speed: Speed, measured: Measured) -> bool:
    """Whether a longer measurement might earn another share: a step lies within the interval, or the clocks
    differ by more than short turns explain.
    """
    if not measured.queued:
        return False
    found, by_parent = believed(measured, bench.seed)
    return by_parent or any(found.low <= needed <= found.high for needed, _ in speed.steps)


def _undrawn(args: Sequence[Argument]) -> Inputs:
    """The arguments without values: what their text and the traffic need."""
    return Inputs(tuple(map(_value, args)))


def _value(argument: Argument) -> Value:
    if isinstance(argument, TensorSpec):
        dtype = getattr(torch, argument.dtype)
        return Drawn(argument, torch.empty(argument.shape, dtype=dtype, device="meta"))
    return [_value(each) for each in argument] if isinstance(argument, list) else argument


def judge(bench: Bench, speed: Speed, inputs: Inputs, text: str, measured: Measured) -> Outcome:
    """What a measurement comes to: refused, undecided, or the share of the points that its ratio earns."""
    if measured.error is not None:
        return error_outcome(text, measured.error, CASE)
    if measured.wrong is not None:
        return wrong_result(text, measured.wrong)
    refused = held_memory(text, measured) or refused_work(bench, measured) or changed_settings(measured)
    if refused is not None:
        return refused
    doubt = undecided(measured, bench.seed) or implausible(bench, inputs, measured)
    if doubt is not None:
        return doubt
    found, by_parent = believed(measured, bench.seed)
    return earned(speed, found, by_parent)


def earned(speed: Speed, found: Ratio, by_parent: bool) -> Outcome:
    """The highest step that the ratio reaches; below the first there is nothing to earn."""
    interval = f"95 % interval {found.low:.2f} to {found.high:.2f}"
    text = f"{found.value:.2f} times the speed of {speed.baseline} ({interval}"
    text += ", by the grader's own clock)" if by_parent else ")"
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
