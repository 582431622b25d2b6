"""Answers that are right for an operand read with other strides than its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from grader.checks.values.expected import expected_outputs
from grader.checks.values.inputs import draw, seeded
from grader.checks.values.wrong_strides import explain
from grader.run.values import Output
from grader.specification import Case, TensorSpec, tensor
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


def at(x: Tensor, offsets: Tensor) -> Tensor:
    """The elements at these offsets in the memory of `x`; 0 where they lie past its end."""
    memory = x.as_strided((x.untyped_storage().nbytes() // x.element_size(),), (1,))
    inside = offsets < len(memory)
    return torch.where(inside, memory[torch.where(inside, offsets, 0)], 0)


def strided(x: Tensor, strides: tuple[int, int]) -> Tensor:
    rows, columns = (torch.arange(extent) for extent in x.shape)
    return at(x, rows[:, None] * strides[0] + columns * strides[1])


def by_rows(x: Tensor) -> Tensor:
    """Element i taken at row i / rows and column i % rows."""
    index, rows = torch.arange(x.numel()).reshape(x.shape), x.shape[0]
    return at(x, index // rows * x.stride(0) + index % rows * x.stride(1))


WIDE = tensor((7, 45))


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda a, b: strided(a, (1, 45)) - 2 * strided(b, (1, 45)),
            "`a` and `b` read with their last two strides exchanged; the strides of `a` are (45, 1)",
        ),
        (
            lambda a, b: a - 2 * strided(b, (1, 45)),
            "`b` read with its last two strides exchanged; its strides are (45, 1)",
        ),
        (
            lambda a, b: strided(a, (180, 4)) - 2 * strided(b, (180, 4)),
            "`a` and `b` read with their strides in bytes, where they count elements; "
            "the strides of `a` are (45, 1)",
        ),
        (
            lambda a, b: a - 2 * strided(b, (1, 7)),
            "`b` read by columns, as if the elements of a column were neighbours; its strides are (45, 1)",
        ),
        (
            lambda a, b: by_rows(a) - 2 * by_rows(b),
            "`a` and `b` read at a row and column that are computed by the number of rows, not columns; "
            "the strides of `a` are (45, 1)",
        ),
    ],
)
def test_what_lies_past_the_end_is_left_out_of_the_comparison(
    function: Callable[[Tensor, Tensor], Tensor], words: str
) -> None:
    assert said(function, WIDE, WIDE) == f"This is the answer for {words}."


def test_an_operand_of_a_row_that_is_indexed_by_the_row() -> None:
    def wrong(a: Tensor, b: Tensor) -> Tensor:
        return a - 2 * b[:7, None]

    words = "`b` indexed by the row, where it has a value for each column"
    assert said(wrong, WIDE, tensor(45)) == f"This is the answer for {words}."
    assert said(lambda a, b: a - b[:7, None], WIDE, tensor(45)) == ""


def test_an_operand_of_a_column_that_is_indexed_by_the_column() -> None:
    tall = tensor((45, 7))
    words = "`b` indexed by the column, where it has a value for each row"
    assert said(lambda a, b: a - 2 * b[:7, 0], tall, tensor((45, 1))) == f"This is the answer for {words}."
    assert said(lambda a, b: a - 3 * b[:7, 0], tall, tensor((45, 1))) == ""


def test_one_element_that_fits_explains_nothing() -> None:
    """Of one column, in bytes, all but the first quarter is unknown."""
    function: Callable[[Tensor, Tensor], Tensor] = lambda a, b: strided(a, (4, 4)) - 2 * strided(b, (4, 4))  # noqa: E731
    assert said(function, tensor((8, 1)), tensor((8, 1))) == ""
    assert "in bytes" in said(function, tensor((40, 1)), tensor((40, 1)))


TRANSPOSED, DENSE = tensor((5, 4), layout="transposed"), tensor((5, 4))
SLICED = tensor((5, 4), layout="sliced")


@pytest.mark.parametrize(
    ("function", "a", "b", "words"),
    [
        (
            lambda a, b: read(a, (4, 1)) - 2 * b,
            TRANSPOSED,
            DENSE,
            "`a` read as dense memory; its strides are (1, 5)",
        ),
        (
            lambda a, b: a - 2 * read(b, (4, 1)),
            DENSE,
            SLICED,
            "`b` read as dense memory; its strides are (8, 2)",
        ),
        (
            lambda a, b: a - 2 * read(b, (8, 1)),
            DENSE,
            SLICED,
            "`b` read with a stride of 1 along its last dimension; its strides are (8, 2)",
        ),
        (
            lambda a, b: a - 2 * read(b, (1, 5)),
            TRANSPOSED,
            DENSE,
            "`b` read with the strides of `a`; its strides are (4, 1)",
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
