"""Occupancy by the rules of CUDA's calculator; registers and shared memory from ptxas or from the source."""

from __future__ import annotations

import subprocess
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from cusimt.profile import estimate, resources
from cusimt.profile.device_code import device_code
from cusimt.profile.instances import base_name, instance_name, kernel_among
from cusimt.profile.occupancy import known_devices, occupancy, simulated_device
from cusimt.profile.resources import PtxasUsage, compiled, read_ptxas, shared_arrays
from cusimt.support.demangling import demangled
from cusimt.support.errors import ToolchainError, UsageError
from cusimt.support.toolchain import host_compiler

KERNELS = """
#include <cuda_runtime.h>
constexpr int kTile = 16;
namespace {
template <typename T>
__global__ void scale(const T* __restrict__ x, T* __restrict__ y, long n) {
    const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
}  // namespace
template <int N>
__global__ void __launch_bounds__(256) tile(const float* x, float* y) {
    __shared__ float a[N][N];
    a[threadIdx.y][threadIdx.x] = x[threadIdx.y * N + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < N; ++i) y[i] = a[i][threadIdx.x];
}
void launch(const float* x, const double* z, float* y, double* w) {
    scale<<<1, 32>>>(x, y, 32l);
    scale<<<1, 32>>>(z, w, 32l);
    tile<kTile><<<1, dim3(kTile, kTile)>>>(x, y);
}
"""
WITH_TORCH = """
#include <torch/extension.h>
#define TWO 2
using namespace torch::indexing;
using Number = float;
constexpr int kThreads = 128;
namespace {
struct Pair { float a, b; };
struct Wrapped { at::Tensor tensor; };
__device__ float helped(Pair p) { return p.a + p.b; }
template <typename T, int N>
__global__ void twice(const T* x, T* y) {
    __shared__ T tile[N];
    tile[threadIdx.x] = TWO * x[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = tile[N - 1 - threadIdx.x] + helped({1, 2});
}
__global__ void plain(Number* x) { *x = kThreads; }
at::Tensor run(const at::Tensor& x, cudaStream_t stream) {
    constexpr int one = 1;
    auto y = at::empty_like(x);
    if (x.numel()) { twice<float, 4><<<one, 4, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>()); }
    return y;
}
}  // namespace
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""
# What ptxas -v of CUDA 13.0 prints, shortened.
LOG = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN47_GLOBAL__N__d786944f_9_kernel_cu_c689990b_15870\
5scaleIfEEvPKT_PS1_l' for 'sm_90'
ptxas info    : Function properties for the same
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 0 barriers
ptxas info    : Compile time = 14.909 ms
ptxas info    : Compiling entry function '_Z5spillPf' for 'sm_90'
ptxas info    : Function properties for the same
    624 bytes stack frame, 724 bytes spill stores, 780 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 624 bytes cumulative stack size, 1024 bytes smem
"""
# The same of a kernel with two functions that are not inlined.
LOG_WITH_CALLS = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPKfPfi' for 'sm_90'
ptxas info    : Function properties for _Z1kPKfPfi
    272 bytes stack frame, 12 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 272 bytes cumulative stack size
ptxas info    : Compile time = 31.838 ms
ptxas info    : Function properties for _Z5otherPKfi
    0 bytes stack frame, 4 bytes spill stores, 6 bytes spill loads
ptxas info    : Function properties for _Z6helpedPKfi
    0 bytes stack frame, 1 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function '_Z5plainPf' for 'sm_90'
