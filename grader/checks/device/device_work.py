"""Was the answer computed by the learner's kernel, and not on the host or by a library operator?

On simt the last writer of every byte of the result is known. On cuda the launches and operators that the
profiler saw decide.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import site_of
from grader.checks.device.findings import seen_in
from grader.checks.device.launches import accepted_launches, own_launches
from grader.checks.device.runtime_memory import direct_allocation
from grader.checks.device.side_by_side import too_few
from grader.checks.outcome import Outcome, passed
from grader.verdict import NOT_JUDGED, Status
from grader.words import counted, listed

# Allocation, views, metadata and moving numbers about. A result must still be last written by the learner's
# kernel, so none of these can stand in for it.
STRUCTURAL = frozenset(
    f"aten::{name}"
    for name in (
        "alias", "as_strided", "broadcast_tensors", "chunk", "clone", "contiguous", "copy_", "detach",
        "detach_", "empty", "empty_like", "empty_strided", "expand", "expand_as", "fill_", "flatten",
        "full", "full_like", "is_pinned", "lift_fresh", "mT", "movedim", "narrow", "new_empty",
        "new_empty_strided", "new_full", "new_zeros", "numpy_T", "ones", "ones_like", "permute",
        "record_stream", "reshape", "reshape_as", "resize_", "resolve_conj", "resolve_neg", "result_type",
        "select", "set_", "slice", "split", "squeeze", "squeeze_", "t", "transpose", "unbind", "unflatten",
        "unsqueeze", "unsqueeze_", "view", "view_as", "zero_", "zeros", "zeros_like", "_conj",
        "_local_scalar_dense", "_reshape_alias", "_unsafe_view",
    )
)  # fmt: skip
# Those of them that may copy, which forward may not call where copying is what the kernel is for.
MOVING = frozenset(
    f"aten::{name}"
    for name in ("clone", "contiguous", "copy_", "flatten", "new_tensor", "reshape", "resize_", "set_")
)
CASTS = frozenset({"aten::to", "aten::_to_copy"})  # allowed in an autocast region, whose point they are
_ON_HOST = "device_pointer_on_host"
_TO_HOST = re.compile(r"\bdevice to host of (\d+) bytes$")
MOST_READ = 16  # bytes that a call may bring to the host in a case that may wait: a number or two
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
            return _failed(call, f"{call.text} ran no kernel: every launch was refused.", "no_kernel")
        library = _foreign(bench, call)
        instead = f" {listed(library)} did the work instead." if library else ""
        return _failed(call, f"{call.text} launched no kernel.{instead}", "no_kernel")
    return (
        _wrong_writer(bench, call)
        or _host_access(bench, call)
        or _foreign_operators(bench, call)
        or _moved(bench, call)
        or _allocated_directly(bench, call)
        or _traffic_with_host(bench, call)
        or _carried(bench, call)
        or _few_streams(bench, call)
    )


def _backward(bench: Bench, call: Call) -> Outcome | None:
    """Gradients may come from allowed library operators, but from neither the host nor others.

    Where the spec asks for it, a kernel has to write them.
    """
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        if writers and writers.get("host", 0):
            sentence = f"{call.text}: the gradient of {output.name} was written by {BY['host']}."
            return _failed(call, sentence, "host")
    return (
        _host_access(bench, call)
        or _foreign_operators(bench, call)
        or _allocated_directly(bench, call)
        or _traffic_with_host(bench, call)
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
        return _failed(call, sentence, "no_kernel")
    for output, writers in zip(call.reply.outputs, call.reply.trace.writers, strict=False):
        writer, share = _foreign_writer(writers or {})
        subject = f"{share} of the gradient of {output.name}"
        if writer == "copy" and not call.reply.trace.copies:  # the grader's own, of the incoming gradient
            return _failed(call, f"{call.text}: no kernel wrote {subject}.", "no_kernel")
        if writer:
            return _failed(call, f"{call.text}: {subject} was last written by {BY[writer]}.", writer)
    return None


def _wrong_writer(bench: Bench, call: Call) -> Outcome | None:
    outputs = call.reply.outputs
    for number, (output, writers) in enumerate(zip(outputs, call.reply.trace.writers, strict=False)):
        writer, share = _foreign_writer(writers or {})
        if writer == "host" and bench.exercise.copies:
            return _failed(call, f"{call.text}: {NOT_BROUGHT_BACK}", writer)
        if writer:
            if output.alias and writer == "copy" and not call.reply.trace.copies:
                return _failed(call, f"{call.text}: no kernel wrote {share} of {output.alias}.", "no_kernel")
            subject = output.alias or (f"output {number}" if len(outputs) > 1 else "the result")
            return _failed(
                call, f"{call.text}: {share} of {subject} was last written by {BY[writer]}.", writer
            )
    return None


def _carried(bench: Bench, call: Call) -> Outcome | None:
    """Where copies are allowed, only arguments go to the device: else a kernel just carries an answer."""
    foreign = call.reply.trace.foreign_copies
    if not bench.exercise.copies or not foreign:
        return None
    sentence = (
        f"{call.text} copied data to the device that is not one of its arguments "
        f"({listed(list(foreign)[:3])}). The arguments' own elements go there as they are; what is "
        "computed from them, a kernel computes."
    )
    return _failed(call, sentence, "copies")


def _few_streams(bench: Bench, call: Call) -> Outcome | None:
    """Where the case asks for work side by side, nothing may order it."""
    sentence = too_few(bench, call)
    return _failed(call, sentence, "streams") if sentence else None


def _host_access(bench: Bench, call: Call) -> Outcome | None:
    """Host code that reads or writes device memory could compute there what a kernel then only copies."""
    if all(finding.get("kind") != _ON_HOST for finding in call.reply.trace.findings):
        return None
    place = next((f"{each.where}: " for each in seen_in([call], bench.files) if each.kind == _ON_HOST), "")
    sentence = (
        f"{place}{call.text}: host code read or wrote device memory, which a GPU does not allow. What is "
        "computed there is computed on the CPU: launch a kernel for it."
    )
    return _failed(call, sentence, "host")


def _foreign_writer(writers: Mapping[str, int]) -> tuple[str, str]:
    """The writer, other than a kernel, of most bytes, and how much it wrote in words."""
    allowed = {"kernel", "unwritten"}  # what nobody wrote is judged by its value
    foreign = {writer: count for writer, count in writers.items() if writer not in allowed and count}
    if not foreign:
        return "", ""
    writer = max(foreign, key=lambda each: foreign[each])
    whole = foreign[writer] == sum(writers.values())
    return writer, "all" if whole else f"{foreign[writer]} of {sum(writers.values())} bytes"


def _foreign(bench: Bench, call: Call) -> list[str]:
    """Operators, each once and without overload names, that the exercise does not allow at this stage."""
    names = [name.partition(".")[0] for name in call.reply.trace.operators if "::" in name]
    allowed = STRUCTURAL | bench.exercise.library if call.stage == "backward" else STRUCTURAL
    if call.stage == "forward" and not bench.exercise.moves:
        allowed -= MOVING
    if call.autocast:
        allowed |= CASTS
    own = f"{bench.exercise.build.name}::"
    return [name for name in dict.fromkeys(names) if name not in allowed and not name.startswith(own)]


def _foreign_operators(bench: Bench, call: Call) -> Outcome | None:
    foreign = _foreign(bench, call)
    if not foreign:
        return None
    library = listed(sorted(bench.exercise.library)) if call.stage == "backward" else ""
    allowed = f" Allowed here: {library}." if library else ""
    if STRUCTURAL.issuperset(foreign):
        allowed = " That holds for all that copies: contiguous(), clone() and the like."
    return _failed(
        call,
        f"{call.text} called {listed(foreign)}. In this exercise a kernel does that work.{allowed}",
        "library",
    )


def _moved(bench: Bench, call: Call) -> Outcome | None:
    """Where moving numbers about is the point: by the runtime's copies, strided ones too, it is not done."""
    api_calls = call.reply.trace.api_calls
    copies = [each for each in api_calls if each.get("kind") == "d2d" and each.get("bytes")]
    if bench.exercise.moves or not copies:
        return None
    return _failed(
        call,
        f"{call.text} called {copies[0].get('call')} to copy within the device. In this exercise a kernel "
        "moves the numbers.",
        "library",
    )


