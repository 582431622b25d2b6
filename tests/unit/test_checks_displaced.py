"""Right numbers at other places are recognised, and nothing is said where they are simply wrong."""

from __future__ import annotations

import pytest
import torch

from .test_checks_diagnose import numbers, told

RIGHT = numbers(300)


def test_the_halves_of_a_pair_exchanged() -> None:
    for dtype in (torch.float16, torch.float32):
        right = (numbers(4096, dtype=dtype) - 1).clamp(min=0)
        text = told(right.reshape(-1, 2).flip(1).reshape(-1), right)
        assert text == (
            "In every pair of neighbours, element 0 holds what belongs in element 1 and element 1 holds what "
            "belongs in element 0: the right numbers, in another order."
        )


def test_a_group_of_four_reversed() -> None:
    text = told(RIGHT.reshape(-1, 4).flip(1).reshape(-1), RIGHT)
    assert text.startswith("In every group of 4 neighbours, element 0 holds what belongs in element 3")


def test_one_number_stored_twice() -> None:
    right = numbers(301)
    got = right.clone()
    got[1::2] = got[:-1:2]
    assert told(got, right) == (
        "In every pair of neighbours, element 1 holds what belongs in element 0: some numbers are stored "
        "more than once, and others never."
    )
    got[7] = 9.0
    assert "pair" not in told(got, right)


def test_pieces_stored_at_another_index() -> None:
    order = torch.arange(300)
    order[:256] = order[:256].reshape(4, 64).mT.reshape(-1)
    text = told(RIGHT[order], RIGHT)
    assert text.startswith("Right numbers at wrong places: [1] holds what belongs at [64], [2] holds")
    assert text.endswith("Is an element loaded at one index and stored at another?")
    noise = numbers(300, seed=9)
    assert "places" not in told(noise, RIGHT)


def test_the_same_distance_everywhere() -> None:
    got = RIGHT.clone()
    got[64:128] = RIGHT[96:160]
    assert told(got, RIGHT) == "Right numbers at wrong places: each belongs 32 elements further ahead."


def test_numbers_that_occur_twice_belong_nowhere_in_particular() -> None:
    right = RIGHT.clone()
    right[150:] = right[:150]
    got = right.clone()
    got[:100] = right[20:120].flip(0)
    assert "places" not in told(got, right)


@pytest.mark.parametrize("fill", [0.0, 9.0])
def test_lanes_left_out_of_every_chunk(fill: float) -> None:
    got = RIGHT.clone()
    got.reshape(-1, 4)[:, 2:] = fill
    start = "All 150 wrong elements are 0" if fill == 0 else "150 of 300 elements are wrong"
    assert told(got, RIGHT) == (
        f"{start}: only where the index % 4 is 2 or 3, never where it is 0 or 1. Does the code handle all 4 "
        "elements of a chunk?"
    )
    got[0] = fill
    assert "%" not in told(got, RIGHT)


def test_zeros_where_nothing_else_could_be_seen() -> None:
    right = RIGHT.clone()
    right.reshape(-1, 4)[:, :2] = 0
    got = torch.zeros_like(right)
    assert "%" not in told(got, right)


def test_terms_in_the_wrong_column_and_in_the_wrong_row() -> None:
    table, terms = torch.zeros(6, 10), numbers(240)
    rows, columns = (
        torch.randint(size, (240,), generator=torch.Generator().manual_seed(size)) for size in (6, 10)
    )
    right = table.index_put((rows, columns), terms, accumulate=True)
    column = told(table.index_put((rows, columns.flip(0)), terms, accumulate=True), right)
    assert column.startswith("Each row adds up to what it should, but its elements are wrong")
    row = told(table.index_put((rows.flip(0), columns), terms, accumulate=True), right)
    assert row.endswith("are the right terms added in the wrong row?")
    assert "adds up" not in told(numbers(6, 10, seed=8), right)


def test_rows_that_are_divided_by_their_sum_say_nothing_of_columns() -> None:
    """Any terms of a softmax add up to 1, so nothing was added in the wrong column."""
    right, got = (torch.softmax(numbers(6, 10, seed=seed), dim=1) for seed in (1, 2))
    text = told(got.to(torch.float32), right.to(torch.float32))
    assert text.startswith("Each row adds up to 1, as it should: it is divided by the sum of its terms")


def test_sums_of_zero_say_nothing_of_their_terms() -> None:
    right, got = (numbers(6, 10, seed=seed) for seed in (1, 2))
    right, got = (each - each.mean(dim=1, keepdim=True) for each in (right, got))
    assert "adds up to what it should" not in told(got, right)


def test_another_element_of_the_cotangent() -> None:
    grad_out, weight = numbers(3), numbers(4, 5, seed=6)
    right = grad_out[:, None, None] * weight
    order = torch.arange(12).reshape(3, 4) % 3
    text = told(grad_out[order][..., None] * weight, right, cotangent=grad_out)
    assert text.startswith(
        "Each wrong element is the right one with another element of grad_out as its factor: at [0, 1, 0] it "
        "is grad_out[1] instead of grad_out[0]."
    )
    assert "factor" not in told(numbers(3, 4, 5, seed=7), right, cotangent=grad_out)
