"""A failure that an open TODO explains comes after one that nothing explains."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench
from grader.checks.device import device_work
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


def test_what_the_host_raises_is_not_about_a_kernel(tmp_path: Path) -> None:
    """The kernels that ran before come to an open TODO; the exception is about the learner's own op.py."""
    bench = bench_of({50}, tmp_path, [WAITS])

    def refuse(x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("x must be contiguous")

    SESSION[0].function = refuse
    outcome = correctness.check(bench)
    assert (outcome.status, outcome.topic) == (Status.FAIL, "errors")
    assert "TODO" not in outcome.sentence


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


# ---- kernels of one name in two files, and launches that are still to be written ----

ANOTHER = """
namespace {
template <typename T>
__global__ void long_row(const T* x, T* out) {
    out[0] = x[0];
}
}
template <typename T>
void launch_short(const T* x, T* out, cudaStream_t stream) {
    // TODO(grid): launch on_chip, about 2 lines.
}
void refuse_others(const char* name) {
    // TODO(checks): refuse by name what has another shape, about 2 lines.
}
"""
GRID = {
    "checks": Section("checks", "another.cu", "refuse by name what has another shape", 2),
    "grid": Section("grid", "another.cu", "launch on_chip", 2),
}


def two_files(
    wrong: set[int], tmp_path: Path, launches: dict[int, Any], text: str = ANOTHER, **more: Any
) -> Bench:
    """Beside kernel.cu another file; `launches` are of the tensors with that many elements."""
    bench = bench_of(wrong, tmp_path, [WAITS, OWN], **more)

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        own = launches[SESSION[0]._received[0].numel()]
        return replace(trace, launches=(own,) if own is not None else ())

    SESSION[0].edit_trace = edit
    (tmp_path / "another.cu").write_text(text)
    edited = ("kernel.cu", "another.cu")
    return replace(bench, exercise=fake_exercise(tmp_path, edit=edited, sections=SECTIONS | GRID))


def of_file(file: str) -> Any:
    return replace(LAUNCH, kernel="long_row<T>", file=file)


def test_a_kernel_is_that_of_the_file_that_launched_it(tmp_path: Path) -> None:
    """A kernel of the same name in another file has the open TODO."""
    launches = {50: of_file("/somewhere/kernel.cu"), 5: of_file("/somewhere/another.cu")}
    outcome = correctness.check(two_files({50, 5}, tmp_path, launches))
    assert (outcome.status, outcome.case) == (Status.FAIL, "short")
    assert 'Waiting for an open TODO: "long".' in outcome.lines


def test_where_the_file_is_unknown_no_kernel_of_that_name_is_excused(tmp_path: Path) -> None:
    outcome = correctness.check(two_files({50}, tmp_path, dict.fromkeys((50, 5), of_file(""))))
    assert (outcome.status, outcome.case) == (Status.FAIL, "long")


def test_what_launches_nothing_waits_for_the_todo_of_a_launch(tmp_path: Path) -> None:
    """That of the checks comes first in the file, and is not about a launch."""
    outcome = correctness.check(two_files({50, 5}, tmp_path, {50: LAUNCH, 5: None}))
    assert (outcome.status, outcome.case) == (Status.FAIL, "long")
    assert 'Waiting for an open TODO: "short".' in outcome.lines
    outcome = correctness.check(two_files({5}, tmp_path, {50: LAUNCH, 5: None}))
    assert outcome.status is Status.NOT_ATTEMPTED
    assert outcome.sentence.startswith("TODO(grid) in another.cu, line ")


@pytest.mark.parametrize("launch", ["", "on_chip<T><<<1, 1, 0, stream>>>(x, out);"])
def test_a_launch_that_is_written_is_not_waited_for(tmp_path: Path, launch: str) -> None:
    todo = "    // TODO(grid): launch on_chip, about 2 lines.\n"
    text = ANOTHER.replace(todo, todo + f"    {launch}\n" if launch else "")
    assert correctness.check(two_files({5}, tmp_path, {50: LAUNCH, 5: None}, text)).status is Status.FAIL


def test_device_work_waits_for_the_same_todo(tmp_path: Path) -> None:
    bench = two_files(set(), tmp_path, {50: LAUNCH, 5: None})
    correctness.check(bench)
    outcome = device_work.check(bench)
    assert (outcome.status, outcome.topic) == (Status.NOT_ATTEMPTED, "no_kernel")
    assert outcome.sentence.startswith("TODO(grid) in another.cu, line ")


def test_cases_that_wait_beside_the_first_are_not_called_wrong(tmp_path: Path) -> None:
    outcome = correctness.check(two_files({50, 5}, tmp_path, dict.fromkeys((50, 5))))
    assert outcome.status is Status.NOT_ATTEMPTED
    assert outcome.lines == ('Also waiting: "short".',)


def scaled(factor: float) -> Any:
    """Three times x, with `factor` times its gradient."""

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return 3 * x

        @staticmethod
        def backward(ctx: Any, grad_out: torch.Tensor) -> torch.Tensor:
            return factor * grad_out

    return Scaled.apply


@pytest.mark.parametrize(
    ("backward", "status"), [("on_chip<float>", Status.FAIL), ("long_row<float>", Status.NOT_ATTEMPTED)]
)
def test_gradients_with_a_pattern_are_those_of_the_kernels_of_backward(
    tmp_path: Path, backward: str, status: Status
) -> None:
    """Forward's kernel waits for its TODO; the gradient has the wrong sign."""
    bench = bench_of(set(), tmp_path, [], gradient=Gradient(cases=[WAITS], unrequested=True))

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        kernel = backward if stage == "backward" else NAMES[50]
        return replace(trace, launches=(replace(LAUNCH, kernel=kernel),))

    SESSION[0].function, SESSION[0].edit_trace = scaled(-3), edit
    outcome = gradient.check(bench)
    assert "sign" in outcome.guess
    assert outcome.status is status


def test_gradcheck_waits_for_the_kernel_of_forward(tmp_path: Path) -> None:
    """Backward is right, and finite differences are those of a forward that is still open."""
    double = Case("long", [replace(tensor(50, "float64"), name="x")])
    bench = bench_of({50}, tmp_path, [], gradient=Gradient(cases=[double], mode="gradcheck"))

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

        @staticmethod
        def backward(ctx: Any, grad_out: torch.Tensor) -> torch.Tensor:
            return 3 * grad_out

    SESSION[0].function = Doubled.apply
    outcome = gradient.check(bench)
    assert outcome.topic == "gradcheck"
    assert outcome.status is Status.NOT_ATTEMPTED
