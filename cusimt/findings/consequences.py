"""Leaves out races that follow from an overrun: one cause, one report.

An instruction that runs past the end of its array reads and writes what other threads own there, so races
are found far from the mistake. They end with it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from cusimt.records import Record

_RACES = frozenset({"race_global", "plain_guess"})


def without_consequences(raw: Iterable[Record]) -> list[Record]:
    """`raw` without the races in which an instruction has part that overran another allocation."""
    records = list(raw)
    overrun: dict[tuple[str, int], set[int]] = defaultdict(set)  # allocations by instruction
    for each in records:
        if each.get("kind") == "out_of_bounds" and each.get("allocation"):
            overrun[str(each.get("module")), int(each.get("pc") or 0)].add(int(each["allocation"]["base"]))
    return [each for each in records if each.get("kind") not in _RACES or not _follows(each, overrun)]


def _follows(race: Record, overrun: dict[tuple[str, int], set[int]]) -> bool:
    allocation = race.get("allocation")
    if not allocation:
        return False
    if not 0 <= int(allocation["offset"]) < int(allocation["bytes"]):
        return True  # in memory that belongs to no allocation, so both overran
    parties = (race, race.get("other") or {})
    instructions = ((str(race.get("module")), int(party.get("pc") or 0)) for party in parties)
    return any(each in overrun and int(allocation["base"]) not in overrun[each] for each in instructions)
