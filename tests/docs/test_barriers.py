"""Lesson 15's picture of two barriers: what its trace says follows from who waits for whom."""

from __future__ import annotations

import barrier_model
import barrier_pictures
from barrier_model import EMPTY, END, TRACES, WARPS, Step

BOTH, FIRST_MISSING, SECOND_MISSING = TRACES


def mistakes(steps: tuple[Step, ...]) -> list[tuple[int, int, int]]:
    """The warp, the row and the round that it found, of every multiplication with the wrong one."""
    return [(step.warp, step.row, step.read) for step in steps if step.wrong]


def test_with_both_barriers_every_read_finds_its_round() -> None:
    assert mistakes(BOTH.steps) == []
    assert BOTH.meetings == (3, 7, 10, 14)


def test_without_the_first_the_fast_warp_reads_what_is_not_there_yet() -> None:
    assert mistakes(FIRST_MISSING.steps) == [(1, 0, EMPTY), (1, 0, 0)]


def test_without_the_second_the_slow_warp_finds_the_next_round() -> None:
    assert mistakes(SECOND_MISSING.steps) == [(0, 1, 1)]


def test_a_warp_does_one_thing_at_a_time_and_leaves_no_gap() -> None:
    for trace in TRACES:
        for warp in range(WARPS):
            mine = [step for step in trace.steps if step.warp == warp]
            assert [step.end for step in mine[:-1]] == [step.begin for step in mine[1:]]
            assert mine[0].begin == 0


def test_the_words_name_each_mistake_at_its_time() -> None:
    items = barrier_pictures.in_words().split("<li>")[1:]
    assert len(items) == END == 14
    marked = {time for time, item in enumerate(items) if "<p>" in item and ", <strong>" in item}
    assert marked == {
        time for trace in TRACES for step in trace.steps if step.wrong for time in range(step.begin, step.end)
    }


def test_equal_warps_hide_both_mistakes() -> None:
    """The reason that a test on a GPU may never see them."""
    slow = barrier_model.LOAD, barrier_model.MULTIPLY
    barrier_model.LOAD = barrier_model.MULTIPLY = (1, 1)
    try:
        for first, second in ((False, True), (True, False)):
            assert mistakes(barrier_model.trace("", first, second).steps) == []
    finally:
        barrier_model.LOAD, barrier_model.MULTIPLY = slow
