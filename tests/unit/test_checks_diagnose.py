"""Each pattern is recognised where it is, and silent where it is not."""

from __future__ import annotations

import pytest
import torch

from grader.checks.values.diagnose import diagnose
from grader.checks.values.wrong import Wrong

POISONED = torch.full((4,), 0xA5, dtype=torch.uint8).view(torch.float32).item()


def numbers(*shape: int, dtype: torch.dtype = torch.float32, seed: int = 5) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator, dtype=torch.float64) + 0.5).to(dtype)


def told(got: torch.Tensor, expected: torch.Tensor, **more: object) -> str:
    wide = expected.double() if expected.is_floating_point() else expected
    wrong = (got.to(wide.dtype) - wide).abs() > 1e-5 if wide.is_floating_point() else got != wide
    wrong |= ~got.isfinite() & wide.isfinite() | got.isfinite() & ~wide.isfinite()
    return diagnose(Wrong(got, wide, wrong, **more))  # type: ignore[arg-type]


RIGHT = numbers(300)


def changed(edit: object, *shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    right = numbers(*(shape or (300,)))
    got = right.clone()
    edit(got)  # type: ignore[operator]
    return got, right


def test_nothing_written() -> None:
    assert told(torch.full((300,), POISONED), RIGHT).startswith(
        "Nothing was written: every element still holds"
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.int32])
def test_the_fill_pattern_is_known_in_every_dtype(dtype: torch.dtype) -> None:
    size = torch.empty(0, dtype=dtype).element_size()
    poison = torch.full((40 * size,), 0xA5, dtype=torch.uint8).view(dtype)
    assert "0xA5" in told(poison, torch.ones(40, dtype=dtype))


@pytest.mark.parametrize(
    ("first", "which", "question"),
    [
        (
            256,
            "Elements 256 to 299 were",
            "Is the number of blocks rounded up, and does the index count the block?",
        ),
        (299, "Element 299 was", "Is the guard at the end of the grid too strict?"),
        (
            100,
            "Elements 100 to 299 were",
            "Does every element have a thread: the index, the guard and the number of blocks?",
        ),
    ],
)
def test_an_unwritten_tail(first: int, which: str, question: str) -> None:
    got, right = changed(lambda t: t[first:].fill_(POISONED))
    text = told(got, right)
    assert text.startswith(f"{which} never written")
    assert text.endswith(question)


@pytest.mark.parametrize(
    ("shape", "first", "question"),
    [
        ((300,), 64, "Does the index count the block?"),
        ((35,), 7, "Does every element have a thread: the index, the guard and the number of blocks?"),
        ((10, 33), 66, "That is from row 2 on: does every row have a thread?"),
    ],
)
def test_blocks_that_were_rounded_down_leave_out_less_than_they_cover(
    shape: tuple[int, ...], first: int, question: str
) -> None:
    got, right = changed(lambda t: t.view(-1)[first:].fill_(POISONED), *shape)
    assert told(got, right).endswith(f"is still there. {question}")


def test_an_extent_that_was_passed_for_the_number_of_elements() -> None:
    got, right = changed(lambda t: t.view(-1)[7:].fill_(POISONED), 5, 7)
    inputs = [("2.0", torch.tensor(2.0)), ("a", right)]
    text = told(got, right, inputs=inputs)
    assert text.endswith(
        "Exactly the first 7 were written, which is a.size(1): look at the n that is passed."
    )
    got.view(-1)[7] = right.view(-1)[7]
    assert "size" not in told(got, right, inputs=inputs)


def test_one_written_element_is_no_extent() -> None:
    got, right = changed(lambda t: t.view(-1)[1:].fill_(POISONED), 1, 7)
    assert "size" not in told(got, right, inputs=[("a", right)])


