"""A machine with one GPU is not asked about a second one."""

from __future__ import annotations

from dataclasses import replace

import torch

from grader.checks.values import correctness
from grader.checks.values.devices import within
from grader.specification import Argument, Case, Gradient, Refusal, tensor
from tests.unit.fake_submission import FakeSession, fake_bench

HERE: list[Argument] = [[replace(tensor(3), name="a[0]")]]
THERE: list[Argument] = [[replace(tensor(3), name="a[0]"), replace(tensor(3, device="cuda:1"), name="a[1]")]]
CASES = [Case("here", HERE), Case("there", THERE), Case("while the other is current", HERE, device=1)]


def double(a: list[torch.Tensor]) -> list[torch.Tensor]:
    return [2 * each for each in a]


def test_what_needs_a_second_device_is_left_out_and_counted() -> None:
    bench = fake_bench(
        FakeSession(double), double, CASES, parameters=("a",), gradient=Gradient(cases=CASES),
        refusals=[Refusal("there", THERE), Refusal("on the CPU", [tensor(3, device="cpu")])],
    )  # fmt: skip
    one = within(bench.spec, 1)
    assert [case.name for case in one.cases] == ["here"]
    assert [refusal.name for refusal in one.refusals] == ["on the CPU"]
    assert one.gradient is not None
    assert [case.name for case in one.gradient.cases] == ["here"]
    assert one.left_out == 3
    both = within(bench.spec, 2)
    assert (both.cases, both.refusals, both.left_out) == (bench.spec.cases, bench.spec.refusals, 0)
    bench.spec = replace(one, refusals=())
    assert (
        correctness.check(bench).sentence
        == "The one case is right. 3 more need a second GPU, which is not here."
    )
