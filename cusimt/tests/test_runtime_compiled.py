"""Programs that compile device code with NVRTC and load it with the driver's API, as users run them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.compiler import libraries
from cusimt.compiler.toolkit import cuda_home
from cusimt.support.toolchain import host_compiler

SOURCES = Path(__file__).parent / "runtime"
LAUNCH = "cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, nullptr, parameters.data(), nullptr)"
LIMIT = 600  # seconds
FIRST_LINE = "// cusimt module image 1: for the simulated GPU, whose cuModuleLoadData loads it. No GPU does."


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs, linked by g++ with -lnvrtc and -lcuda of the toolkit."""
    folder, home = tmp_path_factory.mktemp("programs"), cuda_home(checked=True)
    for name in ("compiled_kernels", "driver_codes"):
        command = [*host_compiler().command, "-std=c++17", f"-I{home}/include", str(SOURCES / f"{name}.cpp")]
        command += [f"-L{home}/lib64", "-lnvrtc", "-lcuda", "-pthread", "-o", str(folder / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return folder


def shown(programs: Path, *words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Run a program as `python -m cusimt -- ./program`."""
    command = [sys.executable, "-m", "cusimt", *options, "--", f"./{words[0]}", *words[1:]]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES.parents[2])}
    return subprocess.run(
        command, cwd=programs, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
    )


@pytest.mark.parametrize(
    ("case", "lines"),
    [
        ("saxpy", ["12 24 36 48 60 "]),
        ("variables", ["175 ", "2", "1"]),
        ("of_a_file", ["6 ", "7 "]),
        ("groups", ["3 3 3 "]),
        ("threads", ["19 20 21 22 "]),
        ("first_line", [FIRST_LINE]),
        (
            "unloaded",
            [
                f"{LAUNCH}: CUDA_ERROR_INVALID_HANDLE",
                'cuModuleGetFunction(&again, module, "overrun"): CUDA_ERROR_INVALID_HANDLE',
                "cuModuleUnload(module): CUDA_ERROR_INVALID_HANDLE",
                "1 ",
            ],
        ),
    ],
)
def test_a_kernel_is_compiled_and_launched(programs: Path, case: str, lines: list[str]) -> None:
    done = shown(programs, "compiled_kernels", case)
    assert done.stdout.splitlines() == lines
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("case", "finding", "text"),
    [
        (
            "race",
            "Race on shared memory (read after write)",
            "    x[threadIdx.x] = tile[(threadIdx.x + 1) % blockDim.x];  // no barrier",
        ),
        (
            "overrun",
            "Invalid __global__ write of size 4 bytes: element 8 of an allocation, which has 8 elements "
            "(1 past the end). kernels.cu:8, block (0,0,0), thread (8,0,0).",
            "    if (threadIdx.x <= n) x[threadIdx.x] = 1;",
        ),
        (
            "uninitialised",
            "Uninitialized __global__ read of size 4 bytes",
            "    y[threadIdx.x] = x[threadIdx.x];",
        ),
    ],
)
def test_a_fault_is_found_on_its_line(programs: Path, case: str, finding: str, text: str) -> None:
    done = shown(programs, "compiled_kernels", case)
    assert done.returncode == 1
    assert finding in done.stderr
    assert text in done.stderr
    assert "kernels.cu:" in done.stderr
    assert f"{2 if case == 'race' else 1} finding" in done.stderr  # both accesses of the race


def test_without_checks_nothing_is_found(programs: Path) -> None:
    done = shown(programs, "compiled_kernels", "uninitialised", options=("--no-checks",))
    assert (done.returncode, done.stderr) == (0, "")


def test_images_for_gpus_are_refused_with_the_reason(programs: Path) -> None:
    done = shown(programs, "compiled_kernels", "refused")
    answers = [line.rpartition(": ")[2] for line in done.stdout.splitlines() if line.startswith("cuModule")]
    assert answers == [
        "CUDA_ERROR_INVALID_PTX",
        "CUDA_ERROR_NO_BINARY_FOR_GPU",
        "CUDA_ERROR_INVALID_IMAGE",
        "CUDA_ERROR_INVALID_PTX",
        "CUDA_ERROR_NO_BINARY_FOR_GPU",
    ]
    advice = "compile their source in the program with NVRTC, or put it into a .cu file."
    assert f"This image is PTX. The simulated GPU runs kernels as host code: {advice}" in done.stdout
    reasons = [line for line in done.stderr.splitlines() if line.startswith("cusimt: cuModuleLoadData: ")]
    assert ["PTX" in reasons[0], "a cubin" in reasons[1], "no image" in reasons[2]] == [True] * 3
    assert "is for compute_120, and the simulated GPU is sm_90" in reasons[3]
    assert "is gone" in reasons[4] and "compile the program again" in reasons[4]


def test_a_log_names_file_and_line(programs: Path) -> None:
    done = shown(programs, "compiled_kernels", "mistakes")
    log = done.stdout
    assert "kernels.cu(2): error: " in log and "missing" in log
    assert '1 error detected in the compilation of "kernels.cu".' in log
    assert "__nv_name_map(3): error: " in log
    assert 'Input name expression was: "absent<int>"' in log
    assert (
        'kernels.cu(1): catastrophic error: could not open source file "cuda_fp16.h" (no directories' in log
    )
    assert log.count("NVRTC_ERROR_COMPILATION") == 3  # the toolkit's folder has the header
    assert "/" not in log.replace("-I, too", "").partition("cuda_fp16")[0]  # no path of this machine


def test_every_call_answers_as_recorded(programs: Path) -> None:
    recorded = (SOURCES / "driver_codes.txt").read_text().splitlines()
    assert shown(programs, "driver_codes", options=("--no-checks",)).stdout.splitlines() == recorded


def test_without_cusimt_the_log_says_where_the_compiler_is(programs: Path) -> None:
    """Only a program that cusimt runs has the toolkit on PATH."""
    command = [str(programs / "compiled_kernels"), "mistakes"]
    environment = {"PATH": "/nowhere", "CUDA_HOME": "/nowhere"}
    environment["LD_LIBRARY_PATH"] = str(libraries.runtime_path().parent)
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    assert "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE" in done.stdout
    assert "python -m cusimt -- ./program" in done.stdout


TORCH_PROGRAM = """
import torch

add = torch.cuda._compile_kernel(
    '''__global__ void add(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += 1;
}''', "add")
x = torch.zeros(100, device="cuda")
add((1, 1, 1), (128, 1, 1), (x, 100))
print(int(x.sum()))
past = torch.cuda._compile_kernel(
    '''template <typename T>
__global__ void past(T* x) { x[threadIdx.x + 1] = 3; }''', "past<float>")
past((1, 1, 1), (100, 1, 1), (x,))
try:
    torch.cuda._compile_kernel("__global__ void k(float* x) { missing; }", "k")
except RuntimeError as error:
    print("k.cu(1): error: " in str(error))
"""


def run_in_torch(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text(TORCH_PROGRAM)
    command = [sys.executable, "-m", "cusimt", *options, "program.py"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES.parents[2])}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=LIMIT
    )


def test_torch_compiles_kernels(tmp_path: Path) -> None:
    done = run_in_torch(tmp_path)
    assert done.stdout.splitlines() == ["100", "True"]
    assert "element 100 of an allocation, which has 100 elements" in done.stderr
    assert "__global__ void past(T* x) { x[threadIdx.x + 1] = 3; }" in done.stderr
    assert done.stderr.count("Invalid __global__") == 1


def test_a_profile_counts_them(tmp_path: Path) -> None:
    done = run_in_torch(tmp_path, "--profile")
    shown = done.stdout + done.stderr
    assert "add" in shown and "if (i < n) x[i] += 1;" in shown, shown
