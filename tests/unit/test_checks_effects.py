"""Of findings that have one cause, the cause is told."""

from __future__ import annotations

from dataclasses import replace

from cusimt.findings import Allocation, Finding, Frame, Party, Tensor
from grader.checks.device.findings import _barriers_first, _without_effects, _without_mirrors

LOAD, STORE = Frame("kernel.cu", 25), Frame("kernel.cu", 34)
X, OUT = Tensor("x", 4), Tensor("the output", 4)
INSIDE, PAST = Allocation(512, 400, 200, 0), Allocation(512, 400, 400, 0)
OVERRUN = Finding("out_of_bounds", LOAD, access="read", bytes=4, space="global", tensor=X, allocation=PAST)
UNINITIALIZED = Finding("uninitialized_read", LOAD, access="read", bytes=4, tensor=OUT, allocation=INSIDE)


def race(frame: Frame, other: Frame, space: str = "global") -> Finding:
    party = Party(other, "write", (0, 0, 0), (1, 0, 0))
    found = Finding(f"race_{space}", frame, access="read", bytes=4, space=space, other=party)
    return replace(found, tensor=OUT, allocation=INSIDE)


def test_what_a_read_past_the_end_meets_there_is_no_finding_of_its_own() -> None:
    effects = [
        race(LOAD, STORE),
        race(STORE, LOAD),
        replace(UNINITIALIZED, space="global"),
        replace(race(LOAD, LOAD), tensor=X, allocation=PAST),
    ]
    assert _without_effects([OVERRUN, *effects], [OVERRUN]) == [OVERRUN]
    assert _without_effects([OVERRUN, *effects], []) == [OVERRUN, *effects]


def test_other_lines_other_memory_and_other_kinds_stay() -> None:
    others = [
        race(STORE, STORE),
        race(LOAD, STORE, "shared"),
        replace(UNINITIALIZED, space="shared"),
        replace(race(LOAD, LOAD), tensor=X),  # within the tensor: an index of its own
        replace(UNINITIALIZED, kind="misaligned", space="global"),
    ]
    assert _without_effects([OVERRUN, *others], [OVERRUN]) == [OVERRUN, *others]
    nowhere = [race(Frame(), Frame())]
    assert _without_effects(nowhere, [Finding("out_of_bounds", space="global")]) == nowhere


def test_a_barrier_that_not_all_reach_comes_before_the_races_in_shared_memory() -> None:
    shared, barrier = race(LOAD, STORE, "shared"), Finding("divergent_barrier", STORE)
    assert _barriers_first([OVERRUN, shared, barrier]) == [OVERRUN, barrier, shared]
    assert _barriers_first([barrier, OVERRUN, shared]) == [barrier, OVERRUN, shared]
    assert _barriers_first([OVERRUN, shared]) == [OVERRUN, shared]
    assert _barriers_first([barrier, OVERRUN]) == [barrier, OVERRUN]


def test_a_race_between_two_lines_is_told_from_one_side() -> None:
    here, there = race(LOAD, STORE, "shared"), race(STORE, LOAD, "shared")
    assert _without_mirrors([here, OVERRUN, there]) == [here, OVERRUN]
    assert _without_mirrors([there, here]) == [there]


def test_two_races_between_the_same_lines_lack_two_barriers() -> None:
    after = replace(race(LOAD, STORE, "shared"), note="read after write", ordered=True)
    before = replace(race(STORE, LOAD, "shared"), note="write after read", ordered=True)
    others = [after, before, race(STORE, LOAD), race(LOAD, LOAD, "shared"), race(LOAD, LOAD, "shared")]
    assert _without_mirrors(others) == others
    elsewhere = replace(before, note="read after write", tensor=X)
    assert _without_mirrors([after, elsewhere]) == [after, elsewhere]
