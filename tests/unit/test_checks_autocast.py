"""Cases in an autocast region: what the operation is expected to compute on, and how it is judged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.gradients import gradient
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.checks.values.expected import expected_outputs
from grader.checks.values.inputs import Drawn, draw, seeded
from grader.specification import Case, Gradient, Spec, tensor
from grader.specification.naming import named_calls
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench
from tests.unit.test_checks_gradient import Product as Plain


def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a * b


def case(dtypes: tuple[str, str] = ("float32", "float32"), **more: Any) -> Case:
    args = [tensor((5, 7), dtype, low=0.5, high=1.5) for dtype in dtypes]
    (named,) = named_calls(Case, "CASES", [Case("a region", args, **more)], ("a", "b"))
    assert isinstance(named, Case)
    return named


def lowered(tensor: torch.Tensor) -> torch.Tensor:
    """As an operation casts that follows its region, on the device that there is here."""
    if not torch.is_autocast_enabled("cpu") or tensor.dtype == torch.float64:
        return tensor
    return tensor.to(torch.get_autocast_dtype("cpu"))


def seen(described: Case) -> list[torch.dtype]:
    return [each.seen.dtype for each in draw(described.args, seeded(1)).tensors()]


def test_floating_tensors_become_the_regions_dtype() -> None:
    assert seen(case(autocast="float16")) == [torch.float16, torch.float16]
    assert seen(case(("bfloat16", "float32"), autocast="bfloat16")) == [torch.bfloat16, torch.bfloat16]
    assert (
        seen(case(("float16", "float32"), autocast="float16", cast_inputs="float32")) == [torch.float32] * 2
    )
    assert seen(case()) == [torch.float32, torch.float32]


def test_float64_and_integers_and_tensors_on_the_host_stay() -> None:
    assert seen(case(("float64", "int32"), autocast="float16")) == [torch.float64, torch.int32]
    host = replace(case(), args=[tensor(3, device="cpu"), [tensor(3)]], autocast="float16")
    (named,) = named_calls(Case, "CASES", [host], ("a", "b"))
    assert seen(named) == [torch.float32, torch.float16]


def test_the_worker_gets_what_was_drawn_and_the_reference_what_autocast_makes_of_it() -> None:
    inputs = draw(case(autocast="bfloat16").args, seeded(1))
    drawn = inputs.named("a")
    assert isinstance(drawn, Drawn)
    sent, wide = inputs.for_worker()[0].tensor, inputs.for_reference()[0]
    assert sent.dtype == torch.float32 and torch.equal(sent, drawn.tensor)
    assert wide.dtype == torch.float64 and torch.equal(wide, sent.to(torch.bfloat16).double())
    assert not torch.equal(wide, sent.double())


def test_the_result_has_the_dtype_that_the_reference_gives_for_the_regions() -> None:
    spec = Spec(Path("spec.py"), "f", reference, ("a", "b"), ())
    (expected,) = expected_outputs(spec, draw(case(autocast="float16").args, seeded(1)), "a region")
    assert expected.dtype == torch.float16
    (plain,) = expected_outputs(spec, draw(case().args, seeded(1)), "no region")
    assert plain.dtype == torch.float32


def judged(function: Any, described: Case) -> Outcome:
    return correctness.check(fake_bench(FakeSession(function), reference, [described], parameters="ab"))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_an_operation_that_follows_its_region_is_right(dtype: str) -> None:
    outcome = judged(lambda a, b: lowered(a) * lowered(b), case(autocast=dtype))
    assert outcome.status is Status.PASS, outcome.sentence


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (lambda a, b: a * b, "float32"),
        (lambda a, b: a.half() * b.half(), "float16"),
    ],
)
def test_an_operation_that_does_not_is_told_what_the_region_asks_for(function: Any, got: str) -> None:
    outcome = judged(function, case(autocast="bfloat16"))
    assert (outcome.status, outcome.topic) == (Status.FAIL, "dtype")
    assert f"under autocast to bfloat16: the output has dtype {got}, expected bfloat16." in outcome.sentence
    assert "torch.get_autocast_dtype" in outcome.sentence
    assert "empty_like" not in outcome.sentence


def test_outside_a_region_the_remedy_is_another() -> None:
    outcome = judged(lambda a, b: (a * b).half(), case())
    assert "empty_like" in outcome.sentence and "autocast" not in outcome.sentence


class Product(torch.autograd.Function):
    """a * b, saved as they are and cast in both passes, with the region restored for backward."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(a, b)
        return lowered(a) * lowered(b)

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = (lowered(each) for each in ctx.saved_tensors)
        assert a.dtype == grads[0].dtype, "two dtypes in one kernel"
        return grads[0] * b, grads[0] * a


