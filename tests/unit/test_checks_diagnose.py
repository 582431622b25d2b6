"""Each pattern is recognised where it is, and silent where it is not."""

from __future__ import annotations

import pytest
import torch

from grader.checks.values.diagnose import diagnose
from grader.checks.values.wrong_answer import Wrong

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
            "Is the number of blocks rounded up, and does the index take the block into account?",
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
        ((300,), 64, "Does the index take the block into account?"),
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
    assert told(got, right).startswith("5 of 300 elements are NaN where the answer is finite")


def test_nan_of_a_mistake_that_is_known_is_told_with_it() -> None:
    got, right = changed(lambda t: t[:5].fill_(float("nan")))
    text = told(got, right, reason=lambda: "The values fit this mistake: a row without a key.")
    assert text.endswith("where the answer is finite. The values fit this mistake: a row without a key.")


def test_an_array_of_nan_that_no_copy_reached() -> None:
    nothing = torch.full((300,), float("nan"))
    assert told(nothing, RIGHT, by_host=True).endswith("Is the copy to the host missing?")
    assert "copy" not in told(nothing, RIGHT)
    got, right = changed(lambda t: t[:5].fill_(float("nan")))
    assert "copy" not in told(got, right, by_host=True)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ([0], "Only the first element: which neighbour does it read"),
        ([0, 299], "Only the first and the last element: which neighbour does it read"),
        ([7], "1 of 300 elements is wrong."),
        ([0, 7], "2 of 300 elements are wrong."),
    ],
)
def test_a_wrong_element_at_either_end(where: list[int], words: str) -> None:
    got, right = changed(lambda t: t[where].add_(1))
    got[where] += torch.arange(1, len(where) + 1) * 0.37
    assert told(got, right).startswith(words)


def test_a_maximum_that_does_not_begin_with_minus_infinity() -> None:
    x = RIGHT.clone()
    x[200:] = -torch.inf
    assert told(x.clamp_min(-3e38), x, inputs=[("x", x)]).startswith("The answer is -infinity, and a larger")


def test_nan_that_was_lost() -> None:
    right = RIGHT.clone()
    right[7] = float("nan")
    assert told(RIGHT, right).startswith("NaN and infinity must reach")


@pytest.mark.parametrize("strange", [float("nan"), float("inf")])
@pytest.mark.parametrize("shape", [(300,), (4, 4)], ids=["by element", "as a whole"])
def test_a_product_that_is_left_out_for_a_zero(strange: float, shape: tuple[int, ...]) -> None:
    a, b, right = numbers(*shape), numbers(*shape), RIGHT.clone()
    a.view(-1)[7], right[7] = strange, float("nan")
    if shape == right.shape:
        b[7] = 0  # elsewhere, it has other numbers
    else:
        b.zero_()
    said = told(RIGHT, right, inputs=[("a", a), ("b", b)])
    assert said.startswith("0 times NaN is NaN, and so is 0 times infinity: here b is 0 where a is NaN or")
    assert told(RIGHT, right, inputs=[("a", a), ("b", numbers(*shape))]).startswith("NaN and infinity must")


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


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (1, "the last column."),
        (
            3,
            "the last 3 columns: look at the tiles or blocks that extend past the edge.",
        ),  # the others fill one
        (4, "the last 4 columns."),
    ],
)
def test_a_wrong_edge(columns: int, words: str) -> None:
    got, right = changed(lambda t: t[:, -columns:].add_(numbers(9, columns, seed=9)), 9, 11)
    assert told(got, right) == f"All wrong elements are in {words}"


def test_a_matrix_that_came_back_as_it_was_is_not_called_transposed() -> None:
    x = numbers(32, 32)
    assert told(x.clone(), x.T, inputs=[("x", x)]) == "The result equals x unchanged."
    assert "transposed" in told(x.clone(), x.T)


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


