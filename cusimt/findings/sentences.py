"""Findings in words: compute-sanitizer's vocabulary, the line, block and thread, and one sentence of rule."""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.findings.model import OF_THE_HOST, Finding, Party
from cusimt.findings.rules import STORING_FORMAT, rule
from cusimt.records.launches import Dim3
from cusimt.records.source_lines import Frame
from cusimt.support.demangling import demangled, qualified
from cusimt.support.words import counted, ended

_LARGEST_SCALAR = 8  # bytes: a larger access is that of a vector, whatever the array's elements are


def explain(finding: Finding) -> str:
    """Sentence, rule, schedule and source line: what is printed."""
    source = (finding.frame if finding.frame.file else finding.launch).source.strip()
    lines = (sentence(finding), rule(finding), _schedule(finding), source and f"    {source}")
    return "\n".join(line for line in lines if line)


def _schedule(finding: Finding) -> str:
    if not finding.schedule:
        return ""
    return f"Seen first under the schedule {finding.schedule}: CUSIMT_SCHEDULE={finding.schedule} repeats it."


def sentence(finding: Finding) -> str:
    """What happened and where."""
    what = _WORDS.get(finding.kind, _other)(finding)
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    return f"{ended(f'{what}{_called(finding.frame.callers)}{times}')} {_where(finding)}".rstrip()


def _called(callers: Sequence[Frame]) -> str:
    """Where the function with the access was called, and in the end the kernel's line: what a learner can
    change where the function was given, and where threads part before a barrier in it.
    """
    if not callers:
        return ""
    by = f", on the way from {callers[-1].where}" if len(callers) > 1 else ""
    return f"; this function was called from {callers[0].where}{by}"


def _where(finding: Finding) -> str:
    parts = [finding.where]
    if finding.block is not None and finding.thread is not None:
        parts.append(f"block {_triple(finding.block)}, thread {_triple(finding.thread)}")
    elif finding.block is not None and finding.of_program:
        parts.append(f"program {_triple(finding.block)}")
    parts = [part for part in parts if part]
    return ", ".join(parts) + "." if parts else ""


def _triple(index: Dim3) -> str:
    return "({},{},{})".format(*index)


def _bytes(count: int) -> str:
    return "1 byte" if count == 1 else f"{count} bytes"


def _access(finding: Finding) -> str:
    space = f"__{finding.space}__ " if finding.space in ("global", "shared") else ""
    return f"{space}{finding.access or 'access'}" + (
        f" of size {finding.bytes} bytes" if finding.bytes else ""
    )


# ---- which memory ----------------------------------------------------------------------------------------


def _memory(finding: Finding) -> str:
    """`element 1000 of `c`, which has 1000 elements (1 past the end)`, as far as it is known."""
    allocation = finding.allocation
    if allocation is None:
        return ""
    name = finding.tensor.name if finding.tensor else ""
    scalar = finding.bytes if finding.bytes <= _LARGEST_SCALAR else 0
    itemsize = finding.tensor.itemsize if finding.tensor else scalar
    first = finding.tensor.offset if finding.tensor else 0
    whole = _thing(finding, name)
    if not itemsize or allocation.offset % itemsize or allocation.bytes % itemsize:
        return f"byte {allocation.offset} of {whole}, which has {allocation.bytes} bytes"
    element, elements = allocation.offset // itemsize - first, allocation.bytes // itemsize - first
    past = element - elements + 1
    where = f" ({past} past the end)" if past > 0 else ""
    if element < 0:
        where = f" ({-element} before its beginning)"
    return f"element {element} of {whole}, which has {counted(elements, 'element')}{where}"


def _thing(finding: Finding, name: str) -> str:
    name = name or finding.array
    if name:
        return name if " " in name else f"`{name}`"
    return "the dynamic shared memory" if finding.space == "shared" else "an allocation"


def _with_memory(what: str, finding: Finding) -> str:
    memory = _memory(finding)
    return f"{what}: {memory}" if memory else what


# ---- one per kind ------------------------------------------------------------------------------------------


def _out_of_bounds(finding: Finding) -> str:
    what = _with_memory(f"Invalid {_access(finding)}", finding)
    return f"{what}; {finding.note}" if finding.note else what


def _use_after_free(finding: Finding) -> str:
    return _with_memory(f"Invalid {_access(finding)} to freed memory", finding)


def _uninitialized(finding: Finding) -> str:
    what = _with_memory(f"Uninitialized {_access(finding)}", finding)
    return f"{what}; {finding.note}" if finding.note else what


def _double_free(finding: Finding) -> str:
    return f"{finding.note} of memory that was freed before"


def _invalid_free(finding: Finding) -> str:
    allocation = finding.allocation
    inside = allocation is not None and 0 < allocation.offset < allocation.bytes
    what = (
        f"byte {allocation.offset} of an allocation"
        if allocation and inside
        else "a pointer that is not an allocation of this kind"
    )
    return f"{finding.note} of {what}"


def _host_pointer(finding: Finding) -> str:
    target = "a null pointer" if finding.note else "host memory"
    if finding.note == "no memory":
        target = "an address at which there is no memory"
    if finding.space == "static":
        target += (
            f", the library's own variable `{finding.array}`" if finding.array else ", the library's own"
        )
    return f"Invalid {_access(finding)}: {target}"


def _mapped(finding: Finding) -> str:
    if finding.space == "managed" and finding.kernel is None:
        return "Host code touches managed memory"
    return f"A kernel makes a {finding.access or 'access'} of {finding.space} memory, which the host has too"


def _device_pointer(finding: Finding) -> str:
    does = f"makes a {finding.access} of" if finding.access else "touches"
    return _with_memory(f"Host code {does} device memory", finding)


def _race(finding: Finding) -> str:
    if finding.lanes:
        return _race_of_lanes(finding)
    hazard = f" ({finding.note})" if finding.note else ""
    what = _with_memory(
        f"Race on {finding.space} memory{hazard}: {finding.access} of {_bytes(finding.bytes)}", finding
    )
    if finding.other is None:
        return what
    return f"{what}, unordered with the {_described(finding.other, finding.block)}{_in_which_call(finding)}"


def _race_of_lanes(finding: Finding) -> str:
    one, other = finding.lanes or (0, 0)
    what = f"Race on {finding.space} memory ({finding.note}): lanes {one} and {other} of one warp"
    memory = _memory(finding) or "one element"
    return f"{what} write different values to {memory}, and which of them remains is not defined"


def _in_which_call(finding: Finding) -> str:
    """That the other access is in a function of its own: which call of it that was is not recorded."""
    frame = finding.other.frame if finding.other else Frame()
    name, kernel = (qualified(each).rpartition("::")[2] for each in (frame.function, finding.kernel or ""))
    if not name or not kernel or name == kernel or frame.callers:
        return ""
    return f" (in `{name}`: consider each call of it)"


def _guess(finding: Finding) -> str:
    what = _with_memory("A plain read beside an atomic, unordered", finding)
    if finding.other is None:
        return what
    other = _described(finding.other, finding.block)
    return f"{what}: {finding.access} of {_bytes(finding.bytes)} and {other}"


def _described(other: Party, block: Dim3 | None) -> str:
    at = f" at {other.frame.where}" if other.frame.file else ""
    if other.frame.callers:
        at += f" (called from {other.frame.callers[0].where})"
    if other.of_program:
        return f"{other.access or 'access'}{at} by {_program(other.block, block)}"
    if other.block is None or other.thread is None:
        return f"{other.access or 'access'}{at} by another thread"
    of_block = "" if other.block == block else f"block {_triple(other.block)}, "
    return f"{other.access or 'access'}{at} by {of_block}thread {_triple(other.thread)}"


def _program(index: Dim3 | None, own: Dim3 | None) -> str:
    if index is None:
        return "another program"
    return "the same program" if index == own else f"program {_triple(index)}"


def _in_flight(finding: Finding) -> str:
    what = _with_memory(f"Access to the target of an asynchronous copy: {_access(finding)}", finding)
    made = f", before the copy{_of(finding.other)} was waited for" if finding.other else ""
    return what + made


def _copy_source(finding: Finding) -> str:
    if "returned" in finding.note:
        return _with_memory("A thread returned before its bulk copy had read the source", finding)
    what = "The source of an asynchronous copy changed before the copy was waited for"
    by = f"; {_described(finding.other, finding.block)}" if finding.other else ""
    return _with_memory(what, finding) + by


def _proxy_fence(finding: Finding) -> str:
    what = "A bulk copy reads what was stored without a fence.proxy.async before the copy"
    by = f"; {_described(finding.other, finding.block)}" if finding.other else ""
    return _with_memory(what, finding) + by


def _of(other: Party) -> str:
    at = f" at {other.frame.where}" if other.frame.file else ""
    return f"{at} by thread {_triple(other.thread)}" if other.thread else at


