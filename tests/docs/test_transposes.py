"""What lesson 13 says of its kernels is what an H200's counters said of the same access patterns."""

from __future__ import annotations

import pytest
import transpose_pictures


@pytest.mark.parametrize("step", transpose_pictures.STEPS, ids=lambda step: step.title)
def test_the_counts_are_the_hardwares(step: transpose_pictures.Step) -> None:
    counted, measured = transpose_pictures.counted(step), transpose_pictures.measured(step)

    unrecorded = (transpose_pictures.SWIZZLED, transpose_pictures.SOLUTION)
    assert (measured == {}) is (step in unrecorded)
    assert {name: measured[name] for name in counted if measured} == (counted if measured else {})


def test_the_table_says_where_nothing_is_recorded() -> None:
    *_, padded, swizzled, solution = transpose_pictures.table().splitlines()
    assert padded.endswith("| 2,048 | 2,048 | 0 | the same |")
    assert swizzled.endswith("| 2,048 | 2,048 | 0 | not recorded |")
    assert solution.endswith("| 2,048 | 2,048 | 0 | not recorded |")
