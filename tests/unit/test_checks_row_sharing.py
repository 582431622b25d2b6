"""Rows whose threads disagree, and NaN and zeros in rows that add up to 1."""

from __future__ import annotations

import pytest
import torch

from grader.checks.values import non_finite, row_sharing
from grader.checks.values.diagnose import diagnose
from grader.checks.values.wrong_answer import Wrong

THREADS = 4


def told(got: torch.Tensor, right: torch.Tensor, x: torch.Tensor, written: bool = True) -> str:
    mask = ~((got.double() - right).abs() <= 1e-5 * right.abs())
    return diagnose(Wrong(got, right, mask, [("x", x)], written=written, terms=x.shape[-1]))


def scores(*shape: int, size: float = 8) -> torch.Tensor:
    generator = torch.Generator().manual_seed(3)
    return (torch.rand(shape, generator=generator) * 2 - 1) * size


def by_thread(x: torch.Tensor) -> torch.Tensor:
    """``x`` with a dimension for the threads: thread t has every fourth pack of a row."""
    return x.reshape(x.shape[0], -1, THREADS, 2)


def own_maximum(x: torch.Tensor) -> torch.Tensor:
    mine = by_thread(x)
    largest = mine.amax(dim=(1, 3), keepdim=True)
    whole = torch.exp(x - x.amax(dim=1, keepdim=True)).sum(dim=1).reshape(-1, 1, 1, 1)
    return (torch.exp(mine - largest) / whole).reshape(x.shape)


def own_sum(x: torch.Tensor) -> torch.Tensor:
    mine = torch.exp(by_thread(x) - x.amax())
    return (mine / mine.sum(dim=(1, 3), keepdim=True)).reshape(x.shape)


@pytest.mark.parametrize("wrongly", [own_maximum, own_sum])
def test_threads_with_a_number_of_their_own(wrongly: object) -> None:
    x = scores(3, 40)
    said = told(wrongly(x), torch.softmax(x.double(), 1), x)  # type: ignore[operator]
    assert said.startswith("Row 0 falls into 4 groups of elements, each the right ones times a factor")
    assert "Every lane and every warp needs that of the whole row." in said


def test_the_first_warp_alone_has_the_sum() -> None:
    x = torch.ones(2, 100)
    right = torch.softmax(x.double(), 1)
    got = right.float()
    got[:, 32:] *= 2.0493
    assert "2 groups of elements" in told(got, right, x)
    got = right.float()
    got[:, 32:] *= 2
    assert "groups" not in told(got, right, x)  # two of them: elements may have been added twice


@pytest.mark.parametrize("seed", range(5))
def test_errors_without_a_pattern_are_no_groups(seed: int) -> None:
    x = scores(6, 40)
    right = torch.softmax(x.double(), 1)
    generator = torch.Generator().manual_seed(seed)
    got = (right * (1 + torch.rand(right.shape, generator=generator))).float()
    assert "groups" not in told(got, right, x)
    few = right.float()
    few[0, :3] *= torch.tensor([1.3, 1.7, 2.6])  # most elements are right, the others share nothing
    assert "groups" not in told(few, right, x)
    many = scores(1, 100_000).abs() + 1
    noise = 1 + torch.rand(many.shape, generator=generator, dtype=torch.float64) * 1e-3
    assert row_sharing.factors_of_threads(_wrong((many.double() * noise).float(), many.double())) == ""


def _wrong(got: torch.Tensor, right: torch.Tensor) -> Wrong:
    return Wrong(got, right, got.double() != right)


def test_exp_overflows() -> None:
    x = scores(4, 12, size=1000)
    right = torch.softmax(x.double(), 1)
    said = told(torch.exp(x) / torch.exp(x).sum(dim=1, keepdim=True), right, x)
    assert "are NaN where the answer is finite. In each of these rows, x exceeds 88.7" in said
    assert "subtract the row's own maximum first" in said
    assert "exp" not in told(torch.full_like(x, torch.nan), x.double(), x)  # the answer is no softmax


def test_every_exp_is_zero() -> None:
    x = scores(4, 12, size=500) - 1500
    right = torch.softmax(x.double(), 1)
    said = told(torch.exp(x) / torch.exp(x).sum(dim=1, keepdim=True), right, x)
    assert "all of x is below -104, where exp is 0 in float32, and so is their sum, which makes 0/0" in said


def test_the_inputs_have_no_part_in_it() -> None:
    x = scores(4, 12)
    right = torch.softmax(x.double(), 1)
    said = told(torch.full_like(x, torch.nan), right, x)
    assert "although x is nowhere beyond 7.9" in said and "a start value or a filler" in said
    said = told(torch.full_like(x, torch.nan), right, x * 8)  # differences of these may overflow
    assert "a start value" not in said
    mixed = x.clone()
    mixed[0] = 200  # one of the rows overflows, the others cannot
    said = told(torch.full_like(x, torch.nan), torch.softmax(mixed.double(), 1), mixed)
    assert "a start value" not in said and "exceeds" not in said


def test_memory_that_is_known_to_be_written_is_not_called_uninitialised() -> None:
    x = scores(50)
    got = x.clone()
    got[3] = torch.inf
    assert told(got, x.double(), x).endswith("1 of 50 elements are infinite where the answer is finite: 0/0, "
                                             "inf - inf, 0 * inf, an overflow, or an undefined value "
                                             "that was loaded.")  # fmt: skip
    assert told(got, x.double(), x, written=False).endswith("that was loaded, or uninitialised memory.")


def test_negative_zero_comes_from_infinity() -> None:
    x = scores(4, 12)
    right = torch.softmax(x.double(), 1)
    assert "-infinity" in told(torch.full_like(x, -0.0), right, x)
    assert "-infinity" not in told(torch.zeros_like(x), right, x)
    assert non_finite.all_zero(_wrong(torch.full_like(x, -0.0), x.double())).startswith("Every element is 0")
