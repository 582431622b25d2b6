"""The numbers of the page on tolerances: sums in two orders, rounded inputs, cancellation, three kernels."""

from __future__ import annotations

import math
import random

import torch

NARROW = (torch.float16, torch.bfloat16)
TERMS = 4096


def name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


# --8<-- [start:bound]
def unit(dtype: torch.dtype) -> float:
    """u: the largest relative error of one rounding to `dtype`, half the step from 1 to the next number."""
    return torch.finfo(dtype).eps / 2


def bound(dtype: torch.dtype, terms: int, expected: torch.Tensor) -> torch.Tensor:
    """How far a correct kernel may be from `expected`: it adds `terms` numbers in float32, or float64 for
    float64, and rounds the result to `dtype`.
    """
    summed_in = torch.promote_types(dtype, torch.float32)
    on_the_way = (terms + 8) * torch.finfo(summed_in).eps  # 8 roundings beside those of the sum
    size = expected.square().mean().sqrt()  # where terms cancel, this is how large they were
    spacing = torch.finfo(dtype).smallest_normal * torch.finfo(dtype).eps  # of the smallest numbers
    return unit(dtype) * expected.abs() + on_the_way * (expected.abs() + size) + spacing / 2


# --8<-- [end:bound]


def drawn(rows: int, low: float) -> list[torch.Tensor]:
    """Two float64 tensors of (rows, TERMS) with numbers between `low` and 1."""
    numbers = random.Random(8)
    values = [[low + (1 - low) * numbers.random() for _ in range(rows * TERMS)] for _ in range(2)]
    return [torch.tensor(each, dtype=torch.float64).view(rows, TERMS) for each in values]


def in_order(terms: torch.Tensor) -> torch.Tensor:
    """The sum of each row, from left to right, rounded to the dtype of `terms` after every addition."""
    total = torch.zeros(len(terms), dtype=terms.dtype)
    for column in terms.unbind(1):
        total = total + column
    return total


def in_a_tree(terms: torch.Tensor) -> torch.Tensor:
    """The sum of each row, by halves: neighbours first, then their sums."""
    while terms.shape[1] > 1:
        terms = terms[:, 0::2] + terms[:, 1::2]
    return terms[:, 0]


def two_orders() -> None:
    terms = drawn(32, 0.0)[0].float()
    exact = terms.double().sum(1)
    print(f"{TERMS} positive float32 numbers, the largest of 32 relative errors in units of u = 2^-24")
    for label, total, roundings in (
        ("in order", in_order(terms), TERMS - 1),
        ("in a tree", in_a_tree(terms), int(math.log2(TERMS))),
    ):
        error = float(((total.double() - exact) / exact).abs().max()) / unit(torch.float32)
        print(f"  {label:9}  {error:7.1f}   bound {roundings}")


def rounded_inputs() -> None:
    values = drawn(32, 0.25)[0]
    inputs = values.half().double()
    of_one = float(((inputs - values) / values).abs().max()) / unit(torch.float16)
    of_sums = float(((inputs.sum(1) - values.sum(1)) / values.sum(1)).abs().max()) / unit(torch.float16)
    print("numbers between 1/4 and 1, rounded to float16: what that changes, in units of u = 2^-11")
    print(f"  one number {of_one:.2f}, the sum of {TERMS} of them {of_sums:.2f}")


def cancellation() -> None:
    terms = torch.tensor([[1.0, 2.0**-25, -1.0]])
    exact, got = float(terms.double().sum()), float(in_order(terms)[0])
    condition = float(terms.double().abs().sum()) / abs(exact)
    print("1 + 2^-25 - 1 in float32, from left to right")
    print(f"  exact {exact:.3g}, computed {got:.3g}, relative error {abs(got - exact) / abs(exact):.0f}")
    print(f"  condition number {condition:.3g}; error over the sum of magnitudes {abs(got - exact) / 2:.2g}")


def three_kernels(dtype: torch.dtype, low: float) -> None:
    a, b = (each.to(dtype) for each in drawn(32, low))
    exact = (a.double() * b.double()).sum(1)
    eight = 8 * torch.finfo(dtype).eps * (exact.abs() + exact.square().mean().sqrt())
    for label, total in (
        ("float32, rounded once", in_order(a.float() * b.float()).to(dtype)),
        ("products rounded", in_order((a * b).float()).to(dtype)),
        ("sum rounded", in_order(a * b)),
    ):
        error = (total.double() - exact).abs()
        over_bound, over_eight = (
            int((~(error <= allowed)).sum()) for allowed in (bound(dtype, TERMS, exact), eight)
        )
        signs = "positive" if low == 0 else "of either sign"
        print(f"  {name(dtype):8}  {signs:14}  {label:21}  {over_bound:2}  {over_eight:2}")


def one_term(dtype: torch.dtype) -> None:
    """A product and a factor: no sum whose errors could cancel."""
    a, b = (each[:, :64].to(dtype) for each in drawn(32, 0.0))
    exact = (0.3 * a.double() * b.double()).flatten()
    allowed = bound(dtype, 1, exact)
    once = (torch.tensor(0.3) * a.float() * b.float()).to(dtype).flatten()
    twice = (torch.tensor(0.3) * (a * b).float()).to(dtype).flatten()
    counts = [int(((each.double() - exact).abs() > allowed).sum()) for each in (once, twice)]
    said = f"product in float32 {counts[0]}, product rounded {counts[1]}"
    print(f"  {name(dtype):8}  0.3 * (a * b)   {said} of {exact.numel()}")


def main() -> None:
    two_orders()
    rounded_inputs()
    cancellation()
    print(f"sums of {TERMS} products: how many of 32 are outside one rounding, and outside 8 eps")
    for dtype in NARROW:
        for low in (0.0, -1.0):
            three_kernels(dtype, low)
    print("results without a sum that are outside one rounding")
    for dtype in NARROW:
        one_term(dtype)


if __name__ == "__main__":
    main()
