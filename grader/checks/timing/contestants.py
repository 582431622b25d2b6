"""The two timed workers: one for the submission, one for the baseline.

Both answer the same requests (`inside.py`). The parent's clock runs from a request to its reply, and what the
worker says of the device's clock is a claim.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from torch import Tensor

from grader.checks.timing.timed_calls import described, device_of, places
from grader.run.failures import ProtocolViolation
from grader.run.values import Arg, RemoteError, Reply, TensorArg
from grader.specification import Spec, Speed
from grader.support.backends import WorkerBackend

INSIDE = Path(__file__).resolve().parent / "inside.py"
_DURING = "timing the submission"
_LEAST_MS = 1e-6
_MOST = 2**50  # of a time in milliseconds, and of elements


def plan_of(spec: Spec, speed: Speed, backend: WorkerBackend) -> dict[str, Any]:
    """What the submission's worker is to call, as `inside.begin` takes it."""
    return {
        "arguments": described(speed.args), "entry": spec.entry, "baseline": "",
        "device": device_of(backend), "clock": "events" if backend == "cuda" else "host",
    }  # fmt: skip


def baseline_plan(spec: Spec, speed: Speed, backend: WorkerBackend) -> dict[str, Any]:
    """The same with the author's expression instead."""
    parameters = ", ".join(spec.parameters[: len(speed.args)])
    return plan_of(spec, speed, backend) | {"baseline": f"lambda {parameters}: {speed.baseline}"}


def rehearsal(exercise: Path, spec: Spec, speed: Speed, backend: WorkerBackend) -> str:
    """What `inside.rehearse` is asked for; ``exercise`` is its folder."""
    return json.dumps(baseline_plan(spec, speed, backend) | {"exercise": str(exercise)})


class Asked(Protocol):
    """What a contestant needs of :class:`grader.run.Session`."""

    def run_inside(
        self, check: str, args: Sequence[Arg], *, trace: bool = ..., seconds: float | None = ...
    ) -> Reply: ...


class RaisedError(Exception):
    """The code that is timed raised ``error``."""

    def __init__(self, error: RemoteError) -> None:
        super().__init__(str(error))
        self.error = error


@dataclass(frozen=True)
class Turn:
    """Milliseconds per call: ``wall`` on the parent's clock, ``device`` as the worker claims."""

    wall: float
    device: float


