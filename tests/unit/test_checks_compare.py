"""Comparing answers: form before values, NaN never passes, and tolerances that follow from the arithmetic."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.checks.values.compare import compare, compare_values, pair, wrong_elements
from grader.checks.values.expected import (
    EXACT,
    Expected,
    Tolerance,
    expected_changes,
    expected_outputs,
    tolerance_for,
)
from grader.checks.values.inputs import draw, seeded
from grader.run.values import Output
from grader.specification import Spec, tensor
from grader.support.errors import BrokenSpec

NAN, INF = float("nan"), float("inf")
LOOSE = Tolerance(0.1, 0.1)


def spec(reference: object, parameters: str = "ab", **more: object) -> Spec:
    return Spec(Path("spec.py"), "f", reference, tuple(parameters), (), **more)  # type: ignore[arg-type]


def expected(values: torch.Tensor, dtype: torch.dtype = torch.float32, device: str = "cuda:0") -> Expected:
    return Expected("the output", values, dtype, device, LOOSE)


ONE = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("returned", "what", "got"),
    [
        (Output("none"), "kind", "None"),
        (Output("other", type="float"), "kind", "something that is neither a tensor nor an array"),
        (Output("numpy", ONE), "kind", "a NumPy array"),
        (Output("tensor", ONE.double(), "cuda:0"), "dtype", "float64"),
        (Output("tensor", ONE.mT, "cuda:0"), "shape", "(3, 2)"),
        (Output("tensor", ONE, "cpu"), "device", "cpu"),
        (Output("tensor", ONE, "cuda:1"), "device", "cuda:1"),
        (Output("tensor", ONE + 1, "cuda:0"), "value", "2"),
    ],
)
def test_the_first_thing_that_differs_is_named(returned: Output, what: str, got: str) -> None:
    mismatch = compare(returned, expected(ONE.double()))
    assert mismatch is not None
    assert (mismatch.what, mismatch.got) == (what, got)


def test_the_right_answer_passes() -> None:
    assert compare(Output("tensor", ONE, "cuda:0"), expected(ONE.double())) is None
    assert compare(Output("numpy", ONE, "cpu"), expected(ONE.double(), device="numpy")) is None


def test_an_empty_answer_of_the_right_form_passes() -> None:
    empty = torch.empty(0, 4)
    assert compare(Output("tensor", empty, "cuda:0"), expected(empty.double())) is None


@pytest.mark.parametrize(
    ("got", "wanted", "wrong"),
    [
        (NAN, 1.0, True),
        (1.0, NAN, True),
        (NAN, NAN, False),
        (INF, INF, False),
        (INF, -INF, True),
        (INF, 1.0, True),
        (1.0, INF, True),
        (NAN, INF, True),
        (3e38, INF, True),
        (1.15, 1.0, False),
        (1.25, 1.0, True),
        (-0.0, 0.0, False),
    ],
)
def test_values(got: float, wanted: float, wrong: bool) -> None:
    mask = wrong_elements(torch.tensor([got]), torch.tensor([wanted], dtype=torch.float64), LOOSE)
    assert mask.item() is wrong


def test_integers_and_booleans_must_be_equal() -> None:
    assert compare_values(torch.tensor([1, 2]), torch.tensor([1, 3]), EXACT) is not None
    assert compare_values(torch.tensor([True, False]), torch.tensor([True, False]), EXACT) is None


def test_the_index_is_the_first_in_row_major_order() -> None:
    got = torch.zeros(4, 5)
    got[2, 3] = got[3, 0] = 9
    mismatch = compare_values(got.mT.contiguous().mT, torch.zeros(4, 5, dtype=torch.float64), LOOSE)
    assert mismatch is not None
    assert mismatch.index == (2, 3)
    assert mismatch.count == 2


def test_scalars_have_the_empty_index() -> None:
    mismatch = compare_values(torch.tensor(2.0), torch.tensor(1.0, dtype=torch.float64), EXACT)
    assert mismatch is not None
    assert mismatch.index == ()


def test_numbers_are_printed_with_the_digits_that_tell_them_apart() -> None:
    assert pair(torch.tensor(0.1, dtype=torch.float64), torch.tensor(0.2)) == ("0.1", "0.2")
    close = pair(torch.tensor(1.0, dtype=torch.float64), torch.tensor(1.0 + 1e-8, dtype=torch.float64))
    assert close == ("1", "1.00000001")


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@pytest.mark.parametrize("terms", [1, 100, 3000])
def test_honest_rounding_of_a_sum_is_within_the_tolerance(dtype: torch.dtype, terms: int) -> None:
    generator = torch.Generator().manual_seed(3)
    values = (torch.rand(50, terms, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype)
    others = (torch.rand(50, terms, generator=generator, dtype=torch.float64) * 2 - 1).to(dtype)
    truth = (values.double() * others.double()).sum(1)
    accumulator = torch.promote_types(dtype, torch.float32)
    honest = torch.zeros(50, dtype=accumulator)
    for step in range(terms):  # one by one, the order with the largest error
        honest = honest + values[:, step].to(accumulator) * others[:, step].to(accumulator)
    tolerance = tolerance_for(spec(None), truth, dtype, terms)
    assert compare_values(honest.to(dtype), truth, tolerance) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_a_missing_term_is_outside_the_tolerance(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(3)
    terms = torch.rand(50, 300, generator=generator, dtype=torch.float64) * 2 - 1
    truth = terms.sum(1)
    tolerance = tolerance_for(spec(None), truth, dtype, 300)
    short = (truth - terms[:, -1]).to(dtype)
    assert wrong_elements(short, truth, tolerance).float().mean() > 0.5


def test_what_nearly_cancels_in_few_elements_may_be_rounded() -> None:
    def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return a * b + c

    specified = spec(muladd, "abc")
    margins, wrong = [], 0
    for number in range(400):
        inputs = draw([replace(tensor(1), name=name) for name in "abc"], seeded(number))
        a, b, c = (each.tensor for each in inputs.tensors())
        (wanted,) = expected_outputs(specified, inputs, "one element")
        for honest in (a * b + c, (a.double() * b.double() + c.double()).float()):  # each rounded; contracted
            assert compare(Output("tensor", honest, "cuda:0"), wanted) is None, number
        margins.append(float(((a * b + c) - wanted.values).abs() / wanted.values.abs()))
        wrong += compare(Output("tensor", a * b, "cuda:0"), wanted) is not None
    assert max(margins) > 20 * torch.finfo(torch.float32).eps, "some of them do cancel"
    assert wrong > 395, "and what is wrong is seen"


def test_the_spec_may_set_the_tolerance() -> None:
    loose = spec(None, tolerances=lambda dtype: (0.5, 0.25))
    assert tolerance_for(loose, torch.ones(1), torch.float32, 1) == Tolerance(0.5, 0.25)
    assert tolerance_for(loose, torch.ones(1), torch.int32, 1) == EXACT


def test_expected_dtype_and_shape_come_from_the_case_and_values_from_float64() -> None:
    inputs = draw([replace(tensor((3, 1), "float16"), name="a"), replace(tensor(4), name="b")], seeded(1))
    (out,) = expected_outputs(spec(lambda a, b: a + b), inputs, "mixed")
    assert (out.shape, out.dtype, out.device, out.values.dtype) == (
        (3, 4),
        torch.float32,
        "cuda:0",
        torch.float64,
    )
    a, b = (each.tensor.double() for each in inputs.tensors())
    assert torch.equal(out.values, a + b)


def test_several_outputs_are_numbered() -> None:
    inputs = draw([replace(tensor(3, device="cuda:1"), name="a")], seeded(1))
    outputs = expected_outputs(spec(lambda a: (a.amax(), a > 0), "a"), inputs, "two")
    assert [(out.name, out.dtype, out.device) for out in outputs] == [
        ("output 0", torch.float32, "cuda:1"),
        ("output 1", torch.bool, "cuda:1"),
    ]


def test_what_the_reference_changes_in_place_is_expected_of_the_argument() -> None:
    inputs = draw([replace(tensor(3), name="a"), replace(tensor(3), name="b")], seeded(1))
    changed = expected_changes(spec(lambda a, b: a.add_(b)), inputs, ("a",), "in place")
    a, b = (each.tensor.double() for each in inputs.tensors())
    assert torch.equal(changed["a"], a + b)


def test_a_reference_that_raises_is_the_specs_fault() -> None:
    inputs = draw([replace(tensor(3), name="a"), replace(tensor(4), name="b")], seeded(1))
    with pytest.raises(BrokenSpec, match=r"spec\.py: reference raised RuntimeError for case 'shapes'"):
        expected_outputs(spec(lambda a, b: a + b), inputs, "shapes")
    with pytest.raises(BrokenSpec, match="did not return a tensor"):
        expected_outputs(spec(lambda a, b: 3.0), inputs, "shapes")


def test_the_scale_of_cancellation_ignores_nan_and_infinity() -> None:
    values = torch.tensor([NAN, INF, 3.0, 4.0], dtype=torch.float64)
    tolerance = tolerance_for(spec(None), values, torch.float32, 1)
    assert tolerance.absolute == pytest.approx(tolerance.relative * math.sqrt(12.5))
    assert tolerance_for(spec(None), values[:2], torch.float32, 1).absolute == 0
