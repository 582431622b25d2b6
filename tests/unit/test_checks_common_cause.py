"""What failing cases have in common is said only if it is true of all of them and of no other case."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.checks.values.common_cause import in_common
from grader.specification import Case, TensorSpec, tensor


def case(name: str, *tensors: TensorSpec, **more: object) -> Case:
    named = [replace(each, name=letter) for each, letter in zip(tensors, "xy", strict=False)]
    return Case(name, named, **more)  # type: ignore[arg-type]


PLAIN = [case(f"plain {n}", tensor((n, n))) for n in (1, 32, 33, 64, 100)]


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (case("odd", tensor((4, 5), layout="transposed")), "x is not contiguous"),
        (case("odd", tensor((4, 5), "float64")), "x is float64"),
        (case("odd", tensor((4, 5), special="nan")), "x holds NaN"),
        (case("odd", tensor((4, 5), layout="offset")), "x begins in the middle of its storage"),
        (case("odd", tensor((4, 5)), stream="side"), "another stream is current"),
        (case("odd", tensor((4, 5), device="cuda:1")), "a tensor is on the second device"),
        (case("odd", tensor((2, 4, 5))), "x has 3 dimensions"),
        (case("odd", tensor((4, 5)), autocast="float16"), "autocast to float16 is on"),
        (case("odd", tensor((4, 5)), deterministic=True), "the deterministic mode is on"),
    ],
)
def test_the_kind_of_a_case(odd: Case, words: str) -> None:
    assert in_common([*PLAIN, odd], {"odd"}) == words
    assert in_common([*PLAIN, odd, replace(odd, name="the same, and right")], {"odd"}) == ""


def test_a_far_tensor_is_told_by_its_offsets() -> None:
    views = [
        case("far", tensor((2, 8), "uint8", layout="far")),
        case("view", tensor((2, 8), layout="transposed")),
    ]
    assert in_common([*PLAIN, *views], {"far"}) == "x has elements beyond offset 2^31"


def test_what_only_some_of_them_have_is_not_said() -> None:
    views = [case(layout, tensor((6, 8), layout=layout)) for layout in ("transposed", "sliced")]
    assert in_common([*PLAIN, *views], {"transposed", "sliced"}) == "x is not contiguous"
    assert in_common([*PLAIN, *views], {"transposed", "plain 32"}) == ""


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ((33, 64, 100), "x has more than 32 rows"),
        ((1, 2, 3), "x has fewer than 32 rows"),
        ((1, 33, 100, 2, 3), "the number of rows of x is not a multiple of 32"),
        ((1, 33), ""),
        ((2, 64, 100), ""),
    ],
)
def test_bounds_on_sizes(wrong: tuple[int, ...], words: str) -> None:
    cases = [case(str(n), tensor((n, n))) for n in (1, 2, 3, 32, 64, 96, 33, 100)]
    if words.startswith("x has more"):
        cases = [case(str(n), tensor((n, n))) for n in (1, 2, 32, 33, 64, 100)]
    if words.startswith("x has fewer"):
        cases = [case(str(n), tensor((n, n))) for n in (1, 2, 3, 32, 64, 100)]
    assert in_common(cases, {str(n) for n in wrong}) == words


@pytest.mark.parametrize(
    ("bound", "words"),
    [(1, "one row"), (8, "8 rows"), (64, "64 rows"), (96, "96 rows"), (6, ""), (33, ""), (100, "")],
)
def test_a_bound_where_no_warp_block_or_tile_ends_is_a_coincidence(bound: int, words: str) -> None:
    sizes = [(bound, 10 + place) for place in range(3)] + [(bound + 1, 10 + place) for place in range(3)]
    cases = [case(str(size), tensor(size)) for size in sizes]
    told = in_common(cases, {str(size) for size in sizes[3:]})
    assert told == f"x has more than {words}" if words else "more than" not in told


def test_nothing_is_said_where_all_or_none_are_wrong_or_where_the_others_are_empty() -> None:
    assert in_common(PLAIN, {each.name for each in PLAIN}) == ""
    assert in_common(PLAIN, ()) == ""
    assert in_common([case("empty", tensor((0, 3))), case("full", tensor((2, 3), "float64"))], {"full"}) == ""


def test_the_tensors_of_a_list_count_too() -> None:
    lists = [Case("a list", [[replace(tensor(4, layout="sliced"), name="x[0]")]]), *PLAIN]
    assert in_common(lists, {"a list"}) == "x[0] is not contiguous"


@pytest.mark.parametrize(
    ("wrong", "right", "words"),
    [
        ((20, 30, 40), (1, 8, 16), "x has more than 16 elements"),  # the largest that is right
        ((70, 80, 99), (1, 8, 40), "x has more than 64 elements"),  # the only one in between
        ((100, 200, 300), (1, 8, 30), ""),  # 32 or 64
        ((70, 80, 99), (1, 8, 66), ""),  # no power of two
        ((100, 120, 140), (1, 8, 96), "x has more than 96 elements"),  # three warps
        ((17, 18, 20), (32, 40, 50), "x has fewer than 32 elements"),
        ((17, 18, 60), (65, 75, 80), "x has fewer than 64 elements"),
        ((2, 3, 5), (18, 20, 25), ""),  # 8 or 16
    ],
)
def test_a_bound_is_a_power_of_two(wrong: tuple[int, ...], right: tuple[int, ...], words: str) -> None:
    cases = [case(str(n), tensor(n)) for n in (*wrong, *right)]
    assert in_common(cases, {str(n) for n in wrong}) == words


def test_tensors_with_different_numbers_of_dimensions_are_compared_by_their_rows() -> None:
    right = [case(f"right {n}", tensor((2, n))) for n in (8, 20, 32)]
    wrong = [case(f"wrong {shape}", tensor(shape)) for shape in (33, (2, 3, 40), (500, 64))]
    assert (
        in_common([*wrong, *right], {each.name for each in wrong}) == "x has more than 32 elements in a row"
    )


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (((7, 5), (33, 34), (2, 60)), "x is not square"),
        (
            ((33, 30), (20, 40), (1, 64)),
            "the rows and the columns of x need different numbers of tiles of 32",
        ),
        (((33, 30), (20, 40), (5, 5)), ""),
    ],
)
def test_matrices_whose_rows_and_columns_differ(wrong: tuple[tuple[int, int], ...], words: str) -> None:
    right = [(n, n) for n in (3, 50, 64, 100)] + ([(7, 5)] if "tiles" in words else [])
    cases = [case(str(shape), tensor(shape)) for shape in (*right, *wrong)]
    assert in_common(cases, {str(shape) for shape in wrong}) == words


def test_only_the_case_of_ones_is_right() -> None:
    ones = case("ones", tensor((9, 9), special="ones"))
    wrong = {each.name for each in PLAIN}
    assert in_common([ones, *PLAIN], wrong) == "x holds other numbers than 1: with ones, the result is right"
    assert in_common([ones, *PLAIN], wrong - {"plain 33"}) == ""


def test_facts_that_the_arguments_do_not_tell() -> None:
    facts = {"plain 33": ["a fact"], "plain 64": ["a fact", "another"], "plain 1": ["another"]}
    assert in_common(PLAIN, {"plain 33", "plain 64"}, facts) == "a fact"
    assert in_common(PLAIN, {"plain 33", "plain 100"}, facts) == ""