def _allocated_directly(bench: Bench, call: Call) -> Outcome | None:
    sentence = direct_allocation(bench, call)
    return _failed(call, sentence, "allocation") if sentence else None


def _traffic_with_host(bench: Bench, call: Call) -> Outcome | None:
    trace = call.reply.trace
    if bench.exercise.copies or (call.waits and _reads_numbers_only(trace.copies)):
        return None
    if trace.copies:
        return _failed(
            call,
            f"{site_of(trace.copies, bench)}{call.text} copied between host and device "
            f"({listed(list(trace.copies)[:3])}). Data that is on the device stays there: such a copy waits "
            "for the whole stream.",
            "copies",
        )
    if trace.host_syncs:
        names = [str(each.get("call", "")) for each in trace.api_calls]
        waits = list(dict.fromkeys(name for name in names if "ynchronize" in name))
        by = f" by {listed(waits)}" if waits else ""
        return _failed(
            call,
            f"{site_of(waits, bench)}{call.text} waited for the device {_times(trace.host_syncs)}{by}. An "
            "operator only enqueues work: what waits stalls every caller, so leave it out.",
            "synchronisation",
        )
    return None


def _reads_numbers_only(copies: Sequence[str]) -> bool:
    """Whether all that crossed is a number or two on the way to the host, as the texts of a trace say."""
    sizes = [_TO_HOST.search(text) for text in copies]
    return all(sizes) and sum(int(each[1]) for each in sizes if each) <= MOST_READ


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _failed(call: Call, sentence: str, topic: str) -> Outcome:
    return Outcome(Status.FAIL, sentence, case=call.case, topic=topic)
