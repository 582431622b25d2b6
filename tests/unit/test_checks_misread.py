"""Answers that are right for an operand read with other strides than its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from grader.checks.values.inputs import draw, seeded
from grader.checks.values.misread import explain
from grader.checks.values.truth import expected_outputs
from grader.run.values import Output
from grader.spec import Case, TensorSpec, tensor
from tests.unit.fake_submission import FakeSession, fake_bench


def said(function: Callable[[Tensor, Tensor], Tensor], a: TensorSpec, b: TensorSpec) -> str:
    """What is said when `function` of the drawn tensors is returned where a - 2 b is asked for."""
    case = Case("one", [replace(a, name="a"), replace(b, name="b")])
    spec = fake_bench(FakeSession(torch.sub), lambda a, b: a - 2 * b, [case], parameters=["a", "b"]).spec
    inputs = draw(case.args, seeded(3, "misread"))
    got = function(*(each.tensor for each in inputs.tensors()))
    output = Output("tensor", got, "cuda:0", "float32", tuple(got.shape), got.stride())
    return explain(spec, inputs, "one", (output,), expected_outputs(spec, inputs, "one"))


def read(x: Tensor, strides: tuple[int, ...]) -> Tensor:
    return x.as_strided(x.shape, strides)


TRANSPOSED, DENSE = tensor((5, 4), layout="transposed"), tensor((5, 4))
SLICED = tensor((5, 4), layout="sliced")


@pytest.mark.parametrize(
    ("function", "a", "b", "words"),
    [
        (
            lambda a, b: read(a, (4, 1)) - 2 * b,
            TRANSPOSED,
            DENSE,
            "a read as dense memory; its strides are (1, 5)",
        ),
        (
            lambda a, b: a - 2 * read(b, (4, 1)),
            DENSE,
            SLICED,
            "b read as dense memory; its strides are (8, 2)",
        ),
        (
            lambda a, b: a - 2 * read(b, (8, 1)),
            DENSE,
            SLICED,
            "b read with a stride of 1 along its last dimension; its strides are (8, 2)",
        ),
        (
            lambda a, b: a - 2 * read(b, (1, 5)),
            TRANSPOSED,
            DENSE,
            "b read with the strides of a; its strides are (4, 1)",
        ),
    ],
)
def test_the_operand_and_the_strides_are_named(
    function: Callable[[Tensor, Tensor], Tensor], a: TensorSpec, b: TensorSpec, words: str
) -> None:
    assert said(function, a, b) == f"This is the answer for {words}."


@pytest.mark.parametrize(
    ("function", "a"),
    [
        (lambda a, b: a - b, TRANSPOSED),  # another mistake
        (lambda a, b: a - b, DENSE),
        (lambda a, b: (a - 2 * b).index_fill(0, torch.tensor([2]), 9.0), TRANSPOSED),
        (lambda a, b: read(a, (2, 2)) - 2 * b, SLICED),  # strides that no one would assume
        (lambda a, b: a[:1, :1] - b, tensor((5, 4), layout="expanded")),  # its memory is shorter than dense
    ],
)
def test_other_mistakes_are_not_explained_so(
    function: Callable[[Tensor, Tensor], Tensor], a: TensorSpec
) -> None:
    assert said(function, a, DENSE) == ""
