"""What host code did in a call with data that belongs on the device: accesses, copies and waits."""

from __future__ import annotations

import re
from collections.abc import Sequence

from grader.checks.bench import Bench, Call
from grader.checks.device.call_sites import site_of
from grader.checks.device.findings import seen_in
from grader.checks.outcome import Outcome
from grader.words import listed

_ON_HOST = "device_pointer_on_host"
_TO_HOST = re.compile(r"\bdevice to host of (\d+) bytes$")
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
    return call.failure(sentence, "host")


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
            "copies",
        )
    if trace.host_syncs:
        names = [str(each.get("call", "")) for each in trace.api_calls]
        waits = list(dict.fromkeys(name for name in names if "ynchronize" in name))
        by = f" by {listed(waits)}" if waits else ""
        return call.failure(
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


def carried_answers(bench: Bench, call: Call) -> Outcome | None:
    """Where copies are allowed, only arguments go to the device: else a kernel just carries an answer."""
    foreign = call.reply.trace.foreign_copies
    if not bench.exercise.copies or not foreign:
        return None
    sentence = (
        f"{call.text} copied data to the device that is not one of its arguments "
        f"({listed(list(foreign)[:3])}). The arguments' own elements go there as they are; what is "
        "computed from them, a kernel computes."
    )
    return call.failure(sentence, "copies")
