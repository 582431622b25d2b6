"""Check that a case in deterministic mode returns the same bits in every run.

On simt, blocks and threads run in other orders; on cuda, the hardware chooses, and the case is repeated.
Comparison is bit by bit: additions in another order differ by less than any tolerance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import torch

from grader.checks.bench import OTHER_ORDERS, Bench, Call
from grader.checks.gradients.cotangents import both_ways, random_cotangents
from grader.checks.outcome import Outcome
from grader.checks.values.compare import compare, pair
from grader.checks.values.expected import Expected
from grader.checks.values.inputs import Inputs
from grader.checks.values.wording import error_outcome
from grader.run.values import Output, Schedule
from grader.specification import Case
from grader.verdict import Status

ORDERS: tuple[Schedule, ...] = (*OTHER_ORDERS, "random", "random")  # every random one is another
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
        failure = _judged(bench, first, call, lambda: expected, order)
        if failure is not None:
            return failure
    return None


def changing_gradient(
    bench: Bench, case: Case, inputs: Inputs, names: Sequence[str],
    right: Callable[[list[torch.Tensor]], Sequence[Expected]],
) -> Outcome | None:  # fmt: skip
    """Run forward and backward again and again; the failure if a gradient has other bits.

    ``right`` gives the right gradients of ``names`` for the cotangents that backward was given.
    """
    first: Call | None = None
    for order in ("forward", *_runs(bench)):
        call, back = both_ways(bench, case, inputs, names, order)
        for each in (call, back):
            if each is not None and each.reply.error is not None:
                return error_outcome(each.text, each.reply.error, case.name)
        if back is None:
            return None
        expected = partial(right, random_cotangents(bench, call))
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


def _judged(
    bench: Bench, first: Call, again: Call, expected: Callable[[], Sequence[Expected]], order: Schedule
) -> Outcome | None:
    """The first result of `again` that has another form, or other bits, than that of `first`."""
    forms = [[_form(each) for each in call.reply.outputs] for call in (first, again)]
    if forms[0] != forms[1] or again.reply.trace.sticky_error is not None:
        return Outcome(
            Status.FAIL,
            f"{again.text}: the same input gave results of another form, or none, when it was run again.",
            case=again.case, topic="determinism",
        )  # fmt: skip
    for position, (before, after) in enumerate(zip(first.reply.outputs, again.reply.outputs, strict=True)):
        if before.tensor is None or after.tensor is None:
            continue
        found = difference(before.tensor, after.tensor)
        if found is not None:
            return _two_results(bench, again, found, after, expected()[position], order)
    return None


def _two_results(
    bench: Bench, again: Call, found: Difference, after: Output, wanted: Expected, order: Schedule
) -> Outcome:
    """By the order of additions, where both results are right within rounding; else by a race."""
    where = f" at {list(found.index)}" if found.index else ""
    one, other = "in one run", "in another"
    if bench.backend == "simt":
        one, other = "with blocks and threads in ascending order", f"in {order} order"
    numbers = wanted.values.is_floating_point() or wanted.values.is_complex()
    rounding = numbers and compare(after, wanted) is None
    return Outcome(
        Status.FAIL,
        f"{again.text}: the same input gave two results. {_subject(wanted)} is {found.first}{where} "
        f"{one}, {found.second} {other}. {_BY_ORDER if rounding else _BY_RACE}",
        case=again.case, expected=found.first, got=found.second, index=found.index or None,
        topic="determinism",
    )  # fmt: skip


def _subject(wanted: Expected) -> str:
    return wanted.name[:1].upper() + wanted.name[1:]