ptxas info    : Function properties for _Z5plainPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 0 barriers
"""


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "limit"),
    [
        # As cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13.0 answers for an H200.
        (256, 32, 0, 8, "warps"),
        (1024, 32, 0, 2, "warps"),
        (32, 32, 0, 32, "blocks"),
        (256, 40, 0, 6, "registers"),
        (192, 128, 0, 2, "registers"),
        (256, 255, 0, 1, "registers"),
        (513, 64, 0, 1, "registers"),
        (1024, 72, 0, 0, "registers"),
        (256, 32, 49152, 4, "shared memory"),
        (64, 16, 16384, 13, "shared memory"),
        (128, 16, 231424, 1, "shared memory"),
    ],
)
def test_occupancy_and_what_limits_it(
    threads: int, registers: int, shared: int, blocks: int, limit: str
) -> None:
    found = occupancy(simulated_device(), threads, registers, shared)
    assert (found.blocks, found.limit) == (blocks, limit)
    assert found.warps == blocks * -(-threads // 32)
    assert found.share == found.warps / 64


def test_unknown_registers_are_left_out_and_said_to_be() -> None:
    found = occupancy(simulated_device(), 256, None, 0)
    assert (found.blocks, found.limit, found.registers_known) == (8, "warps", False)


def test_the_simulated_device_is_the_one_that_the_runtime_has() -> None:
    device = simulated_device()
    assert astuple(device)[1:8] == ((9, 0), 132, 2048, 32, 65536, 233472, 1024)
    assert device.warps == 64
    assert "sm_90" in device.name


@pytest.mark.parametrize(
    ("key", "numbers", "blocks"),
    [
        # Blocks: as cudaOccMaxActiveBlocksPerMultiprocessor of CUDA 13.0 answers for 64 threads with 10,880
        # bytes, and for 256 threads without shared memory, both with 16 registers a thread.
        ("", ((9, 0), 132, 2048, 32, 65536, 233472, 1024), (19, 8)),
        ("h200", ((9, 0), 132, 2048, 32, 65536, 233472, 1024), (19, 8)),
        ("a100", ((8, 0), 108, 2048, 32, 65536, 167936, 1024), (14, 8)),
        ("rtx4090", ((8, 9), 128, 1536, 24, 65536, 102400, 1024), (8, 6)),
        ("t4", ((7, 5), 40, 1024, 16, 65536, 65536, 0), (5, 4)),
    ],
)
def test_the_environment_names_the_device(
    monkeypatch: pytest.MonkeyPatch, key: str, numbers: tuple[Any, ...], blocks: tuple[int, int]
) -> None:
    monkeypatch.setenv("CUSIMT_DEVICE", key)
    device = simulated_device()
    assert astuple(device)[:8] == ("cusimt simulated GPU (sm_{}{})".format(*numbers[0]), *numbers)
    tiled, plain = occupancy(device, 64, 16, 10_880), occupancy(device, 256, 16, 0)
    assert (tiled.blocks, tiled.limit) == (blocks[0], "shared memory")
    assert (plain.blocks, plain.limit, plain.share) == (blocks[1], "warps", 1)


def test_a_device_that_there_is_not_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSIMT_DEVICE", "h100")
    with pytest.raises(UsageError, match="h100 is not a simulated device"):
        simulated_device()


def test_ptxas_is_read_by_instance() -> None:
    assert read_ptxas(LOG) == {
        "scale<float>": PtxasUsage(14, 0, 0, 0),
        "spill": PtxasUsage(32, 724, 780, 1024),
    }


def test_spills_of_functions_that_a_kernel_calls_are_added() -> None:
    assert read_ptxas(LOG_WITH_CALLS) == {
        "k": PtxasUsage(32, 12 + 4 + 1, 4 + 6, 0),
        "plain": PtxasUsage(10, 0, 0, 0),
    }


@pytest.mark.parametrize(
    ("name", "instance", "base"),
    [
        ("void (anonymous namespace)::scale<float>(float const*, float*, long)", "scale<float>", "scale"),
        ("void tile<16>(float const*, float*)", "tile<16>", "tile"),
        ("void a::b::f<void (*)(int)>(int)", "a::b::f<void (*)(int)>", "f"),
        ("_GLOBAL__N__d786944f_9_kernel_cu::plain(float*)", "plain", "plain"),
        ("scale<T>", "scale<T>", "scale"),
        ("kernel", "kernel", "kernel"),
        ("void a::tiled<b::Plus<16> >::run<c::Half>(int)", "a::tiled<b::Plus<16> >::run<c::Half>", "run"),
    ],
)
def test_names_of_instances(name: str, instance: str, base: str) -> None:
    assert instance_name(name) == instance
    assert base_name(instance) == base


@pytest.mark.parametrize(
    ("functions", "text", "kernel"),
    [
        (["pick(int)", "void gather<float>(float const*, float*)"], "gather<T>", "gather<float>"),
        (["void map<f(int)::{lambda(float)#1}>(float*)"], "map", "map<f(int)::{lambda(float)#1}>"),
        (["void k<1>(int*)", "simt::launch<x>(x)::{lambda()#1}::operator()() const"], "k<1>", "k<1>"),
        (["copy(float*)"], "chosen", "copy"),  # launched by a function pointer
        (["simt::run_thread<x>(void*)"], "k<T>", "k<T>"),
        ([], "k<T>", "k<T>"),
    ],
)
def test_the_kernel_is_found_among_the_functions_of_a_place(
    functions: list[str], text: str, kernel: str
) -> None:
    assert kernel_among(functions, text) == kernel


def test_names_are_demangled_together() -> None:
    assert demangled(["_Z5spillPf", "main"]) == ["spill(float*)", "main"]
    assert demangled([]) == []


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """nvcc, and a cache that has none of its answers."""
    try:
        resources.cuda_toolkit()
    except ToolchainError:
        pytest.skip("needs nvcc")
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))


@pytest.mark.usefixtures("nvcc")
def test_nvcc_is_asked_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(KERNELS)
    answer = compiled(source, "sm_90", ["scale<float>"])
    assert answer.why_not == ""
    assert set(answer.kernels) == {"scale<float>", "scale<double>", "tile<16>"}
    assert answer.kernels["tile<16>"].shared == 16 * 16 * 4
    assert 0 < answer.kernels["scale<float>"].registers < 32
    monkeypatch.setattr(resources, "_ask", None)  # what is in the cache is not asked for again
    assert compiled(source, "sm_90", ["scale<double>"]) == answer


@pytest.mark.usefixtures("nvcc")
def test_of_a_file_with_torch_headers_the_kernels_are_compiled(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(WITH_TORCH)
    answer = compiled(source, "sm_90", ["twice<float, 4>", "plain"])
    assert answer.why_not == ""
    assert set(answer.kernels) == {"twice<float, 4>", "plain"}
    assert answer.kernels["twice<float, 4>"].shared == 4 * 4


def test_the_device_part_of_a_file() -> None:
    part = device_code(WITH_TORCH, ["twice<float, 4>", "plain"])
    for kept in (
        "#define TWO 2", "constexpr int kThreads = 128;", "namespace {", "struct Pair { float a, b; };",
        "__device__ float helped(Pair p) { return p.a + p.b; }", "}  // namespace", "using Number = float;",
        "void* instances_that_ran[] = {(void*)&twice<float, 4>, (void*)&plain};",
    ):  # fmt: skip
        assert kept in part, kept
    for dropped in ("torch", "at::", "PYBIND11", "cudaStream_t", "using namespace"):
        assert dropped not in part, dropped


@pytest.mark.usefixtures("nvcc")
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("__global__ void broken( {}\n", "nvcc did not compile kernel.cu: "),
        ('#include "behind.h"\n', "kernel.cu includes torch headers, with which nvcc would take a minute"),
        (
            "#include <torch/extension.h>\n__global__ void k(at::Half* x) { *x = 0; }\n",
            "kernel.cu includes torch headers, and its kernels alone do not compile",
        ),
    ],
)
def test_why_nvcc_was_not_asked_or_did_not_answer(tmp_path: Path, text: str, why: str) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(text)
    (tmp_path / "behind.h").write_text("#include <ATen/ATen.h>\n")
    answer = compiled(source, "sm_90", ["k"])
    assert answer.kernels == {} and answer.why_not.startswith(why)


def test_without_nvcc_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise ToolchainError("none")

    monkeypatch.setattr(resources, "cuda_toolkit", none)
    assert compiled(tmp_path / "kernel.cu", "sm_90", []).why_not == "nvcc is not installed"


def test_shared_memory_is_read_from_the_simulated_build(tmp_path: Path) -> None:
    """This backend makes `__shared__` arrays thread-local variables of the kernel."""
    source, library = tmp_path / "kernels.cpp", tmp_path / "kernels.so"
    source.write_text("""
        template <class T, int N> __attribute__((noinline)) void tile(T** out) {
            static thread_local T a[N][N], b[N];
            out[0] = a[0], out[1] = b;
        }
        template void tile<float, 8>(float**);
        template void tile<double, 16>(double**);
        thread_local int of_no_kernel[100];
    """)
    command = [*host_compiler().command, "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    assert shared_arrays(library) == {"tile<float, 8>": 8 * 9 * 4, "tile<double, 16>": 16 * 17 * 8}
    assert shared_arrays(tmp_path / "nowhere.so") == {}


@pytest.mark.parametrize(
    ("kernel", "registers"),
    [
        ("scale", 16),  # two pointers, one 64-bit index, and what lies in between: ptxas says 12
        ("tile", 24),  # two pointers, a counter, an unrolled loop; the array is in shared memory
        ("nothing", None),
    ],
)
def test_registers_are_guessed_from_the_source(kernel: str, registers: int | None) -> None:
    assert estimate.registers(KERNELS, kernel) == registers


def test_local_arrays_and_wide_types_count() -> None:
    text = "__global__ void k(float4* p) { float4 v = p[0]; double sums[4]; int i, j; }"
    assert estimate.registers(text, "k") == 24  # 2 + 4 + 8 + 1 (a list of names counts once) + 4, rounded up
    assert estimate.registers("__global__ void k(float* p);", "k") is None  # a declaration is no definition


@pytest.mark.parametrize(
    ("key", "terabytes", "l2_mib"),
    [("h200", 4.8, 60), ("a100", 2.04, 40), ("rtx4090", 1.008, 72), ("t4", 0.32, 4)],
)
def test_bandwidth_and_l2_are_those_of_the_data_sheets(key: str, terabytes: float, l2_mib: int) -> None:
    device = known_devices()[key]
    assert device.bandwidth / 1e12 == pytest.approx(terabytes, rel=0.005)
    assert device.l2 == l2_mib << 20