def _barrier_count(finding: Finding) -> str:
    return f"Barrier error: {finding.note or 'more arrivals than the phase of the barrier object expects'}"


def _stream_order(finding: Finding) -> str:
    name = finding.tensor.name if finding.tensor else ""
    if finding.space in OF_THE_HOST:
        memory = f"`{name}`" if name else f"{finding.space} memory"
        return f"The host {finding.access}s {memory} that {finding.note} may still be using"
    memory = f"`{name}`" if name else "the same memory"
    return f"{finding.note} use {memory}, and neither stream waits for the other"


def _stream_reuse(finding: Finding) -> str:
    return f"A block of {_bytes(finding.bytes)} was freed and handed out again: {finding.note}"


def _misaligned(finding: Finding) -> str:
    return _with_memory(f"Misaligned {_access(finding)}", finding)


def _barrier(finding: Finding) -> str:
    if finding.other is None:
        what = "Barrier error: threads wait in a barrier that others never reach"
        return f"{what}; {finding.note}"
    at = f" at {finding.other.frame.where}" if finding.other.frame.file else ""
    other = f"thread {_triple(finding.other.thread or (0, 0, 0))} waits in another barrier{at}"
    return f"Barrier error: divergent threads in the block; {other}"


def _deadlock(finding: Finding) -> str:
    if "no thread changes" in finding.note:
        return _with_memory(f"Deadlock: {finding.note}", finding)
    expected = f"; expected{_of(finding.other)}" if finding.other and "byte" in finding.note else ""
    return f"Deadlock: no thread of the block can go on; {finding.note}{expected}"


def _bad_mask(finding: Finding) -> str:
    return f"Invalid mask of a warp operation: {finding.note}"


def _absent_lane(finding: Finding) -> str:
    return f"Undefined value from a shuffle: {finding.note}"


def _launch(finding: Finding) -> str:
    return f"Invalid launch: {finding.note}"


def _trap(finding: Finding) -> str:
    if finding.note == "assert":
        return "Device-side assertion failed"
    return "The kernel trapped" + ("" if finding.note == "__trap" else f": {finding.note}")


def _division(finding: Finding) -> str:
    return "Integer division by zero (or of the least integer by -1)"


def _illegal_instruction(finding: Finding) -> str:
    ran_into = "the kernel ran into code that the compiler took for unreachable"
    return f"Illegal instruction: {finding.note or ran_into}"


def _constant(finding: Finding) -> str:
    return f"Invalid __constant__ {finding.access} of size {finding.bytes} bytes"


def _timeout(finding: Finding) -> str:
    what = "The kernel exceeded its time limit and was stopped"
    return _with_memory(f"{what} while a thread waited", finding) if finding.allocation else what


def _host_function(finding: Finding) -> str:
    if finding.note == STORING_FORMAT:
        return "A kernel calls `printf` with `%n`"
    (name,) = demangled([finding.note])
    called = qualified(name).replace("std::__cxx11::basic_string", "std::string")
    return f"A kernel calls {f'`{called}`' if called else 'a function'}, which is code of the host"


def _other_thread(finding: Finding) -> str:
    return f"Other threads ran while device memory was open to a kernel or a copy: {finding.note}"


def _other(finding: Finding) -> str:
    return finding.note or finding.kind.replace("_", " ")


_WORDS = {
    "out_of_bounds": _out_of_bounds,
    "use_after_free": _use_after_free,
    "uninitialized_read": _uninitialized,
    "double_free": _double_free,
    "invalid_free": _invalid_free,
    "host_pointer": _host_pointer,
    "device_pointer_on_host": _device_pointer,
    "copy_in_flight": _in_flight,
    "copy_source": _copy_source,
    "proxy_fence": _proxy_fence,
    "barrier_count": _barrier_count,
    "stream_order": _stream_order,
    "stream_reuse": _stream_reuse,
    "race_shared": _race,
    "race_global": _race,
    "plain_guess": _guess,
    "misaligned": _misaligned,
    "divergent_barrier": _barrier,
    "deadlock": _deadlock,
    "bad_mask": _bad_mask,
    "absent_lane": _absent_lane,
    "invalid_launch": _launch,
    "trap": _trap,
    "division_by_zero": _division,
    "illegal_instruction": _illegal_instruction,
    "write_to_const": _constant,
    "timeout": _timeout,
    "mapped_memory": _mapped,
    "other_thread": _other_thread,
    "host_function": _host_function,
}
