"""The page on tolerances says what its program computes, and what the grader does."""

from __future__ import annotations

import inspect
import math
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from grader.checks.values.expected import _FEW, _NUDGE, tolerance_for
from grader.specification import Spec

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "tolerances.md").read_text(encoding="utf-8")
PROGRAM = ROOT / "docs" / "samples" / "tolerances" / "derive.py"
PRINTED = PROGRAM.with_suffix(".txt").read_text(encoding="utf-8")
DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


def spec(**more: object) -> Spec:
    return Spec(Path("spec.py"), "f", lambda: None, (), (), **more)  # type: ignore[arg-type]


def values(count: int = 100) -> torch.Tensor:
    return torch.linspace(-3, 5, count, dtype=torch.float64)


def test_the_program_prints_what_the_page_shows() -> None:
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == PRINTED


@pytest.mark.parametrize("order", ["in order", "in a tree"])
def test_the_two_orders_are_those_of_the_program(order: str) -> None:
    said = re.search(rf"\| {order} \| ([\d.]+) \| (\d+) \|", PAGE)
    computed = re.search(rf"  {order} +([\d.]+) +bound (\d+)", PRINTED)
    assert said is not None and computed is not None
    assert said.groups() == computed.groups()


def test_the_kernels_in_the_table_are_those_of_the_program() -> None:
    labels = {
        "sum in float32, rounded once": "float32, rounded once",
        "sum rounded at every step": "sum rounded",
        "only the products rounded": "products rounded",
    }
    row = r"\| (\w+) \| (positive|of either sign) \| ([\w ,]+) \| (\d+) \| (\d+) \|"
    rows = re.findall(row, PAGE)
    assert len(rows) == 5
    for dtype, terms, kernel, once, eight in rows:
        line = rf"  {dtype} +{terms} +{labels[kernel]} +{once} +{eight}\n"
        assert re.search(line, PRINTED), (dtype, terms, kernel)


def test_the_numbers_in_the_text_are_those_of_the_program() -> None:
    rounded = re.search(r"float16 .*product in float32 0, product rounded (\d+) of (\d+)", PRINTED)
    assert rounded is not None
    assert f"of {rounded[2]} values of `0.3 * (a * b)`, {rounded[1]} are" in " ".join(PAGE.split())
    assert "condition number 6.71e+07" in PRINTED and "6.7·10⁷" in PAGE
    assert "one number 1.00, the sum of 4096 of them 0.01" in PRINTED
    assert "of a single number it is up to 1 u" in PAGE and "of the sum of 4096 numbers it is 0.01 u" in PAGE


def test_the_bound_of_the_program_is_the_graders_for_results_rounded_once() -> None:
    bound = runpy.run_path(str(PROGRAM))["bound"]
    expected = values()
    for dtype in (torch.float16, torch.bfloat16):
        grader = tolerance_for(spec(rounded_once=True), expected, dtype, 300)
        allowed = grader.relative * expected.abs() + grader.absolute
        torch.testing.assert_close(bound(dtype, 300, expected), allowed, rtol=1e-12, atol=0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_graders_usual_bound_is_the_formula_of_the_page(dtype: torch.dtype) -> None:
    eps_d = torch.finfo(dtype).eps
    eps_s = torch.finfo(torch.float64 if dtype == torch.float64 else torch.float32).eps
    size = float(values().square().mean().sqrt())
    got = tolerance_for(spec(), values(), dtype, 77)
    assert math.isclose(got.relative, 8 * eps_d + 77 * eps_s)
    assert math.isclose(got.absolute, (8 * eps_d + 77 * eps_s) * size)


def test_a_small_result_has_at_least_the_size_of_what_was_cancelled() -> None:
    assert "fewer than 64 elements" in PAGE and _FEW == 64
    assert "a relative 2⁻²⁰" in PAGE and _NUDGE == 2**-20
    got = tolerance_for(spec(), values(3) * 1e-9, torch.float32, 1, size=2.0)
    assert math.isclose(got.absolute, got.relative * 2.0)


def test_the_defaults_of_torch_are_the_ones_that_the_page_names() -> None:
    defaults = inspect.signature(torch.autograd.gradcheck).parameters
    assert (defaults["rtol"].default, defaults["atol"].default) == (1e-3, 1e-5)
    assert "(relative 10⁻³, absolute 10⁻⁵)" in PAGE
    for dtype in (torch.float16, torch.bfloat16, torch.float32):
        torch.testing.assert_close(torch.tensor(3e-6, dtype=dtype), torch.tensor(-3e-6, dtype=dtype))


def test_a_difference_with_nan_is_neither_above_a_tolerance_nor_within_it() -> None:
    nan = torch.tensor(math.nan)
    assert not bool((nan - 1).abs() > 1e-3)
    assert not bool((nan - 1).abs() <= 1e-3)
