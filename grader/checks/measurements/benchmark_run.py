"""Run a learner's benchmark once in the worker, and report failures before it returns numbers."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from grader.checks.bench import Bench
from grader.checks.measurements.subject import Run

_INSIDE = Path(__file__).resolve().parent / "inside.py"
_SECONDS = 60.0


@dataclass(frozen=True)
class Problem:
    """Why a workload earns nothing: what is wrong, and the ``cause`` if it is known.

    ``topic`` is an anchor of the lesson.
    """

    sentence: str
    topic: str
    cause: str = ""
    expected: str = ""
    got: str = ""


def ask(bench: Bench, function: str, entry: str, plan: dict[str, Any]) -> Run | Problem:
    """Call the learner's ``entry`` within ``function`` of `inside.py`; what it raises is a problem."""
    arguments = [entry, json.dumps(plan), bench.backend == "simt"]
    bench.pending = f"{entry}(...)"
    reply = bench.session.run_inside(f"{_INSIDE}:{function}", arguments, seconds=_SECONDS)
    bench.pending = ""
    if reply.error is not None:
        return Problem(f"`{entry}` raised an error: {reply.error}.", "errors")
    return _read(entry, reply.outputs[0].value if reply.outputs else None)


def uniform(bench: Bench, *labels: object) -> Callable[[float, float], float]:
    """Draws numbers between two bounds, which depend on the verdict's seed and the labels only."""
    generator = bench.generator(*labels)

    def draw(low: float, high: float) -> float:
        return low + (high - low) * torch.rand((), generator=generator, dtype=torch.float64).item()

    return draw


def _read(entry: str, answer: Any) -> Run | Problem:
    """The returned report, which is untrusted: any form but the required one is wrong."""
    try:
        found = json.loads(answer)
        claimed = found["reported"].items()
        reported = {str(name): None if value is None else float(value) for name, value in claimed}
        calls = tuple(int(each) for each in found["calls"])
        return Run(reported, calls, str(found["done"]), int(found["live"]))
    except (TypeError, ValueError, KeyError, AttributeError, OverflowError, RecursionError, MemoryError):
        return Problem(f"`{entry}` ended without saying what it measured.", "errors")
