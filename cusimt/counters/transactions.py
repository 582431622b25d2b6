"""The memory transactions of one warp request: sectors of global memory, wavefronts of shared memory.

    sectors([128 + 4 * lane for lane in range(32)], 4)          # 4: consecutive floats
    wavefronts([128 * lane for lane in range(32)], 4)           # 32: every lane wants bank 0

Addresses are in bytes; an inactive lane has None. runtime/requests.cpp counts by the same rules, which agree
with Nsight Compute on an H200 (benchmarks/results/memory_counters_h200.csv) and follow

- the CUDA C++ Programming Guide (compute capability 5.x and later): 32 banks of 4-byte words, words are
  broadcast; a sector is 32 bytes, 4 to a cache line;
- for 8 and 16 bytes per lane: a half and a quarter of the warp at a time. Loads in which lanes i and i ^ 1,
  or i and i ^ 2, agree for all i take half as many wavefronts (G. Smith, NVIDIA, forums.developer.nvidia.com,
  77228). On the H200 the 16-byte loads of the tiled matmul, where 16 lanes agree, take 2 wavefronts, not 4.

That atomic updates of one word of shared memory take one wavefront per lane is an assumption, neither
documented nor measured.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = ["SECTOR", "Access"]

SECTOR = 32  # bytes: the least that moves between L1, L2 and memory
BANKS = 32  # of shared memory
BANK_BYTES = 4  # a bank serves one word of that size per wavefront

_WARP = 32
_MOST = 0.75  # of the steps between lanes
Addresses = Sequence[int | None]
Access = Literal["load", "store", "atomic"]


def active(addresses: Addresses) -> dict[int, int]:
    """The address of every active lane."""
    return {lane: address for lane, address in enumerate(addresses) if address is not None}


def stride(addresses: Addresses) -> int | None:
    """Bytes from a lane to the next, if equal for all active neighbours; else None."""
    steps = _steps(addresses)
    return next(iter(steps)) if len(steps) == 1 else None


def usual_stride(addresses: Addresses) -> int | None:
    """The step that most neighbouring lanes have in common, three of four or more; else None.

    Lanes that go on in another row, or behind a gap, have another step there.
    """
    steps = _steps(addresses)
    step, count = max(steps.items(), key=lambda each: each[1], default=(0, 0))
    return step if count >= _MOST * steps.total() > 0 else None


def runs(addresses: Addresses, size: int) -> list[int]:
    """How many active lanes one after another go up or down by `size` bytes each, run by run."""
    lanes = active(addresses)
    found: list[int] = []
    step = 0
    for lane, address in lanes.items():
        here = address - lanes.get(lane - 1, address)
        goes_on = abs(here) == size and step in (0, here)
        step = here if goes_on else 0
        if goes_on:
            found[-1] += 1
        else:
            found.append(1)
    return found


def _steps(addresses: Addresses) -> Counter[int]:
    """How often each number of bytes lies between two active neighbours."""
    lanes = active(addresses)
    return Counter(lanes[b] - lanes[a] for a, b in itertools.pairwise(lanes) if b == a + 1)


# ---- global memory ---------------------------------------------------------------------------------------


def sector_numbers(addresses: Addresses, size: int) -> list[int]:
    """The sectors touched, in order; sector n begins at byte 32 n. `size`: bytes per lane."""
    return _units(active(addresses).values(), size, SECTOR)


def sectors(addresses: Addresses, size: int) -> int:
    """How many sectors one request moves."""
    return len(sector_numbers(addresses, size))


def distinct_bytes(addresses: Addresses, size: int) -> int:
    """How many distinct bytes the lanes request."""
    return len(_units(active(addresses).values(), size, 1))


def ideal_sectors(addresses: Addresses, size: int) -> int:
    """The sectors that the same distinct bytes would fill if packed."""
    return -(-distinct_bytes(addresses, size) // SECTOR)


# ---- shared memory ---------------------------------------------------------------------------------------


def phases(addresses: Addresses, size: int, access: Access = "load") -> list[list[int]]:
    """The active lanes, grouped by those that share wavefronts."""
    lanes = active(addresses)
    together = _WARP if size <= 4 else _WARP // 2 if size <= 8 else _WARP // 4
    if size > 4 and access == "load" and (_agree(lanes, 1) or _agree(lanes, 2)):
        together *= 2
    groups = ([lane for lane in lanes if lane // together == group] for group in range(_WARP // together))
    return [group for group in groups if group]


def bank_words(addresses: Addresses, size: int) -> dict[int, list[int]]:
    """For each bank the distinct words requested from it, in lane order; word n begins at byte 4 n."""
    words: defaultdict[int, dict[int, None]] = defaultdict(dict)
    for address in active(addresses).values():
        for word in _units([address], size, BANK_BYTES):
            words[word % BANKS][word] = None
    return {bank: list(wanted) for bank, wanted in words.items()}


def wavefronts(addresses: Addresses, size: int, access: Access = "load") -> int:
    """How many wavefronts serve the request: in each phase, the most words that one bank must serve."""
    groups = phases(addresses, size, access)
    return sum(_phase_wavefronts([addresses[lane] for lane in group], size, access) for group in groups)


def ideal_wavefronts(addresses: Addresses, size: int, access: Access = "load") -> int:
    """The wavefronts without bank conflicts."""
    return len(phases(addresses, size, access))


@dataclass(frozen=True)
class ServedWord:
    """The word that a bank serves in one wavefront, and the lanes that receive or update it."""

    word: int
    lanes: tuple[int, ...]


@dataclass(frozen=True)
class Wavefront:
    """One pass over the banks; a conflict is every pass of a phase but the first."""

    conflict: bool
    banks: Mapping[int, ServedWord]


def wavefront_list(addresses: Addresses, size: int, access: Access = "load") -> list[Wavefront]:
    """The wavefronts that `wavefronts` counts.

    Hardware does not document in which order a bank serves its words; here the lowest lane's comes first.
    """
    found: list[Wavefront] = []
    for group in phases(addresses, size, access):
        queues = _bank_queues(addresses, size, group, access)
        for number in range(max(map(len, queues.values()))):
            served = {bank: queue[number] for bank, queue in queues.items() if number < len(queue)}
            found.append(Wavefront(number > 0, served))
    return found


def _bank_queues(
    addresses: Addresses, size: int, group: Sequence[int], access: Access
) -> dict[int, list[ServedWord]]:
    """What each bank serves to the lanes of `group`: a word once for all of them, atomics once per lane."""
    lanes: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for lane in group:
        start = addresses[lane]
        assert start is not None  # a group holds active lanes only
        for word in _units([start], size, BANK_BYTES):
            lanes[word, lane if access == "atomic" else -1].append(lane)
    queues: defaultdict[int, list[ServedWord]] = defaultdict(list)
    for (word, _), receivers in lanes.items():
        queues[word % BANKS].append(ServedWord(word, tuple(receivers)))
    return queues


def _phase_wavefronts(addresses: Addresses, size: int, access: Access) -> int:
    if access != "atomic":
        return max(len(words) for words in bank_words(addresses, size).values())
    updates: defaultdict[int, int] = defaultdict(int)  # by bank; updates of one word do not combine
    for address in active(addresses).values():
        for word in _units([address], size, BANK_BYTES):
            updates[word % BANKS] += 1
    return max(updates.values())


def _agree(lanes: Mapping[int, int], distance: int) -> bool:
    """Whether lanes i and i ^ distance, where both are active, have the same address."""
    return all(address == lanes.get(lane ^ distance, address) for lane, address in lanes.items())


def _units(starts: Iterable[int], size: int, unit: int) -> list[int]:
    """The numbers of the units of `unit` bytes that accesses of `size` bytes touch, each once, in order."""
    spans = (range(start // unit, (start + size - 1) // unit + 1) for start in set(starts))
    return sorted({number for span in spans for number in span})
