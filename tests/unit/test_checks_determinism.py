"""A case in deterministic mode has to give the same bits in every run; one bit is enough to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.device.determinism import ORDERS, REPEATS, changing_gradient, difference
from grader.checks.gradients import gradient
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.checks.values.expected import Expected, Tolerance
from grader.specification import Case, Gradient, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

CASE = Case("sums", [replace(tensor((3, 5)), name="a")], deterministic=True)
ORDINARY = replace(CASE, deterministic=False)


def double(a: torch.Tensor) -> torch.Tensor:
    return a * 2


def nudged(values: torch.Tensor) -> torch.Tensor:
    """The same but for the last bit of element [1, 2]."""
    moved = values.clone()
    moved[1, 2] = torch.nextafter(moved[1, 2], torch.tensor(torch.inf))
    return moved


def from_the(run: int, change: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., torch.Tensor]:
    """``double``, changed from its ``run``-th call on."""
    calls = iter(range(100))
    return lambda a: double(a) if next(calls) < run else change(double(a))


class Doubled(torch.autograd.Function):
    """Its gradient is changed from the third backward of one cotangent on: the first is compared with the
    reference, the second is the first of those that are compared bit by bit.
    """

    change: Callable[[torch.Tensor], torch.Tensor] = staticmethod(nudged)
    seen: list[torch.Tensor] = []  # noqa: RUF012

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor) -> torch.Tensor:
        return a * 2

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        earlier = sum(torch.equal(grads[0], each) for each in Doubled.seen)
        Doubled.seen.append(grads[0].clone())
        found = grads[0] * 2
        return Doubled.change(found) if earlier >= 2 else found


def forward_judged(
    function: Callable[..., Any], case: Case = CASE, backend: str = "simt"
) -> tuple[Outcome, FakeSession]:
    session = FakeSession(function)
    return correctness.check(fake_bench(session, double, [case], parameters="a", backend=backend)), session


def backward_judged(change: Callable[[torch.Tensor], torch.Tensor], case: Case = CASE) -> Outcome:
    Doubled.seen, Doubled.change = [], change  # type: ignore[method-assign]
    spec = Gradient(cases=[case], mode="cotangent")
    return gradient.check(fake_bench(FakeSession(Doubled.apply), double, [], parameters="a", gradient=spec))


def test_equal_bits_in_every_order_pass() -> None:
    outcome, session = forward_judged(double)
    assert outcome.status is Status.PASS
    assert session.modes == [("forward", True), *((order, True) for order in ORDERS)]


def test_on_a_gpu_the_case_is_repeated() -> None:
    _, session = forward_judged(double, backend="cuda")
    assert session.modes == [("forward", True)] * (1 + len(REPEATS))


def test_a_case_in_no_special_mode_runs_once_and_may_round_as_it_likes() -> None:
    outcome, session = forward_judged(from_the(1, nudged), ORDINARY)
    assert outcome.status is Status.PASS
    assert session.modes == [("forward", False)]


@pytest.mark.parametrize("run", range(1, 1 + len(ORDERS)))
def test_one_bit_in_one_run_is_another_order_of_additions(run: int) -> None:
    outcome, _ = forward_judged(from_the(run, nudged))
    assert outcome.status is Status.FAIL
    assert outcome.topic == "determinism" and outcome.index == (1, 2)
    assert outcome.sentence.startswith(
        "muladd(a: float32 (3, 5)) in deterministic mode: the same input gave two results. The output is "
    )
    assert f" in {ORDERS[run - 1]} order. The order of the additions depends on the sch" in outcome.sentence


def test_more_than_rounding_is_called_a_race() -> None:
    outcome, _ = forward_judged(from_the(1, lambda values: values + 0.5))
    assert outcome.topic == "determinism"
    assert "The order of the additions" not in outcome.sentence
    assert (
        "further apart than rounding: threads overwrite or miss what other threads write" in outcome.sentence
    )


def test_an_error_in_a_later_run_fails() -> None:
    def fails(values: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("does not have a deterministic implementation")

    outcome, _ = forward_judged(from_the(2, fails))
    assert outcome.status is Status.FAIL
    assert "does not have a deterministic implementation" in outcome.sentence


def test_gradients_are_compared_bit_by_bit_too() -> None:
    right = backward_judged(lambda values: values)
    assert right.status is Status.PASS
    assert right.sentence.endswith("In deterministic mode every run gave the same bits (1 case).")

    wrong = backward_judged(nudged)
    assert wrong.status is Status.FAIL and wrong.topic == "determinism"
    assert "the same input gave two results. The gradient of a is " in wrong.sentence
    assert wrong.sentence.startswith("The backward of muladd(a: float32 (3, 5)) in deterministic mode: ")

    assert backward_judged(nudged, ORDINARY).status is Status.PASS


def test_the_truth_is_asked_for_the_cotangents_that_backward_got() -> None:
    given: list[torch.Tensor] = []

    def right(cotangents: list[torch.Tensor]) -> list[Expected]:
        given.extend(cotangents)
        tolerance = Tolerance(1e-6, 0.0)
        return [Expected("the gradient of a", 2 * given[0].double(), torch.float32, "cuda:0", tolerance)]

    def judged(change: Callable[[torch.Tensor], torch.Tensor]) -> Outcome | None:
        Doubled.seen, Doubled.change = [], change  # type: ignore[method-assign]
        bench = fake_bench(FakeSession(Doubled.apply), double, [], parameters="a")
        return changing_gradient(bench, CASE, bench.draw(CASE.args), ["a"], right)

    assert judged(lambda values: values) is None
    assert given == [], "equal bits need no truth"
    outcome = judged(nudged)
    assert outcome is not None and "The order of the additions" in outcome.sentence
    (cotangent,) = given
    assert cotangent.dtype == torch.float32
    assert all(torch.equal(cotangent, each) for each in Doubled.seen)


@pytest.mark.parametrize(("deterministic", "status"), [(False, Status.PASS), (True, Status.FAIL)])
def test_gradcheck_tolerates_no_difference_in_deterministic_mode(deterministic: bool, status: Status) -> None:
    calls = iter(range(10_000))

    class Unsteady(Doubled):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            number = next(calls)
            return grads[0] * 2 + (1e-14 * (number % 2) if number > 12 else 0)  # after the other judges

    case = Case("double", [replace(tensor(3, "float64"), name="a")], deterministic=deterministic)
    spec = Gradient(cases=[case], nondet_tol=1e-12)
    session = FakeSession(Unsteady.apply)
    outcome = gradient.check(fake_bench(session, double, [], parameters="a", gradient=spec))
    assert outcome.status is status, outcome.sentence
    assert ("gradcheck" in outcome.sentence) and "same input gave two" not in outcome.sentence
    assert {mode for _, mode in session.modes} == {deterministic}


def test_where_only_the_deterministic_variant_is_wrong_the_verdict_says_so() -> None:
    calls: list[int] = []

    class Halved(Doubled):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            calls.append(1)
            return grads[0] * (2 if len(calls) <= 3 else 1.5)

    cases = [replace(ORDINARY, name="usual"), CASE, replace(CASE, name="another")]
    for kept in (cases, cases[1:]):
        calls[:] = [] if kept is cases else [1, 1, 1]
        spec = Gradient(cases=kept, mode="cotangent")
        bench = fake_bench(FakeSession(Halved.apply), double, [], parameters="a", gradient=spec)
        outcome = gradient.check(bench)
        assert outcome.case == "sums" and outcome.status is Status.FAIL
        aside = "All cases outside of deterministic mode are right: look at what runs in that mode only."
        assert outcome.sentence.endswith(aside) is (kept is cases)


def test_zeros_of_either_sign_and_nans_of_either_payload_are_other_bits() -> None:
    zero = torch.tensor([1.0, 0.0])
    found = difference(zero, torch.tensor([1.0, -0.0]))
    assert found is not None and found.index == (1,)
    nan = torch.tensor([float("nan")])
    assert difference(nan, nan.clone()) is None
    other = (nan.view(torch.int32) + 1).view(torch.float32)
    assert difference(nan, other) is not None
    assert difference(torch.tensor(2.0), torch.tensor(2.0)) is None
    assert difference(torch.empty(0, 3), torch.empty(0, 3)) is None
    assert difference(torch.arange(6).view(2, 3).t(), torch.arange(6).view(2, 3).t()) is None
