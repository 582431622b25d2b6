"""Reasons to reject timed calls whatever their time: results, launches, settings, impossible times."""

from __future__ import annotations

from cusimt.support.words import counted, listed
from grader.checks.bench import Bench, Call
from grader.checks.device.host_work import traffic_with_host
from grader.checks.device.launches import accepted_launches
from grader.checks.device.library_work import (
    copies_within_device,
    foreign_launch,
    foreign_operators_problem,
)
from grader.checks.device.vendor_work import vendor_work
from grader.checks.outcome import Outcome
from grader.checks.timing.alternation import CASE, Measured, Wrong
from grader.checks.timing.clocks import own_ms
from grader.checks.values.inputs import Inputs
from grader.verdict import Status

ABOVE_COPY = 1.5  # a kernel that only reads, and some of it from L2, moves bytes faster than a copy does


def wrong_result(text: str, wrong: Wrong) -> Outcome:
    """A timed call that returned something else than the reference."""
    expected, got, index = str(wrong["expected"]), str(wrong["got"]), wrong.get("index")
    if wrong["what"] != "value":
        what = f"the {wrong['what']} of its result is {got} instead of {expected}"
    else:
        at = ", ".join(map(str, index or ()))
        share = max(1, round(100 * wrong["share"]))
        what = f"element ({at}) is {got} instead of {expected}, and about {share} % of the elements are wrong"
    return Outcome(
        Status.FAIL,
        f"{text} returned a wrong result while it was timed: {what}. Every timed call has inputs of its own, "
        "and each has to be computed, whole, on the current stream.",
        case=CASE, expected=expected, got=got, index=tuple(index) if index else None, topic="speed",
    )  # fmt: skip


def refused_work(bench: Bench, measured: Measured) -> Outcome | None:
    """What is held against the launches, operators and copies of timed calls."""
    call = measured.traced
    if call is None:
        return None
    launches = len(accepted_launches(bench, call)) + vendor_work(bench, call)
    if launches < measured.calls:
        return call.failure(
            f"{counted(measured.calls, 'timed call')} of {call.text} launched "
            f"{counted(launches, 'kernel')} of yours: every call has to do its work.",
            "speed",
        )
    return (
        foreign_operators_problem(bench, call)
        or foreign_launch(bench, call)
        or copies_within_device(bench, call)
        or traffic_with_host(bench, call)
        or _elsewhere(call)
    )


def _elsewhere(call: Call) -> Outcome | None:
    """Work on another stream than the caller's, which may go on when the call has returned."""
    strays = {
        launch.kernel for launch in call.reply.trace.launches if launch.stream != call.reply.trace.stream
    }
    if not strays:
        return None
    return call.failure(
        f"{call.text} launched {listed(sorted(strays)[:3])} on another stream than the current one. What is "
        "timed runs on the current stream, where the clocks see all of it.",
        "speed",
    )


def changed_settings(measured: Measured) -> Outcome | None:
    """Limits of the device and attributes of the stream belong to the operator's caller."""
    if not measured.changed:
        return None
    return Outcome(
        Status.FAIL,
        f"After the timed calls the device was set otherwise than before: {listed(list(measured.changed))}. "
        "An operator leaves limits of the device and attributes of its caller's stream as they are.",
        case=CASE, topic="speed",
    )  # fmt: skip


def held_memory(text: str, measured: Measured) -> Outcome | None:
    """Memory that a submission takes for good is not there for what runs beside it."""
    if not measured.held:
        return None
    return Outcome(
        Status.FAIL,
        f"While {text} was timed, the submission kept {measured.held / 2**30:.1f} GiB of the GPU's memory, "
        "and the baseline found none. An operator frees what it allocates, or leaves that to PyTorch.",
        case=CASE, topic="speed",
    )  # fmt: skip


def implausible(bench: Bench, inputs: Inputs, measured: Measured) -> Outcome | None:
    """A time in which this device cannot even move the bytes, as its own copies show."""
    if bench.spec.traffic is None or not measured.copy_rate:
        return None
    claimed = own_ms(measured.queued)
    floor = bench.spec.traffic(*inputs.for_reference(widen=False)) / (measured.copy_rate * ABOVE_COPY)
    if claimed >= floor:
        return None
    return Outcome(
        Status.FAIL,
        f"The measured time cannot be right: {claimed:.3g} ms per call, but this device takes at least "
        f"{floor:.3g} ms to move the bytes (a copy moves {measured.copy_rate / 1e9:.2f} TB/s). The work has "
        "to happen on the current stream, on every call.",
        topic="speed",
    )  # fmt: skip
