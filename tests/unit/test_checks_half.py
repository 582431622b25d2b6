"""Half precision: the bound of one rounding, and what a wrong answer in 16 bits is recognised as."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.checks.values.compare import compare_values, wrong_elements
from grader.checks.values.diagnose import diagnose
from grader.checks.values.expected import Tolerance, tolerance_for
from grader.checks.values.wrong_answer import Wrong
from grader.specification import Spec

ONCE = Spec(Path("spec.py"), "f", lambda: None, (), (), rounded_once=True)
TERMS = 600
NARROW = [torch.float16, torch.bfloat16]


def operands(dtype: torch.dtype, low: float = 0.0, high: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(8)
    drawn = torch.rand(2, 40, TERMS, generator=generator, dtype=torch.float64) * (high - low) + low
    return drawn[0].to(dtype), drawn[1].to(dtype)


def exact(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.double() * b.double()).sum(1) / TERMS


def one_by_one(a: torch.Tensor, b: torch.Tensor, kept_in: torch.dtype) -> torch.Tensor:
    """The mean of the products, each product and each sum rounded to `kept_in`."""
    total = torch.zeros(len(a), dtype=kept_in)
    for step in range(a.shape[1]):
        total = total + a[:, step].to(kept_in) * b[:, step].to(kept_in)
    return (total.double() / a.shape[1]).to(a.dtype)


def told(got: torch.Tensor, truth: torch.Tensor, terms: int = TERMS, **inputs: torch.Tensor) -> str:
    wrong = wrong_elements(got, truth, tolerance_for(ONCE, truth, got.dtype, terms))
    return diagnose(Wrong(got, truth, wrong, list(inputs.items()), terms=terms))


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_sum_in_float_that_is_rounded_once_is_within_the_bound(dtype: torch.dtype, low: float) -> None:
    a, b = operands(dtype, low)
    truth = exact(a, b)
    assert (
        compare_values(one_by_one(a, b, torch.float32), truth, tolerance_for(ONCE, truth, dtype, TERMS))
        is None
    )


@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_sum_in_16_bits_is_outside(dtype: torch.dtype, low: float) -> None:
    a, b = operands(dtype, low)
    truth = exact(a, b)
    wrong = wrong_elements(one_by_one(a, b, dtype), truth, tolerance_for(ONCE, truth, dtype, TERMS))
    assert wrong.float().mean() > 0.7


@pytest.mark.parametrize("dtype", NARROW)
def test_a_single_product_that_is_rounded_twice_is_outside(dtype: torch.dtype) -> None:
    a, b = operands(dtype)
    truth = a.double() * b.double() * 0.3
    once, twice = truth.to(dtype), ((a * b).double() * 0.3).to(dtype)
    bound = tolerance_for(ONCE, truth, dtype, 1)
    assert not bool(wrong_elements(once, truth, bound).any())
    assert bool(wrong_elements(twice, truth, bound).any())


def test_the_bound_is_the_one_on_the_page() -> None:
    values = torch.full((100,), 3.0, dtype=torch.float64)
    bound = tolerance_for(ONCE, values, torch.float16, 50)
    assert bound.relative == 2**-11 + (8 + 50) * 2**-23
    assert bound.absolute == (8 + 50) * 2**-23 * 3.0 + 2**-25
    eight = tolerance_for(replace(ONCE, rounded_once=False), values, torch.float16, 50)
    assert eight == Tolerance(8 * 2**-10 + 50 * 2**-23, (8 * 2**-10 + 50 * 2**-23) * 3.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_wider_types_have_their_usual_bound(dtype: torch.dtype) -> None:
    values = torch.linspace(-1, 1, 99, dtype=torch.float64)
    usual = tolerance_for(replace(ONCE, rounded_once=False), values, dtype, 50)
    assert tolerance_for(ONCE, values, dtype, 50) == usual


def test_the_smallest_numbers_of_float16_have_the_spacing_that_they_have() -> None:
    truth = torch.tensor([3.3e-8 * each for each in range(1, 90)], dtype=torch.float64)
    bound = tolerance_for(ONCE, truth, torch.float16, 1)
    assert compare_values(truth.to(torch.float16), truth, bound) is None


@pytest.mark.parametrize(("dtype", "bits"), [(torch.float16, 11), (torch.bfloat16, 8)])
def test_a_sum_that_was_kept_in_16_bits_is_recognised(dtype: torch.dtype, bits: int) -> None:
    a, b = operands(dtype)
    text = told(one_by_one(a, b, dtype), exact(a, b))
    assert f"which holds {bits} significant bits" in text
    assert "600 terms are added here" in text and "grows with the length of the sum" in text


def test_one_rounding_too_many_is_not_blamed_on_the_length_of_the_sum() -> None:
    a, b = operands(torch.float16)
    truth = exact(a, b)
    got = (truth * 1.0004).to(torch.float16)
    assert "Is a product, a factor or a partial sum kept in float16?" in told(got, truth)


def test_a_wrong_number_is_not_a_rounding_error() -> None:
    a, b = operands(torch.float16)
    truth = exact(a, b)
    other = torch.linspace(-1, 1, len(truth)).to(torch.float16)
    assert "rounding" not in told(other, truth)


def test_few_digits_do_not_make_another_number_half_of_the_right_one() -> None:
    """A bfloat16 sum that stopped growing near 0.47 of the right one is not "half of it"."""
    truth = torch.linspace(0.9, 1.1, 64, dtype=torch.float64)
    got = torch.full((64,), 0.47, dtype=torch.bfloat16)
    assert "half of" not in told(got, truth)
    assert told((truth / 2).to(torch.bfloat16), truth) == "Every element is half of what it should be."


def test_nearly_equal_neighbours_are_not_an_index_that_is_off_by_one() -> None:
    generator = torch.Generator().manual_seed(1)
    truth = 0.25 + 0.004 * torch.rand(64, generator=generator, dtype=torch.float64)
    got = (truth * 0.985).to(torch.bfloat16)
    assert "off by one" not in told(got, truth)
    spread = torch.rand(64, generator=generator, dtype=torch.float64)
    assert "off by one" in told(spread.roll(1).to(torch.bfloat16), spread)


def test_an_overflow_on_the_way_is_told_from_one_of_the_result() -> None:
    truth = torch.linspace(100, 200, 20, dtype=torch.float64)
    got = truth.to(torch.float16)
    got[3:7] = float("inf")
    assert "4 of 20 elements are NaN or infinite where the answer is finite. float16 ends at 65504: the answer fits" in told(got, truth)  # fmt: skip  # noqa: E501
    assert "The answer itself is beyond 65504" in told((truth * 1000).to(torch.float16), truth * 1000)
    wide = truth.float()
    wide[2] = float("inf")
    assert "0/0" in told(wide, truth)


def test_products_that_vanish_are_told_from_a_result_that_was_not_computed() -> None:
    a, b = (torch.full((20,), value, dtype=torch.float16) for value in (1e-4, 2e-4))
    truth = a.double() * b.double() * 1e4
    zeros = torch.zeros(20, dtype=torch.float16)
    assert "below 2^-25" in told(zeros, truth, a=a, b=b)
    assert "not computed" in told(zeros, truth, a=a * 100, b=b)
    assert "not computed" in told(zeros.float(), truth, a=a.float(), b=b.float())
