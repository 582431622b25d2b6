"""Does a case in deterministic mode give the same bits in every run?

On simt, blocks and threads run in other orders; on cuda, the hardware chooses, and the case is repeated.
Comparison is bit by bit: additions in another order differ by less than any tolerance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from grader.checks.bench import Bench, Call, Schedule
from grader.checks.gradients.asked import cotangent
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare, pair
from grader.checks.values.inputs import Inputs
from grader.checks.values.truth import Expected
from grader.checks.values.wording import error_outcome
from grader.run.values import Output
from grader.spec import Case
from grader.verdict import Status

ORDERS: tuple[Schedule, ...] = ("reversed", "random", "random", "random")  # every random one is another
REPEATS: tuple[Schedule, ...] = ("forward",) * 8  # on cuda, where the schedule cannot be chosen

_BY_ORDER = (
    "The order of the additions depends on the schedule, and every order rounds differently. In "
    "deterministic mode (torch.use_deterministic_algorithms) the input alone must decide the order: no "
    "atomicAdd of floats."
)
_BY_RACE = (
    "They are further apart than rounding: threads overwrite or miss what other threads write. Look for a "
    "write that two threads make, and for a missing barrier."
)


@dataclass(frozen=True)
class Difference:
    """The first element whose bits differ, in both runs; a scalar's ``index`` is empty."""

    index: tuple[int, ...]
    first: str
    second: str


def changing_answer(
    bench: Bench, case: Case, inputs: Inputs, first: Call, expected: Sequence[Expected]
) -> Outcome | None:
    """Repeat the right call `first`; the failure if an output has other bits."""
    for order in _runs(bench):
        call = bench.forward(case, inputs, schedule=order)
        if call.reply.error is not None:
            return error_outcome(call.text, call.reply.error, case.name)
        failure = _judged(bench, first, call, expected, order)
        if failure is not None:
            return failure
    return None


def changing_gradient(
    bench: Bench, case: Case, inputs: Inputs, names: Sequence[str], expected: Sequence[Expected]
) -> Outcome | None:
    """Run forward and backward again and again; the failure if a gradient has other bits.

    ``expected`` are the gradients of ``names`` for a random cotangent.
    """
    first: Call | None = None
    for order in ("forward", *_runs(bench)):
        back = _backward(bench, case, inputs, names, order)
        if back is None:
            return None
        if back.reply.error is not None:
            return error_outcome(back.text, back.reply.error, case.name)
        failure = _judged(bench, first, back, expected, order) if first is not None else None
        if failure is not None:
            return failure
        first = first or back
    return None


def difference(before: torch.Tensor, after: torch.Tensor) -> Difference | None:
    """The first difference of two tensors of one shape and dtype, or None if all bits agree."""
    changed = _bytes(before) != _bytes(after)
    if not bool(changed.any()):
        return None
    flat = int(changed.any(dim=1).to(torch.uint8).argmax())
    index = tuple(int(each) for each in torch.unravel_index(torch.tensor(flat), before.shape))
    return Difference(index, *pair(before.reshape(-1)[flat], after.reshape(-1)[flat]))


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    """(elements, bytes of one)."""
    dense = tensor.detach().contiguous().reshape(-1, 1)
    return dense.view(torch.uint8)


def _form(output: Output) -> tuple[object, ...]:
    shape = tuple(output.tensor.shape) if output.tensor is not None else None
    return output.kind, shape, output.tensor.dtype if output.tensor is not None else None


def _runs(bench: Bench) -> tuple[Schedule, ...]:
    return ORDERS if bench.backend == "simt" else REPEATS


def _backward(bench: Bench, case: Case, inputs: Inputs, names: Sequence[str], order: Schedule) -> Call | None:
    """The backward for a random cotangent; None where forward gave no graph."""
    call = bench.forward(case, inputs, schedule=order, requires_grad=names)
    handle = call.reply.handle
    if call.reply.error is not None:
        return call
    if handle is None:
        return None
    try:
        outputs = [each.tensor for each in call.reply.outputs if each.tensor is not None]
        cotangents = [cotangent(bench, each, "random", case.name) for each in outputs]
        return bench.backward(case, inputs, handle, cotangents)
    finally:
        bench.session.release(handle)


def _judged(
    bench: Bench, first: Call, again: Call, expected: Sequence[Expected], order: Schedule
) -> Outcome | None:
    """The first result of `again` that has another form, or other bits, than that of `first`."""
    forms = [[_form(each) for each in call.reply.outputs] for call in (first, again)]
    if forms[0] != forms[1] or again.reply.trace.sticky_error is not None:
        return Outcome(
            Status.FAIL,
            f"{again.text}: the same input gave results of another form, or none, when it was run again.",
            case=again.case, topic="determinism",
        )  # fmt: skip
    for before, after, wanted in zip(first.reply.outputs, again.reply.outputs, expected, strict=True):
        if before.tensor is None or after.tensor is None:
            continue
        found = difference(before.tensor, after.tensor)
        if found is None:
            continue
        where = f" at {list(found.index)}" if found.index else ""
        one, other = "in one run", "in another"
        if bench.backend == "simt":
            one, other = "with blocks and threads in ascending order", f"in {order} order"
        numbers = after.tensor.is_floating_point() or after.tensor.is_complex()
        rounding = numbers and compare(after, wanted) is None
        return Outcome(
            Status.FAIL,
            f"{again.text}: the same input gave two results. {_subject(wanted)} is {found.first}{where} "
            f"{one}, {found.second} {other}. {_BY_ORDER if rounding else _BY_RACE}",
            case=again.case, expected=found.first, got=found.second, index=found.index or None,
            topic="determinism",
        )  # fmt: skip
    return None


def _subject(wanted: Expected) -> str:
    return wanted.name[:1].upper() + wanted.name[1:]