def far_rows() -> torch.Tensor:
    """Two rows of 20 bytes, the second beyond offset 2^31, of which only these rows are resident."""
    return torch.empty(2**31 + 50, dtype=torch.uint8).as_strided((2, 20), (2**31 + 21, 1)).fill_(7)


def test_an_offset_that_needs_more_than_31_bits() -> None:
    right = torch.arange(40, dtype=torch.uint8).view(2, 20)
    inputs = [("a", right), ("far", far_rows())]
    second = torch.cat([right[:1], right[1:] + 100])
    sentence = told(second, right, inputs=inputs)
    assert sentence.startswith(
        "All wrong elements read far beyond offset 2^31, which a 32-bit integer cannot"
    )
    assert "32 bits" not in told(right + 100, right, inputs=inputs)
    assert "32 bits" not in told(second, right, inputs=inputs[:1])


def test_a_gradient_for_a_cotangent_of_ones() -> None:
    cotangent, counts = numbers(300), numbers(300, seed=9).round() + 40.0
    words = told(counts, counts * numbers(300, seed=3), cotangent=cotangent, for_ones=counts)
    assert words == "This is the gradient for a grad_out of ones: the incoming gradient is not used."
    zeros = torch.zeros(300)
    assert "grad_out of ones" not in told(zeros, RIGHT, cotangent=cotangent, for_ones=zeros)


def test_a_term_of_a_sum_that_was_written_over_the_others() -> None:
    cotangent = numbers(30, 10, seed=7)
    right = cotangent.reshape(10, 3, 10).sum(dim=1)
    last = cotangent.reshape(10, 3, 10)[:, 2]
    assert told(last, right, cotangent=cotangent) == (
        "Each of the 100 wrong elements is one element of grad_out, where several should be added up: it is "
        "written, and the others are overwritten."
    )
    # Each right element is one of grad_out too: then something else is wrong.
    assert "added up" not in told(cotangent.flip(0), cotangent, cotangent=cotangent)
    # Nor does a sum that lacks a term consist of single elements.
    two = cotangent.reshape(10, 3, 10)[:, :2].sum(dim=1)
    assert "added up" not in told(two, right, cotangent=cotangent)


def test_nan_that_no_input_brings_is_not_lost_on_the_way() -> None:
    right = RIGHT.clone()
    right[7] = float("nan")
    finite = [("x", numbers(300))]
    assert told(RIGHT, right, inputs=finite).startswith("The inputs are finite: NaN or infinity is the")
    assert told(RIGHT, right, inputs=[("x", right)]).startswith("NaN and infinity must reach")


# ---- rows --------------------------------------------------------------------------------------------------


def normalised(x: torch.Tensor, divisor: int) -> torch.Tensor:
    """Rows of x with mean 0, and variance 1 if the sum of squares is divided by `divisor`."""
    centered = x - x.mean(dim=1, keepdim=True)
    return centered / (centered.square().sum(dim=1, keepdim=True) / divisor).sqrt()


@pytest.mark.parametrize(
    ("got", "right", "words"), [(19, 20, "n - 1 instead of n"), (20, 19, "n instead of n - 1")]
)
def test_a_variance_with_another_divisor(got: int, right: int, words: str) -> None:
    x = numbers(6, 20, dtype=torch.float64)
    text = told(normalised(x, got).float(), normalised(x, right))
    assert text.startswith("Within each row, every element is the same multiple of the right one (")
    assert text.endswith(f"in every row). Is the variance of a row of n = 20 divided by {words}?")


def test_rows_with_factors_of_their_own() -> None:
    x = numbers(6, 20)
    factors = torch.tensor([1.0, 1.5, 1.0, 0.25, 1.0, 1.0])[:, None]
    assert told(x * factors, x) == (
        "Within each row, every element is the same multiple of the right one (0.25 in row 3). "
        "What the row is divided or multiplied by is wrong."
    )
    factors[2] = 0.0
    assert "multiple" not in told(x * factors, x)
    assert "Within each row" not in told((x * factors.abs().clamp(min=1))[:, :3], x[:, :3])  # too short