class Forgetful(Product):
    """The same, but backward runs as it is called: outside."""

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = (lowered(each) for each in ctx.saved_tensors)
        if a.dtype != grads[0].dtype:
            raise RuntimeError("a must be Half like grad_out, but is Float")
        return grads[0] * b, grads[0] * a


def differentiated(function: Any, described: Case) -> Outcome:
    session = FakeSession(function)
    asked = Gradient(cases=[described], mode="cotangent")
    return gradient.check(fake_bench(session, reference, [], parameters="ab", gradient=asked))


def test_gradients_keep_the_dtype_of_their_inputs_and_have_the_regions_digits() -> None:
    outcome = differentiated(Product.apply, case(autocast="float16"))
    assert outcome.status is Status.PASS, outcome.sentence


def test_backward_is_asked_outside_the_region() -> None:
    outcome = differentiated(Forgetful.apply, case(autocast="float16"))
    assert outcome.status is Status.FAIL
    assert "a must be Half like grad_out, but is Float. Backward runs after" in outcome.sentence
    assert "torch.amp.custom_bwd" in outcome.sentence


def test_without_a_region_a_failing_backward_gets_no_such_reminder() -> None:
    class Raises(Product):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            raise RuntimeError("no")

    outcome = differentiated(Raises.apply, case())
    assert outcome.status is Status.FAIL and "custom_bwd" not in outcome.sentence


def test_a_gradient_has_no_more_digits_than_its_input() -> None:
    """The operation computes in float32; what it returns is rounded to float16 all the same."""

    class InFloat(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(a, b)
            return a.float() * b.float()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            a, b = ctx.saved_tensors
            return (grads[0] * b.float()).half(), (grads[0] * a.float()).half()

    in_float = case(("float16", "float16"), autocast="float16", cast_inputs="float32")
    outcome = differentiated(InFloat.apply, in_float)
    assert outcome.status is Status.PASS, outcome.sentence


def test_a_change_in_place_has_the_regions_digits() -> None:
    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a.copy_(a * b)

    def judged(function: Any, autocast: str | None) -> Outcome:
        described = case(autocast=autocast, modifies=("a",))
        session = FakeSession(lambda a, b: lowered(a.copy_(function(a, b))))
        return correctness.check(fake_bench(session, reference, [described], parameters="ab"))

    def in_half(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return (a.bfloat16() * b.bfloat16()).float()

    outcome = judged(in_half, "bfloat16")
    assert outcome.status is Status.PASS, outcome.sentence
    assert judged(in_half, None).status is Status.FAIL
    assert judged(lambda a, b: 1.5 * in_half(a, b), "bfloat16").status is Status.FAIL


@pytest.mark.parametrize(("factor", "right"), [(1.0, True), (1.5, False)])
def test_second_derivatives_have_the_regions_digits(factor: float, right: bool) -> None:
    class Scaled(torch.autograd.Function):
        """Differentiable twice: the second derivative is off by the factor, the first is right."""

        @staticmethod
        def forward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            return grad.clone()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0] * factor

    class Twice(Plain):
        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return tuple(Scaled.apply(each) for each in Plain.backward(ctx, *grads))  # type: ignore[no-untyped-call]

    described = case(autocast="bfloat16")
    session = FakeSession(lambda a, b: Twice.apply(lowered(a), lowered(b)))  # type: ignore[no-untyped-call]
    asked = Gradient(cases=[described], mode="cotangent", twice=True)
    outcome = gradient.check(fake_bench(session, reference, [], parameters="ab", gradient=asked))
    assert (outcome.status is Status.PASS) == right, outcome.sentence
    assert outcome.topic == ("" if right else "twice")
