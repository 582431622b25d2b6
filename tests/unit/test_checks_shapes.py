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


def told(
    got: list[int], wanted: list[int], *shapes: tuple[int, ...], index: int = 0, out: tuple[int, ...] = ()
) -> str:
    """What is added to autograd's message about the gradient `index`; `out` is the shape of the result."""
    message = f"Function FBackward returned an invalid gradient at index {index} - got {got} but expected "
    message += f"shape compatible with {wanted}"
    error = RemoteError("RuntimeError", message, "op.py:3")
    return with_owner(error, drawn(*shapes), [torch.zeros(out)]).message.removeprefix(message)


ORDER = "are the gradients returned in the order of forward's inputs?"


@pytest.mark.parametrize(
    ("got", "wanted", "shapes", "words"),
    [
        ([5, 9], [7, 5], [(7, 5), (5, 9)], f". [5, 9] is the shape of b: {ORDER}"),
        ([9], [7, 5], [(7, 5), (9,)], f". [9] is the shape of b: {ORDER}"),
    ],
)
def test_the_shape_names_its_owner(
    got: list[int], wanted: list[int], shapes: list[tuple[int, ...]], words: str
) -> None:
    assert told(got, wanted, *shapes, out=(7, 9)) == words


def test_a_shape_that_no_input_or_more_than_one_has_says_nothing() -> None:
    assert told([3], [7, 5], (7, 5), (5, 9)) == ""
    assert told([9], [7, 5], (7, 5), (9,), (9,)) == ""
    assert with_owner(RemoteError("ValueError", "got [5, 9]", ""), drawn((5, 9))).message == "got [5, 9]"


def test_an_earlier_input_has_its_gradient_already() -> None:
    """Autograd refuses the first wrong shape: what has the shape of an input before it is not exchanged."""
    assert told([7, 5], [5, 9], (7, 5), (5, 9), index=1, out=(7, 9)) == ""
    assert told([7, 5], [9], (7, 5), (9,), (9,), index=1, out=(7, 9)) == ""


@pytest.mark.parametrize("shapes", [[(2, 3, 2), (3,)], [(3,), (2, 3, 2)]])
def test_a_gradient_in_the_shape_of_the_incoming_one_lacks_a_sum(shapes: list[tuple[int, ...]]) -> None:
    """Whether the input that is repeated comes first or last."""
    place = shapes.index((3,))
    said = told([2, 3, 2], [3], *shapes, index=place, out=(2, 3, 2))
    assert said == (
        f". [2, 3, 2] is the shape of the incoming gradient. Forward repeats {'ab'[place]} along other "
        "dimensions: is its gradient added up over them?"
    )


def test_a_sum_is_missed_only_where_the_dimensions_are_those_of_the_incoming_gradient() -> None:
    assert told([2, 3, 2], [4], (4,), (2, 3, 2), out=(2, 3, 2)) == f". [2, 3, 2] is the shape of b: {ORDER}"
