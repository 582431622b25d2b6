"""Exercises about calling NVIDIA's libraries: what counts as work, whose handle it is, and how many calls."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cusimt.support.toolchain import host_compiler
from grader.checks.bench import Bench
from grader.checks.device import device_work, safety
from grader.checks.device.limit_causes import CountedStage, amount_of, reason
from grader.checks.device.vendor_work import recorded_calls
from grader.checks.gradients import gradient as gradients
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.compilation import Artifact
from grader.run.values import Trace, TracedLaunch
from grader.specification import Case, Gradient, tensor
from grader.specification.efficiency import METRICS
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench, fake_exercise

ARGS = [replace(tensor(100), name=name) for name in "ab"]
CASE, ASIDE = Case("plain", ARGS), Case("under a side stream", ARGS, stream="side")
VENDOR = frozenset({"cublas", "cub"})
GEMM = {"call": "cuBLAS gemm", "kind": "library", "waits": 1, "awaited": 1, "stream": 0}
SPMM = {**GEMM, "call": "cuSPARSE SpMM"}
SCAN = "cub::DeviceScan::InclusiveScan"
BY_LIBRARY = {"launches": (), "launches_total": 0, "writers": ({"library": 400},)}


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def bench_with(
    cases: list[Case], vendor: frozenset[str] = VENDOR, backend: str = "simt", **changes: Any
) -> Bench:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, **changes)

    return fake_bench(
        FakeSession(add, edit_trace=edit), add, cases, parameters="ab", backend=backend,
        exercise=fake_exercise(vendor=vendor),
    )  # fmt: skip


def judged(vendor: frozenset[str] = VENDOR, backend: str = "simt", **changes: Any) -> Outcome:
    return device_work.check(bench_with([CASE], vendor, backend, **changes))


def test_a_call_of_the_library_is_work_where_the_exercise_is_about_it() -> None:
    bench = bench_with([CASE], api_calls=(GEMM,), **BY_LIBRARY)
    assert correctness.check(bench).status is Status.PASS
    outcome = device_work.check(bench)
    assert outcome.status is Status.PASS
    assert outcome.sentence == "Libraries did the work: 1 call in 1 traced call of yours."
    assert safety.check(bench).status is Status.PASS


@pytest.mark.parametrize("vendor", [frozenset(), frozenset({"cusparse"})])
def test_elsewhere_it_is_none(vendor: frozenset[str]) -> None:
    bench = bench_with([CASE], vendor, api_calls=(GEMM,), **BY_LIBRARY)
    assert correctness.check(bench).not_own
    outcome = device_work.check(bench)
    assert outcome.status is Status.FAIL and outcome.not_own
    own = "made none of your own calls of cuSPARSE" if vendor else "launched no kernel"
    assert own in outcome.sentence


def test_what_a_library_wrote_without_a_call_of_it_is_not_own() -> None:
    outcome = judged(launches=(LAUNCH,), writers=({"library": 400},))
    assert outcome.status is Status.FAIL and outcome.not_own


def test_pytorchs_operator_is_refused_although_it_calls_the_same_library() -> None:
    outcome = judged(api_calls=(GEMM,), operators=("aten::mm",), **BY_LIBRARY)
    assert (outcome.status, outcome.topic) == (Status.FAIL, "library")
    assert "your own calls of CUB and cuBLAS do the work" in outcome.sentence
    assert outcome.not_own == "aten::mm took part in computing them"


@pytest.mark.parametrize("writer", ["host", "copy"])
def test_a_decoy_does_not_hide_who_wrote_the_result(writer: str) -> None:
    outcome = judged(api_calls=(GEMM,), launches=(), launches_total=0, writers=({writer: 400},))
    assert outcome.status is Status.FAIL and outcome.not_own


def test_a_refused_call_is_no_work() -> None:
    assert judged(api_calls=({**GEMM, "error": 13},), **BY_LIBRARY).not_own


@pytest.mark.parametrize(("vendor", "status"), [(VENDOR, Status.PASS), (frozenset(), Status.FAIL)])
def test_launches_of_cub_are_allowed_where_they_are_the_subject(
    vendor: frozenset[str], status: Status
) -> None:
    scan = TracedLaunch(SCAN, (1, 1, 1), (1, 1, 1), file="kernel.cu", line=9)
    assert judged(vendor, launches=(LAUNCH, scan), launches_total=2).status is status


@pytest.mark.parametrize(
    ("kernel", "operators", "status"),
    [
        ("ampere_sgemm_128x64_nn", ("muladd::product",), Status.PASS),
        ("void cub::detail::scan::DeviceScanKernel<int>(int*)", (), Status.PASS),
        ("ampere_sgemm_128x64_nn", ("muladd::product", "aten::mm"), Status.FAIL),
        ("void at::native::vectorized_elementwise_kernel<4, float>(int)", ("muladd::product",), Status.FAIL),
    ],
)
def test_on_cuda_a_kernel_without_an_operator_around_it_is_the_librarys(
    kernel: str, operators: tuple[str, ...], status: Status
) -> None:
    launch = TracedLaunch(kernel, (1, 1, 1), (256, 1, 1), operators=operators)
    outcome = judged(backend="cuda", launches=(launch,), launches_total=1, writers=(None,))
    assert outcome.status is status


def test_a_call_on_the_default_stream_is_out_of_order() -> None:
    stray = {**GEMM, "waits": 0, "awaited": 0}
    bench = bench_with([ASIDE], api_calls=(stray,), **BY_LIBRARY)
    correctness.check(bench)
    outcome = safety.check(bench)
    assert outcome.status is Status.FAIL
    (finding,) = outcome.findings
    assert finding.kind == "launch_stream" and "keep no handle" in finding.rule


def test_cubs_default_stream_is_its_last_argument() -> None:
    scan = TracedLaunch(SCAN, (1, 1, 1), (1, 1, 1), file="kernel.cu", line=9, waits=False, awaited=False)
    bench = bench_with([ASIDE], launches=(scan,), launches_total=1)
    correctness.check(bench)
    (finding,) = safety.check(bench).findings
    assert finding.kind == "launch_stream" and "last argument" in finding.rule


# ---- handles -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cublasCreate", "cusparseCreate", "curandCreateGenerator"])
def test_a_handle_that_a_call_creates_is_held_against_it(name: str) -> None:
    created = {"call": name, "kind": "handle"}
    outcome = judged(api_calls=(created, GEMM), **BY_LIBRARY)
    assert (outcome.status, outcome.topic) == (Status.FAIL, "handle")
    assert f"called {name}. A handle" in outcome.sentence and not outcome.not_own


def test_an_exercise_without_pytorch_has_no_handle_to_take() -> None:
    bench = fake_bench(
        FakeSession(add, edit_trace=lambda trace, *_: replace(
            trace, api_calls=({"call": "cublasCreate", "kind": "handle"},))),
        add, [CASE], parameters="ab", exercise=fake_exercise(copies=True),
    )  # fmt: skip
    assert device_work.check(bench).status is Status.PASS


@pytest.mark.parametrize(("symbol", "status"), [("cublasCreate_v2", "fail"), ("cublasGemmEx", "pass")])
def test_on_cuda_the_imported_function_tells(tmp_path: Path, symbol: str, status: str) -> None:
    source, library = tmp_path / "calls.c", tmp_path / "mine.so"
    source.write_text(f"int {symbol}(void*);\nint call(void* handle) {{ return {symbol}(handle); }}\n")
    command = [*host_compiler().command, "-x", "c", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    launch = TracedLaunch("ampere_sgemm", (1, 1, 1), (256, 1, 1))
    bench = bench_with([CASE], backend="cuda", launches=(launch,), launches_total=1, writers=(None,))
    bench.artifact = Artifact("m", "torch_library", library, "cuda", False, 0.0, False, tmp_path / "log")
    outcome = device_work.check(bench)
    assert outcome.status.value == status
    assert ("called cublasCreate." in outcome.sentence) == (status == "fail")


# ---- how many calls ----------------------------------------------------------------------------------------


def test_calls_are_counted_and_listed_by_name() -> None:
    metric = METRICS["library_calls"]
    bench = bench_with([CASE], api_calls=(GEMM, SPMM, GEMM), **BY_LIBRARY)
    call = bench.forward(CASE, bench.draw(CASE.args))
    stage = CountedStage("f(x)", (), {}, Path("/nowhere"), called=tuple(recorded_calls(call)))
    assert amount_of(metric, stage) == 3
    assert reason(metric, stage, 3, 1).text == "Called: cuBLAS gemm 2 times, cuSPARSE SpMM 1 time."


def test_a_product_that_no_gradient_needs_is_found_without_a_kernel() -> None:
    """The fake records two calls of the library for every backward."""

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        calls = (GEMM, GEMM) if stage == "backward" else (GEMM,)
        return replace(trace, launches=(), launches_total=0, api_calls=calls)

    bench = fake_bench(
        FakeSession(add, edit_trace=edit), add, [CASE], parameters="ab",
        gradient=Gradient([CASE], mode="cotangent", unrequested=True), exercise=fake_exercise(vendor=VENDOR),
    )  # fmt: skip
    assert gradients.check(bench).topic == "needs_input_grad"
