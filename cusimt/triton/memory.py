"""The accesses of a grid of programs to the simulated device's memory: `simt_programs_*` of simt_api.h."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from cusimt.device.driver import Driver

_POINTER = ctypes.c_void_p
_driver: Driver | None = None


def use(driver: Driver) -> None:
    """From now on programs run on the device of this driver."""
    global _driver
    _driver = driver


def driver() -> Driver:
    """The device that is in use."""
    if _driver is None:
        raise RuntimeError("the simulated device is not active")
    return _driver


class _Grid(ctypes.Structure):
    _fields_ = (
        ("grid", ctypes.c_uint32 * 3), ("warps", ctypes.c_int), ("stream", _POINTER),
        ("kernel", ctypes.c_char_p), ("source", ctypes.c_char_p), ("file", ctypes.c_char_p),
        ("line", ctypes.c_int), ("pointers", _POINTER), ("pointer_count", ctypes.c_size_t),
        ("is_trial", ctypes.c_int),
    )  # fmt: skip


class _Tile(ctypes.Structure):
    _fields_ = (
        ("line", ctypes.c_int), ("bytes", ctypes.c_uint32), ("count", ctypes.c_size_t),
        ("addresses", _POINTER), ("mask", _POINTER),
    )  # fmt: skip


@dataclass(frozen=True)
class Launch:
    """What a launch needs beside the kernel's arguments; `source` and `file` are paths."""

    grid: tuple[int, int, int]
    warps: int
    stream: int
    kernel: str
    source: str
    file: str
    line: int
    pointers: Sequence[int]  # to device memory
    is_trial: bool = False  # by which autotuning compares configurations


class Memory:
    """The device's memory, as the programs of one launch see it; closed in the end."""

    def __init__(self, launch: Launch) -> None:
        self._driver = driver()
        pointers = numpy.array(launch.pointers, dtype=numpy.uint64)
        grid = _Grid(
            (ctypes.c_uint32 * 3)(*launch.grid), launch.warps, launch.stream, launch.kernel.encode(),
            launch.source.encode(), launch.file.encode(), launch.line, pointers.ctypes.data, len(pointers),
            int(launch.is_trial),
        )  # fmt: skip
        self._programs = self._driver.simt_programs_begin(ctypes.byref(grid))

    def next(self) -> int:
        """The index of the program that runs now; the number of programs when all have run."""
        return int(self._driver.simt_programs_next(self._programs))

    def load(self, line: int, addresses: Any, mask: Any, values: Any) -> Any:
        """`values`, with what is in memory where `mask` is true."""
        tile = _TileOf(line, addresses, mask, values.itemsize)
        values = numpy.array(values, order="C")
        self._driver.simt_programs_load(self._programs, ctypes.byref(tile.tile), values.ctypes.data)
        return values

    def store(self, line: int, addresses: Any, mask: Any, values: Any) -> None:
        """Writes `values` where `mask` is true."""
        tile = _TileOf(line, addresses, mask, values.itemsize)
        values = numpy.ascontiguousarray(numpy.broadcast_to(values, addresses.shape))
        self._driver.simt_programs_store(self._programs, ctypes.byref(tile.tile), values.ctypes.data)

    def update(
        self, line: int, addresses: Any, mask: Any, itemsize: int, compute: Callable[[Any], Any]
    ) -> Any:
        """Atomics: `compute` makes them, given which elements take part, with the memory open to the host."""
        tile = _TileOf(line, addresses, mask, itemsize)
        usable = numpy.zeros(addresses.shape, dtype=bool)
        runtime, programs = self._driver, self._programs
        runtime.simt_programs_begin_update(programs, ctypes.byref(tile.tile), usable.ctypes.data)
        runtime.simt_open_shield(1)
        try:
            result = compute(usable)
        finally:
            runtime.simt_open_shield(0)
        runtime.simt_programs_end_update(programs)
        return result

    def launch(self) -> int:
        """What the programs did, checked as a launch: 0 or a cudaError_t."""
        return int(self._driver.simt_programs_launch(self._programs))

    def close(self) -> None:
        """What was not launched is undone."""
        self._driver.simt_programs_end(self._programs)


class _TileOf:
    """The C structure of a tile, and the arrays that it points to."""

    def __init__(self, line: int, addresses: Any, mask: Any, itemsize: int) -> None:
        self._addresses = numpy.ascontiguousarray(addresses, dtype=numpy.uint64)
        self._mask = numpy.ascontiguousarray(numpy.broadcast_to(mask, addresses.shape), dtype=bool)
        self.tile = _Tile(
            line, itemsize, self._addresses.size, self._addresses.ctypes.data, self._mask.ctypes.data
        )


def bytes_at(address: int, count: int) -> bytes:
    """What is in device memory."""
    runtime = driver()
    runtime.simt_open_shield(1)
    try:
        return ctypes.string_at(address, count)
    finally:
        runtime.simt_open_shield(0)
