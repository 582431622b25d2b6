"""Second derivatives: right, refused, or wrong in silence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch.autograd.function import once_differentiable

from grader.checks.gradients import gradient
from grader.checks.gradients.double_backward import second_problem
from grader.checks.gradients.reference_graph import record_tape
from grader.checks.outcome import Outcome
from grader.specification import Case, Gradient, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

CASE = Case("odd", [replace(tensor((3, 5), "float64"), name=name) for name in "ab"])


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


def with_backward(backward: Callable[..., Any]) -> Callable[..., Any]:
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Product", (torch.autograd.Function,), methods).apply  # type: ignore[attr-defined,no-any-return]


def differentiable(ctx: Any, grad: torch.Tensor) -> Any:
    a, b = ctx.saved_tensors
    return grad * b, grad * a


def constant(ctx: Any, grad: torch.Tensor) -> Any:
    """As a kernel would: what it makes has no history."""
    a, b = ctx.saved_tensors
    return (grad * b).detach(), (grad * a).detach()


def problem(
    function: Callable[..., Any], reference: Callable[..., Any] = product, case: Case = CASE
) -> Outcome | None:
    session = FakeSession(function)
    bench = fake_bench(session, reference, [], parameters="ab", gradient=Gradient(cases=[case]))
    inputs = bench.draw(case.args)
    outcome = second_problem(bench, case, inputs, record_tape(bench, inputs, ["a", "b"], case.name))
    assert not session.graphs, "the graph has to be released"
    return outcome


def test_a_sum_of_gradients_may_round_more_than_once() -> None:
    """By the cotangent, two products of float16 are added up: no kernel can round that sum once."""
    case = Case("halves", [replace(tensor((40, 50), "float16"), name=name) for name in "ab"])
    session = FakeSession(with_backward(differentiable))
    bench = fake_bench(session, product, [], parameters="ab", gradient=Gradient(cases=[case]))
    bench = replace(bench, spec=replace(bench.spec, rounded_once=True))
    inputs = bench.draw(case.args)
    assert second_problem(bench, case, inputs, record_tape(bench, inputs, ["a", "b"], case.name)) is None


def test_a_backward_of_differentiable_parts_is_right() -> None:
    assert problem(with_backward(differentiable)) is None


def test_once_differentiable_refuses() -> None:
    assert problem(with_backward(once_differentiable(constant))) is None


def test_a_constant_in_silence_is_wrong() -> None:
    outcome = problem(with_backward(constant))
    assert outcome is not None and outcome.status is Status.FAIL
    assert "by a is wrong, and no error says so" in outcome.sentence
    assert "@once_differentiable" in outcome.sentence
    assert outcome.topic == "twice"


def test_one_gradient_that_lacks_its_terms_is_enough() -> None:
    def half(ctx: Any, grad: torch.Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad * b, (grad * a).detach()

    outcome = problem(with_backward(half))
    assert outcome is not None and "by a is wrong" in outcome.sentence


def test_only_the_dependence_on_the_cotangent_is_lost() -> None:
    def forgetful(ctx: Any, grad: torch.Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad.detach() * b, grad.detach() * a

    outcome = problem(with_backward(forgetful))
    assert outcome is not None and "by the cotangent is wrong" in outcome.sentence


def test_another_error_is_told() -> None:
    def raising(ctx: Any, grad: torch.Tensor) -> Any:
        if grad.requires_grad:
            raise ValueError("not twice")
        return differentiable(ctx, grad)

    outcome = problem(with_backward(raising))
    assert outcome is not None and "raised ValueError" in outcome.sentence


def test_an_output_without_a_gradient_has_no_second_one() -> None:
    def reference(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return a * b, b.argmax(1)

    def constant_beside_places(a: torch.Tensor, b: torch.Tensor) -> Any:
        return with_backward(constant)(a, b), b.argmax(1)

    assert problem(reference, reference) is None
    outcome = problem(constant_beside_places, reference)
    assert outcome is not None and "by a is wrong" in outcome.sentence


def test_complex_numbers_have_second_derivatives() -> None:
    case = Case("complex", [replace(tensor((3, 5), "complex128"), name=name) for name in "ab"])

    def conjugated(ctx: Any, grad: torch.Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad * b.conj(), grad * a.conj()

    def half(ctx: Any, grad: torch.Tensor) -> Any:
        a, b = ctx.saved_tensors
        return grad * b.conj(), (grad * a.conj()).detach()

    assert problem(with_backward(conjugated), case=case) is None
    outcome = problem(with_backward(half), case=case)
    assert outcome is not None and "by a is wrong" in outcome.sentence


def test_the_gradient_check_asks_where_the_spec_wants_it() -> None:
    for twice, status in ((False, Status.PASS), (True, Status.FAIL)):
        spec = Gradient(cases=[CASE], twice=twice, mode="cotangent")
        bench = fake_bench(FakeSession(with_backward(constant)), product, [], parameters="ab", gradient=spec)
        assert gradient.check(bench).status is status
