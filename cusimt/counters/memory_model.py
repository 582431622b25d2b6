"""How memory sees one request of a warp: sectors of global memory, wavefronts of shared memory.

    sectors([128 + 4 * lane for lane in range(32)], 4)          # 4: consecutive floats
    wavefronts([128 * lane for lane in range(32)], 4)           # 32: every lane wants bank 0

Addresses are bytes; None stands for a lane that takes no part. runtime/requests.cpp counts by the same rules.
They agree with Nsight Compute on an H200 (benchmarks/results/memory_counters_h200.csv) and follow

- the CUDA C++ Programming Guide (compute capability 5.x and later): 32 banks of 4-byte words, words are
  broadcast; a sector is 32 bytes, 4 to a cache line;
- for 8 and 16 bytes per lane: a half and a quarter of the warp at a time. Loads in which lanes i and i ^ 1,
  or i and i ^ 2, agree for all i take half as many passes (G. Smith, NVIDIA, forums.developer.nvidia.com,
  77228). On the H200 the 16-byte loads of the tiled matmul, where 16 lanes agree, take 2 wavefronts, not 4.

That lanes which update one word of shared memory atomically take a wavefront each is a model: no source says
so, and it has not been measured.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

__all__ = ["SECTOR", "Access"]

SECTOR = 32  # bytes: the least that moves between L1, L2 and memory
BANKS = 32  # of shared memory
BANK_BYTES = 4  # a bank serves one word of that size per wavefront

_WARP = 32
Addresses = Sequence[int | None]
Access = Literal["load", "store", "atomic"]


def active(addresses: Addresses) -> dict[int, int]:
    """The address of every lane that takes part."""
    return {lane: address for lane, address in enumerate(addresses) if address is not None}


def stride(addresses: Addresses) -> int | None:
    """Bytes from a lane to its neighbour, where all neighbours that take part agree; else None."""
    lanes = active(addresses)
    steps = {lanes[b] - lanes[a] for a, b in itertools.pairwise(lanes) if b == a + 1}
    return steps.pop() if len(steps) == 1 else None


# ---- global memory ---------------------------------------------------------------------------------------


def sector_numbers(addresses: Addresses, size: int) -> list[int]:
    """The sectors touched, in order; sector n begins at byte 32 n. `size`: bytes per lane."""
    return _units(active(addresses).values(), size, SECTOR)


def sectors(addresses: Addresses, size: int) -> int:
    """How many sectors one request moves."""
    return len(sector_numbers(addresses, size))


def distinct_bytes(addresses: Addresses, size: int) -> int:
    """How many different bytes the lanes ask for."""
    return len(_units(active(addresses).values(), size, 1))


def ideal_sectors(addresses: Addresses, size: int) -> int:
    """The sectors that the same distinct bytes would fill if they lay packed."""
    return -(-distinct_bytes(addresses, size) // SECTOR)


# ---- shared memory ---------------------------------------------------------------------------------------


def phases(addresses: Addresses, size: int, access: Access = "load") -> list[list[int]]:
    """The active lanes, in the groups that share passes over the banks."""
    lanes = active(addresses)
    together = _WARP if size <= 4 else _WARP // 2 if size <= 8 else _WARP // 4
    if size > 4 and access == "load" and (_agree(lanes, 1) or _agree(lanes, 2)):
        together *= 2
    groups = ([lane for lane in lanes if lane // together == group] for group in range(_WARP // together))
    return [group for group in groups if group]


def bank_words(addresses: Addresses, size: int) -> dict[int, list[int]]:
    """For each bank the distinct words wanted of it, in the order of the lanes; word n begins at byte 4 n."""
    words: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for address in active(addresses).values():
        for word in _units([address], size, BANK_BYTES):
            words[word % BANKS][word] = None
    return {bank: list(wanted) for bank, wanted in words.items()}


def wavefronts(addresses: Addresses, size: int, access: Access = "load") -> int:
    """Passes over the banks: in each phase as many as its busiest bank has words to serve."""
    groups = phases(addresses, size, access)
    return sum(_passes([addresses[lane] for lane in group], size, access) for group in groups)


def ideal_wavefronts(addresses: Addresses, size: int, access: Access = "load") -> int:
    """The passes without any bank conflict."""
    return len(phases(addresses, size, access))


def _passes(addresses: Addresses, size: int, access: Access) -> int:
    if access != "atomic":
        return max(len(words) for words in bank_words(addresses, size).values())
    updates: defaultdict[int, int] = defaultdict(int)  # of a bank: each lane's counts for itself
    for address in active(addresses).values():
        for word in _units([address], size, BANK_BYTES):
            updates[word % BANKS] += 1
    return max(updates.values())


def _agree(lanes: Mapping[int, int], distance: int) -> bool:
    """Whether lanes i and i ^ distance want the same address, where both take part."""
    return all(address == lanes.get(lane ^ distance, address) for lane, address in lanes.items())


def _units(starts: Iterable[int], size: int, unit: int) -> list[int]:
    """The numbers of the units of `unit` bytes that accesses of `size` bytes touch, each once, in order."""
    spans = (range(start // unit, (start + size - 1) // unit + 1) for start in set(starts))
    return sorted({number for span in spans for number in span})