@dataclass(frozen=True)
class Room:
    """Bytes of one set of inputs and of what one call returns, and those that are free on the device."""

    set_bytes: int
    result_bytes: int
    free_bytes: int

    @property
    def most_bytes(self) -> int:
        """What one worker's turns may take: two of them share the device, and the reference comes on top."""
        return self.free_bytes // 8

    def calls(self, wanted: int) -> int:
        """How many calls of a turn fit, if not as many as wanted."""
        each = max(1, self.set_bytes + self.result_bytes)
        return max(2, min(wanted, self.most_bytes // each))


@dataclass(frozen=True)
class Parts:
    """Elements of what some calls of a turn returned: those at the places that ``places`` is the seed of."""

    calls: tuple[int, ...]
    seeds: tuple[int, ...]  # of the inputs of each call
    shapes: Any  # for each call, of each result: shape, dtype, device
    tensors: list[Tensor]
    places: int


class Contestant:
    """One of the two, by the session of its worker."""

    inside: ClassVar[Path] = INSIDE  # the file whose functions the worker runs

    def __init__(self, session: Asked, plan: dict[str, Any], seconds: float) -> None:
        self._session = session
        self._plan = plan
        self._seconds = seconds
        self.seeds: list[int] = []  # of the last turn, one for each call

    def begin(self) -> Room:
        """Make both workers equal; says what fits, before any call."""
        found = self._numbers(self._ask("begin", json.dumps(self._plan)), "set_bytes", "free_bytes")
        return Room(int(found["set_bytes"]), 0, int(found["free_bytes"]))

    def fill(self, seeds: list[int]) -> None:
        """Fresh inputs for the next turn."""
        self.seeds = seeds
        self._ask("fill", json.dumps(seeds))

    def run(self, ahead: bool, trace: bool = False) -> Reply:
        """The calls of the turn; ``ahead``: all launched before the device begins."""
        return self._ask("run", ahead, trace=trace)

    def span(self) -> dict[str, float]:
        """``ms`` on the device's clock of the last turn, and ``result_bytes`` of a call: claims."""
        return self._numbers(self._ask("span"), "ms", "result_bytes")

    def timed(self, ahead: bool, idle_ms: float) -> Turn:
        """Run a filled turn; ``idle_ms`` is what such a request takes without a call."""
        wall = self.run(ahead).seconds * 1e3 - idle_ms
        device = self.span()["ms"]
        return Turn(max(wall, _LEAST_MS) / len(self.seeds), max(device, _LEAST_MS) / len(self.seeds))

    def parts(self, calls: Sequence[int], count: int, seed: int, run: bool = False) -> Parts:
        """Some of what calls of the last turn returned; with ``run`` of this one, before it is waited for."""
        asked = {"calls": list(calls), "count": count, "seed": seed, "run": run}
        reply = self._ask("parts", json.dumps(asked))
        shapes = self._read(reply)
        tensors = [each.tensor for each in reply.outputs[1:] if each.tensor is not None]
        if not _are_shapes(shapes, len(calls), tensors, count):
            raise ProtocolViolation("did not say what its calls returned", _DURING)
        return Parts(tuple(calls), tuple(self.seeds[call] for call in calls), shapes, tensors, seed)

    def end(self) -> dict[str, str]:
        """Free everything; the settings of the worker's device, by name."""
        found = self._read(self._ask("end"))
        if not isinstance(found, dict):
            raise ProtocolViolation("did not say how its device is set", _DURING)
        return {str(name): str(value) for name, value in found.items()}

    def free_bytes(self) -> int:
        """Free memory of the device in bytes, all processes considered."""
        return int(self._read(self._ask("free_bytes")))

    def copy_rate(self) -> float:
        """Bytes per millisecond of a large copy on the device."""
        return float(self._read(self._ask("copy_rate", self._plan["clock"])))

    def compare(self, exercise: Path, parts: Parts, count: int) -> dict[str, Any] | None:
        """Where what the submission returned differs from the reference of the exercise; None if nowhere."""
        asked = {
            "exercise": str(exercise), "arguments": self._plan["arguments"], "device": self._plan["device"],
            "calls": parts.calls, "seeds": parts.seeds, "shapes": parts.shapes, "places": parts.places,
            "count": count,
        }  # fmt: skip
        device = str(self._plan["device"])
        sent = [TensorArg(each, device, name="result") for each in parts.tensors]
        found = self._read(self._ask("compare", json.dumps(asked), *sent))
        return found if isinstance(found, dict) else None

    def _ask(self, function: str, *args: Arg, trace: bool = False) -> Reply:
        reply = self._session.run_inside(
            f"{self.inside}:{function}", list(args), trace=trace, seconds=self._seconds
        )
        if reply.error is not None:
            raise RaisedError(reply.error)
        return reply

    def _read(self, reply: Reply) -> Any:
        """The text of a reply as JSON: whatever is not, breaks the protocol."""
        try:
            return json.loads(reply.outputs[0].value)  # type: ignore[arg-type]
        except (IndexError, TypeError, ValueError, RecursionError) as error:
            raise ProtocolViolation("sent an answer that cannot be read", _DURING) from error

    def _numbers(self, reply: Reply, *names: str) -> dict[str, float]:
        found = self._read(reply)
        values = {name: found.get(name) if isinstance(found, dict) else None for name in names}
        if not all(map(_is_plausible, values.values())):
            raise ProtocolViolation("sent an answer without the numbers it was asked for", _DURING)
        return {name: float(each) for name, each in values.items() if each is not None}


def _is_plausible(value: Any) -> bool:
    """Whether a claim is a number that a time or a size can be."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < _MOST


def _are_shapes(found: Any, calls: int, tensors: Sequence[Tensor], count: int) -> bool:
    """Whether it is a list for each call, of a shape, a dtype and a device for each tensor.

    ``tensors`` are as many elements of the results as `turns.places` asks for.
    """
    try:
        each = [result for call in found for result in call]
        if len(found) != calls or len(each) != len(tensors):
            return False
        return all(
            all(isinstance(extent, int) and 0 <= extent < _MOST for extent in shape)
            and isinstance(dtype, str)
            and isinstance(device, str)
            and math.prod(shape) < _MOST
            and tensor.shape == places(math.prod(shape), count, 0).shape
            for (shape, dtype, device), tensor in zip(each, tensors, strict=True)
        )
    except (TypeError, ValueError):
        return False
