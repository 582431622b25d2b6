"""Whose launch it is, on a real GPU: what the profiler records, and what nvcc leaves in a library.

The submission is loaded past the audit, so that it can hide an operator from the profiler.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.checks.bench import Bench, Call
from grader.checks.device.launches import foreign_launches, own_launches
from grader.checks.device.library_work import STRUCTURAL, foreign_launch
from grader.compilation import Artifact, BuildRequest, build
from grader.run import TensorArg, Zygote
from grader.run.session import Session
from tests.unit.fake_submission import FakeSession, fake_bench

KERNELS = """
#include <cuda_runtime.h>
namespace {
template <typename T> __global__ void hidden_away(T* out, const T* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i];
}
}
static __global__ void of_this_file(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i];
}
namespace mine {
template <typename T, int N> __global__ void __launch_bounds__(64) with_numbers(T* out, const T* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = N * in[i];
}
}
extern "C" __global__ void of_c(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i];
}
void launch_all(double* out, const double* in, int n, cudaStream_t stream) {
  hidden_away<<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
  of_this_file<<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
  mine::with_numbers<double, 3><<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
  of_c<<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
}
"""
BINDING = """
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/record_function.h>
#include <torch/library.h>
void launch_all(double*, const double*, int, cudaStream_t);
at::Tensor own(const at::Tensor& a) {
  auto out = at::empty_like(a);
  launch_all(out.data_ptr<double>(), a.data_ptr<double>(), a.numel(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor with_zeros(const at::Tensor& a) {
  auto out = at::zeros_like(a), copied = a.t().contiguous();
  launch_all(out.data_ptr<double>(), a.data_ptr<double>(), a.numel(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor hidden(const at::Tensor& a) {
  auto out = own(a), filled = at::zeros_like(a);
  at::DisableRecordFunctionGuard guard;
  at::mul_out(out, a, at::full_like(a, 3));
  return out;
}
at::Tensor product(const at::Tensor& a) {
  auto out = own(a);
  at::DisableRecordFunctionGuard guard;
  return at::mm(a, a.t()).narrow(1, 0, a.size(1)).mul_(0).add_(out);
}
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("own", own);
  m.def("with_zeros", with_zeros);
  m.def("hidden", hidden);
  m.def("product", product);
}
"""
OP = """
import torch
import grader
grader.load("whose_launch", ["kernel.cu", "binding.cpp"], is_python_module=False)
ops = torch.ops.whose_launch
own, with_zeros, hidden, product = ops.own, ops.with_zeros, ops.hidden, ops.product
class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return ops.own(a)
    @staticmethod
    def backward(ctx, grad): return ops.with_zeros(grad)
def tripled(a): return Tripled.apply(a)
def library(a): return 3 * a
"""
VALUES = torch.arange(1, 101, dtype=torch.float64).reshape(10, 10)


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Artifact:
    folder = tmp_path_factory.mktemp("whose")
    for name, text in (("kernel.cu", KERNELS), ("binding.cpp", BINDING), ("op.py", OP)):
        (folder / name).write_text(text)
    sources = (folder / "kernel.cu", folder / "binding.cpp")
    return build(BuildRequest("whose_launch", "torch_library", sources, "cuda"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("op")
    (folder / "op.py").write_text(OP)
    return folder


@pytest.fixture(scope="module")
def session(artifact: Artifact, folder: Path) -> Iterator[Session]:
    with Zygote.start("cuda") as zygote, zygote.spawn_worker() as session:
        session.load(artifact, folder / "op.py", folder)
        yield session


@pytest.fixture
def bench(artifact: Artifact) -> Bench:
    bench = fake_bench(FakeSession(torch.clone), torch.clone, [], backend="cuda")
    return replace(bench, artifact=artifact)


def called(session: Session, entry: str) -> Call:
    reply = session.call(entry, [TensorArg(VALUES, "cuda:0", name="a")], trace=True)
    assert reply.error is None, reply.error
    return Call("forward", "a case", f"{entry}(a)", reply)


@pytest.mark.parametrize("entry", ["own", "with_zeros"])
def test_kernels_of_the_library_are_own_whatever_their_linkage(
    entry: str, session: Session, bench: Bench
) -> None:
    call = called(session, entry)
    names = " ".join(launch.kernel for launch in own_launches(bench, call))
    for name in ("hidden_away", "of_this_file", "with_numbers", "of_c"):
        assert name in names, [launch.kernel for launch in call.reply.trace.launches]
    assert len(own_launches(bench, call)) == 4
    assert foreign_launches(bench, call, STRUCTURAL) == [], call.reply.trace.launches
    assert foreign_launch(bench, call) is None


def test_the_kernel_of_a_copy_is_seen_in_its_operator(session: Session, bench: Bench) -> None:
    """Without it the test above would prove nothing."""
    others = foreign_launches(bench, called(session, "with_zeros"), frozenset())
    assert any("aten::copy_" in launch.operators for launch in others), others


@pytest.mark.parametrize("entry", ["hidden", "product"])
def test_an_operator_that_hides_from_the_profiler_is_told_by_its_kernel(
    entry: str, session: Session, bench: Bench
) -> None:
    call = called(session, entry)
    assert not {"aten::mul", "aten::mm"} & {name.partition(".")[0] for name in call.reply.trace.operators}
    found = foreign_launch(bench, call)
    assert found is not None, call.reply.trace.launches
    assert found.not_own.startswith("a library's kernel, ")


def test_a_plain_library_operator_launches_nothing_of_its_own(session: Session, bench: Bench) -> None:
    call = called(session, "library")
    assert own_launches(bench, call) == []
    assert len(foreign_launches(bench, call, STRUCTURAL)) == len(call.reply.trace.launches) > 0


def test_in_backward_too(session: Session, bench: Bench) -> None:
    arg = TensorArg(VALUES, "cuda:0", requires_grad=True, name="a")
    reply = session.call("tripled", [arg], grad=True, trace=True)
    assert reply.handle is not None, reply.error
    back = session.backward(reply.handle, [VALUES], trace=True)
    call = Call("backward", "a case", "The backward of tripled(a)", back)
    assert len(own_launches(bench, call)) == 4
    assert foreign_launches(bench, call, STRUCTURAL) == []
    session.release(reply.handle)
