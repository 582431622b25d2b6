"""Check that work which the device refuses, a launch or a library's, becomes an exception of the call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch

from grader.checks.bench import Bench, Call, case_options
from grader.checks.device.call_sites import place_of
from grader.checks.device.launches import is_of_a_library, kernel_name, launch_place
from grader.checks.device.vendor_work import is_library_call, may_be_refused
from grader.checks.outcome import Outcome
from grader.checks.values.inputs import Inputs
from grader.run.values import Reply
from grader.specification import Case
from grader.verdict import Status

INVALID_LAUNCH = "invalid_launch"  # the topic
_MOST = 8  # launches of a call that are refused, each in a call of its own; and as many calls of libraries
_RULE = (
    "A kernel that did not start writes nothing, and the result holds arbitrary values. Ask for the error "
    "behind the launch, by cudaGetLastError(), and raise it: in PyTorch C10_CUDA_KERNEL_LAUNCH_CHECK() does "
    "both, and STD_CUDA_KERNEL_LAUNCH_CHECK() in code on the stable ABI."
)
_OF_A_LIBRARY = (
    "The status that a library's function returns is the only sign of it: raise what it returns, by "
    "C10_CUDA_CHECK or the check of that library."
)
_FOR_WANT_OF = "the grader made it refuse; on a GPU it may for want of"


def unnoticed_refusal(bench: Bench, case: Case, call: Call, inputs: Inputs) -> Outcome | None:
    """Make `call` again for each of its launches and calls of libraries, on a simulated device that refuses
    this one: it must not return as if the work had been done. None where there is none.
    """

    def again(launch: int, library_call: int) -> Reply:
        return bench.session.call(
            bench.spec.entry, inputs.for_worker(()), refuse_launch=launch, refuse_library_call=library_call,
            **case_options(case),
        )  # fmt: skip

    return _first_unnoticed(bench, call, again)


def unnoticed_in_backward(
    bench: Bench, back: Call, handle: int, cotangents: Sequence[torch.Tensor | None]
) -> Outcome | None:
    """The same for the backward of a kept graph."""

    def again(launch: int, library_call: int) -> Reply:
        return bench.session.backward(
            handle, cotangents, refuse_launch=launch, refuse_library_call=library_call
        )

    return _first_unnoticed(bench, back, again)


def _first_unnoticed(bench: Bench, call: Call, again: Callable[[int, int], Reply]) -> Outcome | None:
    trace = call.reply.trace
    launches = [(each.kernel, each.file, each.line) for each in trace.launches]
    of_libraries = [each.get("call") for each in trace.api_calls if may_be_refused(each)]
    for number in _to_try(launches):
        reply = again(number, 0)
        refused = next((each for each in reply.trace.launches if each.error), None)
        if refused is not None and reply.error is None:
            rule = _OF_A_LIBRARY if is_of_a_library(refused.kernel) else _RULE
            what = f"the launch of {kernel_name(refused)} ({_FOR_WANT_OF} registers or shared memory)"
            return _returned(call, launch_place(refused), f"the device had refused {what}", rule)
    for number in _to_try(of_libraries):
        reply = again(0, number)
        refused_call = next((each for each in reply.trace.api_calls if _is_refused(each)), None)
        if refused_call is not None and reply.error is None:
            name = refused_call["call"]
            of_work = is_library_call(refused_call)
            by, want = ("the device", "memory or registers") if of_work else ("the library", "memory")
            what = f"{by} had refused the call of {name} ({_FOR_WANT_OF} {want})"
            file, line = place_of(name, bench)  # the record has no place
            return _returned(call, f"{file}:{line}: " if file else "", what, _OF_A_LIBRARY)
    return None


def _to_try(work: Iterable[object]) -> list[int]:
    """The numbers, from 1, of pieces of work: the first of each kind, then others.

    Two calls of one launcher are of one kind, and may each be checked or not.
    """
    kinds = list(work)
    first: dict[object, int] = {}
    for number, each in enumerate(kinds, start=1):
        first.setdefault(each, number)
    others = sorted({*range(1, len(kinds) + 1)} - {*first.values()})
    return [*first.values(), *others][:_MOST]


def _is_refused(api_call: dict[str, Any]) -> bool:
    return may_be_refused(api_call) and bool(api_call.get("error"))


def _returned(call: Call, place: str, what: str, rule: str) -> Outcome:
    result = "a result" if call.stage == "forward" else "gradients"
    return Outcome(
        Status.FAIL,
        f"{place}{call.text} returned {result} although {what}. {rule}",
        case=call.case, expected="an exception", got=result, topic=INVALID_LAUNCH,
    )  # fmt: skip
