"""Lesson 15's table: what several products read from global memory in the case that `efficiency` counts."""

from __future__ import annotations

from profiles import COURSE, profile

from cusimt.profile.model import Stage

SAMPLES = COURSE / "docs" / "samples" / "matmuls"
CASE = "96 x 64 times 64 x 128"
# What it is called, the sample that replaces kernel.cu, and an edit of it.
KERNELS: tuple[tuple[str, str, tuple[tuple[str, str], ...]], ...] = (
    ("exercise 06's, with strides", "naive.cu", ()),
    ("tiles of 16 × 16", "tile16.cu", ()),
    ("tiles of 32 × 32, lanes always along rows", "", (("strides.row < strides.column;", "false;"),)),
    ("tiles of 32 × 32, no padding", "", (("kRowLength = kTile + 1;", "kRowLength = kTile;"),)),
    ("the solution", "", ()),
)


def table() -> str:
    header = ("kernel", "sectors read in forward", "in backward", "bank conflicts in backward")
    rows = [header, ("---", "--:", "--:", "--:"), *(_row(*each) for each in KERNELS)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(name: str, sample: str, edits: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    forward, backward = _stages(sample, edits)
    numbers = _sectors_read(forward), _sectors_read(backward), _conflicts(backward)
    return name, *(f"{number:,}" for number in numbers)


def _sectors_read(stage: Stage) -> int:
    return sum(
        each.counts.total("sectors", "global", "load") for each in stage.launches for _ in range(each.times)
    )


def _conflicts(stage: Stage) -> int:
    return sum(
        each.counts.total("conflicts", "shared", access) * each.times
        for each in stage.launches
        for access in ("load", "store")
    )


def _stages(sample: str, edits: tuple[tuple[str, str], ...]) -> tuple[Stage, ...]:
    return profile("15", CASE, kernel=SAMPLES / sample if sample else None, edits=edits).stages
