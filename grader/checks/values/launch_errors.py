"""Check that a launch which the device refuses becomes an exception of the call that made it."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from grader.checks.bench import Bench, Call, case_options
from grader.checks.device.launches import is_of_a_library, kernel_name, launch_place
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.run.values import Reply
from grader.specification import Case
from grader.verdict import Status

INVALID_LAUNCH = "invalid_launch"  # the topic
_MOST = 8  # launches of a call that are refused, each in a call of its own
_RULE = (
    "A kernel that did not start writes nothing, and the result holds arbitrary values. Ask for the error "
    "behind the launch, by cudaGetLastError(), and raise it: in PyTorch C10_CUDA_KERNEL_LAUNCH_CHECK() does "
    "both, and STD_CUDA_KERNEL_LAUNCH_CHECK() in code on the stable ABI."
)
_OF_A_LIBRARY = (
    "The status that a library's function returns is the only sign of it: raise what it returns, by "
    "C10_CUDA_CHECK or the check of that library."
)


def unnoticed_refusal(bench: Bench, case: Case, call: Call, inputs: Inputs) -> Outcome | None:
    """Make `call` again for each of its launches, on a simulated device that refuses this one: it must not
    return as if the kernel had run. None where no kernel is launched.
    """
    for number in _to_try(call):
        reply = bench.session.call(
            bench.spec.entry, inputs.for_worker(()), refuse_launch=number, **case_options(case)
        )
        if failure := _unnoticed(bench, call, reply):
            return failure
    return None


def unnoticed_in_backward(
    bench: Bench, back: Call, handle: int, cotangents: Sequence[torch.Tensor | None]
) -> Outcome | None:
    """The same for the backward of a kept graph."""
    for number in _to_try(back):
        reply = bench.session.backward(handle, cotangents, refuse_launch=number)
        if failure := _unnoticed(bench, back, reply):
            return failure
    return None


def _to_try(call: Call) -> list[int]:
    """The numbers, from 1, of launches in `call`: the first of each line and kernel, then others.

    Two calls of one launcher have one line, and may each be checked or not.
    """
    first: dict[tuple[str, str, int], int] = {}
    launches = call.reply.trace.launches
    for number, each in enumerate(launches, start=1):
        first.setdefault((each.kernel, each.file, each.line), number)
    others = sorted({*range(1, len(launches) + 1)} - {*first.values()})
    return [*first.values(), *others][:_MOST]


def _unnoticed(bench: Bench, call: Call, reply: Reply) -> Outcome | None:
    refused = [each for each in reply.trace.launches if each.error]
    if not refused or reply.error is not None:
        return None
    first = refused[0]
    of_library = is_of_a_library(first.kernel)
    result = "a result" if call.stage == "forward" else "gradients"
    return Outcome(
        Status.FAIL,
        f"{launch_place(first)}{call.text} returned {result} although the device had refused "
        f"the launch of {kernel_name(first)} (the grader made it refuse; on a GPU it may for want of "
        f"registers or shared memory). {_OF_A_LIBRARY if of_library else _RULE}",
        case=call.case, expected="an exception", got=result, topic=INVALID_LAUNCH,
    )  # fmt: skip