@pytest.mark.parametrize(("dtype", "size"), [(torch.float32, 4), (torch.float64, 8)])
def test_a_copy_of_n_bytes_where_n_elements_were_meant(dtype: torch.dtype, size: int) -> None:
    right = numbers(320, dtype=dtype)
    for rest in (float("nan"), 7.0):
        got = right.clone()
        got[320 // size :] = rest
        assert f"an element has {size} bytes: is a number of elements given" in told(got, right)
        got[320 // size - 1] = rest
        assert "bytes" not in told(got, right)


def test_unwritten_rows_are_told_as_rows() -> None:
    got, right = changed(lambda t: t[8:].fill_(POISONED), 10, 33)
    assert "from row 8 on: is the number of blocks rounded up in every dimension?" in told(got, right)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        (0, "Every element was computed from uninitialised memory"),
        (110, "190 of 300 elements were computed from uninitialised memory"),
    ],
)
def test_a_fill_pattern_that_a_kernel_handed_on_was_written(first: int, words: str) -> None:
    got, right = changed(lambda t: t[first:].fill_(POISONED))
    text = told(got, right, written=True)
    assert text.startswith(words) and "never written" not in text


def test_unwritten_holes_are_counted() -> None:
    got, right = changed(lambda t: t[::2].fill_(POISONED))
    assert told(got, right).startswith("150 of 300 elements were never written")


def test_all_zero_and_some_zero() -> None:
    assert told(torch.zeros(300), RIGHT).startswith("Every element is 0")
    got, right = changed(lambda t: t[10:20].zero_())
    assert told(got, right) == "All 10 wrong elements are 0."


def test_nan_where_the_answer_is_finite() -> None:
    got, right = changed(lambda t: t[:5].fill_(float("nan")))
    assert told(got, right).startswith("5 of 300 elements are NaN or infinite")


def test_nan_that_was_lost() -> None:
    right = RIGHT.clone()
    right[7] = float("nan")
    assert told(RIGHT, right).startswith("NaN and infinity must reach")


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (2.0, "2 times"),
        (0.5, "half of"),
        (-1.0, "minus"),
        (0.25, "a quarter of"),
        (1 / 7, "1/7 of"),
        (-3.0, "minus 3 times"),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_constant_factor(factor: float, words: str, dtype: torch.dtype) -> None:
    right = numbers(50, dtype=dtype)
    assert told(right * factor, right) == f"Every element is {words} what it should be."


def test_transposed_square_and_rectangular() -> None:
    square, tall = numbers(9, 9), numbers(5, 8)
    assert told(square.mT.contiguous(), square).startswith("These are the right numbers, transposed")
    read_along_columns = tall.reshape(8, 5).mT.contiguous()
    assert told(read_along_columns, tall).startswith("These are the right numbers, transposed")


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        (1, "one element too late"),
        (-1, "one element too early"),
        (7, "one row too late"),
        (-7, "one row too early"),
    ],
)
def test_shifted(steps: int, words: str) -> None:
    right = numbers(6, 7)
    got = right.reshape(-1).roll(steps).reshape(6, 7)
    assert told(got, right) == f"These are the right numbers, {words}: an index is off by one."


def test_equal_rows_are_not_shifted_where_the_last_is_wrong() -> None:
    right = torch.full((3, 33), 1 / 33)
    got = right.clone()
    got[2] *= 1.4
    assert "too early" not in told(got, right)


def test_an_input_came_back_unchanged() -> None:
    a, b = numbers(40, seed=1), numbers(40, seed=2)
    assert told(a, a * b, inputs=[("a", a), ("b", b)]) == "The result equals a unchanged."


def test_a_missing_and_a_surplus_term() -> None:
    a, bias = numbers(6, 7, seed=1), numbers(7, seed=2)
    inputs = [("a", a), ("bias", bias)]
    assert "too small by exactly bias" in told(3 * a, 3 * a + bias, inputs=inputs)
    assert "too large by exactly bias" in told(3 * a + 2 * bias, 3 * a + bias, inputs=inputs)


def test_a_missing_factor_of_the_chain_rule_is_told_of_gradients_only() -> None:
    cotangent, b = numbers(40, seed=1), numbers(40, seed=2)
    missing = "The result is the right one divided by {0}: the chain rule's factor {0} is missing."
    assert told(cotangent, cotangent * b, inputs=[("b", b)], cotangent=cotangent) == missing.format("b")
    assert told(b, cotangent * b, inputs=[("b", b)], cotangent=cotangent) == missing.format("grad_out")
    assert "chain rule" not in told(cotangent, cotangent * b, inputs=[("b", b)])


