"""Time submission and baseline in alternation (A B B A), by two clocks, and keep what the calls returned.

Which turns are timed with launches queued ahead and which as they come, which are looked at afterwards, and
when the launches are traced, is drawn from the verdict's seed: the submission cannot tell one turn from
another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import torch

from grader.checks.bench import Bench, Call
from grader.checks.timing.contestants import (
    Contestant,
    Parts,
    RaisedError,
    Turn,
    baseline_plan,
    plan_of,
)
from grader.checks.timing.ratios import Block
from grader.run.values import RemoteError
from grader.specification import Speed
from grader.support.errors import InfrastructureError, SubmissionError

_MOST_CALLS = 128
_PROBED = 4
_ELEMENTS = 1 << 16  # of each result
_SECONDS = 60.0
_ROOM_BYTES = 1 << 30  # of a CUDA context and PyTorch's cache, which end with a worker too
CASE = "the timed size"
_NEXT = "Grade again; if it happens again, run `grader doctor`."

Wrong: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True)
class Length:
    """How long a measurement is.

    ``queued`` are blocks in which the device waits until every call is launched, ``plain`` those in which it
    does not; ``looked_at`` are the timed turns of whose results ``calls_looked_at`` are compared; a turn has
    calls for ``turn_ms`` milliseconds, so that a round trip to the worker is small beside them; ``apart`` is
    how much the two clocks may differ before the slower one is believed.
    """

    queued: int
    plain: int
    looked_at: int
    calls_looked_at: int
    turn_ms: float
    apart: float


FULL = Length(8, 6, 2, 8, 8.0, 0.05)
SHORT = Length(3, 3, 1, 1, 4.0, 0.15)  # for a loop of edits: a fifth of the time, and a wider interval


@dataclass(frozen=True)
class Measured:
    """What was measured; times are milliseconds per call.

    ``queued`` are ABBA blocks by the device's clock, ``plain`` by the parent's. ``wrong`` is the first
    difference between a result and the reference. ``traced`` is a turn under the tracer. ``calls`` are those
    of each turn of the submission, ``baseline_calls`` those of the baseline.
    ``changed`` names settings of the device that the submission's worker has otherwise than a fresh one.
    ``copy_rate`` is the bytes per millisecond of a copy on the device; 0 where there is no such clock.
    ``apart`` is that of the :class:`Length`.
    ``held`` is the bytes that the submission kept from the baseline, which found no memory.
    """

    queued: tuple[Block, ...] = ()
    plain: tuple[Block, ...] = ()
    wrong: Wrong | None = None
    traced: Call | None = None
    calls: int = 1
    baseline_calls: int = 1
    changed: tuple[str, ...] = ()
    copy_rate: float = 0.0
    apart: float = FULL.apart
    held: int = 0
    error: RemoteError | None = None


def measure(bench: Bench, speed: Speed, text: str, attempt: int, length: Length = FULL) -> Measured:
    """Time the submission beside the baseline; ``text`` describes the call, ``attempt`` numbers the tries.

    Raises:
        InfrastructureError: the baseline, which runs nothing of the submission's, could not be timed.
        SubmissionError: the submission ended its worker.
    """
    with bench.clean() as session:
        return Alternation(bench, speed, session, text, attempt, length).measured()


class NoMemoryLeftError(Exception):
    """The submission kept ``held`` bytes of the device to itself."""

    def __init__(self, held: int) -> None:
        super().__init__(str(held))
        self.held = held


class Alternation:
    """One measurement in the making."""

    def __init__(
        self, bench: Bench, speed: Speed, clean: Any, text: str, attempt: int, length: Length
    ) -> None:
        self._bench = bench
        self._length = length
        self._text = text
        self._generator = bench.generator("speed", attempt)
        self._baseline_text = speed.baseline
        self._own = Contestant(bench.session, plan_of(bench.spec, speed, bench.backend), _SECONDS)
        self._clean = Contestant(clean, baseline_plan(bench.spec, speed, bench.backend), _SECONDS)
        self._idle_ms = 0.0
        self._room_bytes = 0
        self._calls: dict[Contestant, int] = {}

    def measured(self) -> Measured:
        try:
            return self._measured()
        except NoMemoryLeftError as left:
            return Measured(held=left.held)
        except RaisedError as raised:  # of the baseline it has become another error
            return Measured(error=raised.error)

    def _measured(self) -> Measured:
        self._begin()
        rate: float = self._trusted(self._clean.copy_rate)  # and again at the end: the faster one counts
        queued = self._length.queued
        blocks = queued + self._length.plain
        looked_at = set(self._drawn(2 * blocks, self._length.looked_at))
        traced_before = self._drawn(blocks, 1)[0]
        handed_over_before = self._drawn(blocks, 1)[0]
        order = [number < queued for number in self._drawn(blocks, blocks)]
        found: dict[bool, list[Block]] = {True: [], False: []}
        traced: Call | None = None
        wrong: Wrong | None = None
        for number, ahead in enumerate(order):
            if number == traced_before:
                traced = self._traced()
            if number == handed_over_before:
                wrong = wrong or self._handed_over()
            first = self._time(self._own, ahead)
            wrong = wrong or (self._looked_at() if 2 * number in looked_at else None)
            one, other = self._time(self._clean, ahead), self._time(self._clean, ahead)
            last = self._time(self._own, ahead)
            wrong = wrong or (self._looked_at() if 2 * number + 1 in looked_at else None)
            if wrong is not None:
                self._end()
                return Measured(wrong=wrong, calls=self._calls[self._own])
            found[ahead].append((first, one, other, last))
        rate = max(rate, self._trusted(self._clean.copy_rate))
        usual, own = self._end()
        changed = tuple(name for name in usual if own.get(name) != usual[name])
        return Measured(
            tuple(found[True]), tuple(found[False]), None, traced, self._calls[self._own],
            self._calls[self._clean], changed, rate, self._length.apart,
        )  # fmt: skip

    def _end(self) -> tuple[dict[str, str], dict[str, str]]:
        """Free the memory of both; returns the settings of a fresh worker's device, and the submission's."""
        return self._trusted(self._clean.end), self._own.end()

    def _begin(self) -> None:
        """Find out what a request without calls takes, and how many calls make a turn of either."""
        rooms = {self._clean: self._trusted(self._clean.begin), self._own: self._own.begin()}
        self._room_bytes = rooms[self._clean].most_bytes
        self._trusted(self._clean.fill, [])
        self._idle_ms = min(self._trusted(self._clean.run, False).seconds for _ in range(5)) * 1e3
        for one in (self._own, self._clean):
            self._calls[one] = _PROBED
            for _ in range(2):  # the first one also loads what is loaded on first use
                turn = self._turn(one, ahead=False)
            wanted = min(_MOST_CALLS, round(self._length.turn_ms / max(turn.device, 1e-3)))
            result_bytes = int(self._asked(one, one.span)["result_bytes"])
            self._calls[one] = replace(rooms[one], result_bytes=result_bytes).calls(wanted)
            self._turn(one, ahead=True)  # the first whole turn allocates what the next ones find in the cache

    def _time(self, one: Contestant, ahead: bool) -> float:
        """Milliseconds per call of a turn: on the device's clock if calls are queued, else the parent's."""
        turn = self._turn(one, ahead)
        return turn.device if ahead else turn.wall

    def _turn(self, one: Contestant, ahead: bool) -> Turn:
        """A turn with fresh inputs."""
        self._fill(one)
        turn: Turn = self._asked(one, one.timed, ahead, self._idle_ms)
        return turn

    def _fill(self, one: Contestant) -> None:
        seeds = torch.randint(2**62, (self._calls[one],), generator=self._generator).tolist()
        self._asked(one, one.fill, seeds)

    def _traced(self) -> Call:
        """One turn under the tracer, as a call that the checks of launches and operators can judge."""
        self._fill(self._own)
        reply = self._own.run(ahead=False, trace=True)
        return Call("forward", CASE, self._text, reply)

    def _held_by_the_submission(self) -> int:
        """Bytes that came free when its worker ended, beyond what its turns may take; 0 if there are none."""
        before = self._clean.free_bytes()
        self._bench.reload()
        freed = self._clean.free_bytes() - before
        return freed if freed > self._room_bytes + _ROOM_BYTES else 0

    def _looked_at(self) -> Wrong | None:
        """Whether calls of the turn that was just timed returned what the reference does."""
        return self._compared(self._own.parts(self._chosen(), _ELEMENTS, self._seed()))

    def _handed_over(self) -> Wrong | None:
        """The same of a turn whose results are read at once, in the order of the stream."""
        self._fill(self._own)
        return self._compared(self._own.parts(self._chosen(), _ELEMENTS, self._seed(), run=True))

    def _compared(self, parts: Parts) -> Wrong | None:
        root = self._bench.exercise.root
        found: Wrong | None = self._trusted(self._clean.compare, root, parts, _ELEMENTS)
        return found

    def _chosen(self) -> list[int]:
        calls = self._calls[self._own]
        return sorted(self._drawn(calls, min(calls, self._length.calls_looked_at)))

    def _seed(self) -> int:
        return int(torch.randint(2**62, (), generator=self._generator))

    def _drawn(self, among: int, count: int) -> list[int]:
        """``count`` different numbers below ``among``, in random order."""
        chosen: list[int] = torch.randperm(among, generator=self._generator)[:count].tolist()
        return chosen

    def _asked(self, one: Contestant, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._trusted(function, *arguments) if one is self._clean else function(*arguments)

    def _trusted(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Ask the worker without a submission: what fails there is the machine's or the author's fault."""
        what = f"The baseline {self._baseline_text} could not be timed"
        rule = "It runs in a worker that has loaded nothing of the submission."
        try:
            return function(*arguments)
        except RaisedError as raised:
            if raised.error.type == "OutOfMemoryError" and (held := self._held_by_the_submission()):
                raise NoMemoryLeftError(held) from raised
            raise InfrastructureError(f"{what}: {raised.error}.", rule, _NEXT) from raised
        except SubmissionError as failure:
            raise InfrastructureError(f"{what}: {failure.what}", rule, _NEXT) from failure
