"""Answers by a formula that is known to be confused with the right one, or that is a small polynomial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn.functional import gelu

from grader.checks.gradients.comparison import transposed_in
from grader.checks.values.agreement import agrees
from grader.checks.values.expected import Expected, Tolerance, expected_outputs
from grader.checks.values.formulas import explain
from grader.checks.values.inputs import draw, seeded
from grader.run.values import Output
from grader.specification import Case, tensor
from tests.unit.fake_submission import FakeSession, fake_bench

CONFUSED = {"the exact GELU, with erf": lambda a, b, c: gelu(a * b + c)}


def tanh_form(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return gelu(a * b + c, approximate="tanh")


def muladd(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
    return a * b + c


def said(
    function: Callable[..., Tensor], reference: Callable[..., Tensor] = muladd, shape: int = 70,
    dtype: str = "float32", **more: Any,
) -> str:  # fmt: skip
    case = Case("one", [replace(tensor(shape, dtype), name=name) for name in "abc"])
    spec = fake_bench(FakeSession(function), reference, [case], parameters=["a", "b", "c"]).spec
    spec = replace(spec, **more)
    inputs = draw(case.args, seeded(3, "formulas"))
    got = function(*(each.tensor for each in inputs.tensors()))
    output = Output("tensor", got, "cuda:0", dtype, tuple(got.shape), got.stride())
    return explain(spec, inputs, "one", (output,), expected_outputs(spec, inputs, "one"))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_formula_that_the_spec_knows_is_named(dtype: str) -> None:
    sentence = said(lambda a, b, c: gelu(a * b + c), tanh_form, dtype=dtype, confused=CONFUSED)
    assert sentence == "The values fit this mistake: the exact GELU, with erf."


def test_other_answers_are_not_named_after_it() -> None:
    assert said(lambda a, b, c: 1.001 * gelu(a * b + c), tanh_form, confused=CONFUSED) == ""
    assert said(lambda a, b, c: gelu(a * b + c), tanh_form) == ""


def test_an_answer_of_another_size_has_the_rounding_of_its_size() -> None:
    values = torch.linspace(-1, 1, 70, dtype=torch.float64)
    right = Expected("out", values, torch.float32, "cuda:0", Tolerance(0.0, 1e-6))
    other = 16 * right.values
    for error, is_rounding in ((10e-6, True), (30e-6, False)):
        assert agrees(other + error, other, right) is is_rounding
        assert not agrees(right.values + error, right.values, right)


def test_the_right_formula_explains_no_wrong_answer() -> None:
    """As where the two differ in their gradients only."""
    confused = {"the same": muladd}
    assert said(lambda a, b, c: a * b + c, confused=confused) == ""


def test_a_formula_that_refuses_the_case_is_passed_over() -> None:
    def raises(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        raise RuntimeError

    both = {"broken": raises, **CONFUSED}
    assert "exact GELU" in said(lambda a, b, c: gelu(a * b + c), tanh_form, confused=both)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda a, b, c: a * (b + c), "a * b + a * c"),
        (lambda a, b, c: a * b - 2 * c, "-2 * c + a * b"),
        (lambda a, b, c: a - b * b, "a - b * b"),
    ],
)
def test_a_small_polynomial_is_printed(function: Callable[..., Tensor], words: str) -> None:
    assert said(function) == f"The result is {words}."


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b, c: a * b + 0.5 * c,
        lambda a, b, c: torch.sin(a) * b + c,
        lambda a, b, c: 9 * a * b,
        lambda a, b, c: (a * b + c).roll(1),
        lambda a, b, c: torch.full_like(a, float("nan")),
        lambda a, b, c: torch.zeros_like(a),
    ],
)
def test_no_formula_is_made_up(function: Callable[..., Tensor]) -> None:
    assert said(function) == ""


def test_few_elements_fit_anything() -> None:
    assert said(lambda a, b, c: a * (b + c), shape=20) == ""


SHAPES = {"a": (7, 5), "b": (5, 9), "grad_out": (7, 9)}


def test_a_shape_in_an_error_is_that_of_a_transposed_tensor() -> None:
    sentence = transposed_in("b must have as many rows as a has columns, 9, but its shape is [5, 7]", SHAPES)
    assert sentence.startswith("[5, 7] is the shape of a transposed.")


@pytest.mark.parametrize("message", ["its shape is [5, 9]", "its shape is [4, 2]", "nine rows", "x has [5]"])
def test_other_shapes_in_errors_say_nothing(message: str) -> None:
    assert transposed_in(message, SHAPES) == ""


def test_a_shape_that_two_tensors_have_transposed_is_neithers() -> None:
    assert transposed_in("its shape is [5, 7]", {**SHAPES, "c": (7, 5)}) == ""
