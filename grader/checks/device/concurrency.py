"""Check that a call's launches can run concurrently, as its case requires.

Two launches can when they are on different streams and neither has to wait for the other: not by an event,
not through a third stream, not because the host waited in between. On simt the runtime knows this order, so
what is judged is whether launches *can* overlap, on any device. On cuda the profiler shows streams, and times
that depend on how busy the device was: only the streams are counted there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cusimt.support.words import counted
from grader.checks.bench import Bench, Call
from grader.checks.device.launches import accepted_launches, kernel_name
from grader.run.values import TracedLaunch

_ONE_STREAM = "Kernels on one stream run one after the other, even when they are independent."
_THROUGH_EVENTS = (
    "A stream that waits for an event waits for everything before it: for what was queued on the stream "
    "where it was recorded, and for all that this stream had waited for by then. Record the event that the "
    "side streams wait for once, before the first of them joins."
)


def too_few(bench: Bench, call: Call) -> str:
    """What is wrong where fewer launches can run at once than the case asks for; else ``""``."""
    asked = max((case.streams for case in bench.spec.cases if case.name == call.case), default=1)
    if asked == 1:
        return ""
    launches = accepted_launches(bench, call)
    streams = len({(launch.device, launch.stream) for launch in launches})
    if streams < asked:
        return (
            f"{call.text} launched everything on {counted(streams, 'stream')}; {asked} are asked for. "
            f"{_ONE_STREAM}"
        )
    if any(launch.moment is None for launch in launches):
        return ""
    at_once = most_at_once(launches)
    if at_once >= asked:
        return ""
    can = "no two of its launches can" if at_once == 1 else f"at most {at_once} of its launches can"
    return (
        f"{call.text} used {counted(streams, 'stream')}, and still {can} run at the same time; {asked} are "
        f"asked for. {_first_wait(launches)}{_THROUGH_EVENTS}"
    )


def comes_after(later: TracedLaunch, earlier: TracedLaunch) -> bool:
    """Whether ``later`` begins only when ``earlier`` has ended, whatever the device has to do."""
    assert earlier.moment is not None
    stream, number = earlier.moment
    return any(each == stream and count >= number for each, count in later.after)


def most_at_once(launches: Sequence[TracedLaunch]) -> int:
    """The size of the largest set of launches of which none comes after another.

    That is the least number of chains that cover all launches (Dilworth 1950), where each launch of a chain
    comes after the one before it. ``launches`` are in the order in which they were queued.
    """
    followers = [
        [number for number in range(first + 1, len(launches)) if comes_after(launches[number], launch)]
        for first, launch in enumerate(launches)
    ]
    chains = _Chains(followers)
    return len(launches) - sum(chains.link(number) for number in range(len(launches)))


@dataclass
class _Chains:
    """Launches, each linked with at most one follower: a matching, grown by augmenting paths."""

    followers: list[list[int]]
    after: dict[int, int] = field(default_factory=dict)
    before: dict[int, int] = field(default_factory=dict)

    def link(self, end: int) -> bool:
        """Give ``end``, the end of a chain, a follower, for which others may have to change theirs."""
        reached: dict[int, int] = {}
        queue = [end]
        for launch in queue:
            for follower in self.followers[launch]:
                if follower in reached:
                    continue
                reached[follower] = launch
                if follower not in self.before:
                    self._relink(follower, reached)
                    return True
                queue.append(self.before[follower])
        return False

    def _relink(self, free: int, reached: dict[int, int]) -> None:
        follower: int | None = free
        while follower is not None:
            launch = reached[follower]
            given_up = self.after.get(launch)
            self.after[launch], self.before[follower] = follower, launch
            follower = given_up


def _first_wait(launches: Sequence[TracedLaunch]) -> str:
    """The first launch that waits for one on another stream."""
    for position, later in enumerate(launches):
        for earlier in reversed(launches[:position]):
            if (later.device, later.stream) != (earlier.device, earlier.stream) and comes_after(
                later, earlier
            ):
                return f"The launch of {_on_its_stream(later)} waits for that of {_on_its_stream(earlier)}. "
    return ""


def _on_its_stream(launch: TracedLaunch) -> str:
    stream = f"stream {launch.stream}" if launch.stream else "the default stream"
    return f"{kernel_name(launch)} on {stream}"
