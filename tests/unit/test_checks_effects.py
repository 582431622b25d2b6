"""Of findings that have one cause, the cause is told."""

from __future__ import annotations

from grader.checks.device.findings import _barriers_first, _without_effects
from grader.simt.findings import Finding, Frame, Party

LOAD, STORE = Frame("kernel.cu", 25), Frame("kernel.cu", 34)
OVERRUN = Finding("out_of_bounds", LOAD, access="read", space="global")


def race(frame: Frame, other: Frame, space: str = "global") -> Finding:
    party = Party(other, "write", (0, 0, 0), (1, 0, 0))
    return Finding(f"race_{space}", frame, access="read", space=space, other=party)


def test_what_a_read_past_the_end_meets_there_is_no_finding_of_its_own() -> None:
    effects = [
        race(LOAD, STORE),
        race(STORE, LOAD),
        Finding("uninitialized_read", LOAD, access="read", space="global"),
    ]
    assert _without_effects([OVERRUN, *effects], [OVERRUN]) == [OVERRUN]
    assert _without_effects([OVERRUN, *effects], []) == [OVERRUN, *effects]


def test_other_lines_other_memory_and_other_kinds_stay() -> None:
    others = [
        race(STORE, STORE),
        race(LOAD, STORE, "shared"),
        Finding("uninitialized_read", LOAD, access="read", space="shared"),
        Finding("misaligned", LOAD, access="read", space="global"),
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
