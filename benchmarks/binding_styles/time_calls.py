"""Prints what a call of a sample costs on the host, in microseconds, as JSON.

Run in the folder of one of docs/samples/bindings after it was built. The operands have 8 elements, so that
the launch is the work; the GPU finishes each launch before the next one is queued, or soon after.
"""

from __future__ import annotations

import json
import sys
import timeit
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path.cwd()))

import run  # the sample's

ROUNDS, CALLS = 30, 200  # few enough calls that the queue of launches never fills


def microseconds(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """The least mean of a round: what a call costs when nothing else interrupts it."""

    def one_round() -> float:
        seconds = timeit.timeit(call, number=CALLS) / CALLS
        wait()
        return seconds

    return min(one_round() for _ in range(ROUNDS)) * 1e6


def arrays() -> dict[str, float]:
    import numpy as np

    x, y = np.ones((2, 8), np.float32)
    return {"call": microseconds(lambda: run.axpy(2.5, x, y), lambda: None)}


def bound() -> Callable[..., object] | None:
    """The function of pybind11 that the sample wraps in an autograd.Function, if it does."""
    module = getattr(run, "module", None) or sys.modules.get("axpy._C")
    function: Callable[..., object] | None = getattr(module, "axpy", None)
    return function


def tensors() -> dict[str, float]:
    import torch

    wait = torch.cuda.synchronize
    x, y = torch.ones(2, 8, device="cuda")
    wanted = torch.ones(8, device="cuda", requires_grad=True)
    microseconds(lambda: torch.add(y, x, alpha=2.5), wait)  # an idle machine's clocks are low
    function = bound()
    alone = {} if function is None else {"bound": microseconds(lambda: function(2.5, x, y), wait)}
    return alone | {
        "call": microseconds(lambda: run.axpy(2.5, x, y), wait),
        "recording": microseconds(lambda: run.axpy(2.5, wanted, y), wait),
        "torch.add": microseconds(lambda: torch.add(y, x, alpha=2.5), wait),
        "torch.add recording": microseconds(lambda: torch.add(y, wanted, alpha=2.5), wait),
    }


if __name__ == "__main__":
    print(json.dumps(arrays() if "torch" not in sys.modules else tensors()))
