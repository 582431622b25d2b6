"""In a worker: sets of inputs on the device, calls on all of them, and what the calls returned.

A turn is filled before it is run: every call of it finds inputs of its own, drawn on the device from a seed
that the parent chose a moment before. What the calls return is kept until the next filling, so that the
parent can ask, afterwards, for parts of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeAlias

import torch
from torch import Tensor

from grader.specification import Argument, TensorSpec
from grader.specification.vocabulary import leaves
from grader.support.backends import WorkerBackend

Call: TypeAlias = Callable[..., object]
_AHEAD_CYCLES = 40_000  # a call: about 20 microseconds, more than it takes to launch one
_ENDS = 64  # elements at either end of a result, which are always looked at


def described(arguments: Sequence[Argument]) -> list[Any]:
    """Arguments as JSON has them; :func:`allocated` makes tensors of them."""
    return [_described(each) for each in arguments]


def _described(argument: Argument) -> Any:
    if isinstance(argument, TensorSpec):
        return {"tensor": asdict(argument)}
    return [_described(each) for each in argument] if isinstance(argument, list) else argument


def device_of(backend: WorkerBackend) -> str:
    """Where timed calls find their inputs; ``plain`` has no device."""
    return "cpu" if backend == "plain" else "cuda:0"


def allocated(arguments: Sequence[Any], device: str) -> list[Any]:
    """The arguments of one call, as :func:`described` gave them: every tensor allocated, none drawn."""
    return [_allocated(each, device) for each in arguments]


def _allocated(argument: Any, device: str) -> Any:
    if isinstance(argument, dict):
        spec = argument["tensor"]
        return torch.empty(spec["shape"], dtype=getattr(torch, spec["dtype"]), device=device)
    return allocated(argument, device) if isinstance(argument, list) else argument


def draw_into(given: Sequence[Any], arguments: Sequence[Any], seed: int) -> None:
    """New values for every tensor in ``given``, in the range of its description; ``seed`` decides them.

    On one kind of device and version of torch, every process draws the same.
    """
    generator: torch.Generator | None = None
    for tensor, argument in zip(leaves(given, Tensor), leaves(arguments, dict), strict=True):
        if generator is None:
            generator = torch.Generator(device=tensor.device).manual_seed(seed)
        _draw(tensor, argument["tensor"]["low"], argument["tensor"]["high"], generator)


def _draw(tensor: Tensor, low: float, high: float, generator: torch.Generator) -> None:
    if tensor.is_complex():
        _draw(torch.view_as_real(tensor), low, high, generator)
    elif tensor.is_floating_point():
        tensor.uniform_(low, high, generator=generator)
    elif tensor.dtype == torch.bool:
        tensor.random_(0, 2, generator=generator)
    else:
        least = max(int(low), torch.iinfo(tensor.dtype).min)
        tensor.random_(least, int(high) + 1, generator=generator)


def results_of(returned: object) -> tuple[Tensor, ...]:
    """The tensors that a call returned, alone or in a tuple or list; raises TypeError for anything else."""
    results = returned if isinstance(returned, (tuple, list)) else (returned,)
    if not all(isinstance(each, Tensor) for each in results):
        raise TypeError("a timed call returned something that is not a tensor")
    return tuple(results)


def places(numel: int, count: int, seed: int) -> Tensor:
    """Positions in a flat result of ``numel`` elements: random ones, and those at either end; all, if few."""
    if numel <= count:
        return torch.arange(numel)
    drawn = torch.randint(numel, (count,), generator=torch.Generator().manual_seed(seed))
    ends = torch.arange(min(_ENDS, numel // 2))
    return torch.cat([ends, drawn, numel - 1 - ends])


class Turns:
    """``call`` on many sets of ``arguments``; on a GPU the device's own clock is read as well."""

    def __init__(self, call: Call, arguments: Sequence[Any], device: str, on_gpu: bool) -> None:
        self._call = call
        self._arguments = arguments
        self._device = device
        self.on_gpu = on_gpu
        self._sets: list[list[Any]] = []
        self._kept: list[object] = []
        self._span: Callable[[], float] = lambda: 0.0
        self._flush = _larger_than_l2() if on_gpu else None

    @property
    def set_bytes(self) -> int:
        """What one set of inputs takes."""
        sets = self._sets or [allocated(self._arguments, self._device)]
        return sum(tensor.nbytes for tensor in leaves(sets[0], Tensor))

    @property
    def result_bytes(self) -> int:
        """What one call of the last turn returned."""
        return sum(each.nbytes for each in results_of(self._kept[0])) if self._kept else 0

    def fill(self, seeds: Sequence[int]) -> None:
        """Drop what the last turn returned, draw one set of inputs for each seed, and leave none in L2."""
        self._kept.clear()
        del self._sets[len(seeds) :]
        while len(self._sets) < len(seeds):
            self._sets.append(allocated(self._arguments, self._device))
        for seed, given in zip(seeds, self._sets, strict=True):
            draw_into(given, self._arguments, seed)
        if self._flush is not None:
            self._flush.zero_()
            torch.cuda.synchronize()

    def run(self, ahead: bool) -> None:
        """One call on each set. With ``ahead`` the device waits until all calls are launched.

        The caller waits for the device: the parent's clock runs until then.
        """
        if not self.on_gpu:
            begun = time.perf_counter()
            self._kept.extend(self._call(*given) for given in self._sets)
            ended = time.perf_counter()
            self._span = lambda: (ended - begun) * 1e3
            return
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
        if ahead:
            torch.cuda._sleep(self._head_start_cycles())  # type: ignore[no-untyped-call]
        start.record()
        self._kept.extend(self._call(*given) for given in self._sets)
        stop.record()
        self._span = lambda: start.elapsed_time(stop)

    def _head_start_cycles(self) -> int:
        """How long the device waits for the launches of a turn."""
        return _AHEAD_CYCLES * max(1, len(self._sets))

    def span(self) -> float:
        """Milliseconds of the last turn on the device, from before its first call to after its last."""
        return self._span()

    def parts(self, calls: Sequence[int], count: int, seed: int) -> list[tuple[Tensor, ...]]:
        """Some elements of each result of the named calls, flat; see :func:`places`."""
        found = []
        for call in calls:
            results = [each.detach().reshape(-1) for each in results_of(self._kept[call])]
            where = [places(each.numel(), count, seed).to(each.device) for each in results]
            found.append(tuple(each[at] for each, at in zip(results, where, strict=True)))
        return found

    def shapes(self, calls: Sequence[int]) -> list[list[tuple[list[int], str, str]]]:
        """Shape, dtype and device of each result of the named calls."""
        return [
            [(list(each.shape), str(each.dtype), str(each.device)) for each in results_of(self._kept[call])]
            for call in calls
        ]


def _larger_than_l2() -> Tensor:
    l2_bytes = torch.cuda.get_device_properties(torch.cuda.current_device()).L2_cache_size
    return torch.empty(2 * l2_bytes, dtype=torch.uint8, device="cuda")
