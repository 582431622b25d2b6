"""Gradients that are right for other inputs than forward's, or for a part of what they have to add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest
import torch
from torch import Tensor

from grader.specification import Case, Gradient, tensor
from grader.specification.vocabulary import TensorSpec
from tests.unit import test_checks_gradient
from tests.unit.fake_submission import fake_bench
from tests.unit.test_checks_gradient import judged

Slope: TypeAlias = Callable[[Tensor, Tensor, Tensor, Tensor], Any]
SPEC = Gradient(cases=[Case("odd", [tensor((7, 5), "float64"), tensor(5, "float64")])])
SQUARE = Gradient(cases=[Case("odd", [tensor((7, 5), "float64"), tensor((7, 5), "float64")])])


def named(spec: Gradient) -> Gradient:
    cases = [
        replace(case, args=[replace(each, name=name) for each, name in zip(case.args, "ab", strict=True)])
        for case in spec.cases
        if all(isinstance(each, TensorSpec) for each in case.args)
    ]
    return replace(spec, cases=cases)


def forward(a: Tensor, b: Tensor) -> Tensor:
    z = a + b
    return z * torch.tanh(z)


def slope(z: Tensor) -> Tensor:
    t = torch.tanh(z)
    return t + z * (1 - t * t)


def submission(backward: Slope) -> Callable[..., Any]:
    """An operation whose backward computes both gradients from a, b, the result and grad_out."""

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
            out = forward(a, b)
            ctx.save_for_backward(a, b, out)
            return out

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return backward(*ctx.saved_tensors, grads[0])

    return Wrong.apply


def said(backward: Slope, spec: Gradient = SPEC) -> str:
    return judged(submission(backward), named(spec), reference=forward).sentence


def of(grad: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    return grad, grad.sum_to_size(b.shape)


SUBSTITUTED = "This is the gradient "


@pytest.mark.parametrize(
    ("backward", "words"),
    [
        (lambda a, b, out, g: of(g * slope(a), b), "for b = 0: backward does not use b."),
        (
            lambda a, b, out, g: of(g * slope(out + b), b),
            "with the output in place of a: was the output saved for it?",
        ),
        (
            lambda a, b, out, g: of(g * slope(a.as_strided((7, 5), (1, 7)) + b), b),
            "for `a` read by columns, as if the elements of a column were neighbours; "
            "its strides are (5, 1).",
        ),
        (
            lambda a, b, out, g: of(g.as_strided((7, 5), (1, 7)) * slope(a + b), b),
            "for `grad_out` read by columns, as if the elements of a column were neighbours; "
            "its strides are (5, 1).",
        ),
    ],
)
def test_the_input_that_was_taken_by_mistake_is_named(backward: Slope, words: str) -> None:
    assert said(backward).endswith(f"{SUBSTITUTED}{words}")


def test_another_input_in_the_place_of_one() -> None:
    sentence = said(lambda a, b, out, g: (g * slope(b + b), g * slope(a + b)), SQUARE)
    assert sentence.endswith("This is the gradient with b in place of a: was b saved for it?")


@pytest.mark.parametrize(
    ("taken", "words"),
    [
        (lambda grad: grad[0], "This is the first of the 7 terms of this gradient"),
        (lambda grad: grad[-1], "This is the last of the 7 terms of this gradient"),
        (lambda grad: grad[:4].sum(dim=0), "the first 4 of 7 terms added up: the sum ends too early."),
    ],
)
def test_terms_that_were_not_added_up(taken: Callable[[Tensor], Tensor], words: str) -> None:
    assert words in said(lambda a, b, out, g: (g * slope(a + b), taken(g * slope(a + b))))


def test_one_term_of_the_product_rule() -> None:
    sentence = said(lambda a, b, out, g: of(g * torch.tanh(a + b), b))
    assert sentence.endswith(
        "The result is grad_out * output / (a + b). Is a term of the derivative missing?"
    )


@pytest.mark.parametrize(
    "backward",
    [
        lambda a, b, out, g: of(g * slope(0.9 * a + b), b),
        lambda a, b, out, g: (g * slope(a + b), (g * slope(a + b))[[0, 3]].sum(dim=0)),
        lambda a, b, out, g: of(g * torch.cos(a + b), b),
    ],
)
def test_other_mistakes_get_no_such_reason(backward: Slope) -> None:
    sentence = said(backward)
    assert "Every element is wrong." in sentence
    assert SUBSTITUTED not in sentence
    assert "The result is" not in sentence


def test_few_numbers_of_half_precision_are_a_coincidence() -> None:
    half = Gradient(cases=[Case("few", [tensor((1, 3), "bfloat16"), tensor((1, 3), "bfloat16")])])
    assert SUBSTITUTED not in said(lambda a, b, out, g: (g * slope(a), g * slope(a)), half)


def test_a_formula_whose_term_is_held_constant_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def constant(a: Tensor, b: Tensor) -> Tensor:
        z = a + b
        return z.detach() * torch.tanh(z)

    def with_formulas(*args: Any, **more: Any) -> Any:
        bench = fake_bench(*args, **more)
        return replace(bench, spec=replace(bench.spec, confused={"z held constant": constant}))

    monkeypatch.setattr(test_checks_gradient, "fake_bench", with_formulas)

    def backward(a: Tensor, b: Tensor, out: Tensor, g: Tensor) -> Any:
        z = a + b
        return of(g * z * (1 - torch.tanh(z) ** 2), b)

    assert said(backward).endswith("The gradient fits this mistake: z held constant.")
    assert "z held" not in said(lambda a, b, out, g: of(g * torch.cos(a + b), b))


def test_what_the_cases_with_wrong_gradients_share_is_said() -> None:
    def wrong_at_ones(a: Tensor, b: Tensor, out: Tensor, g: Tensor) -> Any:
        grad = g * slope(a + b)
        return of(grad.clamp(-1, 1) if bool((a == 1).all()) else grad, b)

    ones = Case("ones", [tensor((7, 5), "float64", special="ones"), tensor(5, "float64")])
    outcome = judged(
        submission(wrong_at_ones), named(Gradient(cases=[SPEC.cases[0], ones])), reference=forward
    )
    assert outcome.lines == ("In this case, and in no other, a holds only ones.",)
    always = judged(
        submission(lambda a, b, out, g: of(g * torch.cos(a + b), b)), named(SPEC), reference=forward
    )
    assert always.lines == ()


def test_a_point_where_the_slope_is_0() -> None:
    zeros = Gradient(cases=[Case("zeros", [tensor((4, 5), "float64", special="zeros")] * 2)])

    class Distance(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
            ctx.save_for_backward(a, b)
            return (a - b).abs()

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            a, b = ctx.saved_tensors
            sign = torch.where(a > b, 1.0, -1.0)
            return grads[0] * sign, grads[0] * -sign

    sentence = judged(Distance.apply, named(zeros), reference=lambda a, b: (a - b).abs()).sentence
    assert "The result is minus grad_out, where the gradient is 0" in sentence


def test_a_wrong_sign_is_told_before_the_gradient_that_it_equals() -> None:
    def judge(backward: Callable[[Tensor], Any]) -> str:
        class Difference(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
                return a - b

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return backward(grads[0])

        return judged(Difference.apply, named(SQUARE), reference=torch.sub).sentence

    assert judge(lambda g: (g, g)).endswith("this gradient has the wrong sign.")
    assert "wrong sign" not in judge(lambda g: (g, -2 * g))


def test_of_a_gradient_that_is_right_none_is_said_to_be_returned_in_another_order() -> None:
    def judge(backward: Callable[[Any, Tensor], Any]) -> str:
        class Product(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, a: Tensor, b: Tensor) -> Tensor:
                ctx.save_for_backward(a, b)
                return a * b

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                return backward(ctx.saved_tensors, grads[0])

        return judged(Product.apply, named(SQUARE)).sentence

    assert "the gradient of b, which is right" in judge(lambda saved, g: (g * saved[0], g * saved[0]))
    assert "in another order" in judge(lambda saved, g: (g * saved[0], g * saved[1]))
