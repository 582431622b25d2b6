"""What the record of a run shows beyond doubt about a wrong number, whatever the number is."""

from __future__ import annotations

import re

from grader.checks.measurements.subject import Subject, Trap
from grader.words import counted

DEVICE_TIMES = ("median_ms", "low_ms", "high_ms")
_BETWEEN_EVENTS = re.compile(r"R([^RC]*)C([^RC]*)(?=R)")


def seen(subject: Subject, reported: float) -> Trap | None:
    """What the record of the run shows beyond doubt."""
    run = subject.run
    if subject.quantity in DEVICE_TIMES:
        return (
            _seen_between_events(subject, reported)
            if "R" in run.done
            else _seen_on_the_host(subject, reported)
        )
    if subject.quantity == "peak_bytes" and reported > subject.truth:
        if "V" in run.done:
            said = "Reserved memory is what the allocator keeps for the whole process, used or not."
            return Trap(reported, said, "reserved")
        if "P" not in run.done:
            said = "That peak is from before the call, and was never reset."
            return Trap(reported, said, "peak_reset")
    return None


def _seen_on_the_host(subject: Subject, reported: float) -> Trap | None:
    drawn = subject.drawn
    host_bound = drawn.queueing_ms > drawn.work_ms
    if reported > subject.truth and len(drawn.workload.pattern) == 1 and not host_bound:
        said = "The host's clock includes the launch: record events around the call."
        return Trap(reported, said, "host_clock")
    return None


def _seen_between_events(subject: Subject, reported: float) -> Trap | None:
    drawn, truth = subject.drawn, subject.truth
    if reported < truth / 5 and drawn.workload.stream == "side":
        return Trap(reported, "The call ran on another stream than the events are recorded on.", "stream")
    if reported < truth / 5000:
        said = "The events follow one another at once: record one before the call, and one after it."
        return Trap(reported, said, "stream")
    spans = _BETWEEN_EVENTS.findall(subject.run.done)
    if 0 < len(spans) <= subject.rounds // 2 and len(drawn.workload.pattern) > 1:
        said = f"{counted(len(spans), 'call')} between events, of {subject.rounds} rounds: that is too few."
        return Trap(reported, said, "statistics")
    if reported > truth and spans and any("F" in each for each in spans[-1]):
        return Trap(reported, "Emptying the L2 cache is within the time that is measured.", "flush_timed")
    if reported > truth and spans and any(set("oh") & set(each) for each in spans[-1]):
        said = "Between the two events there is other work for the device, besides the call."
        return Trap(reported, said, "flush_timed")
    if drawn.queueing_ms > drawn.work_ms and truth < reported <= 1.05 * drawn.wall_ms():
        return Trap(reported, waited(subject), "head_start")
    return None


def waited(subject: Subject) -> str:
    said = (
        f"The host takes {subject.drawn.queueing_ms:.3g} ms to queue this call, and the device waited for it "
        "in between: "
    )
    if "h" in subject.run.done:
        return said + "the head start ended before all of the round was queued."
    return said + "queue all of a round before the device may begin."
