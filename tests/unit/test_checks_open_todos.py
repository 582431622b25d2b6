"""A failure that an open TODO explains comes after one that nothing explains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench
from grader.checks.gradients import gradient
from grader.checks.values import correctness
from grader.course.catalog import Section
from grader.run.values import Trace
from grader.specification import Case, Gradient, tensor
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench, fake_exercise

KERNELS = """
template <typename T>
__device__ T folded(T value) {
    // TODO(fold): fold the value, about 2 lines.
    return value;
}
template <typename T>
__global__ void on_chip(const T* x, T* out) {
    out[0] = x[0];  // sic: nothing here is open
}
template <typename T>
__global__ void long_row(const T* x, T* out) {
    out[0] = folded<T>(x[0]);
}
"""
SECTIONS = {"fold": Section("fold", "kernel.cu", "fold the value", 2, stub="return value;")}
LONG, SHORT = ([replace(tensor(extent), name="x")] for extent in (50, 5))
WAITS = Case("long", LONG)
OWN = Case("short", SHORT)


def run_as(kernels: dict[int, str]) -> Any:
    """A trace whose launch is of the kernel for tensors of that many elements; of long_row where none is."""

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        extent = SESSION[0]._received[0].numel()
        return replace(trace, launches=(replace(LAUNCH, kernel=kernels[extent]),))

    return edit


SESSION: list[FakeSession] = []
NAMES = {50: "void (anonymous namespace)::long_row<float>(float const*, float*)", 5: "on_chip<float>"}


def bench_of(wrong: set[int], tmp_path: Path, cases: list[Case], kind: str = "write", **more: Any) -> Bench:
    """Tensors of as many elements as `wrong` says are doubled instead of tripled."""
    (tmp_path / "kernel.cu").write_text(KERNELS)

    def function(x: torch.Tensor) -> torch.Tensor:
        return x * (2 if x.numel() in wrong else 3)

    SESSION[:] = [FakeSession(function, edit_trace=run_as(NAMES))]
    exercise = fake_exercise(tmp_path, edit=("kernel.cu",), sections=SECTIONS, kind=kind)
    bench = fake_bench(SESSION[0], lambda x: 3 * x, cases, parameters="x", exercise=exercise, **more)
    return replace(bench, files=tmp_path)


def test_ones_own_mistake_comes_first(tmp_path: Path) -> None:
    outcome = correctness.check(bench_of({50, 5}, tmp_path, [WAITS, OWN]))
    assert (outcome.status, outcome.case) == (Status.FAIL, "short")
    assert outcome.sentence.startswith("muladd(x: float32 (5,)) returned ")
    assert 'Waiting for an open TODO: "long".' in outcome.lines
    assert not any(line.startswith("Also wrong") for line in outcome.lines)


def test_where_all_that_fails_is_not_written_yet_the_todo_is_named(tmp_path: Path) -> None:
    outcome = correctness.check(bench_of({50}, tmp_path, [WAITS, OWN]))
    assert (outcome.status, outcome.case, outcome.topic) == (Status.NOT_ATTEMPTED, "long", "values")
    assert outcome.sentence.startswith(
        "TODO(fold) in kernel.cu, line 4, is still open. muladd(x: float32 (50,)"
    )


@pytest.mark.parametrize("written", [True, False])
def test_a_kernel_that_comes_to_no_open_todo_is_not_excused(tmp_path: Path, written: bool) -> None:
    bench = bench_of({5, 50} if written else {5}, tmp_path, [WAITS, OWN])
    if written:
        (tmp_path / "kernel.cu").write_text(KERNELS.replace("return value;", "return value + 1;"))
    outcome = correctness.check(bench)
    assert (outcome.status, outcome.case) == (Status.FAIL, "long" if written else "short")


def test_what_is_to_be_repaired_is_judged_as_it_is(tmp_path: Path) -> None:
    assert correctness.check(bench_of({50}, tmp_path, [WAITS], kind="fix")).status is Status.FAIL


@pytest.mark.parametrize(
    ("wrong", "case", "status"),
    [({50, 5}, "short", Status.FAIL), ({50}, "long", Status.NOT_ATTEMPTED), (set(), "", Status.PASS)],
)
def test_so_it_is_with_gradients(tmp_path: Path, wrong: set[int], case: str, status: Status) -> None:
    asked = Gradient(cases=[WAITS, OWN])
    outcome = gradient.check(bench_of(wrong, tmp_path, [], gradient=asked))
    assert (outcome.status, outcome.case) == (status, case)