def test_a_surplus_factor_of_the_chain_rule() -> None:
    cotangent, b = numbers(40, seed=1), numbers(40, seed=2)
    text = told(cotangent * b * b, cotangent * b, inputs=[("b", b)], cotangent=cotangent)
    assert text == "The result is the right one times b: that factor does not belong there."


def test_float32_arithmetic_in_a_float64_kernel() -> None:
    right = numbers(60, dtype=torch.float64)
    got = right.float().double() + 2e-8
    wrong = (got - right).abs() > 1e-12
    assert diagnose(Wrong(got, right, wrong)).startswith("It is right to about 7 digits")


def test_too_few_digits_in_float32() -> None:
    got, right = changed(lambda t: t.mul_(1.001))
    assert told(got, right).startswith("It is nearly right (largest error 0.001 of the largest value)")


def test_a_wrong_tail_and_where_it_begins() -> None:
    got, right = changed(lambda t: t[256:].add_(numbers(44, seed=9)))
    text = told(got, right)
    assert text.startswith(
        "Elements 0 to 255 are right, a whole number of warps: look at the last, partial block"
    )
    got, right = changed(lambda t: t[250:].add_(numbers(50, seed=9)))
    assert told(got, right) == "Elements 0 to 249 are right; everything from 250 on is wrong."
    got, right = changed(lambda t: t[1:].add_(numbers(299, seed=9)))
    assert told(got, right) == "Element 0 is right; everything from 1 on is wrong."


def test_without_a_partial_block_none_is_blamed() -> None:
    got, right = changed(lambda t: t[256:].add_(numbers(64, seed=9)), 320)
    assert told(got, right) == "Elements 0 to 255 are right; everything from 256 on is wrong."


def test_wrong_rows_are_told_as_rows() -> None:
    got, right = changed(lambda t: t[1:].add_(numbers(7, 32, seed=9)), 8, 32)
    assert told(got, right).startswith("Row 0 is right, and every later row is wrong: which width")
    got, right = changed(lambda t: t[3:].add_(numbers(5, 32, seed=9)), 8, 32)
    assert told(got, right) == "Rows 0 to 2 are right; everything from row 3 on is wrong."
    got, right = changed(lambda t: t[6:].add_(numbers(2, 32, seed=9)), 8, 32)
    assert told(got, right).startswith("All wrong elements are in the last 2 rows")


@pytest.mark.parametrize(("columns", "words"), [(1, "the last column"), (3, "the last 3 columns")])
def test_a_wrong_edge(columns: int, words: str) -> None:
    got, right = changed(lambda t: t[:, -columns:].add_(numbers(9, columns, seed=9)), 9, 11)
    assert told(got, right).startswith(f"All wrong elements are in {words}:")


def test_most_of_a_matrix_is_no_edge() -> None:
    got, right = changed(lambda t: t[:, 1:].add_(numbers(9, 10, seed=9)), 9, 11)
    assert told(got, right) == "90 of 99 elements are wrong."


def test_every_other_element() -> None:
    got, right = changed(lambda t: t[1::2].add_(numbers(150, seed=9)))
    assert told(got, right) == "Every other element is wrong, from 1 on."


def test_without_a_pattern_the_wrong_elements_are_counted() -> None:
    got, right = changed(lambda t: t[[3, 50, 51, 200]].fill_(0))
    got[[3, 50, 51, 200]] += 9
    assert told(got, right) == "4 of 300 elements are wrong."


def test_a_right_answer_and_complex_numbers_are_left_alone() -> None:
    assert told(RIGHT, RIGHT) == ""
    complex_ = torch.ones(3, dtype=torch.complex64)
    wrong = Wrong(complex_, complex_.to(torch.complex128) * 2, torch.ones(3, dtype=torch.bool))
    assert diagnose(wrong) == ""


def test_a_single_wrong_element_is_no_pattern() -> None:
    assert told(torch.tensor([5.0]), torch.tensor([3.0])) == ""
