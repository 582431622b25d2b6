"""Check that the answer does not depend on the order of blocks and threads, which CUDA leaves open.

The cases that were right, and the gradients, are asked for again with blocks and threads in reversed order
and in one drawn from a fixed seed. Sums by atomics round differently in each: within the tolerance that is
no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from cusimt.findings import SUSPICIONS
from grader.checks.bench import OTHER_ORDERS, Bench, Call, RightAnswer
from grader.checks.device.findings import faults_in, seen_in
from grader.checks.device.unset import variable_without_value
from grader.checks.gradients.cotangents import both_ways, differentiable
from grader.checks.gradients.engine import numeric_sizes
from grader.checks.values.compare import compare
from grader.checks.values.correctness import wrong_change, wrong_output
from grader.checks.values.expected import Expected, accumulation, expected_changes, tolerance_for
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import first_paragraph
from grader.run.values import Output, Schedule
from grader.specification import Case, Gradient
from grader.verdict import ReportedFinding

# What is not repeated: a case with more elements, in arguments and results, since small cases show the same,
# and one that takes more seconds. The cases of a kernel that is not slow take far less, at any load.
LARGE_CASE = 2**20
LONG_CASE = 6.0

_CHANGES = "changes with the order in which blocks and threads run"
_RULE = (
    "A GPU runs blocks and threads in any order: a thread that needs another thread's result must wait "
    "for it, at a barrier or in the next kernel. And a local variable that was given no value holds another "
    "one in every thread."
)
_SET = "Give every local variable a value before it is read: `= 0`, `= {}`, fill_fragment."


def other_orders(bench: Bench) -> tuple[list[ReportedFinding], int]:
    """What goes wrong in another order only, of the first case in which anything does.

    The number is how many of the right cases were repeated.
    """
    repeatable = [right for right in bench.right if _is_short(right)]
    for number, right in enumerate(repeatable, 1):
        for order in OTHER_ORDERS:
            found = _asked_again(bench, right, order)
            if found:
                return found, number
    gradient = bench.spec.gradient
    if gradient is None or not bench.right:
        return [], len(repeatable)
    with numeric_sizes():
        for case in gradient.cases:
            found = _gradients_again(bench, gradient, case)
            if found:
                return found, len(repeatable)
    return [], len(repeatable)


def _is_short(right: RightAnswer) -> bool:
    given = sum(each.tensor.numel() for each in right.inputs.tensors())
    made = sum(each.tensor.numel() for each in right.outputs if each.tensor is not None)
    return given + made <= LARGE_CASE and right.seconds <= LONG_CASE


def _asked_again(bench: Bench, right: RightAnswer, order: Schedule) -> list[ReportedFinding]:
    call = bench.forward(right.case, right.inputs, schedule=order)
    found = _told(bench, call, order)
    if found or call.reply.error is not None:
        return found
    different = wrong_output(right.expected, right.inputs, call)
    if different is not None and not _agree(right.outputs, call.reply.outputs, right.expected):
        said, rule = f"The answer {_CHANGES}. In {order} order: {different.sentence}", _RULE
        if unset := variable_without_value(bench):
            said, rule = f"{said} {unset}", _SET
        for each in _suspicions(bench, call)[:1]:
            said, rule = f"{said} {each.where}: {each.sentence}".strip(), each.rule
        return [ReportedFinding("schedule", said, rule)]
    return _wrong_changes(bench, right, call, order)


def _suspicions(bench: Bench, call: Call) -> list[ReportedFinding]:
    """What is no fault as such, but explains a wrong answer."""
    return [each for each in seen_in([call], bench.files, suspicions=True) if each.kind in SUSPICIONS]


def _wrong_changes(bench: Bench, right: RightAnswer, call: Call, order: Schedule) -> list[ReportedFinding]:
    """The first argument that is to be changed in place and, after `call`, does not hold what it should."""
    if not right.case.modifies:
        return []
    wanted = expected_changes(bench.spec, right.inputs, right.case.modifies, right.case.name)
    for drawn, after in zip(right.inputs.tensors(), bench.session.inputs(), strict=True):
        if drawn.name not in wanted:
            continue
        mismatch = wrong_change(bench.spec, drawn, after, wanted[drawn.name])
        if mismatch is not None:
            at = list(mismatch.index or ())
            what = f"{call.text}: {drawn.name} holds {mismatch.got} at {at}, expected {mismatch.expected}."
            return [ReportedFinding("schedule", f"The answer {_CHANGES}. In {order} order: {what}", _RULE)]
    return []


def _told(bench: Bench, call: Call, order: Schedule) -> list[ReportedFinding]:
    """Findings and errors of a call that had none in the usual order."""
    if found := faults_in([call], bench.files):
        return [replace(each, sentence=f"Only in {order} order: {each.sentence}") for each in found]
    if call.reply.error is None:
        return []
    message = first_paragraph(call.reply.error.message)
    return [
        ReportedFinding(
            "schedule", f"Whether {call.text} fails {_CHANGES}. In {order} order: {message}", _RULE
        )
    ]


def _agree(first: Sequence[Output], second: Sequence[Output], expected: Sequence[Expected]) -> bool:
    """Whether two answers differ by no more than either may from the truth."""
    if len(first) != len(second):
        return False
    return all(
        before.tensor is not None and compare(after, replace(wanted, values=_widened(before.tensor))) is None
        for before, after, wanted in zip(first, second, expected, strict=True)
    )


def _widened(values: torch.Tensor) -> torch.Tensor:
    floating = values.is_floating_point() or values.is_complex()
    return values.to(torch.promote_types(values.dtype, torch.float64)) if floating else values


# ---- gradients --------------------------------------------------------------------------------------------


def _gradients_again(bench: Bench, gradient: Gradient, case: Case) -> list[ReportedFinding]:
    inputs = bench.draw(case.args, "gradient", case.name)
    names = [each.name for each in differentiable(gradient, inputs)]
    _, back = both_ways(bench, case, inputs, names, "forward")
    if back is None or back.reply.error is not None or back.reply.seconds > LONG_CASE:
        return []
    for order in OTHER_ORDERS:
        forward, again = both_ways(bench, case, inputs, names, order)
        for call in (forward, again):
            if call is not None and (found := _told(bench, call, order)):
                return found
        if again is not None and (found := _changed_gradient(bench, inputs, back, again, order)):
            return found
    return []


def _changed_gradient(
    bench: Bench, inputs: Inputs, usual: Call, again: Call, order: Schedule
) -> list[ReportedFinding]:
    terms = accumulation(bench.spec, inputs)
    for before, after in zip(usual.reply.outputs, again.reply.outputs, strict=True):
        if before.tensor is None or after.tensor is None:
            continue
        values, dtype = _widened(before.tensor), before.tensor.dtype
        computed_in = inputs.named(before.name).coarsest
        name = f"The gradient of {before.name}"
        expected = Expected(
            name, values, dtype, before.device, tolerance_for(bench.spec, values, computed_in, terms)
        )
        if (mismatch := compare(after, expected)) is not None:
            at = f" at {list(mismatch.index)}" if mismatch.index is not None else ""
            what = f"it is {mismatch.expected}{at} in ascending order, {mismatch.got} in {order} order."
            return [ReportedFinding("schedule", f"{name} {_CHANGES}: {what}", _RULE)]
    return []
