"""The worker's part of `grader bench`: one contender at a time, timed by turns like those of the speed check.

Turns are filled, and their results looked at, by the functions of `grader.checks.timing.inside`. What the
submission's worker answers is a claim, as there; nothing is graded by it.
"""

from __future__ import annotations

import functools
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from grader.checks.timing.inside import _turns, compare, fill, parts, span
from grader.checks.timing.timed_calls import Call, Turns

__all__ = ["begin", "compare", "end", "facts", "fill", "parts", "run", "span", "times", "warm"]

_CYCLES_A_MS = 2_000_000  # at most, on the GPUs of today
_WARM_CALLS = 3
_compiled: dict[tuple[str, str, str], Call] = {}  # for one set of shapes and dtypes at a time
_compiled_for: list[Any] = []


class QueuedTurns(Turns):
    """Turns for which the device waits as long as it is told: `torch.compile` takes long to launch a call."""

    head_start_ms = 0.0
    launch_ms = 0.0  # what the host took to launch the last turn

    def run(self, ahead: bool) -> None:
        begun = time.perf_counter()
        super().run(ahead)
        self.launch_ms = (time.perf_counter() - begun) * 1e3

    def _head_start_cycles(self) -> int:
        return int(self.head_start_ms * _CYCLES_A_MS)

    def forget(self) -> None:
        """Drop what the last turn returned."""
        self._kept.clear()


def begin(submission: Any, plan: str) -> str:
    """Get ready to time the call that ``plan`` names.

    Answers with the bytes of one set of inputs and those that are free on the device.
    """
    asked = json.loads(plan)
    on_gpu = asked["clock"] == "events"
    end(submission)
    turns = QueuedTurns(_callable(submission, asked), asked["arguments"], asked["device"], on_gpu)
    _turns[:] = [turns]
    free = torch.cuda.mem_get_info()[0] if on_gpu else 1 << 30
    return json.dumps({"set_bytes": turns.set_bytes, "free_bytes": free})


def _callable(submission: Any, asked: dict[str, Any]) -> Call:
    """An entry of the submission; an expression, or without one the reference of an exercise, compiled if
    a mode is named.
    """
    if asked["entry"]:
        found = submission
        for name in asked["entry"].split("."):
            found = getattr(found, name)
        return found  # type: ignore[no-any-return]
    if not asked["mode"]:
        return _plain(asked)
    if _compiled_for != asked["arguments"]:
        import torch._dynamo

        torch._dynamo.reset()  # else later shapes reach the limit of recompilations, and run uncompiled
        _compiled.clear()
        _compiled_for[:] = asked["arguments"]
    key = asked["exercise"], asked["expression"], asked["mode"]
    if key not in _compiled:
        _compiled[key] = _compile(_plain(asked), asked["mode"])
    return _compiled[key]


def _plain(asked: dict[str, Any]) -> Call:
    if asked["expression"]:
        return eval(asked["expression"], {"torch": torch})  # type: ignore[no-any-return]  # an author's
    return _reference(asked["exercise"])


@functools.cache
def _reference(exercise: str) -> Call:
    from grader.course.exercise import read_exercise
    from grader.specification import load_spec

    return load_spec(read_exercise(Path(exercise))).reference


def _compile(function: Call, mode: str) -> Call:
    import torch._inductor.config

    torch._inductor.config.compile_threads = 1  # a worker starts no pool of processes
    compiled: Callable[..., object] = torch.compile(function, dynamic=False, mode=mode)
    return compiled


def warm(submission: Any, seed: int) -> str:
    """Call until nothing is loaded or compiled any more; answers with the bytes of a call.

    ``result_bytes`` is what a call returns, ``peak_bytes`` the most that it has allocated at any moment
    beyond its inputs, ``launch_ms`` what the host takes to launch it.
    """
    turns = _queued()
    with torch.no_grad():
        for number in range(_WARM_CALLS):
            turns.fill([seed + number])
            turns.run(ahead=False)
            _wait(turns)
        turns.forget()
        before = _allocated(turns)
        turns.run(ahead=False)
        _wait(turns)
    peak = torch.cuda.max_memory_allocated() - before if turns.on_gpu else turns.result_bytes
    return json.dumps({
        "result_bytes": turns.result_bytes, "peak_bytes": peak, "launch_ms": turns.launch_ms,
    })  # fmt: skip


def run(submission: Any, head_start_ms: float) -> None:
    """The calls of a turn, launched while the device waits for ``head_start_ms``."""
    turns = _queued()
    turns.head_start_ms = head_start_ms
    with torch.no_grad():
        turns.run(ahead=True)


def times(submission: Any) -> str:
    """Milliseconds of the last turn: on the device, and on the host to launch it."""
    turns = _queued()
    _wait(turns)
    return json.dumps({"ms": turns.span(), "launch_ms": turns.launch_ms})


def end(submission: Any) -> str:
    """Free the memory of the last contender, also what PyTorch keeps: the next may be in another process."""
    _turns.clear()
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        torch.cuda.empty_cache()
    return json.dumps({})


def facts(submission: Any, clock: str) -> str:
    """The device's name and its memory in bytes, free and in all."""
    if clock != "events":
        return json.dumps({"name": "the host", "free_bytes": 1 << 30, "total_bytes": 1 << 30})
    free, total = torch.cuda.mem_get_info()
    return json.dumps({"name": torch.cuda.get_device_name(), "free_bytes": free, "total_bytes": total})


def _queued() -> QueuedTurns:
    (turns,) = _turns
    assert isinstance(turns, QueuedTurns)
    return turns


def _wait(turns: Turns) -> None:
    if turns.on_gpu:
        torch.cuda.synchronize()


def _allocated(turns: Turns) -> int:
    """Bytes that are allocated now, from which the peak counts."""
    if not turns.on_gpu:
        return 0
    torch.cuda.reset_peak_memory_stats()
    return torch.cuda.memory_allocated()
