"""The current device, stream and mode of a call."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.support.backends import WorkerBackend

_CYCLES_OF_MS = 2_000_000  # at the clock of a large GPU; a smaller one takes a little longer


@dataclass(frozen=True)
class DeviceStream:
    """A device, and a stream of its that is not the default one, or None; tensors arrive there ``late_ms``
    after the call began: longer than any launch takes, so that work on the wrong stream comes too early.
    """

    device: int
    side: torch.cuda.Stream | None
    late_ms: float

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """Make device and stream current."""
        with torch.cuda.device(self.device), torch.cuda.stream(self.side):
            yield


class DeviceStreams:
    """Makes places for a backend; on the CPU there is only one, and nothing to make current."""

    def __init__(self, backend: WorkerBackend) -> None:
        self.on_cpu = backend == "plain"
        self._delays = backend == "cuda"

    def place(self, device: int, stream: str, late_ms: float) -> DeviceStream | None:
        """Device `device` with its default stream, or with a fresh one if `stream` is `side`."""
        if self.on_cpu:
            return None
        side = torch.cuda.Stream(device) if stream == "side" else None  # type: ignore[no-untyped-call]
        return DeviceStream(device, side, late_ms)

    def current(self, place: DeviceStream | None) -> contextlib.AbstractContextManager[None]:
        """Make `place` current."""
        return contextlib.nullcontext() if place is None else place.current()

    def autocast(self, dtype: str | None) -> contextlib.AbstractContextManager[object]:
        """A region of `torch.autocast` with that dtype, or none."""
        if dtype is None:
            return contextlib.nullcontext()
        return torch.autocast("cpu" if self.on_cpu else "cuda", dtype=getattr(torch, dtype))

    def deliver(self, place: DeviceStream | None, arriving: Sequence[Tensor]) -> None:
        """On a GPU's side stream, empty the tensors and fill them again late, on that stream only.

        The simulated device knows the stream of each launch; on a real one, whoever reads the tensors on
        another stream reads zeros.
        """
        if self._delays and place is not None and place.side is not None:
            _deliver_late([tensor for tensor in arriving if tensor.is_cuda], place.late_ms)


@contextlib.contextmanager
def determinism(wanted: bool) -> Iterator[None]:
    """PyTorch's deterministic mode, on or off, whatever it was before and is again afterwards.

    `torch.use_deterministic_algorithms` would first import the compiler, to set an option of its.
    """
    before = torch._C._get_deterministic_algorithms(), torch._C._get_deterministic_algorithms_warn_only()
    torch._C._set_deterministic_algorithms(wanted, warn_only=False)
    try:
        yield
    finally:
        torch._C._set_deterministic_algorithms(before[0], warn_only=before[1])


def _deliver_late(arriving: Sequence[Tensor], late_ms: float) -> None:
    staged = [(tensor, tensor.clone()) for tensor in arriving]
    for tensor, _ in staged:
        tensor.zero_()
    torch.cuda.synchronize()
    torch.cuda._sleep(round(late_ms * _CYCLES_OF_MS))  # type: ignore[no-untyped-call]
    for tensor, sent in staged:
        tensor.copy_(sent)
