"""A session on the simulated device: kernels, and a trace that says who wrote what on which stream."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from cusimt.counters import symbolise
from grader.compilation import BuildRequest, build
from grader.run import Limits, TensorArg, WorkerCrashed, Zygote
from grader.run.session import Session
from tests.adversarial.lane import isolated

pytestmark = pytest.mark.slow("compiles a library of kernels, and starts workers with torch")

KERNELS = """
#include <cuda_runtime.h>
__global__ void triple_kernel(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 3 * in[i];
}
__global__ void unguarded_kernel(double* out, const double* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
__global__ void endless_kernel(volatile double* out) {
  while (out[0] < 1) {}
}
void launch_triple(double* out, const double* in, int n, cudaStream_t stream) {
  triple_kernel<<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
}
void launch_unguarded(double* out, const double* in, int n, cudaStream_t stream) {
  unguarded_kernel<<<(n + 63) / 64, 64, 0, stream>>>(out, in, n);
}
void launch_endless(double* out, cudaStream_t stream) { endless_kernel<<<1, 1, 0, stream>>>(out); }
"""

BINDING = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/cuda/CUDAContext.h>
#include <torch/library.h>
void launch_triple(double*, const double*, int, cudaStream_t);
void launch_unguarded(double*, const double*, int, cudaStream_t);
void launch_endless(double*, cudaStream_t);
at::Tensor triple(const at::Tensor& a) {
  auto out = at::empty_like(a);
  launch_triple(out.data_ptr<double>(), a.data_ptr<double>(), a.numel(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor wrong_stream(const at::Tensor& a) {
  auto out = at::empty_like(a);
  launch_triple(out.data_ptr<double>(), a.data_ptr<double>(), a.numel(), nullptr);
  return out;
}
at::Tensor unguarded(const at::Tensor& a) {
  auto out = at::empty_like(a);
  launch_unguarded(out.data_ptr<double>(), a.data_ptr<double>(), a.numel(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor host_pointer(const at::Tensor& a) {
  auto out = at::empty_like(a);
  double host[100] = {};
  launch_triple(out.data_ptr<double>(), host, a.numel(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor endless(const at::Tensor& a) {
  auto out = at::empty_like(a);
  launch_endless(out.data_ptr<double>(), at::cuda::getCurrentCUDAStream());
  return out;
}
at::Tensor host_loop(const at::Tensor& a) {
  auto out = at::empty_like(a);
  for (int i = 0; i < a.numel(); ++i) out.data_ptr<double>()[i] = 3 * a.data_ptr<double>()[i];
  return out;
}
TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("triple", triple);
  m.def("wrong_stream", wrong_stream);
  m.def("unguarded", unguarded);
  m.def("host_pointer", host_pointer);
  m.def("endless", endless);
  m.def("host_loop", host_loop);
}
"""

OP = """
import torch
import grader
grader.load("run_simt_test", ["kernel.cu", "binding.cpp"], is_python_module=False)
ops = torch.ops.run_simt_test
class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a): return ops.triple(a)
    @staticmethod
    def backward(ctx, g): return ops.triple(g)
def triple(a): return Triple.apply(a)
wrong_stream, unguarded, endless, host_loop = ops.wrong_stream, ops.unguarded, ops.endless, ops.host_loop
host_pointer = ops.host_pointer
def library(a): return a * 3
def through_host(a): return (a.cpu() * 3).cuda()
kept = []
def leak(a):
    kept.append(ops.triple(a))
    return kept[-1] + 0
def deeper(a):
    held = ops.triple(a)
    raise KeyError("first")
def raises_again(a):
    try:
        deeper(a)
    except KeyError as error:
        raise RuntimeError("second") from error
def sync(a):
    torch.cuda.synchronize()
    return ops.triple(a)
def touch(a):
    import ctypes
    ctypes.string_at(16)
"""

VALUES = torch.arange(1, 101, dtype=torch.float64)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("simt")
    for name, text in (("kernel.cu", KERNELS), ("binding.cpp", BINDING), ("op.py", OP)):
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    with Zygote.start("simt", limits=Limits(seconds=20.0)) as zygote:
        sources = (folder / "kernel.cu", folder / "binding.cpp")
        artifact = build(BuildRequest("run_simt_test", "torch_library", sources, "simt"))
        with zygote.spawn_worker() as session:
            session.load(artifact, folder / "op.py", folder)
            yield session


@pytest.mark.slow("compiles a kernel")
def test_a_kernel_is_known_as_the_writer_on_its_stream(session: Session) -> None:
    reply = session.call("triple", [TensorArg(VALUES, "cuda:0", name="a")], stream="side")
    assert reply.error is None
    assert torch.equal(reply.outputs[0].tensor, 3 * VALUES)  # type: ignore[arg-type]
    assert reply.outputs[0].device == "cuda:0"
    (launch,) = reply.trace.launches
    assert launch.kernel.startswith("triple_kernel")
    assert (launch.grid, launch.block) == ((2, 1, 1), (64, 1, 1))
    assert launch.stream == reply.trace.stream != 0
    assert reply.trace.writers[0] is not None
    assert reply.trace.writers[0]["kernel"] == VALUES.nbytes == sum(reply.trace.writers[0].values())
    assert reply.trace.findings == ()
    assert reply.trace.live_allocations == 0


@pytest.mark.slow("compiles a kernel")
def test_counts_come_when_asked_for_and_know_their_tensors(session: Session, folder: Path) -> None:
    arg = TensorArg(VALUES, requires_grad=True, name="a")
    reply = session.call("triple", [arg], grad=True, count=True)
    assert reply.handle is not None
    assert (reply.trace.allocations, reply.trace.peak_bytes) == (1, VALUES.nbytes)  # the output
    gradients = session.backward(reply.handle, [VALUES], count=True)
    session.release(reply.handle)
    for trace, read in ((reply.trace, "a"), (gradients.trace, "cotangent 0")):
        (launch,) = symbolise(trace.counts)
        assert launch.launch.kernel.startswith("triple_kernel")
        load, store = sorted(launch.lines, key=lambda line: line.access)
        # 100 doubles: three full warps with 8 sectors each, and one with 4 lanes
        assert (load.requests, load.sectors, load.lanes) == (4, 25, 100)
        assert (store.requests, store.sectors, store.lanes) == (4, 25, 100)
        assert load.frame.where == store.frame.where == "kernel.cu:5"
        placed = {each.base: each for each in trace.placed}
        found = [placed[each.sample.allocation or 0] for each in (load, store)]
        assert [(each.name, each.itemsize) for each in found] == [(read, 8), ("the output", 8)]
    assert session.call("triple", [TensorArg(VALUES)]).trace.counts == ()  # not without being asked


def test_work_on_the_default_stream_shows(session: Session) -> None:
    reply = session.call("wrong_stream", [TensorArg(VALUES)], stream="side")
    (launch,) = reply.trace.launches
    assert launch.stream == 0 != reply.trace.stream


def test_the_second_device_can_be_used(session: Session) -> None:
    reply = session.call("library", [TensorArg(VALUES, "cuda:1")], device=1)
    assert reply.outputs[0].device == "cuda:1"


def test_backward_runs_on_the_streams_of_its_forward(session: Session) -> None:
    arg = TensorArg(VALUES, requires_grad=True, name="a")
    reply = session.call("triple", [arg], stream="side", grad=True)
    assert reply.handle is not None
    gradients = session.backward(reply.handle, [VALUES])
    assert torch.equal(gradients.outputs[0].tensor, 3 * VALUES)  # type: ignore[arg-type]
    (launch,) = gradients.trace.launches
    assert launch.stream == gradients.trace.stream == reply.trace.stream
    assert gradients.trace.live_allocations == 0
    session.release(reply.handle)


@pytest.mark.parametrize(("entry", "writer"), [("library", "library"), ("host_loop", "host")])
def test_other_writers_are_told_apart(session: Session, entry: str, writer: str) -> None:
    reply = session.call(entry, [TensorArg(VALUES)])
    assert torch.equal(reply.outputs[0].tensor, 3 * VALUES)  # type: ignore[arg-type]
    writers = reply.trace.writers[0]
    assert writers is not None and writers[writer] == VALUES.nbytes
    assert ("aten::mul" in str(reply.trace.operators)) == (entry == "library")


def test_copies_and_waits_show(session: Session) -> None:
    reply = session.call("through_host", [TensorArg(VALUES)])
    assert any("device to host of 800 bytes" in copy for copy in reply.trace.copies)
    assert any("host to device of 800 bytes" in copy for copy in reply.trace.copies)
    assert session.call("triple", [TensorArg(VALUES)]).trace.host_syncs == 0
    assert session.call("sync", [TensorArg(VALUES)]).trace.host_syncs == 1


def test_what_is_kept_alive_is_counted(session: Session) -> None:
    reply = session.call("leak", [TensorArg(VALUES)])
    assert (reply.trace.live_allocations, reply.trace.live_bytes) == (1, VALUES.nbytes)
    before = session.call("leak", [TensorArg(VALUES)], trace=False).trace.alive_before
    assert session.call("triple", [TensorArg(VALUES)], trace=False).trace.alive_before == before + 1


def test_what_only_an_exception_or_its_cause_holds_is_not_kept_alive(session: Session) -> None:
    reply = session.call("raises_again", [TensorArg(VALUES)])
    assert reply.error is not None and reply.error.message == "second"
    assert reply.trace.live_allocations == 0


def test_an_overrun_is_a_finding_with_the_tensors_name(session: Session, folder: Path) -> None:
    reply = session.call("unguarded", [TensorArg(VALUES, name="a")])
    assert reply.error is None
    assert torch.equal(reply.outputs[0].tensor, VALUES)  # type: ignore[arg-type]
    kinds = {finding["kind"] for finding in reply.trace.findings}
    assert "out_of_bounds" in kinds
    names = {finding["tensor"]["name"] for finding in reply.trace.findings if "tensor" in finding}
    assert names == {"a", "the output"}


def test_findings_survive_when_only_the_copy_of_the_results_fails(session: Session) -> None:
    """The call returns, since it does not check its launch; the failed kernel then fails the copy."""
    reply = session.call("host_pointer", [TensorArg(VALUES, name="a")])
    assert reply.error is not None and "illegal memory access" in reply.error.message
    assert {finding["kind"] for finding in reply.trace.findings} == {"host_pointer"}
    assert reply.trace.live_allocations == 0
    assert session.call("triple", [TensorArg(VALUES)]).error is None


def test_inputs_on_the_device_are_watched(session: Session) -> None:
    session.call("triple", [TensorArg(VALUES, name="a")])
    assert session.changed_inputs() == ()


@pytest.mark.slow("runs a kernel into its time limit")
def test_an_endless_kernel_is_stopped_by_the_device(session: Session) -> None:
    reply = session.call("endless", [TensorArg(VALUES)], seconds=60.0)
    assert reply.error is not None or reply.trace.sticky_error == "cudaErrorLaunchTimeout"


def test_a_crash_on_the_host_is_told_with_its_line(session: Session) -> None:
    with pytest.raises(WorkerCrashed, match=r"SIGSEGV while calling `touch` at op\.py:\d+") as caught:
        session.call("touch", [TensorArg(VALUES)])
    assert caught.value.where == f"op.py:{len(OP.splitlines())}"
    assert session.call("triple", [TensorArg(VALUES)]).error is None


@isolated
def test_the_same_under_bubblewrap(folder: Path) -> None:
    sources = (folder / "kernel.cu", folder / "binding.cpp")
    artifact = build(BuildRequest("run_simt_test", "torch_library", sources, "simt"))
    with (
        Zygote.start("simt", isolate=True, readable=[folder]) as zygote,
        zygote.spawn_worker() as session,
    ):
        session.load(artifact, folder / "op.py", folder)
        reply = session.call("unguarded", [TensorArg(VALUES, name="a")])
        assert torch.equal(reply.outputs[0].tensor, VALUES)  # type: ignore[arg-type]
        assert {finding["module"] for finding in reply.trace.findings} == {str(artifact.path)}
