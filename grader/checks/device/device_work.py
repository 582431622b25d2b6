"""Check that the learner's kernel computed the answer, not the host and not a library operator.

On simt the last writer of every byte of the result is known. On cuda the launches and operators that the
profiler saw decide. The result of a forward is to be written by the learner's kernels, whatever library
operators the backward may use. Gradients may come from those, but from neither the host nor others; where the
spec asks for it, from a kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeAlias

from cusimt.support.words import counted, listed
from grader.checks.bench import Bench, Call
from grader.checks.device.concurrency import too_few
from grader.checks.device.handles import own_handle
from grader.checks.device.host_work import (
    carried_answers,
    host_access,
    memory_of_both,
    other_threads,
    traffic_with_host,
)
from grader.checks.device.launches import accepted_launches, own_launches
from grader.checks.device.library_work import (
    copies_within_device,
    foreign_launch,
    foreign_operators,
    foreign_operators_problem,
)
from grader.checks.device.runtime_memory import direct_allocation
from grader.checks.device.vendor_work import vendor_calls, vendor_work, workers
from grader.checks.open_todos import own_first, without_launch
from grader.checks.outcome import Outcome, passed
from grader.verdict import NOT_JUDGED, Status

BY = {
    "host": "host code: a loop on the CPU wrote through a device pointer, which a GPU does not allow. "
    "Launch a kernel for it",
    "library": "a library operator instead of your kernel",
    "copy": "a copy from the host: it was computed on the CPU",
    "memset": "a fill (zeros or cudaMemset) and by no kernel after it",
}
MADE = {
    "host": "host code computed them",
    "library": "a library operator computed them",
    "copy": "a copy brought them",
    "memset": "a fill wrote them",
}
Judge: TypeAlias = Callable[[Bench, Call], Outcome | None]
NO_KERNEL = "no kernel of yours wrote them"
NOT_BROUGHT_BACK = (
    "the result is not what was copied back from memory that your kernel wrote. Copy it whole, with one "
    "cudaMemcpy into the result, and leave it as it is."
)


def check(bench: Bench) -> Outcome:
    """Judge every recorded call that succeeded; first comes whose results others made."""
    bench.ensure_calls()
    stages = ("forward", "backward")
    calls = [call for call in bench.calls if call.traced and call.succeeded and call.stage in stages]
    if not any(call.stage == "forward" for call in calls) or _only_empty_ones(bench):
        return Outcome(Status.FAIL, f"{NOT_JUDGED}: no call finished.")
    found = [(call, failure) for call in calls if (failure := judge_call(bench, call)) is not None]
    failures = own_first([without_launch(bench, failure, call) for call, failure in found])
    if failures:
        return next((each for each in failures if each.not_own), failures[0])
    launches = sum(len(accepted_launches(bench, call)) for call in calls)
    if bench.exercise.vendor:
        work = counted(sum(vendor_work(bench, call) for call in calls), "call")
        made = f" and {counted(launches, 'launch', 'launches')} of your kernels" if launches else ""
        return passed(
            f"Libraries did the work: {work}{made} in {counted(len(calls), 'traced call')} of yours."
        )
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
    """One call, which need not be on the bench's record: the worst that its trace says against it."""
    found = list(judgements(bench, call))
    return next((each for each in found if each.not_own), found[0] if found else None)


def judgements(bench: Bench, call: Call) -> Iterator[Outcome]:
    """All that the trace says against a call.

    What says that others made its results has ``not_own``: then they earn nothing, in no check.
    """
    if call.stage == "forward" and not call.has_result:
        return
    if call.stage == "forward" and not accepted_launches(bench, call) and not vendor_work(bench, call):
        yield _no_launch(bench, call)
        return
    judges = _FORWARD if call.stage == "forward" else _BACKWARD
    yield from filter(None, (judge(bench, call) for judge in judges))


def _no_launch(bench: Bench, call: Call) -> Outcome:
    if own_launches(bench, call):
        sentence = f"{call.text} ran no kernel: every launch was refused."
        return call.failure(sentence, "no_kernel", "no kernel of yours ran")
    library = foreign_operators(bench, call)
    instead = f" {listed(library)} did the work instead." if library else ""
    topic, made = ("library", f"{listed(library)} computed them") if library else ("no_kernel", "")
    what = "launched no kernel"
    if bench.exercise.vendor:
        what = f"made none of {workers(bench)}"
    return call.failure(f"{call.text} {what}.{instead}", topic, made or _made_without(call))


