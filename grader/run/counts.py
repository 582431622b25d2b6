"""Checks the counts in a worker's trace: each field has to be one that the runtime writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypedDict

from grader.run.wire import WireError
from grader.support.schema import Bounds, NonNegative, SchemaError, Size, read

_LANES = 32
Count = Annotated[int, Bounds(0, (1 << 63) - 1)]
Dim3 = tuple[Count, Count, Count]


class _Sample(TypedDict):
    """One request of a warp, lane by lane; None for a lane that took no part."""

    addresses: Annotated[list[Count | None], Size(_LANES, _LANES)]
    allocation: Count | None
    block: Dim3
    warp: Count


class _Calls(TypedDict, total=False):
    calls: list[Count]


class _Site(_Calls):
    """One instruction of a kernel."""

    pc: Count
    access: Literal["load", "store", "atomic"]
    space: Literal["global", "shared"]
    bytes: Literal[1, 2, 4, 8, 16]
    requests: Annotated[int, Bounds(1, (1 << 63) - 1)]
    lanes: Count
    sectors: Count
    wavefronts: Count
    ideal_sectors: Count
    ideal_wavefronts: Count
    sample: _Sample


class _Launch(TypedDict):
    kernel: str
    file: str
    module: str
    line: Count
    grid: Dim3
    block: Dim3
    shared: Count
    stream: Count
    device: Count
    error: Count
    barriers: Count
    tensor_multiply_adds: Count
    read_sectors: Count
    written_sectors: Count
    time_us: NonNegative
    sites: list[_Site]


def validated(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The records, each as `cusimt.counters.symbolise` takes it; else WireError."""
    found = tuple(records)
    for record in found:
        try:
            read(_Launch, record)
        except SchemaError as error:
            raise WireError(f"sent malformed counts: {error}") from None
        if not all(map(_can_be_divided_and_drawn, record["sites"])):
            raise WireError("sent malformed counts: a site without requests")
    return found


def _can_be_divided_and_drawn(site: dict[str, Any]) -> bool:
    """Whether its sectors or passes are above zero, and some lane of its sample took part."""
    unit = "sectors" if site["space"] == "global" else "wavefronts"
    took_part = any(address is not None for address in site["sample"]["addresses"])
    return site[f"ideal_{unit}"] > 0 < site[unit] and took_part
