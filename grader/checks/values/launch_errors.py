"""Check that a launch which the device refuses becomes an exception of the call that made it."""

from __future__ import annotations

from grader.checks.bench import Bench, case_options
from grader.checks.device.launches import kernel_name, launch_place
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.specification import Case
from grader.verdict import Status

INVALID_LAUNCH = "invalid_launch"  # the topic
_RULE = (
    "A kernel that did not start writes nothing, and the result holds arbitrary values. Let the call that "
    "launches also ask for the launch's error, and raise it: C10_CUDA_KERNEL_LAUNCH_CHECK() behind the "
    "launch does both, and STD_CUDA_KERNEL_LAUNCH_CHECK() in code on the stable ABI."
)


def unnoticed_refusal(bench: Bench, case: Case, inputs: Inputs) -> Outcome | None:
    """Call the case again on a simulated device that refuses every launch: it must not return as if the
    kernel had run. None where no kernel is launched.
    """
    reply = bench.session.call(
        bench.spec.entry, inputs.for_worker(()), refuse_launches=True, **case_options(case)
    )
    refused = [each for each in reply.trace.launches if each.error]
    if not refused or reply.error is not None:
        return None
    first = refused[0]
    return Outcome(
        Status.FAIL,
        f"{launch_place(first)}{bench.text(inputs, case)} returned a result although the device had refused "
        f"the launch of {kernel_name(first)} (the grader made it refuse; on a GPU it may for want of "
        f"registers or shared memory). {_RULE}",
        case=case.name, expected="an exception", got="a result", topic=INVALID_LAUNCH,
    )  # fmt: skip