def test_rows_that_are_shifted() -> None:
    x = numbers(6, 20)
    text = told(x + torch.tensor([0.0, 0.5, 0.0, 0.0, -0.75, 0.0])[:, None], x)
    assert text.startswith("Within each row, every element is off by the same amount (-0.75 in row 4).")
    moved = x + torch.tensor([0.0, 0.5, 0.0, 0.0, -0.75, 0.0])[:, None]
    moved[1, 3] += 1
    assert "off by the same amount" not in told(moved, x)


def test_a_gradient_whose_rows_must_add_up_to_zero() -> None:
    grad_out, weight = numbers(6, 20, dtype=torch.float64), numbers(20, dtype=torch.float64, seed=6)
    g = grad_out * weight
    right = g - g.mean(dim=1, keepdim=True)
    text = told((0.5 * g).float(), right, cotangent=grad_out)
    assert text.startswith("Each row of the right gradient adds up to 0")
    assert "adds up to 0" not in told((0.5 * g).float(), right)  # forward
    assert "adds up to 0" not in told((0.5 * g).float(), right, cotangent=grad_out, of_wrong_forward=True)
    assert "adds up to 0" not in told((0.5 * g).float(), g, cotangent=grad_out)
    changed_elsewhere = right.clone()
    changed_elsewhere[2, 3] += 1
    changed_elsewhere[2, 5] -= 1
    assert "adds up to 0" not in told(changed_elsewhere.float(), right, cotangent=grad_out)


@pytest.mark.parametrize("special", ["wrong", "nan"])
def test_a_mean_that_is_large_beside_the_spread(special: str) -> None:
    x = 1e4 + numbers(1, 60)
    right = normalised(x.double(), 60)
    got = right.float() * 0.3 if special == "wrong" else torch.full((1, 60), float("nan"))
    text = told(got, right, inputs=[("x", x)])
    assert text.startswith("Cancellation? The mean of x is 1e+04 and its spread 0.26.")
    assert text.endswith("Subtract the mean first, then square.")
    assert "Cancellation" not in told(got, right, inputs=[("x", x - 1e4)])
    assert "Cancellation" not in told(got, right, inputs=[("x", x.double())])  # has digits enough
    assert "Cancellation" not in told(got, right, inputs=[("x", torch.ones(60))])


def test_rows_with_both_statistics_wrong() -> None:
    x = normalised(numbers(6, 20, dtype=torch.float64), 20)
    factors = torch.tensor([1.0, 1.5, 1.0, 0.25, 1.0, 1.0], dtype=torch.float64)[:, None]
    text = told((x * factors + 0.5).float(), x)
    assert text.startswith(
        "Within each row, every element is the right one times 0.25 in row 3, plus a number (0.5 in every "
        "row). Both statistics of the row are wrong"
    )
    noise = numbers(6, 20, seed=7, dtype=torch.float64)
    assert "statistics" not in told((x * factors + noise).float(), x)


def layer_norm_gradient(x: torch.Tensor, g: torch.Tensor, variance: bool = True) -> torch.Tensor:
    """Of a layer norm without weight, with or without the term that comes from the variance."""
    rows = normalised(x, x.shape[1])
    found = g - g.mean(dim=1, keepdim=True)
    return found - rows * (g * rows).mean(dim=1, keepdim=True) if variance else found


def test_a_gradient_that_ignores_the_variance() -> None:
    x, g = numbers(6, 20, dtype=torch.float64), numbers(6, 20, dtype=torch.float64, seed=6)
    right, got = layer_norm_gradient(x, g), layer_norm_gradient(x, g, variance=False).float()
    text = told(got, right, cotangent=g, inputs=[("x", x)])
    assert text.startswith("Each row of the right gradient is orthogonal to its row of x less the mean")
    assert "orthogonal" not in told(got, right, cotangent=g, inputs=[("x", numbers(6, 20, seed=8))])
    assert "orthogonal" not in told(got, right, inputs=[("x", x)])  # forward
    assert "orthogonal" not in told(got, right, cotangent=g, inputs=[("x", x)], of_wrong_forward=True)
    assert "orthogonal" not in told(got[:1], right[:1], cotangent=g[:1], inputs=[("x", x[:1])])


