"""A profile as a JSON document; `schema_version` is raised by a change that an old reader would misread."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from cusimt.counters import LineCounts
from cusimt.profile.model import LaunchProfile, Profile, Stage
from cusimt.profile.remarks import remarks

__all__ = ["to_json"]

SCHEMA_VERSION = 1
_COUNTS = (
    "space", "access", "bytes", "requests", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts",
    "lanes",
)  # fmt: skip


def to_json(profile: Profile) -> str:
    """The document; sizes in bytes, counts as Nsight Compute counts them."""
    return json.dumps(to_document(profile), indent=2, ensure_ascii=False)


def to_document(profile: Profile) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "title": profile.title,
        "call": profile.call,
        "case": profile.case,
        "device": asdict(profile.device),
        "stages": [_stage(stage) for stage in profile.stages],
        "remarks": [
            {
                "sentence": remark.sentence,
                "cost_bytes": remark.cost,
                "where": remark.line.frame.where if remark.line else "",
            }
            for remark in remarks(profile)
        ],
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "launches": [_launch(launched, stage) for launched in stage.launches],
        "launched": stage.launched,
        "traffic_bytes": stage.traffic,
        "allocations": stage.allocations,
        "host_syncs": stage.host_syncs,
        "copies": list(stage.copies),
    }


def _launch(launched: LaunchProfile, stage: Stage) -> dict[str, Any]:
    launch, counts = launched.counts.launch, launched.counts
    return {
        "kernel": launched.name,
        "times": launched.times,
        "grid": list(launch.grid),
        "blocks_counted": launch.blocks_run,
        "block": list(launch.block),
        "dynamic_shared_bytes": launch.shared_bytes,
        "needs": asdict(launched.needs),
        "occupancy": {**asdict(launched.occupancy), "share": launched.occupancy.share},
        "barriers": counts.barriers,
        "tensor_multiply_adds": counts.tensor_multiply_adds,
        "moved_bytes": launched.moved,
        "least_bytes": launched.least,
        "lines": [_line(line, stage) for line in counts.lines],
    }


def _line(line: LineCounts, stage: Stage) -> dict[str, Any]:
    return {
        "file": line.frame.file,
        "line": line.frame.line,
        "source": line.frame.source,
        "memory": stage.memory(line).name,
        **{name: getattr(line, name) for name in _COUNTS},
        "sample": {
            "block": list(line.sample.block),
            "warp": line.sample.warp,
            "addresses": list(line.sample.addresses),
        },
    }
