"""A gradient that autograd refuses for its shape: whose shape it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from grader.checks.gradients.comparison import with_owner
from grader.checks.values.inputs import Drawn, Inputs
from grader.run.values import RemoteError
from grader.specification import tensor


def drawn(*shapes: tuple[int, ...]) -> Inputs:
    specs = [replace(tensor(shape), name=name) for name, shape in zip("abc", shapes, strict=False)]
    return Inputs([Drawn(spec, torch.zeros(spec.shape)) for spec in specs])


def told(got: list[int], wanted: list[int], *shapes: tuple[int, ...]) -> str:
    message = f"Function FBackward returned an invalid gradient at index 0 - got {got} but expected shape "
    message += f"compatible with {wanted}"
    error = RemoteError("RuntimeError", message, "op.py:3")
    return with_owner(error, drawn(*shapes)).message.removeprefix(message)


@pytest.mark.parametrize(
    ("got", "wanted", "shapes", "words"),
    [
        (
            [5, 9],
            [7, 5],
            [(7, 5), (5, 9)],
            ". [5, 9] is the shape of b: return the gradients in the order of",
        ),
        ([9], [7, 5], [(7, 5), (9,)], ". [9] is the shape of b: return"),
    ],
)
def test_the_shape_names_its_owner(
    got: list[int], wanted: list[int], shapes: list[tuple[int, ...]], words: str
) -> None:
    assert told(got, wanted, *shapes).startswith(words)


def test_a_shape_that_no_input_or_more_than_one_has_says_nothing() -> None:
    assert told([3], [7, 5], (7, 5), (5, 9)) == ""
    assert told([9], [7, 5], (7, 5), (9,), (9,)) == ""
    assert with_owner(RemoteError("ValueError", "got [5, 9]", ""), drawn((5, 9))).message == "got [5, 9]"
