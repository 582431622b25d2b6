"""Inputs: the same from the same seed, of the values and the layout that the spec asks for."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.checks.values.inputs import Drawn, draw, draw_tensor, seeded
from grader.specification import TensorSpec, tensor


def drawn(spec: TensorSpec, seed: int = 7) -> torch.Tensor:
    return draw_tensor(spec, seeded(seed, "test"))


def test_the_seed_and_the_labels_decide_every_number() -> None:
    spec = tensor((5, 7))
    assert torch.equal(drawn(spec), drawn(spec))
    assert not torch.equal(drawn(spec), drawn(spec, seed=8))
    other_label = draw_tensor(spec, seeded(7, "another"))
    assert not torch.equal(drawn(spec), other_label)


@pytest.mark.parametrize(
    "dtype",
    ["float16", "bfloat16", "float32", "float64", "complex64", "uint8", "int8", "int32", "int64", "bool"],
)
def test_shape_and_dtype_are_those_of_the_spec(dtype: str) -> None:
    got = drawn(tensor((3, 5), dtype))
    assert got.shape == (3, 5)
    assert got.dtype == getattr(torch, dtype)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
def test_values_stay_between_low_and_high_and_use_the_range(dtype: str) -> None:
    got = drawn(tensor(2000, dtype, low=-3, high=5)).double()
    assert got.min() >= -3
    assert got.max() <= 5
    assert got.min() < -2
    assert got.max() > 4


def test_unsigned_integers_have_no_negative_low() -> None:
    assert set(drawn(tensor(200, "uint8")).tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("layout", "shape", "strides"),
    [
        ("contiguous", (3, 4), (4, 1)),
        ("transposed", (3, 4), (1, 3)),
        ("transposed", (2, 3, 4), (12, 1, 3)),
        ("sliced", (3, 4), (8, 2)),
        ("sliced", (6,), (2,)),
        ("offset", (3, 4), (4, 1)),
        ("expanded", (3, 4), (0, 1)),
        ("padded", (3, 4), (7, 1)),
        ("padded", (2, 3, 4), (21, 7, 1)),
        ("permuted", (2, 3, 4), (12, 1, 3)),
        ("permuted", (2, 3, 4, 5), (60, 1, 15, 3)),
        ("interleaved", (3, 4, 5), (5, 15, 1)),
        ("interleaved", (2, 3, 4, 5), (60, 5, 15, 1)),
        ("truncated", (3, 6), (8, 1)),
        ("truncated", (2, 3, 4), (24, 8, 1)),
    ],
)
def test_layouts(layout: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
    got = drawn(tensor(shape, layout=layout))  # type: ignore[arg-type]
    assert got.shape == shape
    assert got.stride() == strides
    assert got.storage_offset() == (1 if layout == "offset" else 0)


@pytest.mark.parametrize("rows", [2, 3])
def test_the_rows_of_a_far_tensor_are_beyond_31_and_then_32_bits(rows: int) -> None:
    step = 2**31 + 6
    spec = tensor((rows, 5), "uint8", layout="far", low=0, high=255)
    got = drawn(spec)
    assert got.stride() == (step, 1)
    assert (rows - 1) * step >= (rows - 1) << 31
    assert torch.equal(got, drawn(tensor((rows, 5), "uint8", low=0, high=255)))
    assert got.untyped_storage().nbytes() == (rows - 1) * step + 5
    # Both rows of 5 bytes lie within a huge page each: nothing between them was touched.
    assert resident_bytes(got.data_ptr(), got.untyped_storage().nbytes()) < 2**24


def test_of_elements_of_two_bytes_the_last_row_alone_is_far_and_the_stride_fits_into_32_bits() -> None:
    got = drawn(tensor((3, 5), "float16", layout="far"))
    (step, one) = got.stride()
    assert one == 1
    assert step < 2**31 <= 2 * step
    assert got.untyped_storage().nbytes() < 2**32 + 64


def resident_bytes(address: int, nbytes: int) -> int:
    """Memory behind a range of addresses, by the kernel's own books."""
    pagemap, page = Path("/proc/self/pagemap"), os.sysconf("SC_PAGE_SIZE")
    with pagemap.open("rb") as entries:
        entries.seek(address // page * 8)
        flags = torch.frombuffer(bytearray(entries.read((nbytes // page + 1) * 8)), dtype=torch.int64)
    return int((flags < 0).sum()) * page  # the top bit says that the page is present


def test_the_gaps_of_a_slice_hold_other_plausible_numbers() -> None:
    view = drawn(tensor(50, layout="sliced"))
    gaps = view.as_strided((50,), (2,), 1)
    assert bool((gaps != view).all())
    assert bool((gaps.abs() <= 1).all())


@pytest.mark.parametrize(("dtype", "rest"), [("float32", math.nan), ("int32", 2**31 - 1), ("bool", 1)])
def test_behind_truncated_rows_is_what_no_sum_hides(dtype: str, rest: float) -> None:
    view = drawn(tensor((3, 6), dtype, layout="truncated", low=0))
    storage = torch.empty(0, dtype=view.dtype).set_(view.untyped_storage())
    assert storage.numel() == 2 * 8 + 6  # nothing behind the last row
    assert torch.equal(view, drawn(tensor((3, 6), dtype, low=0)))
    gaps = view.as_strided((2, 2), (8, 1), 6)
    torch.testing.assert_close(gaps, torch.full_like(gaps, rest), equal_nan=True)


@pytest.mark.parametrize(
    "layout", ["contiguous", "sliced", "transposed", "expanded", "offset", "padded", "truncated"]
)
def test_empty_tensors_have_every_layout(layout: str) -> None:
    assert drawn(tensor((0, 4), layout=layout)).shape == (0, 4)  # type: ignore[arg-type]
    assert drawn(tensor((4, 0), layout=layout)).shape == (4, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize("layout", ["contiguous", "sliced", "expanded"])
def test_special_values_are_some_but_not_all(layout: str) -> None:
    nans = drawn(tensor((20, 300), special="nan", layout=layout)).isnan()  # type: ignore[arg-type]
    assert 0 < nans.sum() < 3000
    infinities = drawn(tensor((20, 300), special="inf", layout=layout))  # type: ignore[arg-type]
    assert {float("inf"), float("-inf")} <= set(infinities.flatten().tolist())


def test_one_element_asked_to_be_special_is() -> None:
    assert bool(drawn(tensor(1, special="nan")).isnan().all())


def test_large_values_have_both_signs_and_two_decades() -> None:
    got = drawn(tensor(1000, special="large"))
    assert bool(((got.abs() >= 100) & (got.abs() <= 10000)).all())
    assert bool((got > 0).any()) and bool((got < 0).any())
    assert got.abs().max() / got.abs().min() > 50


def test_a_mask_ends_every_row_and_leaves_only_the_first_empty() -> None:
    got = drawn(tensor((2, 20, 30), special="masked")).reshape(40, 30)
    masked = got.isneginf()
    assert bool(masked[0].all()) and not bool(masked[1:].all(dim=1).any())
    assert bool((masked[:, 1:] >= masked[:, :-1]).all())  # from some place on
    assert got[~masked].abs().max() <= 1
    assert len(set(masked.sum(dim=1).tolist())) > 5


def test_sorted_numbers_ascend_in_every_row_and_are_drawn_like_others() -> None:
    got = drawn(tensor((5, 40), "int32", special="sorted", low=0, high=9))
    assert got.dtype == torch.int32 and bool((got[:, 1:] >= got[:, :-1]).all())
    assert set(got.flatten().tolist()) == set(range(10))
    assert bool((got[0] != got[1]).any())


def test_a_single_row_is_never_masked_as_a_whole() -> None:
    for seed in range(20):
        spec = replace(tensor(3, special="masked"), name="a")
        assert not bool(draw([spec], seeded(seed)).tensors()[0].tensor.isneginf().all())
    assert drawn(tensor((4, 0), special="masked")).shape == (4, 0)


def test_constants() -> None:
    assert drawn(tensor(3, special="ones")).tolist() == [1, 1, 1]
    assert drawn(tensor(3, "int64", special="zeros")).tolist() == [0, 0, 0]


def test_the_reference_gets_its_own_wide_copies() -> None:
    spec = replace(tensor((2, 3), layout="expanded"), name="a")
    inputs = draw([spec, 2.5, [replace(spec, name="b"), None]], seeded(1))
    wide, scalar, (inner, nothing) = inputs.for_reference()
    assert wide.dtype == inner.dtype == torch.float64
    assert (scalar, nothing) == (2.5, None)
    wide.fill_(0)
    assert bool(inputs.named("a").tensor.any())
    narrow, *_ = inputs.for_reference(widen=False)
    assert narrow.dtype == torch.float32


def test_integers_are_not_widened() -> None:
    inputs = draw([replace(tensor(3, "int32"), name="a")], seeded(1))
    assert inputs.for_reference()[0].dtype == torch.int32


def test_the_worker_is_told_name_device_and_who_requires_grad() -> None:
    on_second = replace(tensor(3, device="cuda:1"), name="a")
    array = replace(tensor(3, kind="numpy"), name="b")
    first, second, number = draw([on_second, array, 4], seeded(1)).for_worker(["a"])
    assert (first.name, first.device, first.requires_grad) == ("a", "cuda:1", True)
    assert (second.name, second.device, second.requires_grad) == ("b", "numpy", False)
    assert number == 4


def test_tensors_inside_lists_are_found() -> None:
    specs = [replace(tensor(2), name=f"xs[{number}]") for number in range(2)]
    inputs = draw([specs, replace(tensor(3), name="y")], seeded(1))
    assert [each.name for each in inputs.tensors()] == ["xs[0]", "xs[1]", "y"]
    assert isinstance(inputs.named("y"), Drawn)
