"""An answer for a part of the terms is told from one that is simply wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from grader.checks.values.expected import expected_outputs
from grader.checks.values.inputs import draw, seeded
from grader.checks.values.missing_terms import explain
from grader.run.values import Output
from grader.specification import Case, tensor
from grader.specification.vocabulary import Special
from tests.unit.fake_submission import FakeSession, fake_bench


def said(
    function: Callable[[Tensor], Tensor],
    reference: Callable[[Tensor], Tensor],
    special: Special | None = None,
    shape: tuple[int, ...] = (8, 100),
) -> str:
    case = Case("one", [replace(tensor(shape, special=special), name="x")])
    spec = fake_bench(FakeSession(reference), reference, [case], parameters=["x"]).spec
    inputs = draw(case.args, seeded(3, "partial"))
    got = function(inputs.tensors()[0].tensor)
    output = Output("tensor", got, "cuda:0", "float32", tuple(got.shape), got.stride())
    return explain(spec, inputs, "one", (output,), expected_outputs(spec, inputs, "one"))


def rows(x: Tensor) -> Tensor:
    return x.sum(dim=1)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: rows(x[:, ::2]), "every 2nd column"),
        (lambda x: rows(x[:, ::4]), "every 4th column"),
        (lambda x: rows(x[:, :64]), "the first 64 of 100 columns"),
        (lambda x: rows(x[:, :99]), "the first 99 of 100 columns"),
    ],
)
def test_a_part_of_the_columns(function: Callable[[Tensor], Tensor], words: str) -> None:
    assert said(function, rows) == f"This is the answer for {words} of `x`: the other terms are left out."


def test_a_vector_has_elements_and_no_columns() -> None:
    def pairs(x: Tensor) -> Tensor:
        return x.reshape(-1, 20).sum(dim=1)

    def every_second(x: Tensor) -> Tensor:
        return pairs(x * (torch.arange(100) % 2 == 0))

    assert "every 2nd element of `x`" in said(every_second, pairs, shape=(100,))


def test_any_other_columns_are_not_named() -> None:
    assert said(lambda x: rows(x[:, 1::2]), rows) == ""
    assert said(lambda x: 2 * rows(x), rows) == ""


def test_of_equal_terms_it_is_not_said_which_are_missing() -> None:
    assert said(lambda x: rows(x[:, :64]), rows, "ones") == ""


def test_nothing_is_added_up_where_the_result_is_as_large_as_the_input() -> None:
    assert said(lambda x: x * (torch.arange(100) % 2 == 0), torch.clone) == ""
