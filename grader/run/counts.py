"""Records of counts that a worker sent: each field has to be one that the runtime writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from grader.run.wire import WireError

_LANES = 32
_MOST = 1 << 63
_LAUNCH = ("shared", "stream", "device", "line", "error", "barriers", "read_sectors", "written_sectors")
_TEXTS = ("kernel", "file", "module")
_SUMS = ("sectors", "wavefronts", "lanes", "ideal_sectors", "ideal_wavefronts")
_UNITS = (("global", "sectors"), ("shared", "wavefronts"))
_ACCESSES = ("load", "store", "atomic")


def validated(records: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The records, each as `cusimt.counters.symbolise` takes it; else WireError."""
    found = tuple(records)
    for record in found:
        if not _is_launch(record) or not all(map(_is_site, record["sites"])):
            raise WireError("sent counts that are none")
    return found


def _is_launch(record: dict[str, Any]) -> bool:
    return (
        all(_is_count(record.get(name)) for name in _LAUNCH)
        and all(isinstance(record.get(name), str) for name in _TEXTS)
        and all(_is_list(record.get(name), 3) for name in ("grid", "block"))
        and isinstance(record.get("time_us"), int | float)
        and 0 <= record["time_us"] < _MOST
        and isinstance(record.get("sites"), list)
    )


def _is_site(site: Any) -> bool:
    """One instruction: as many passes or sectors as it needs at least, and a request that can be drawn."""
    if not isinstance(site, dict) or site.get("access") not in _ACCESSES:
        return False
    if not all(_is_count(site.get(name)) for name in ("pc", *_SUMS)):
        return False
    if not _is_count(site.get("requests"), 1) or site.get("bytes") not in (1, 2, 4, 8, 16):
        return False
    units = next((name for space, name in _UNITS if space == site.get("space")), None)
    return units is not None and site[f"ideal_{units}"] > 0 < site[units] and _is_sample(site.get("sample"))


def _is_sample(sample: Any) -> bool:
    if not isinstance(sample, dict):
        return False
    addresses, allocation = sample.get("addresses"), sample.get("allocation")
    return (
        isinstance(addresses, list)
        and len(addresses) == _LANES
        and all(address is None or _is_count(address) for address in addresses)
        and any(address is not None for address in addresses)
        and (allocation is None or _is_count(allocation))
        and _is_list(sample.get("block"), 3)
        and _is_count(sample.get("warp"))
    )


def _is_list(value: Any, length: int) -> bool:
    return isinstance(value, list) and len(value) == length and all(map(_is_count, value))


def _is_count(value: Any, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _MOST
