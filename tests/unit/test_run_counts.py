"""Records of counts come from a process that learner code runs in: nothing in them is taken on trust."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from cusimt.counters import symbolise
from grader.run.counts import validated
from grader.run.wire import WireError

SITE = {
    "pc": 4096, "space": "global", "access": "load", "bytes": 4, "requests": 2, "lanes": 40, "sectors": 8,
    "wavefronts": 0, "ideal_sectors": 8, "ideal_wavefronts": 0, "calls": [512],
    "sample": {"addresses": [4, *[None] * 31], "allocation": 1 << 45, "block": [0, 0, 0], "warp": 1},
}  # fmt: skip
RECORD = {
    "kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1], "shared": 0, "stream": 0, "device": 0,
    "file": "kernel.cu", "line": 3, "error": 0, "time_us": 2.5, "module": "", "checked": 1, "barriers": 0,
    "tensor_multiply_adds": 0,
    "read_sectors": 8, "written_sectors": 0, "sites": [SITE],
}  # fmt: skip


def changed(path: str, value: Any) -> dict[str, Any]:
    """The record with the field at `path` (``sites.0.bytes``) replaced."""
    record: dict[str, Any] = copy.deepcopy(RECORD)
    *way, last = path.split(".")
    place: Any = record
    for step in way:
        place = place[int(step) if step.isdecimal() else step]
    place[int(last) if last.isdecimal() else last] = value
    return record


def test_what_the_runtime_writes_is_taken() -> None:
    (record,) = validated([RECORD])
    (counts,) = symbolise([record])
    assert (counts.read_bytes, counts.lines[0].sectors_per_request) == (256, 4)
    shared = changed("sites.0", {**SITE, "space": "shared", "wavefronts": 2, "ideal_wavefronts": 2})
    assert len(validated([shared, RECORD])) == 2


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("kernel", 1),
        ("grid", [1, 1]),
        ("block", [1, 1, "1"]),
        ("barriers", -1),
        ("tensor_multiply_adds", "many"),
        ("error", True),
        ("time_us", "soon"),
        ("sites", {}),
        ("sites.0", []),
        ("sites.0.requests", 0),  # divided by
        ("sites.0.sectors", 0),  # divided by
        ("sites.0.ideal_sectors", 0),
        ("sites.0.space", "shared"),  # without wavefronts
        ("sites.0.space", "local"),
        ("sites.0.access", "glance"),
        ("sites.0.bytes", 1 << 40),  # drawn byte by byte
        ("sites.0.pc", "0x10"),
        ("sites.0.calls", [-1]),
        ("sites.0.calls", "main"),
        ("sites.0.sample", None),
        ("sites.0.sample.addresses", [None] * 32),
        ("sites.0.sample.addresses", [0] * 33),
        ("sites.0.sample.addresses.0", "0"),
        ("sites.0.sample.allocation", 1.5),
        ("sites.0.sample.block", [0, 0]),
        ("sites.0.sample.warp", None),
    ],
)
def test_what_it_never_writes_is_refused(path: str, value: Any) -> None:
    with pytest.raises(WireError, match="sent malformed counts: "):
        validated([RECORD, changed(path, value)])
