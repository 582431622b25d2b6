"""What the record of a run reveals about a wrong number.

What is certain whatever the number is comes before any prediction (`certain`); what the record only suggests
comes after them (`likely`): a time in microseconds may come from a run that also did other things wrong.
"""

from __future__ import annotations

import re

from cusimt.support.words import counted
from grader.checks.measurements.recorder import LONGEST
from grader.checks.measurements.subject import Subject, Trap

DEVICE_TIMES = ("median_ms", "low_ms", "high_ms")
OTHER_STREAM = "The call ran on another stream than the events are recorded on."
_BETWEEN_EVENTS = re.compile(r"R([^RC]*)C([^RC]*)(?=R)")
_CLOCK_MS = 0.1  # what waiting and reading a clock may take on top of a call
_AT_ONCE = 5000  # times as long as the record of two events one after the other


def certain(subject: Subject, reported: float) -> Trap | None:
    """What the record shows beyond doubt, and what makes the number as large as it is."""
    if subject.quantity in DEVICE_TIMES and "R" in subject.run.done:
        return _within_the_events(subject, reported)
    if subject.quantity in DEVICE_TIMES:
        return _on_the_host(subject, reported)
    if subject.quantity == "peak_bytes":
        return _never_reset(subject, reported)
    return None


def likely(subject: Subject, reported: float) -> Trap | None:
    """What the record suggests about a number that no prediction explains."""
    run, truth = subject.run, subject.truth
    if subject.quantity == "peak_bytes" and reported > truth and "V" in run.done:
        said = "Reserved memory is what the allocator keeps for the whole process, used or not."
        return Trap(reported, said, "reserved")
    if subject.quantity not in DEVICE_TIMES or "R" not in run.done:
        return None
    if 0 <= reported < truth / 5 and subject.drawn.workload.stream == "side":
        return Trap(reported, OTHER_STREAM, "stream")
    if 0 <= reported < truth / _AT_ONCE and not _a_call_between_events(run.done):
        said = "The events follow one another at once: record one before the call, and one after it."
        return Trap(reported, said, "stream")
    spans = _BETWEEN_EVENTS.findall(run.done)
    if reported > truth and spans and any("h" in each for each in spans[-1]):
        said = "Between the two events there is other work, besides the call: the device may wait for it."
        return Trap(reported, said, "flush_timed")
    return None


def _on_the_host(subject: Subject, reported: float) -> Trap | None:
    """A clock that was read around the call, and no event: the launch is in it, and nothing larger."""
    drawn = subject.drawn
    host_bound = drawn.queueing_ms > drawn.work_ms
    most = 1.05 * drawn.wall_ms() + _CLOCK_MS
    one_time = len(drawn.workload.pattern) == 1 and not host_bound
    if "T" in subject.run.done and one_time and subject.truth < reported <= most:
        said = "The host's clock includes the launch: record events around the call."
        return Trap(reported, said, "host_clock")
    return None


def _never_reset(subject: Subject, reported: float) -> Trap | None:
    """As large as the peak before the call, even with all that was in use subtracted."""
    drawn, run = subject.drawn, subject.run
    least = drawn.peak_before - drawn.kept_bytes - run.live
    if drawn.peak_before and not {"P", "V"} & set(run.done) and reported >= max(least, subject.truth):
        return Trap(reported, "That peak is from before the call, and was never reset.", "peak_reset")
    return None


def _within_the_events(subject: Subject, reported: float) -> Trap | None:
    drawn, truth, done = subject.drawn, subject.truth, subject.run.done
    spans = _BETWEEN_EVENTS.findall(done)
    whole = len(done) < LONGEST
    if whole and 0 < len(spans) <= subject.rounds // 2 and len(drawn.workload.pattern) > 1:
        said = f"{counted(len(spans), 'call')} between events, of {subject.rounds} rounds: that is too few."
        return Trap(reported, said, "statistics")
    if reported > truth and spans and any("F" in each for each in spans[-1]):
        return Trap(reported, "Emptying the L2 cache is within the time that is measured.", "flush_timed")
    if reported > truth and spans and any("o" in each for each in spans[-1]):
        said = "Between the two events there is other work for the device, besides the call."
        return Trap(reported, said, "flush_timed")
    if drawn.queueing_ms > drawn.work_ms and truth < reported <= 1.05 * drawn.wall_ms():
        return Trap(reported, waited(subject), "head_start")
    return None


def _a_call_between_events(done: str) -> bool:
    """Whether a call is between the first and the second event of any pair."""
    return any("C" in each for each in done.split("R")[1:-1:2])


def waited(subject: Subject) -> str:
    said = (
        f"The host takes {subject.drawn.queueing_ms:.3g} ms to queue this call, and the device waited for it "
        "in between: "
    )
    if "h" in subject.run.done:
        return said + "the head start ended before all of the round was queued."
    return said + "queue all of a round before the device may begin."
