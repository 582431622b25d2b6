"""`triton.autotune` without a clock: every configuration runs once, and all have to leave the same values.

Nothing can be timed here, so the first configuration is taken. On a GPU any may be the fastest, so one that
gives another answer is a mistake on every machine on which it wins. The simulated device compares them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from cusimt.triton import failures, grid
from cusimt.triton.memory import bytes_at

_SECONDS = (1.0, 1.0, 1.0)  # of every configuration: the first of equals is taken
_TOLERANCE = {"torch.float16": 1e-2, "torch.bfloat16": 5e-2, "torch.float32": 1e-3, "torch.float64": 1e-8}
POISON = 0xA5  # each byte of fresh device memory (runtime/arena.h)
_MOST_BYTES = 1 << 26  # of a tensor that is compared


_ZEROED = (
    "It is zeroed before each run, so programs add other numbers to it: do their tiles overlap, or leave "
    "elements out? Compare the first tile of a program, and the step of its loop, with the size of a tile."
)
_KEPT = (
    "Autotuning runs one after another: a tensor to which the kernel adds must be named in reset_to_zero. "
    "Any other has each of its elements written by one program."
)


class DifferentAnswers(RuntimeError):
    """Two configurations of a kernel leave different values in a tensor."""


def bench(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Autotuner._bench`: runs the configuration once, and compares what it leaves with the first one's."""

    def run_once(tuner: Any, *arguments: Any, config: Any, **meta: Any) -> Any:
        tensors = {name: each for name, each in tuner.nargs.items() if hasattr(each, "data_ptr")}
        before, tuner._do_bench = tuner._do_bench, _once
        tuner.__dict__.pop("do_bench", None)
        grid.trying = True
        try:
            with failures.forgiven():  # Triton passes over a configuration that this machine cannot run
                seconds = original(tuner, *arguments, config=config, **meta)
        finally:
            grid.trying = False
            tuner._do_bench = before
            tuner.__dict__.pop("do_bench", None)
        with failures.remembered():
            _compare(tuner, config, {name: _values(each) for name, each in tensors.items()})
        return seconds

    return run_once


def run(original: Callable[..., Any]) -> Callable[..., Any]:
    """`Autotuner.run`: what the configurations of one call left is forgotten with it."""

    def tuned(tuner: Any, *arguments: Any, **keywords: Any) -> Any:
        if grid.without_memory((*arguments, *keywords.values())):
            return None
        tuner.left_by_first = None
        try:
            return original(tuner, *arguments, **keywords)
        finally:
            tuner.left_by_first = None
            tuner.nargs = None  # which Triton drops only after a call that ended well

    return tuned


def _once(call: Callable[[], Any], quantiles: Any = None) -> tuple[float, ...]:
    call()
    return _SECONDS


def _compare(tuner: Any, config: Any, values: dict[str, Any]) -> None:
    if tuner.left_by_first is None:
        tuner.left_by_first = config, values
        return
    first, expected = tuner.left_by_first
    for name, left in values.items():
        other = _difference(expected[name], left)
        if other:
            raise DifferentAnswers(
                f"`{tuner.base_fn.__name__}` leaves different values in `{name}` with {_named(first)} and "
                f"with {_named(config)}: {other}. Any of them may be the fastest, so all must give the same "
                f"answer. {_ZEROED if name in (tuner.reset_to_zero or ()) else _KEPT}"
            )


def _difference(expected: Any, left: Any) -> str:
    """Of the first element that differs, or ``""``."""
    if expected is None or left is None:
        return ""
    kind, one = expected
    other = left[1]
    tolerance = _TOLERANCE.get(kind, 0.0)
    with numpy.errstate(all="ignore"):
        limit = tolerance * numpy.maximum(1, numpy.maximum(abs(one), abs(other)))
        same = (abs(one - other) <= limit) | (one == other) | ((one != one) & (other != other))
    if same.all():
        return ""
    index = int(numpy.argmin(same))
    return f"element {index} is {_shown(one[index], kind)} and {_shown(other[index], kind)}"


def _shown(value: Any, kind: str) -> str:
    """The value, unless it is what fresh device memory holds."""
    import torch

    dtype = getattr(torch, kind.removeprefix("torch."))
    fresh = torch.frombuffer(bytearray([POISON] * dtype.itemsize), dtype=dtype)[0].item()
    return "not written" if value == fresh else f"{value:.6g}"


def _values(tensor: Any) -> Any:
    """The name of the dtype and the values of the whole storage; None for what is not compared."""
    import torch

    tensor = getattr(tensor, "base", tensor)
    storage = tensor.untyped_storage()
    if not isinstance(tensor, torch.Tensor) or not 0 < storage.nbytes() <= _MOST_BYTES:
        return None
    held = torch.frombuffer(bytearray(bytes_at(storage.data_ptr(), storage.nbytes())), dtype=tensor.dtype)
    return str(tensor.dtype), held.double().numpy() if tensor.is_floating_point() else held.numpy()


def _named(config: Any) -> str:
    constants = {**config.kwargs, "num_warps": config.num_warps}
    return ", ".join(f"{name}={value}" for name, value in constants.items())
