"""Check the order between the caller's stream and the streams that a call uses.

A call may use its own streams if the caller cannot tell: its work comes after what the caller had queued
before, and before what the caller queues afterwards. On simt the runtime knows what waits for what. On cuda
the profiler shows streams but not who waits: there a launch on the default stream, while another one is
current, is all that is held against a call, and the values of late inputs tell the rest.
"""

from __future__ import annotations

from pathlib import Path

from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import place_of
from grader.checks.device.findings import source_line
from grader.checks.device.launches import kernel_name, own_launches
from grader.checks.device.vendor_work import is_library_call, is_vendors, vendor_launches
from grader.run.values import TracedLaunch
from grader.verdict import ReportedFinding

_CURRENT = (
    "Work belongs on the current stream, or it runs before its inputs are ready: the fourth launch "
    "parameter is the stream that this function was given or, where tensors are known, the current one, "
    "c10::cuda::getCurrentCUDAStream(), asked for in the same call."
)
_READER = (
    "the stream of the work that reads what it writes (the current one, unless that work was put on another)."
)
_COPY = f"A copy or fill is work like a launch: its last argument is {_READER}"
_WITHOUT_STREAM = (
    "{call} takes no stream and goes to the default one: call {call}Async, whose last argument is "
    f"{_READER}"
)
_FORK = (
    "A stream knows nothing of another one's work: record an event on the caller's stream, and let this "
    "stream wait for it (event.block(stream)) before anything else is queued there."
)
_JOIN = (
    "The caller queues its next work at once: record an event on this stream after its last work, and let "
    "the caller's stream wait for it before the call returns."
)
_DEVICE_FIRST = (
    "The current stream is that of the current device: make the tensors' device current first "
    "(c10::cuda::CUDAGuard; on the stable ABI torch::stable::accelerator::DeviceGuard), then get its stream."
)
_LAST_ARGUMENT = (
    "The stream is the last argument of such a function. Where it is left out, it is the default stream: "
    "pass the stream that this function was given."
)
_OF_HANDLE = (
    "A library works on the stream of its handle, and PyTorch sets that of its own handle when it hands it "
    "out: call at::cuda::getCurrentCUDABlasHandle() or getCurrentCUDASparseHandle() in the same call, after "
    "the device guard, and keep no handle."
)
_QUEUED = ("d2d", "memset", "library")  # asynchronous within the device


def stray_work(bench: Bench) -> list[ReportedFinding]:
    """Launches, copies and fills that are not in order with the caller's stream."""
    defaults = {0} | {call.reply.trace.stream for call in bench.calls if call.stream == "default"}
    found = []
    for call in bench.calls:
        if call.reply.error is not None:  # work in flight when the call raised is no fault
            continue
        launches = own_launches(bench, call) + vendor_launches(bench, call)
        strays = [_stray_launch(each, call, defaults, bench) for each in launches]
        strays += [_stray_copy(each, call, defaults, bench) for each in call.reply.trace.api_calls]
        found += [each for each in strays if each is not None]
    return found


def _stray_launch(
    launch: TracedLaunch, call: Call, defaults: set[int], bench: Bench
) -> ReportedFinding | None:
    waits, awaited = launch.waits, launch.awaited
    if waits is None or awaited is None:
        own = bench.backend == "cuda" and launch.stream not in defaults
        waits = awaited = own or launch.stream == call.reply.trace.stream
    if waits and awaited:
        return None
    name = Path(launch.file).name
    source = source_line(bench.files / name, launch.line) if name else ""
    subject = f"{kernel_name(launch)} was launched"
    if launch.stream in defaults:
        rule = _LAST_ARGUMENT if is_vendors(bench, launch) else _CURRENT
        return ReportedFinding(
            "launch_stream", _on_default(subject, call, defaults), rule, name, launch.line, source
        )
    kind, what, rule = _elsewhere(subject, waits, awaited)
    if not waits and not awaited and launch.device != call.device:
        kind, rule = "stream_device", _DEVICE_FIRST
        what = (
            f"{subject} on a stream of cuda:{launch.device}, and neither that device's current stream waits "
            f"for it, nor it for that stream: the call began while cuda:{call.device} was current."
        )
    return ReportedFinding(kind, what, rule, name, launch.line, source)


def _stray_copy(
    api_call: dict[str, object], call: Call, defaults: set[int], bench: Bench
) -> ReportedFinding | None:
    waits, awaited = bool(api_call.get("waits", 1)), bool(api_call.get("awaited", 1))
    if (waits and awaited) or api_call.get("kind") not in _QUEUED or api_call.get("error"):
        return None
    name = str(api_call.get("call"))
    file, line = place_of(name, bench)  # the record has no place
    source = source_line(bench.files / file, line) if file else ""
    if (api_call.get("stream") or 0) in defaults:
        rule = _COPY if name.endswith("Async") else _WITHOUT_STREAM.format(call=name)
        if is_library_call(api_call):
            rule = _OF_HANDLE
        what = _on_default(f"{name} was queued", call, defaults)
        return ReportedFinding("launch_stream", what, rule, file, line, source)
    kind, what, rule = _elsewhere(f"{name} was queued", waits, awaited)
    return ReportedFinding(kind, what, rule, file, line, source)


def _on_default(subject: str, call: Call, defaults: set[int]) -> str:
    caller = call.reply.trace.stream
    current = "another device was current" if caller in defaults else f"stream {caller} was current"
    return (
        f"{subject} on the default stream while {current}: it is ordered with the default stream, not with "
        "the caller's work."
    )


def _elsewhere(subject: str, waits: bool, awaited: bool) -> tuple[str, str, str]:
    """Work on a stream of the learner's: the kind of finding, what happened, and the rule against it."""
    where = f"{subject} on another stream"
    if awaited:
        what = f"{where}, which does not wait for the caller's: it may run before its inputs are ready."
        return "stream_fork", what, _FORK
    if waits:
        what = f"{where}, and the caller's stream does not wait for it: the result may be read too early."
        return "stream_join", what, _JOIN
    what = f"{where}, and neither stream waits for the other."
    return "launch_stream", what, f"{_FORK} {_JOIN}"
