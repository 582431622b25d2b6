"""Theoretical occupancy: how many warps of a launch one multiprocessor holds at a time, and what ends it.

The rules are those of CUDA's occupancy calculator (`cuda_occupancy.h` of the toolkit) for devices of compute
capability 7.5 to 9: registers are given to a warp in units of 256, in four partitions; shared memory to a
block in units of 128 bytes (256 before capability 8), after what the system keeps of it.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass

from cusimt.folders import RUNTIME
from cusimt.gpu_models import DEVICE_VARIABLE, architecture

__all__ = ["WARP", "Occupancy", "simulated_device"]

WARP = 32  # threads
REGISTER_UNIT = 256  # registers of a warp
PARTITIONS = 4  # of a multiprocessor's registers
MOST_REGISTERS = 255  # of a thread

_MODEL = re.compile(r'\{"(\w+)", ([^{}]*)\}')  # a row of kModels: the key, then the rest of DeviceModel


@dataclass(frozen=True)
class Device:
    """What one multiprocessor of a device holds, and its memory. Sizes in bytes, clocks in kHz."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    threads: int
    blocks: int
    registers: int
    shared: int
    shared_reserved: int  # of each block, for the system
    l2: int = 0
    clock: int = 0
    memory_clock: int = 0
    memory_bus: int = 0  # bits

    @property
    def bandwidth(self) -> float:
        """Bytes per second between the device and its memory: two transfers in each cycle of its clock."""
        return 2 * 1e3 * self.memory_clock * self.memory_bus / 8

    @property
    def warps(self) -> int:
        return self.threads // WARP

    @property
    def shared_unit(self) -> int:
        """Bytes: a block's shared memory comes in multiples of it."""
        return 128 if self.capability >= (8, 0) else 256


@dataclass(frozen=True)
class Occupancy:
    """`blocks` and `warps` that a multiprocessor holds, of at most `most_warps`.

    `limit` names what a further block would lack: `warps`, `blocks`, `registers` or `shared memory`;
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


def simulated_device() -> Device:
    """The device that the environment names, with the limits that the simulated GPU then has.

    Raises UsageError where it names none of those there are.
    """
    architecture()
    return known_devices()[os.environ.get(DEVICE_VARIABLE) or "h200"]


@functools.cache
def known_devices() -> Mapping[str, Device]:
    """The devices that can be simulated, by key, read from the runtime's own table."""
    limits = (RUNTIME / "device_limits.h").read_text(encoding="utf-8")
    constants: dict[str, str] = dict(re.findall(r'\b(k\w+)(?:\[\])? = ("[^"]+"|\d+)[,;]', limits))
    table = (RUNTIME / "device_model.cpp").read_text(encoding="utf-8")
    registers = int(constants["kRegistersPerMultiprocessor"])
    devices = {}
    for key, row in _MODEL.findall(table):
        words = [constants.get(word, word) for word in re.split(r",\s*", row)]
        devices[key] = _device(words, registers)
    return devices


def _device(words: list[str], registers: int) -> Device:
    """From the members of a DeviceModel after its key."""
    major, minor, multiprocessors, threads, blocks, shared, _, reserved, *rest = map(int, words[1:13])
    l2, clock, memory_clock, memory_bus = rest
    return Device(
        name=words[0].strip('"'),
        capability=(major, minor),
        multiprocessors=multiprocessors,
        threads=threads,
        blocks=blocks,
        registers=registers,
        shared=shared,
        shared_reserved=reserved,
        l2=l2,
        clock=clock,
        memory_clock=memory_clock,
        memory_bus=memory_bus,
    )


def occupancy(device: Device, threads: int, registers: int | None, shared: int) -> Occupancy:
    """For blocks of `threads`, `registers` a thread (None: not known), `shared` bytes a block in all."""
    warps = -(-threads // WARP)
    limits = {"warps": device.warps // warps, "blocks": device.blocks}
    if registers is not None:
        limits["registers"] = _by_registers(device, warps, registers)
    of_block = _rounded(shared + device.shared_reserved, device.shared_unit)
    if of_block:
        limits["shared memory"] = device.shared // of_block
    blocks = min(limits.values())
    limit = next(name for name, most in limits.items() if most == blocks)
    return Occupancy(blocks, blocks * warps, device.warps, limit, registers is not None)


def _by_registers(device: Device, warps: int, registers: int) -> int:
    of_warp = max(_rounded(registers * WARP, REGISTER_UNIT), REGISTER_UNIT)
    too_many = of_warp * _rounded(warps, PARTITIONS) > device.registers or registers > MOST_REGISTERS
    return 0 if too_many else device.registers // PARTITIONS // of_warp * PARTITIONS // warps


def _rounded(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit
