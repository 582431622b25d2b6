"""What the launches of a call need of a multiprocessor: room for warps, registers, memory for spilled values.

Block size and static and dynamic shared memory are known of every launch. Registers and spills are what ptxas
says; without nvcc they are None, since an estimate is nothing to judge by.
"""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.counters import LaunchCounts
from cusimt.profile.launch_profiles import held, launched, shared_memory
from cusimt.profile.model import LaunchProfile
from cusimt.profile.occupancy import Occupancy, simulated_device
from cusimt.profile.phrases import counted, size


def needed(field: str, launches: Sequence[LaunchCounts]) -> int | None:
    """The most that one of `launches` has of `field`, a field of a metric; None if that is not known."""
    known = [_amount(field, each) for each in launches]
    return max((each for each in known if each is not None), default=None)


def most_demanding(field: str, launches: Sequence[LaunchCounts]) -> LaunchCounts:
    """The launch that has most of `field`, which is known of one at least."""
    return max(launches, key=lambda each: _amount(field, each) or 0)


def why_needed(field: str, launch: LaunchCounts) -> str:
    """What makes the launch need as much of `field` as it does."""
    if field in ("empty_warp_slots", "shared_bytes"):
        return _of_block(launch, held(launch, simulated_device()))
    profile = _compiled(launch)
    registers = counted(profile.needs.registers or 0, "register")
    if field == "registers":
        return f"ptxas gives each thread {registers}. {_room(profile.occupancy)}"
    stores, loads = profile.needs.spill_stores or 0, profile.needs.spill_loads or 0
    return (
        f"ptxas has {registers} for each thread, which are too few: it writes {counted(stores, 'byte')} to "
        f"local memory and reads {counted(loads, 'byte')} back."
    )


def _of_block(launch: LaunchCounts, found: Occupancy) -> str:
    block, shared = launch.launch.block, shared_memory(launch)
    threads = counted(block[0] * block[1] * block[2], "thread")
    has = f"A block has {threads}{f' and {size(shared)} of shared memory' if shared else ''}."
    return f"{has} {_room(found, 'Registers aside, a')}"


_LACKING = {
    "warps": "room for its warps",
    "blocks": "a slot, of which there are as many for small blocks as for large ones",
    "shared memory": "shared memory",
    "registers": "registers",
}


def _room(found: Occupancy, begin: str = "A") -> str:
    if found.blocks == 0:
        return "Such a block does not fit on a multiprocessor."
    return (
        f"{begin} multiprocessor holds {counted(found.blocks, 'such block')}, {found.warps} of "
        f"{found.most_warps} warps; a further block would lack {_LACKING[found.limit]}."
    )


def _amount(field: str, launch: LaunchCounts) -> int | None:
    if field == "empty_warp_slots":
        found = held(launch, simulated_device())
        return found.most_warps - found.warps
    if field == "shared_bytes":
        return shared_memory(launch)
    needs = _compiled(launch).needs
    if needs.estimated:
        return None
    if field == "registers":
        return needs.registers
    return (needs.spill_stores or 0) + (needs.spill_loads or 0)


def _compiled(launch: LaunchCounts) -> LaunchProfile:
    """The launch with what ptxas says of its kernel, if it was asked."""
    (profile,) = launched([launch], simulated_device(), {})
    return profile
