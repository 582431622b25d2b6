"""A request of shared memory, pass by pass over the banks: which bank serves which word to which lanes."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from cusimt.counters.counting import Sample
from cusimt.counters.memory_model import BANK_BYTES, BANKS, Access, phases


@dataclass(frozen=True)
class Served:
    """The word that a bank serves in one pass, and the lanes that it goes to."""

    word: int
    lanes: tuple[int, ...]


def passes(sample: Sample, access: Access = "load") -> list[tuple[bool, dict[int, Served]]]:
    """Each pass: whether it is a bank conflict, and what each bank serves in it.

    As many as `memory_model.wavefronts` counts. Which of a bank's words comes first is not known of hardware;
    here it is that of the lowest lane.
    """
    rows: list[tuple[bool, dict[int, Served]]] = []
    for group in phases(sample.addresses, sample.bytes, access):
        stacks = _stacks(sample, group, access)
        for number in range(max(map(len, stacks.values()))):
            served = {bank: stack[number] for bank, stack in stacks.items() if number < len(stack)}
            rows.append((number > 0, served))
    return rows


def _stacks(sample: Sample, group: list[int], access: Access) -> dict[int, list[Served]]:
    """What each bank has to serve to the lanes of `group`: a word to all that want it, an update to each."""
    lanes: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for lane in group:
        start = sample.addresses[lane]
        assert start is not None  # a group holds active lanes only
        for word in range(start // BANK_BYTES, (start + sample.bytes - 1) // BANK_BYTES + 1):
            lanes[word, lane if access == "atomic" else -1].append(lane)
    stacks: defaultdict[int, list[Served]] = defaultdict(list)
    for (word, _), takers in lanes.items():
        stacks[word % BANKS].append(Served(word, tuple(takers)))
    return stacks
