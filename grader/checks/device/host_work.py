"""Host-side work on device data during a call: accesses, copies and waits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cusimt.support.words import listed
from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import site_of
from grader.checks.device.findings import MAPPED, OTHER_THREAD, seen_in
from grader.checks.outcome import Outcome
from grader.run.values import STRIDED_VIEW
from grader.verdict import ReportedFinding

_ON_HOST = "device_pointer_on_host"
_TO_HOST = re.compile(r"\bdevice to host of (\d+) bytes$")
_TO_DEVICE = re.compile(r"\bhost to device of (\d+) bytes$")
MOST_READ = 16  # bytes that a call may bring to the host in a case that may wait: a number or two


def host_access(bench: Bench, call: Call) -> Outcome | None:
    """Host code that reads or writes device memory could compute there what a kernel then only copies."""
    if all(finding.get("kind") != _ON_HOST for finding in call.reply.trace.findings):
        return None
    place = next((f"{each.where}: " for each in seen_in([call], bench.files) if each.kind == _ON_HOST), "")
    sentence = (
        f"{place}{call.text}: host code read or wrote device memory, which a GPU does not allow. What is "
        "computed there is computed on the CPU: launch a kernel for it."
    )
    return call.failure(sentence, "host", "host code took part in computing them")


def memory_of_both(bench: Bench, call: Call) -> Outcome | None:
    """Managed, pinned or registered memory, through which data travels without a copy that could be seen."""
    found = None if bench.exercise.mapped else _first(MAPPED, bench, call)
    if found is None:
        return None
    place = f"{found.where}: " if found.where else ""
    sentence = f"{place}{call.text}: {found.sentence} {found.rule}"
    return call.failure(sentence, "mapped", "they passed through memory that the host has too")


def other_threads(bench: Bench, call: Call) -> Outcome | None:
    """Threads that run beside a kernel could write what it should."""
    found = _first(OTHER_THREAD, bench, call)
    if found is None:
        return None
    sentence = f"{call.text}: {found.sentence} {found.rule}"
    return call.failure(sentence, "threads", "other threads of the host had a hand in them")


def _first(kind: str, bench: Bench, call: Call) -> ReportedFinding | None:
    if all(finding.get("kind") != kind for finding in call.reply.trace.findings):
        return None
    return next((each for each in seen_in([call], bench.files) if each.kind == kind), None)


def traffic_with_host(bench: Bench, call: Call) -> Outcome | None:
    """Copies between host and device, and waits, where neither the exercise nor the case allows them."""
    trace = call.reply.trace
    if bench.exercise.copies or (call.waits and _reads_numbers_only(trace.copies)):
        return None
    if trace.copies:
        return call.failure(
            f"{site_of(trace.copies, bench)}{call.text} copied between host and device "
            f"({listed(list(trace.copies)[:3])}). Data that is on the device stays there: such a copy waits "
            "for the whole stream.",
            "copies", "they went through the host" if _through_the_host(call) else "",
        )  # fmt: skip
    if trace.host_syncs:
        names = [str(each.get("call", "")) for each in trace.api_calls]
        waits = list(dict.fromkeys(name for name in names if "ynchronize" in name))
        by = f" by {listed(waits)}" if waits else ""
        of_streams = bool({"cudaEventSynchronize", "cudaStreamSynchronize"} & set(waits))
        instead = " Where a stream has to wait, let it wait for an event of the other." if of_streams else ""
        return call.failure(
            f"{site_of(waits, bench)}{call.text} waited for the device {_times(trace.host_syncs)}{by}. An "
            f"operator only enqueues work: what waits stalls every caller, so leave it out.{instead}",
            "synchronisation",
        )
    return None


def _reads_numbers_only(copies: Sequence[str]) -> bool:
    """Whether all that crossed is a number or two on the way to the host, as the texts of a trace say."""
    return all(map(_TO_HOST.search, copies)) and _brought(_TO_HOST, copies) <= MOST_READ


def _through_the_host(call: Call) -> bool:
    """Whether so much came to the host that the results may have been computed there.

    They go back by a copy, or as arguments of kernels: for that, as many bytes as they have are enough.
    Indices or lengths that were looked at on the host are fewer.
    """
    copies = call.reply.trace.copies
    read, sent = _brought(_TO_HOST, copies), _brought(_TO_DEVICE, copies)
    results = sum(each.tensor.nbytes for each in call.reply.outputs if each.tensor is not None)
    return read > MOST_READ and max(read, sent) >= results


def _brought(way: re.Pattern[str], copies: Sequence[str]) -> int:
    """The bytes of all copies that went this way."""
    return sum(int(found[1]) for text in copies if (found := way.search(text)))


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def carried_answers(bench: Bench, call: Call) -> Outcome | None:
    """Where copies are allowed, only arguments go to the device: else a kernel just carries an answer."""
    foreign = call.reply.trace.foreign_copies
    if not bench.exercise.copies or not foreign:
        return None
    if all(text.endswith(STRIDED_VIEW) for text in foreign):
        sentence = (
            f"{call.text} copied to the device what is between the elements of an argument, too "
            f"({listed(list(foreign)[:3])}). Copy from a dense array with the elements of the view."
        )
        return call.failure(sentence, "values", "the kernel was given other elements")
    sentence = (
        f"{call.text} copied data to the device that is not one of its arguments "
        f"({listed(list(foreign)[:3])}). The arguments' own elements go there as they are; what is "
        "computed from them, a kernel computes."
    )
    return call.failure(sentence, "copies", "they were computed on the host")
