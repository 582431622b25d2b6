"""Time contenders, one after another on the same device: by the device's clock, launches queued, L2 cold.

Each workload is passed through twice, the second time in reverse, so that a clock that changes steadily is
unfair to nobody. A turn is several calls on inputs of their own, launched while the device waits: events
around one call would time the launch of a short kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias

from grader.benchmark.contenders import Contender, Where
from grader.benchmark.rows import Comparison, Finished, Rates, Row, floor_of
from grader.benchmark.workloads import Workload, least_traffic, operations
from grader.checks.timing.contestants import Contestant, RaisedError, Room
from grader.run.session import Session
from grader.specification import Spec, tensor
from grader.support.backends import WorkerBackend
from grader.support.errors import SubmissionError

PASSES, TURNS = 2, 8  # turns of a contender in each pass
_TURN_MS = 8.0
_MOST_CALLS = 64
_MOST_BYTES = 4 << 30  # of inputs and results of a turn
_TRIES = 5  # to launch a turn while the device waits, each with half of the calls
_COMPILING_SECONDS, _SECONDS = 900.0, 60.0
_ELEMENTS = 1 << 16  # of a result, which are compared with the reference's
_COPY_BYTES = 1 << 28
_PRODUCT_SIZE = 4096
INSIDE = Path(__file__).resolve().parent / "inside.py"

Announce: TypeAlias = Callable[[str], None]
OUT_OF_MEMORY = "out of memory"
_BLOCKED = "its calls wait for the device, or take the host too long: they cannot be queued ahead"


class NotTimedError(Exception):
    """Why a contender has no time."""


class Timed(Contestant):
    """A contender in its worker."""

    inside: ClassVar[Path] = INSIDE

    def warm(self, seed: int) -> dict[str, float]:
        return self._numbers(self._ask("warm", seed), "result_bytes", "peak_bytes", "launch_ms")

    def queued(self, seeds: list[int], head_start_ms: float) -> tuple[float, float]:
        """Milliseconds of a turn on the device, and of launching it."""
        self.fill(seeds)
        self._ask("run", head_start_ms)
        found = self._numbers(self._ask("times"), "ms", "launch_ms")
        return found["ms"], found["launch_ms"]

    def facts(self) -> tuple[str, int, int]:
        """The device's name; its free memory and all of it, in bytes."""
        found = self._read(self._ask("facts", self._plan["clock"]))
        return str(found["name"]), int(found["free_bytes"]), int(found["total_bytes"])


class Measuring:
    """``workers`` are the sessions by what they have loaded; the clean one has loaded no submission."""

    def __init__(
        self, spec: Spec, exercise: Path, backend: WorkerBackend, workers: Mapping[Where, Session], seed: int
    ) -> None:
        self._spec = spec
        self._exercise = exercise
        self._backend: WorkerBackend = backend
        self._workers = workers
        self._random = Random(seed)
        self._copy_rate = 0.0
        self._product_rates: dict[str, float] = {}

    def facts(self) -> tuple[str, int, int]:
        """The device's name; its free memory and all of it, in bytes."""
        return self._timed(Contender("", "clean"), ()).facts()

    def rates(self, workload: Workload) -> Rates:
        """What the device does, each measured once: a large copy, and a product in the workload's dtype."""
        free = self.facts()[1]
        if not self._copy_rate:
            nbytes = min(_COPY_BYTES, free // 32)
            alone = Contender("a large copy", "clean", expression="lambda x: x.clone()")
            row = self._pass(alone, [tensor(nbytes, "uint8", low=0, high=255)], check=False)
            self._copy_rate = 2 * nbytes / row.ms
        dtype = workload.arithmetic_dtype
        if dtype and operations(self._spec, workload) and dtype not in self._product_rates:
            size = min(_PRODUCT_SIZE, 1 << (math.isqrt(free // 256).bit_length() - 1))
            alone = Contender("a product", "clean", expression="lambda a, b: a @ b")
            row = self._pass(alone, [tensor((size, size), dtype) for _ in range(2)], check=False)
            self._product_rates[dtype] = 2 * size**3 / row.ms
        return Rates(self._copy_rate, self._product_rates.get(dtype, 0.0))

    def compare(
        self, workload: Workload, contenders: Sequence[Contender], announce: Announce
    ) -> Iterator[Comparison]:
        """The comparison, again after every contender: what is there when somebody stops it."""
        traffic, arithmetic = least_traffic(self._spec, workload), operations(self._spec, workload)
        announce("the floor")
        floor = floor_of(traffic, arithmetic, self.rates(workload))
        finished = Finished([each.name for each in contenders])
        for number in range(PASSES):
            for each in contenders if number % 2 == 0 else reversed(contenders):
                if finished.failed(each.name):
                    continue
                announce(f"{each.name}, pass {number + 1} of {PASSES}")
                finished.add(self._row(each, workload, check=number == 0))
                yield Comparison(
                    workload.name, float(workload.factor), workload.dtype, traffic, arithmetic, floor,
                    finished.rows,
                )  # fmt: skip

    def _row(self, contender: Contender, workload: Workload, check: bool) -> Row:
        try:
            return self._pass(contender, workload.args, check)
        except NotTimedError as why:
            return Row(contender.name, problem=str(why))
        except RaisedError as raised:
            return Row(contender.name, problem=_said(raised))
        except SubmissionError as failure:  # its worker is gone; the next request gets another
            return Row(contender.name, problem=failure.what.rstrip("."))

    def _pass(self, contender: Contender, args: Sequence[Any], check: bool) -> Row:
        timed = self._timed(contender, args)
        room = timed.begin()
        try:
            found = timed.warm(self._seed())
            room = replace(room, result_bytes=int(found["result_bytes"]))
            if check and contender.where != "clean":
                self._require_right(timed, args)
            calls, launch_ms = 1, found["launch_ms"]
            (first, launch_ms) = self._turn(timed, calls, launch_ms)
            calls = _calls(room, first)
            times = []
            for _ in range(TURNS):
                calls, ms, launch_ms = self._queued(timed, calls, launch_ms)
                times.append(ms)
            return Row(contender.name, tuple(times), int(found["peak_bytes"]))
        finally:
            _forgive(timed.end)

    def _turn(self, timed: Timed, calls: int, launch_ms: float) -> tuple[float, float]:
        """Milliseconds per call on the device and on the host; the first is not to be believed if queueing
        took longer than the device waited.
        """
        ahead = _head_start_ms(calls, launch_ms)
        ms, launched = timed.queued([self._seed() for _ in range(calls)], ahead)
        return max(ms, 1e-6) / calls, launched / calls

    def _queued(self, timed: Timed, calls: int, launch_ms: float) -> tuple[int, float, float]:
        """A turn of ``calls``, or of fewer where the host cannot launch as many while the device waits."""
        for _ in range(_TRIES):
            ahead = _head_start_ms(calls, launch_ms)
            ms, launch_ms = self._turn(timed, calls, launch_ms)
            if launch_ms * calls < ahead:
                return calls, ms, launch_ms
            calls = max(1, calls // 2)
        raise NotTimedError(_BLOCKED)

    def _require_right(self, timed: Timed, args: Sequence[Any]) -> None:
        """The time of a wrong answer means nothing."""
        timed.fill([self._seed()])
        parts = timed.parts([0], _ELEMENTS, self._seed(), run=True)
        clean = self._timed(Contender("", "clean"), args)
        try:
            wrong = clean.compare(self._exercise, parts, _ELEMENTS)
        except RaisedError as raised:
            if raised.error.type == "OutOfMemoryError":
                return  # the reference computes in double: it needs more than what it judges
            raise
        if wrong is not None:
            raise NotTimedError("its result is wrong, so its time means nothing")

    def _timed(self, contender: Contender, args: Sequence[Any]) -> Timed:
        plan = contender.plan(args, self._exercise, self._backend)
        seconds = _COMPILING_SECONDS if contender.mode else _SECONDS
        return Timed(self._workers[contender.where], plan, seconds)

    def _seed(self) -> int:
        return self._random.randrange(1 << 62)


def _calls(room: Room, ms: float) -> int:
    """As many as fill a turn and fit into memory, where no other contender has any at this moment."""
    each = max(1, room.set_bytes + room.result_bytes)
    wanted = min(_MOST_CALLS, max(1, round(_TURN_MS / ms)))
    return max(1, min(wanted, min(_MOST_BYTES, room.free_bytes // 3) // each))


def _head_start_ms(calls: int, launch_ms: float) -> float:
    """Three times what launching takes, and a millisecond: a process is interrupted now and then."""
    return 1.0 + 3 * calls * launch_ms


def _said(raised: RaisedError) -> str:
    if raised.error.type == "OutOfMemoryError":
        return OUT_OF_MEMORY
    first = raised.error.message.strip().splitlines()
    return f"{raised.error.type}: {first[0] if first else ''}".rstrip(".: ")


def _forgive(end: Callable[[], object]) -> None:
    """End a contender whose worker may be gone."""
    try:
        end()
    except (RaisedError, SubmissionError):
        return
