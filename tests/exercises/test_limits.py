"""Limits on what a kernel asks of memory cannot be escaped through other memory."""

from __future__ import annotations

import pytest
import torch

from grader.course.catalog import Exercise
from grader.specification import load_spec
from grader.specification.efficiency import METRICS, Efficiency, Limit

from .conftest import EXERCISES

LIMITED = [exercise for exercise in EXERCISES if "efficiency" in exercise.scores]


def totals(efficiency: Efficiency, limit: Limit) -> list[str]:
    """The limits on all sectors that are moved where `limit` is about one tensor."""
    return [
        each.metric
        for each in efficiency.limits
        if not each.of
        and each.stage == limit.stage
        and METRICS[each.metric].field == "sectors"
        and set(METRICS[limit.metric].accesses) <= set(METRICS[each.metric].accesses)
    ]


@pytest.mark.parametrize("exercise", LIMITED, ids=lambda each: each.slug)
def test_beside_a_limit_on_one_tensor_is_one_on_all(exercise: Exercise) -> None:
    """Reading a copy of the tensor instead costs sectors, whoever made the copy."""
    for efficiency in load_spec(exercise).efficiency:
        named = [limit for limit in efficiency.limits if limit.of]
        assert all(totals(efficiency, limit) for limit in named), efficiency.case.name


def test_the_limits_of_layer_norm_leave_no_room_for_reading_a_copy() -> None:
    """Sectors of one tensor of x's shape: the solution reads 3.0 of them forward, and 3.3 backward."""
    (exercise,) = (each for each in LIMITED if each.slug == "17_layer_norm")
    first, *_ = load_spec(exercise).efficiency
    x = first.case.args[0]
    arguments = [torch.empty(x.shape), *(None,) * 3]  # type: ignore[union-attr]
    once = 128 * 512 * 4 // 32
    most = {
        each.stage: each.bound(*arguments) / once  # type: ignore[operator]
        for each in first.limits
        if not each.of and each.metric == "global_load_sectors"
    }
    assert 3.0 < most["forward"] < 3.0 + 1
    assert 3.3 < most["backward"] < 3.3 + 1
