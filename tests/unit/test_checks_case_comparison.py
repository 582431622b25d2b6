"""What tells wrong cases from the others: results without elements prove nothing, launches may tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch

from grader.checks.values import correctness
from grader.run.values import Trace
from grader.specification import Case, tensor
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


def lines(wrong: Callable[..., torch.Tensor], cases: list[Case], **fake: Any) -> tuple[str, ...]:
    return correctness.check(fake_bench(FakeSession(wrong, **fake), product, cases, parameters="ab")).lines


def case(name: str, rows: int, layout: str = "contiguous") -> Case:
    a, b = tensor((rows, 4)), tensor((4, 6), layout=layout)
    return Case(name, [replace(a, name="a"), replace(b, name="b")])


def wrong_for_views(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b if b.is_contiguous() else a @ b + 1


def test_a_case_without_a_result_is_not_called_right() -> None:
    cases = [case("dense", 3), case("turned", 3, "transposed"), case("nothing", 0, "transposed")]
    assert "In this case, and in no other, b is not contiguous." in lines(wrong_for_views, cases)
    right = case("right", 3, "transposed")
    told = lines(
        lambda a, b: a @ b + (len(a) == 5), [case("dense", 3), case("turned", 5, "transposed"), right]
    )
    assert not any("b is not contiguous" in line for line in told)


def test_a_launch_of_several_blocks_tells_cases_apart() -> None:
    calls: list[int] = []

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        grid = (1 + (calls[-1] > 3), 1, 1)
        return replace(trace, launches=(replace(LAUNCH, grid=grid),))

    def wrong(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        calls.append(len(a))
        return a @ b + (len(a) > 4)

    told = "In this case, and in no other, more than one block is launched."
    assert told in lines(wrong, [case("small", 3), case("large", 9)], edit_trace=edit)
    assert told not in lines(wrong, [case("small", 4), case("large", 9)], edit_trace=edit)


def test_a_single_element_that_is_right_says_nothing_of_blocks() -> None:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        grid = (1 + (calls[-1] > 1), 1, 1)
        return replace(trace, launches=(replace(LAUNCH, grid=grid),))

    def double(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

    def wrong(x: torch.Tensor) -> torch.Tensor:
        calls.append(len(x))
        return 2 * x + (len(x) > 1)

    calls: list[int] = []
    cases = [Case(f"{n}", [replace(tensor(n), name="x")]) for n in (1, 9)]
    told = correctness.check(fake_bench(FakeSession(wrong, edit_trace=edit), double, cases, parameters="x"))
    assert not any("more than one block" in line for line in told.lines)