@pytest.mark.parametrize(("rows", "columns", "said"), [(3, 20, True), (3, 512, False), (12, 512, True)])
def test_long_rows_are_orthogonal_by_chance(rows: int, columns: int, said: bool) -> None:
    """The cosine of two random rows of 512 is below 0.01 every fifth time."""
    x, g = (numbers(rows, columns, dtype=torch.float64, seed=seed) for seed in (5, 6))
    right, got = layer_norm_gradient(x, g), layer_norm_gradient(x, g, variance=False)
    got = (got + 0.3 * normalised(x, columns)).float()  # so that it is far from orthogonal
    assert ("orthogonal" in told(got, right, cotangent=g, inputs=[("x", x)])) is said


def test_a_row_of_zeros_is_orthogonal_to_everything() -> None:
    x, g = (numbers(6, 20, dtype=torch.float64, seed=seed) for seed in (5, 6))
    right, got = layer_norm_gradient(x, g), layer_norm_gradient(x, g, variance=False).float()
    right[2:], got[2:] = 0, 0
    assert "orthogonal" not in told(got, right, cotangent=g, inputs=[("x", x)])


def test_the_gradient_of_a_parameter_with_the_wrong_factor() -> None:
    x, g = numbers(6, 20, dtype=torch.float64), numbers(6, 20, dtype=torch.float64, seed=6)
    right, got = (g * normalised(x, 20)).sum(dim=0), (g * x).sum(dim=0).float()
    text = told(got, right, cotangent=g, inputs=[("x", x)])
    assert text.startswith("The result is grad_out * x, added up over the rows.")
    assert "added up" not in told(2.5 * got, right, cotangent=g, inputs=[("x", x)])
    assert "added up" not in told(got, right, inputs=[("x", x)])


def test_a_difference_that_fell_below_zero_in_uint8() -> None:
    a, b = (torch.arange(40, dtype=torch.uint8) * step % 251 for step in (7, 11))
    right = torch.maximum(a, b) - torch.minimum(a, b)
    assert told(a - b, right).startswith("Every wrong element is 256 minus the right one: a difference fell")
    assert "256 minus" not in told(right + 1, right)
    assert "256 minus" not in told((a - b).int(), right.int())


def test_bytes_that_happen_to_be_the_fill_pattern_are_no_sign_of_unwritten_memory() -> None:
    right = torch.arange(200, dtype=torch.uint8)
    assert "0xA5" not in told(right + 1, right)  # of 200 wrong bytes one is 0xA5
    assert "0xA5" not in told(right.clone().index_fill_(0, torch.tensor([3]), 9), right)  # and 165 is right
    tail = right.clone()
    tail[150:] = 0xA5
    assert told(tail, right).startswith("Elements 150 to 199 were never written")


