"""Advice is given for what passes and should not stay; no solution of the course earns any."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.checks.values.advice import WORD, narrow_indices
from grader.course.catalog import Catalog, Exercise
from tests.unit.fake_submission import fake_exercise

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """// int i = blockIdx.x * blockDim.x + threadIdx.x;
__global__ void twice(const float* x, float* out, int64_t n) {{
    {line}
    if (i < n) out[i] = 2 * x[i];
}}
"""


def advice(tmp_path: Path, line: str, kernel: str = KERNEL) -> list[str]:
    exercise = fake_exercise(tmp_path, edit=("kernel.cu",))
    (tmp_path / "kernel.cu").write_text(kernel.format(line=line))
    return list(narrow_indices(exercise, tmp_path))


@pytest.mark.parametrize(
    "line",
    [
        "int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "const int i = threadIdx.x + blockDim.x * blockIdx.x;",
        "unsigned i = blockIdx.x * blockDim.x\n        + threadIdx.x;",
        "auto i = blockIdx.x * blockDim.x + threadIdx.x;",
    ],
)
def test_an_index_of_32_bits_is_named(tmp_path: Path, line: str) -> None:
    (said,) = advice(tmp_path, line)
    assert said.startswith(f"{WORD}: kernel.cu:3: `i` has 32 bits")


@pytest.mark.parametrize(
    "line",
    [
        "int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;",
        "auto i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
        "const int lane = threadIdx.x % 32; int64_t i = blockIdx.x * int64_t(blockDim.x) + lane;",
    ],
)
def test_others_are_not(tmp_path: Path, line: str) -> None:
    assert advice(tmp_path, line) == []


def test_a_kernel_that_is_given_32_bits_has_no_use_for_more(tmp_path: Path) -> None:
    kernel = KERNEL.replace("int64_t n", "int n")
    assert advice(tmp_path, "int i = blockIdx.x * blockDim.x + threadIdx.x;", kernel) == []


@pytest.mark.parametrize("exercise", Catalog.open(ROOT).exercises, ids=lambda each: each.slug)
def test_no_solution_needs_advice(exercise: Exercise) -> None:
    assert list(narrow_indices(exercise, exercise.solution_dir)) == []