def _made_without(call: Call) -> str:
    """Who made the results of a call without a launch, as far as their last writers tell."""
    writers = [_foreign_writer(each or {})[0] for each in call.reply.trace.writers]
    return next((MADE[writer] for writer in writers if writer), "no kernel of yours ran")


def _written_by_host(bench: Bench, call: Call) -> Outcome | None:
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        if writers and writers.get("host", 0):
            sentence = f"{call.text}: the gradient of {output.name} was written by {BY['host']}."
            return call.failure(sentence, "host", MADE["host"])
    return None


def _by_no_kernel(bench: Bench, call: Call) -> Outcome | None:
    """Where moving numbers is the whole backward, structural operators alone could give its values."""
    if bench.spec.gradient is None or not bench.spec.gradient.by_kernel or not call.has_result:
        return None
    if not accepted_launches(bench, call):
        sentence = (
            f"{call.text} launched no kernel. The gradient is your kernel's work too: neither a view of the "
            "incoming gradient, nor a copy by a library operator."
        )
        return call.failure(sentence, "no_kernel", "no kernel of yours ran")
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        writer, share = _foreign_writer(writers or {})
        subject = f"{share} of the gradient of {output.name}"
        if writer == "copy" and not call.reply.trace.copies:  # the grader's own, of the incoming gradient
            return call.failure(f"{call.text}: no kernel wrote {subject}.", "no_kernel", NO_KERNEL)
        if writer:
            sentence = f"{call.text}: {subject} was last written by {BY[writer]}."
            return call.failure(sentence, writer, MADE[writer])
    return None


def _wrong_writer(bench: Bench, call: Call) -> Outcome | None:
    outputs = call.reply.outputs
    for number, (output, writers) in enumerate(zip(outputs, call.reply.trace.writers, strict=False)):
        writer, share = _foreign_writer(writers or {}, vendor_calls(bench, call))
        if writer == "host" and bench.exercise.copies:
            sentence = f"{call.text}: {NOT_BROUGHT_BACK}"
            return call.failure(sentence, writer, "they are not what your kernel wrote")
        if writer:
            if output.alias and writer == "copy" and not call.reply.trace.copies:
                sentence = f"{call.text}: no kernel wrote {share} of {output.alias}."
                return call.failure(sentence, "no_kernel", NO_KERNEL)
            subject = output.alias or (f"output {number}" if len(outputs) > 1 else "the result")
            library = foreign_operators(bench, call) if writer == "library" else []
            made = f"{listed(library)} computed them" if library else MADE[writer]
            sentence = f"{call.text}: {share} of {subject} was last written by {BY[writer]}."
            return call.failure(sentence, writer, made)
    return None


def _foreign_writer(writers: Mapping[str, int], calls: Collection[str] = ()) -> tuple[str, str]:
    """The writer, other than a kernel, of most bytes, and how much it wrote in words.

    With `calls` of libraries that the exercise is about, libraries may write, and a fill stands in where they
    have nothing to multiply; operators are judged apart.
    """
    allowed = {"kernel", "unwritten"}  # unwritten memory is judged by its value
    if calls:
        allowed |= {"library", "memset"}
    foreign = {writer: count for writer, count in writers.items() if writer not in allowed and count}
    if not foreign:
        return "", ""
    writer = max(foreign, key=lambda each: foreign[each])
    whole = foreign[writer] == sum(writers.values())
    return writer, "all" if whole else f"{foreign[writer]} of {sum(writers.values())} bytes"


def _failing(said: Callable[[Bench, Call], str | None], topic: str) -> Judge:
    """The judge that fails a call of which there is something to be ``said``."""

    def judge(bench: Bench, call: Call) -> Outcome | None:
        sentence = said(bench, call)
        return call.failure(sentence, topic) if sentence else None

    return judge


_created_a_handle = _failing(own_handle, topic="handle")
_allocated_directly = _failing(direct_allocation, topic="allocation")
_few_streams = _failing(too_few, topic="streams")  # where the case asks for work side by side

_FORWARD: tuple[Judge, ...] = (
    _wrong_writer, host_access, memory_of_both, other_threads, foreign_operators_problem, foreign_launch,
    copies_within_device, _created_a_handle, _allocated_directly, traffic_with_host, carried_answers,
    _few_streams,
)  # fmt: skip
_BACKWARD: tuple[Judge, ...] = (
    _written_by_host, host_access, memory_of_both, other_threads, foreign_operators_problem, foreign_launch,
    _created_a_handle, _allocated_directly, traffic_with_host, _by_no_kernel,
)  # fmt: skip
