"""Races that follow from an overrun are left out, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from cusimt.findings.consequences import without_consequences

OWN, BEHIND = 4096, 8192  # allocations


def record(kind: str, pc: int, base: int, other: int = 0, module: str = "a.so") -> dict[str, Any]:
    allocation = {"base": base, "bytes": 400, "offset": 0, "device": 0}
    return {"kind": kind, "pc": pc, "module": module, "allocation": allocation, "other": {"pc": other}}


OVERRUN = record("out_of_bounds", 7, OWN)


@pytest.mark.parametrize("kind", ["race_global", "plain_guess"])
@pytest.mark.parametrize(("pc", "other"), [(7, 9), (9, 7)])
def test_the_race_behind_the_array_is_left_out(kind: str, pc: int, other: int) -> None:
    race = record(kind, pc, BEHIND, other)
    assert without_consequences([OVERRUN, race]) == without_consequences([race, OVERRUN]) == [OVERRUN]


@pytest.mark.parametrize("offset", [-4, 400])
def test_a_race_beside_every_array_is_left_out(offset: int) -> None:
    race = record("race_global", 7, OWN, 9)
    race["allocation"]["offset"] = offset
    assert without_consequences([OVERRUN, race]) == [OVERRUN]


@pytest.mark.parametrize(
    "race",
    [
        record("race_global", 7, OWN, 9),  # on the array itself
        record("race_global", 8, BEHIND, 9),  # of other instructions
        record("race_global", 7, BEHIND, 9, module="b.so"),
        record("uninitialized_read", 7, BEHIND),
        {"kind": "race_global", "pc": 7, "module": "a.so", "allocation": None, "other": None},
    ],
)
def test_other_findings_stay(race: dict[str, Any]) -> None:
    assert without_consequences([OVERRUN, race]) == [OVERRUN, race]
