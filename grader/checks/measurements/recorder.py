"""The sequence of a benchmark's operations as letters, and whether they left the L2 cache cold.

Used in the worker: what it writes down is a claim.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

# Of a simulated GPU while a benchmark runs. An H200 has 60 MiB, and the CPU fills twice that for each round.
SIMULATED_L2_BYTES = 16 << 20
LONGEST = 4000  # letters of the record that are kept, the last ones


class Recorder(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """What the benchmark does, in letters.

    C is a planted call, R an event recorded, W a wait for the device, T a clock read, F an operator that
    touches as many bytes as L2 holds, o one that touches fewer, h one that touches none, E ``empty_cache``, P
    a reset of the peak, V a question for reserved memory.
    """

    def __init__(self, l2_bytes: int) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._l2_bytes = l2_bytes
        self._letters: list[str] = []
        self._paused = False
        self.touched: dict[int, int] = {}  # bytes of each storage since a planted call

    def note(self, letter: str) -> None:
        if not self._paused:
            self._letters.append(letter)

    def text(self) -> str:
        return "".join(self._letters[-LONGEST:])

    @property
    def evicted(self) -> bool:
        """Whether L2 has been filled with something else since the last planted call."""
        return sum(self.touched.values()) >= self._l2_bytes

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A planted call is none of the benchmark's doing."""
        self.note("C")
        self._paused = True
        try:
            yield
        finally:
            self._paused = False
            self.touched.clear()

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:  # what torch.utils calls it
        result = function(*args, **(kwargs or {}))
        if not self._paused and not function.is_view and "empty" not in function.name():
            found = _touched_bytes([*args, *(kwargs or {}).values(), result])
            for storage, nbytes in found.items():
                self.touched[storage] = max(nbytes, self.touched.get(storage, 0))
            size = sum(found.values())
            self.note("F" if size >= self._l2_bytes else "o" if size else "h")
        return result


def _touched_bytes(values: Any) -> dict[int, int]:
    """Bytes of the CUDA tensors among the arguments and results, by storage: no more than it has."""
    found: dict[int, int] = {}
    for value in values:
        for each in value if isinstance(value, tuple | list) else (value,):
            if isinstance(each, Tensor) and each.is_cuda:
                storage = each.untyped_storage()
                nbytes = min(each.nbytes, storage.nbytes())
                found[storage.data_ptr()] = max(nbytes, found.get(storage.data_ptr(), 0))
    return found
