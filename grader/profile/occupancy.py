"""Theoretical occupancy: how many warps of a launch one multiprocessor holds at a time, and what ends it.

The rules are those of CUDA's occupancy calculator (`cuda_occupancy.h` of the toolkit) for devices of compute
capability 8 and 9: registers are given to a warp in units of 256, in four partitions; shared memory to a
block in units of 128 bytes, after 1 KiB for the system.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path

WARP = 32  # threads
REGISTER_UNIT = 256  # registers of a warp
PARTITIONS = 4  # of a multiprocessor's registers
SHARED_UNIT = 128  # bytes of a block
MOST_REGISTERS = 255  # of a thread

_LIMITS_HEADER = Path(__file__).parent.parent / "simt" / "runtime" / "device_limits.h"


@dataclass(frozen=True)
class Device:
    """What one multiprocessor of a device holds; shared memory in bytes."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    threads: int
    blocks: int
    registers: int
    shared: int
    shared_reserved: int  # of each block, for the system

    @property
    def warps(self) -> int:
        return self.threads // WARP


@dataclass(frozen=True)
class Occupancy:
    """`blocks` and `warps` that a multiprocessor holds, of at most `most_warps`.

    `limit` names what a further block would lack: ``warps``, ``blocks``, ``registers`` or ``shared memory``;
    `registers_known` is False when registers were left out of the account.
    """

    blocks: int
    warps: int
    most_warps: int
    limit: str
    registers_known: bool = True

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.warps / self.most_warps


@functools.cache
def simulated_device() -> Device:
    """The device whose limits the simulated GPU has, read from the runtime's own header."""
    text = _LIMITS_HEADER.read_text(encoding="utf-8")
    constants = {name: int(value) for name, value in re.findall(r"\b(k\w+) = (\d+)[,;]", text)}
    name = re.search(r'kDeviceName\[\] = "([^"]+)"', text)
    return Device(
        name=name[1] if name else "the simulated GPU",
        capability=(constants["kMajor"], constants["kMinor"]),
        multiprocessors=constants["kMultiprocessors"],
        threads=constants["kThreadsPerMultiprocessor"],
        blocks=constants["kBlocksPerMultiprocessor"],
        registers=constants["kRegistersPerMultiprocessor"],
        shared=constants["kSharedPerMultiprocessor"],
        shared_reserved=constants["kReservedSharedPerBlock"],
    )


def occupancy(device: Device, threads: int, registers: int | None, shared: int) -> Occupancy:
    """For blocks of `threads`, `registers` a thread (None: not known), `shared` bytes a block in all."""
    warps = -(-threads // WARP)
    limits = {"warps": device.warps // warps, "blocks": device.blocks}
    if registers is not None:
        limits["registers"] = _by_registers(device, warps, registers)
    limits["shared memory"] = device.shared // _rounded(shared + device.shared_reserved, SHARED_UNIT)
    blocks = min(limits.values())
    limit = next(name for name, most in limits.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, device.warps, limit, registers is not None)


def _by_registers(device: Device, warps: int, registers: int) -> int:
    of_warp = max(_rounded(registers * WARP, REGISTER_UNIT), REGISTER_UNIT)
    too_many = of_warp * _rounded(warps, PARTITIONS) > device.registers or registers > MOST_REGISTERS
    return 0 if too_many else device.registers // PARTITIONS // of_warp * PARTITIONS // warps


def _rounded(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit
