"""Whose launch it is on a real GPU: the library's own kernels by name, others by the operators around them.

The traces are records; a library is compiled from the texts that nvcc's registration leaves in one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cusimt.support.toolchain import host_compiler
from grader.checks.device import device_work, launches
from grader.checks.device.launches import foreign_launches, is_own, own_launches
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.compilation import Artifact
from grader.run.inside.cuda_tracing import _operators_around
from grader.run.values import Trace, TracedLaunch
from grader.specification import Case, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

REGISTERED = """
extern "C" const char* names[] = {
    "_Z13muladd_kernelIfEvPKT_S2_S2_PS0_l",
    "_ZN47_GLOBAL__N__1a2b3c4d_9_kernel_cu_5e6f7a8b_1234511pool_kernelIN3c104HalfEEEvPKT_PS3_l",
    "_ZN4mine3sumIfLi4EEEvPKT_PS1_",
    "plain_kernel",
    "_ZN3cub18DeviceReduceKernelIfEEvPKf",
    "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEvif",
};
extern "C" const char* ends_with_another = "a text that ends with_a_kernel";  // kept once, with the next
extern "C" const char* at_its_end = "with_a_kernel";
extern "C" const char* name(int i) { return names[i]; }
"""
OWN = (
    "void muladd_kernel<float>(float const*, float const*, float const*, float*, long)",
    "void (anonymous namespace)::pool_kernel<c10::Half>(c10::Half const*, c10::Half*, long)",
    "void mine::sum<float, 4>(float const*, float*)",
    "plain_kernel",
    "with_a_kernel",
)
FOREIGN = (
    "void muladd_kernel<double>(double const*, double const*, double const*, double*, long)",  # not built
    "void gemv2T_kernel_val<int, int, float, float, float, float, 128, 16, 4, 4, false>(float)",
    "void dot_kernel<float, 128, 0>(float)",
    "void cub::DeviceReduceKernel<float>(float const*)",  # from a header, so it is in the library
    "void at::native::vectorized_elementwise_kernel<4, float>(int, float)",
    "ampere_sgemm_128x64_nn",
)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    folder = tmp_path_factory.mktemp("library")
    (folder / "names.cpp").write_text(REGISTERED)
    library = folder / "mine.so"
    command = [*host_compiler().command, "-shared", "-fPIC", str(folder / "names.cpp"), "-o", str(library)]
    subprocess.run(command, check=True)
    return Artifact("mine", "torch_library", library, "cuda", False, 0.0, False, folder / "log")


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


CASE = Case("plain", [replace(tensor(100), name=name) for name in "ab"])


def launch(kernel: str, *operators: str) -> TracedLaunch:
    return TracedLaunch(kernel, (1, 1, 1), (256, 1, 1), operators=operators)


def judged(
    artifact: Artifact, launches: Sequence[TracedLaunch], operators: Sequence[str] = (), **more: Any
) -> Outcome:
    """What device work says of a forward that a profiler saw like that."""

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=tuple(launches), operators=tuple(operators), writers=(None,))

    session = FakeSession(add, edit_trace=edit)
    bench = fake_bench(session, add, [CASE], parameters="ab", backend="cuda", exercise=fake_exercise(**more))
    bench.artifact = artifact
    correct = correctness.check(bench)
    outcome = device_work.check(bench)
    assert correct.not_own == outcome.not_own
    return outcome


@pytest.mark.parametrize("kernel", OWN)
def test_what_the_library_registered_is_own(artifact: Artifact, kernel: str) -> None:
    bench = replace(fake_bench(FakeSession(add), add, [CASE], backend="cuda"), artifact=artifact)
    assert is_own(bench, kernel)
    assert judged(artifact, [launch(kernel)]).status is Status.PASS


@pytest.mark.parametrize("kernel", FOREIGN)
def test_every_other_kernel_is_held_against_the_call(artifact: Artifact, kernel: str) -> None:
    """Whether or not its operator was recorded: a guard can hide that."""
    outcome = judged(artifact, [launch(OWN[0], "muladd::muladd"), launch(kernel, "muladd::muladd")])
    assert outcome.status is Status.FAIL
    assert "which your library does not define" in outcome.sentence
    assert outcome.not_own.startswith("a library's kernel, ")
    assert "launched no kernel" in judged(artifact, [launch(kernel)]).sentence


FILL = "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int, float)"


def test_kernels_of_allowed_operators_are_theirs(artifact: Artifact) -> None:
    names = ("muladd::muladd", "aten::zeros", "aten::zero_", "aten::fill_")
    assert judged(artifact, [launch(FILL, *names), launch(OWN[0], *names[:1])], names).status is Status.PASS


def test_an_allowed_operator_elsewhere_excuses_no_kernel(artifact: Artifact) -> None:
    """A fill is in the trace, and the addition that a guard hides is not in it."""
    names = ("muladd::muladd", "aten::zeros", "aten::fill_")
    hidden = launch("void at::native::vectorized_elementwise_kernel<4, AddFunctor>(int)", "muladd::muladd")
    outcome = judged(artifact, [launch(FILL, *names), hidden, launch(OWN[0], names[0])], names)
    assert outcome.not_own.startswith("a library's kernel, at::native::vectorized_elementwise_kernel")


def test_copies_are_no_excuse_where_moving_is_the_point(artifact: Artifact) -> None:
    copy = launch("void at::native::elementwise_kernel<128, 4>(int)", "aten::clone", "aten::copy_")
    assert judged(artifact, [copy, launch(OWN[0])]).status is Status.PASS
    assert judged(artifact, [copy, launch(OWN[0])], moves=False).status is Status.FAIL


def test_the_lists_of_launches_agree(artifact: Artifact) -> None:
    launches = (launch(OWN[0]), launch(FOREIGN[0]), launch(FILL, "aten::fill_"))
    session = FakeSession(add, edit_trace=lambda trace, *_: replace(trace, launches=launches))
    bench = replace(fake_bench(session, add, [CASE], parameters="ab", backend="cuda"), artifact=artifact)
    call = bench.forward(CASE, bench.draw(CASE.args))
    assert own_launches(bench, call) == [launches[0]]
    assert foreign_launches(bench, call, frozenset()) == list(launches[1:])
    assert foreign_launches(bench, call, frozenset({"aten::fill_"})) == [launches[1]]


def test_without_a_demangler_the_names_of_libraries_decide(
    artifact: Artifact, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launches, "demangled", lambda names: list(names))
    launches._kernels.cache_clear()
    try:
        assert launches.kernels_of(artifact) is None
        assert judged(artifact, [launch(FOREIGN[0])]).status is Status.PASS
        assert judged(artifact, [launch(FOREIGN[4])]).status is Status.FAIL
    finally:
        launches._kernels.cache_clear()


def test_of_a_wheel_the_installed_libraries_count(artifact: Artifact, tmp_path: Path) -> None:
    (tmp_path / "installed/package").mkdir(parents=True)
    (tmp_path / "installed/package/_C.so").write_bytes(artifact.path.read_bytes())
    wheel = replace(artifact, interface="wheel", path=tmp_path / "package.whl")
    assert launches.kernels_of(wheel) == launches.kernels_of(artifact)


# ---- which operators a launch was made in ------------------------------------------------------------------


def event(cat: str, name: str, ts: float, dur: float, tid: int = 1, **args: Any) -> dict[str, Any]:
    return {"cat": cat, "name": name, "ts": ts, "dur": dur, "tid": tid, "args": args}


def test_the_operators_around_a_launch_are_those_of_its_thread() -> None:
    calls = [
        event("cpu_op", "muladd::muladd", 0, 100, **{"External id": 1}),
        event("cpu_op", "aten::zeros", 10, 30, **{"External id": 2}),
        event("cpu_op", "aten::fill_", 20, 10, **{"External id": 3}),
        event("cuda_runtime", "cudaLaunchKernel", 22, 5, correlation=7),
        event("cuda_runtime", "cudaLaunchKernel", 50, 5, correlation=8),
        event("cpu_op", "aten::sum", 0, 100, tid=2, **{"External id": 4}),
        event("cuda_runtime", "cudaLaunchKernel", 60, 5, tid=3, correlation=9),
    ]
    found = _operators_around(sorted(calls, key=lambda each: each["ts"]))
    assert found == {7: ["muladd::muladd", "aten::zeros", "aten::fill_"], 8: ["muladd::muladd"], 9: []}


def test_the_profilers_note_is_believed_before_the_clocks() -> None:
    calls = [
        event("cpu_op", "aten::fill_", 20, 10, **{"External id": 3}),
        event("cuda_runtime", "cudaLaunchKernel", 31, 5, correlation=7, **{"External id": 3}),
        event("cuda_runtime", "cudaLaunchKernel", 22, 5, correlation=8, **{"External id": 0}),
    ]
    assert _operators_around(calls) == {7: ["aten::fill_"], 8: ["aten::fill_"]}