@pytest.mark.parametrize(("missing", "loop"), [(5000, True), (600, False)])
def test_many_elements_that_are_left_over_are_a_loops(missing: int, loop: bool) -> None:
    got, right = changed(lambda got: got.fill_(1.0), 1 << 17)
    got = right.clone()
    got[(1 << 17) - missing // 32 * 32 :] = POISONED
    assert ("each thread has to go on in a loop" in told(got, right)) is loop


SQUARE = {"a": numbers(8, 8, seed=1), "b": numbers(8, 8, seed=2)}


def products() -> list[tuple[str, torch.Tensor]]:
    a, b = (each.double() for each in SQUARE.values())
    return [("a", a.mT @ b), ("b", a @ b.mT), ("a and b", a.mT @ b.mT)]


@pytest.mark.parametrize("number", range(3))
def test_an_operand_that_was_read_transposed(number: int) -> None:
    names, got = products()[number]
    right = (SQUARE["a"].double() @ SQUARE["b"].double()).float()
    said = told(got.float(), right, inputs=list(SQUARE.items()), turned=products)
    assert said.startswith(f"This is the right result for {names} transposed: ")


def test_another_wrong_product_is_not_one_of_transposed_operands() -> None:
    right = (SQUARE["a"].double() @ SQUARE["b"].double()).float()
    assert "transposed" not in told(right + SQUARE["a"] ** 2, right, turned=products)


@pytest.mark.parametrize(("added", "what"), [(32, "8 too few."), (80, "40 too many.")])
def test_terms_of_ones_are_counted(added: int, what: str) -> None:
    ones = [("a", torch.ones(9, 40)), ("b", torch.ones(40, 9))]
    got, right = torch.full((9, 9), float(added)), torch.full((9, 9), 40.0)
    count = f"counts terms: {added} instead of 40, {what}"
    assert told(got, right, inputs=ones, terms=40).endswith(count)
    assert told(got.mean(), right.mean(), inputs=ones, terms=40).endswith(count)
    assert "counts terms" not in told(got.mean(), right.mean(), inputs=ones)
    assert "counts terms" not in told(got.bfloat16() * 64, right.bfloat16(), inputs=ones, terms=40)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_terms_are_counted_where_the_result_is_one_over_their_number(dtype: torch.dtype) -> None:
    ones = [("x", torch.ones(2, 20_000))]
    right = torch.full((2, 20_000), 1 / 20_000, dtype=dtype)
    said = told(torch.full_like(right, 1 / 16_384), right, inputs=ones, terms=20_000)
    assert said.endswith("1 over the result counts terms: 16384 instead of 20000, 3616 too few.")
    said = told(torch.full_like(right, 1 / 16_384.3), right, inputs=ones, terms=20_000)
    assert "counts terms" not in said


def test_no_terms_are_counted_where_inputs_are_not_ones_or_elements_differ() -> None:
    right = torch.full((9, 9), 40.0)
    uneven = torch.full((9, 9), 32.0)
    uneven[0, 0] = 31.0
    assert "counts terms" not in told(uneven, right, inputs=[("a", torch.ones(9, 40))], terms=40)
    assert "counts terms" not in told(right - 8, right, inputs=[("a", numbers(9, 40))], terms=40)
    assert "counts terms" not in told(right - 8, right, inputs=[("a", torch.ones(0))], terms=40)


BELOW = -numbers(40)  # ten maxima of four elements each
MAXIMA = BELOW.view(10, 4).amax(1)


@pytest.mark.parametrize("start", [0.0, -0.7, -1.0])
def test_a_maximum_that_began_with_a_number(start: float) -> None:
    got = MAXIMA.clamp(min=start)
    said = told(got, MAXIMA, inputs=[("x", BELOW)])
    assert said.startswith(f"Every wrong element is {start:g}, which x does not hold. A maximum has to begin")
    said = told(-got, -MAXIMA, inputs=[("x", -BELOW)])
    assert "A minimum has to begin with infinity" in said


def test_a_filler_for_elements_that_do_not_exist() -> None:
    got = MAXIMA.clone()
    got[-1] = 0.0  # the other rows are full
    assert "A maximum has to begin with -infinity" in told(got, MAXIMA, inputs=[("x", BELOW)])


def test_what_only_resembles_a_start_value() -> None:
    sums = BELOW.view(10, 4).sum(1)
    assert "maximum" not in told(sums.clamp(min=-4.0), sums, inputs=[("x", BELOW)])  # no elements of x
    got = MAXIMA.clone()
    got[0] = 0.0
    right = MAXIMA.clone()
    right[1:3] = BELOW.max() + torch.tensor([0.1, 0.2])
    assert "maximum" not in told(got, right, inputs=[("x", BELOW)])
    own = torch.full_like(MAXIMA, float(BELOW.max()))  # one maximum for all
    assert "has to begin" not in told(own, MAXIMA, inputs=[("x", BELOW)])
