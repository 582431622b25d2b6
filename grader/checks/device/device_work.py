"""Was the answer computed by the learner's kernel, and not on the host or by a library operator?

On simt the last writer of every byte of the result is known. On cuda the launches and operators that the
profiler saw decide.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.checks.bench import Bench, Call
from grader.checks.device.host_work import carried_answers, host_access, traffic_with_host
from grader.checks.device.launches import accepted_launches, own_launches
from grader.checks.device.library_work import (
    copies_within_device,
    foreign_operators,
    foreign_operators_problem,
)
from grader.checks.device.runtime_memory import direct_allocation
from grader.checks.device.side_by_side import too_few
from grader.checks.outcome import Outcome, passed
from grader.verdict import NOT_JUDGED, Status
from grader.words import counted, listed

BY = {
    "host": "host code: a loop on the CPU wrote through a device pointer, which a GPU does not allow. "
    "Launch a kernel for it",
    "library": "a library operator instead of your kernel",
    "copy": "a copy from the host: it was computed on the CPU",
    "memset": "a fill (zeros or cudaMemset) and by no kernel after it",
}
NOT_BROUGHT_BACK = (
    "the result is not what was copied back from memory that your kernel wrote. Copy it whole, with one "
    "cudaMemcpy into the result, and leave it as it is."
)


def check(bench: Bench) -> Outcome:
    """Judge every recorded call that succeeded; the forward strictly, the backward by its operators."""
    bench.ensure_calls()
    stages = ("forward", "backward")
    calls = [call for call in bench.calls if call.traced and call.succeeded and call.stage in stages]
    if not any(call.stage == "forward" for call in calls) or _only_empty_ones(bench):
        return Outcome(Status.FAIL, f"{NOT_JUDGED}: no call finished.")
    for call in calls:
        failure = judge_call(bench, call)
        if failure is not None:
            return failure
    launches = sum(len(accepted_launches(call)) for call in calls)
    return passed(
        f"Your kernels did the work: {counted(launches, 'launch', 'launches')} in "
        f"{counted(len(calls), 'traced call')}."
    )


def _only_empty_ones(bench: Bench) -> bool:
    """Whether nothing finished but calls without elements, which show no work, because the others failed."""
    forward = [call for call in bench.calls if call.stage == "forward"]
    failed = any(not call.succeeded for call in forward)
    return failed and not any(call.has_result for call in forward)


def judge_call(bench: Bench, call: Call) -> Outcome | None:
    """One call, which need not be on the bench's record: what its trace says against it."""
    return _forward(bench, call) if call.stage == "forward" else _backward(bench, call)


def _forward(bench: Bench, call: Call) -> Outcome | None:
    """The result is written by the learner's kernel, whatever library operators the backward may use."""
    if not call.has_result:
        return None
    if not accepted_launches(call):
        if own_launches(call):
            return call.failure(f"{call.text} ran no kernel: every launch was refused.", "no_kernel")
        library = foreign_operators(bench, call)
        instead = f" {listed(library)} did the work instead." if library else ""
        topic = "library" if library else "no_kernel"
        return call.failure(f"{call.text} launched no kernel.{instead}", topic)
    return (
        _wrong_writer(bench, call)
        or host_access(bench, call)
        or foreign_operators_problem(bench, call)
        or copies_within_device(bench, call)
        or _allocated_directly(bench, call)
        or traffic_with_host(bench, call)
        or carried_answers(bench, call)
        or _few_streams(bench, call)
    )


def _backward(bench: Bench, call: Call) -> Outcome | None:
    """Gradients may come from allowed library operators, but from neither the host nor others.

    Where the spec asks for it, a kernel has to write them.
    """
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        if writers and writers.get("host", 0):
            sentence = f"{call.text}: the gradient of {output.name} was written by {BY['host']}."
            return call.failure(sentence, "host")
    return (
        host_access(bench, call)
        or foreign_operators_problem(bench, call)
        or _allocated_directly(bench, call)
        or traffic_with_host(bench, call)
        or _by_no_kernel(bench, call)
    )


def _by_no_kernel(bench: Bench, call: Call) -> Outcome | None:
    """Where moving numbers is the whole backward, structural operators alone could give its values."""
    if bench.spec.gradient is None or not bench.spec.gradient.by_kernel or not call.has_result:
        return None
    if not accepted_launches(call):
        sentence = (
            f"{call.text} launched no kernel. The gradient is your kernel's work too: neither a view of the "
            "incoming gradient, nor a copy by a library operator."
        )
        return call.failure(sentence, "no_kernel")
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        writer, share = _foreign_writer(writers or {})
        subject = f"{share} of the gradient of {output.name}"
        if writer == "copy" and not call.reply.trace.copies:  # the grader's own, of the incoming gradient
            return call.failure(f"{call.text}: no kernel wrote {subject}.", "no_kernel")
        if writer:
            return call.failure(f"{call.text}: {subject} was last written by {BY[writer]}.", writer)
    return None


def _wrong_writer(bench: Bench, call: Call) -> Outcome | None:
    outputs = call.reply.outputs
    for number, (output, writers) in enumerate(zip(outputs, call.reply.trace.writers, strict=False)):
        writer, share = _foreign_writer(writers or {})
        if writer == "host" and bench.exercise.copies:
            return call.failure(f"{call.text}: {NOT_BROUGHT_BACK}", writer)
        if writer:
            if output.alias and writer == "copy" and not call.reply.trace.copies:
                return call.failure(f"{call.text}: no kernel wrote {share} of {output.alias}.", "no_kernel")
            subject = output.alias or (f"output {number}" if len(outputs) > 1 else "the result")
            return call.failure(
                f"{call.text}: {share} of {subject} was last written by {BY[writer]}.", writer
            )
    return None


def _few_streams(bench: Bench, call: Call) -> Outcome | None:
    """Where the case asks for work side by side, nothing may order it."""
    sentence = too_few(bench, call)
    return call.failure(sentence, "streams") if sentence else None


def _foreign_writer(writers: Mapping[str, int]) -> tuple[str, str]:
    """The writer, other than a kernel, of most bytes, and how much it wrote in words."""
    allowed = {"kernel", "unwritten"}  # what nobody wrote is judged by its value
    foreign = {writer: count for writer, count in writers.items() if writer not in allowed and count}
    if not foreign:
        return "", ""
    writer = max(foreign, key=lambda each: foreign[each])
    whole = foreign[writer] == sum(writers.values())
    return writer, "all" if whole else f"{foreign[writer]} of {sum(writers.values())} bytes"


def _allocated_directly(bench: Bench, call: Call) -> Outcome | None:
    sentence = direct_allocation(bench, call)
    return call.failure(sentence, "allocation") if sentence else None
