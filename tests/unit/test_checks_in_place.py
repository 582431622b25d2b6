"""Tensors that are changed between forward and backward, and graphs that keep their memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.gradients import gradient
from grader.checks.gradients.in_place import CALLS, overwritten_problem
from grader.checks.gradients.reference_graph import record_tape
from grader.checks.outcome import Outcome
from grader.run.values import Trace
from grader.specification import Case, Gradient, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

CASE = Case("odd", [replace(tensor((3, 5), "float64"), name=name) for name in "ab"])


def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


class Product(torch.autograd.Function):
    """a * b; what backward reads is kept as the tests say."""

    @staticmethod
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = ctx.saved_tensors
        return grads[0] * b, grads[0] * a


def keeping(forward: Callable[..., Any], backward: Callable[..., Any]) -> Callable[..., Any]:
    methods = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Kept", (torch.autograd.Function,), methods).apply  # type: ignore[attr-defined]


def problem(
    function: Callable[..., Any], reference: Callable[..., Any] = product, **fake: Any
) -> tuple[Outcome | None, FakeSession, frozenset[str]]:
    session = FakeSession(function, **fake)
    bench = fake_bench(session, reference, [], parameters="ab", gradient=Gradient(cases=[CASE]))
    inputs = bench.draw(CASE.args)
    outcome, saved = overwritten_problem(bench, CASE, inputs, record_tape(bench, inputs, ["a", "b"], "odd"))
    assert not session.graphs, "every graph has to be released"
    return outcome, session, saved


def test_what_is_saved_is_watched_by_autograd() -> None:
    outcome, session, saved = problem(Product.apply)
    assert outcome is None and saved == {"a", "b"}
    assert session.log.count("backward") == 3, "a, b and the result are changed in turn"


def test_what_is_saved_in_vain_is_told_beside_a_pass() -> None:
    def judged(function: Callable[..., Any], reference: Callable[..., Any]) -> Outcome:
        session = FakeSession(function)
        bench = fake_bench(
            session, reference, [], parameters="ab", gradient=Gradient(cases=[CASE], mode="cotangent")
        )
        return gradient.check(bench)

    def saves_both(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return a.relu() + b

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad * (ctx.saved_tensors[0] > 0), grad

    outcome = judged(keeping(saves_both, backward), lambda a, b: a.relu() + b)
    assert outcome.status is Status.PASS, outcome.sentence
    (line,) = outcome.lines  # a decides where the gradient is zero, b decides nothing
    assert line.startswith("Advice, without points: b is saved for backward, and no gradient depends on")
    assert judged(Product.apply, product).lines == ()


def test_what_backward_does_not_read_may_change() -> None:
    outcome, *_ = problem(
        keeping(lambda ctx, a, b: a + b, lambda ctx, grad: (grad, grad)), reference=lambda a, b: a + b
    )
    assert outcome is None


def test_an_argument_on_ctx_is_not_watched() -> None:
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.b = b
        ctx.save_for_backward(a)
        return a * b

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        (a,) = ctx.saved_tensors
        return grad * ctx.b, grad * a

    outcome, *_ = problem(keeping(forward, backward))
    assert outcome is not None
    assert "after b was changed in place, computed a wrong gradient of a without an error" in outcome.sentence
    assert "save_for_backward" in outcome.sentence
    assert outcome.topic == "saved"


def test_a_result_on_ctx_is_not_watched() -> None:
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.out = torch.exp(a) * b
        return ctx.out

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        return grad * ctx.out, torch.zeros_like(grad)

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.exp(a) * b.detach()

    outcome, *_ = problem(keeping(forward, backward), reference=reference)
    assert outcome is not None and "after its result was changed in place" in outcome.sentence


def test_another_error_than_autograds_is_told() -> None:
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.a, ctx.before = a, float(a.sum())
        ctx.save_for_backward(b)
        return a * b

    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        if float(ctx.a.sum()) != ctx.before:
            raise ValueError("a has changed")
        (b,) = ctx.saved_tensors
        return grad * b, grad * ctx.a

    outcome, *_ = problem(keeping(forward, backward))
    assert outcome is not None and "raised ValueError" in outcome.sentence


@pytest.mark.parametrize(("each", "fails"), [(0, False), (1, True), (2, True)])
def test_memory_that_every_call_leaves_behind(each: int, fails: bool) -> None:
    calls = iter(range(1000))

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, alive_before=each * next(calls)) if stage == "call" else trace

    outcome, *_ = problem(Product.apply, edit_trace=edit)
    assert (outcome is not None) == fails
    if outcome is not None:
        what = "1 device allocation of" if each == 1 else "2 device allocations of"
        assert what in outcome.sentence and "outlived the result and its graph" in outcome.sentence


def test_a_cache_that_is_filled_once_is_no_leak() -> None:
    alive = iter([0] * 4 + [3] * CALLS)

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, alive_before=next(alive)) if stage == "call" else trace

    assert problem(Product.apply, edit_trace=edit)[0] is None
