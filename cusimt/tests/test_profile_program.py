"""`python -m cusimt --profile`: the counts of a program that knows nothing of the course."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

KERNELS = """\
#include <cuda_runtime.h>

template <typename T>
__global__ void transpose(const T* in, T* out, int n) {
    __shared__ T tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

extern "C" int run(int times) {
    const int n = 64;
    float *in, *out;
    cudaMalloc(&in, n * n * sizeof(float));
    cudaMalloc(&out, n * n * sizeof(float));
    cudaMemset(in, 0, n * n * sizeof(float));
    for (int i = 0; i < times; ++i) transpose<<<dim3(2, 2), dim3(32, 32)>>>(in, out, n);
    cudaFree(in);
    cudaFree(out);
    return cudaDeviceSynchronize();
}
"""
PROGRAM = """\
import ctypes, os, subprocess, sys
nvcc = os.path.join(os.environ["CUDA_HOME"], "bin", "nvcc")
subprocess.run([nvcc, "-shared", "-Xcompiler", "-fPIC", "-o", "kernels.so", "kernels.cu"], check=True)
assert ctypes.CDLL(os.path.abspath("kernels.so")).run(int(sys.argv[1])) == 0
print("done")
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "120"}
    command = [sys.executable, "-m", "cusimt", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.cu").write_text(KERNELS)
    (tmp_path / "program.py").write_text(textwrap.dedent(PROGRAM))
    return tmp_path


def test_a_profile_is_printed_when_the_program_ends(folder: Path) -> None:
    done = run(folder, "--profile=page.html", "program.py", "3")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    said = [line.rstrip() for line in done.stderr.splitlines()]
    assert "transpose<float> × 3" in said  # the source says transpose<T>
    assert "  4 blocks (2, 2) of 1,024 threads (32, 32)" in said
    assert any("4 KiB of shared memory" in line for line in said)
    assert not any("nvcc did not compile" in line for line in said)  # the simulated one was not asked
    rows = [line.split() for line in said]
    # 3 launches of 4 blocks of 32 warps
    assert ["load", "4", "384", "4", "sectors", "4", "32"] in rows
    assert ["shared", "store", "4", "384", "1", "wavefront", "1", "32"] in rows
    assert ["✗", "shared", "load", "4", "384", "32", "wavefronts", "1", "32"] in rows
    remark = "✗ kernels.cu:8 reads shared memory with a stride of 32 words: 32 wavefronts a request"
    assert any(line.startswith(remark) for line in said)
    assert "<svg" in (folder / "page.html").read_text()


def test_the_profile_of_a_sampled_run_counts_the_blocks_that_ran(folder: Path) -> None:
    done = run(folder, "--sample-blocks=2", "--profile=whole.json", "program.py", "1")
    assert "counted in 2 of the blocks, not scaled" in done.stderr
    (launch,) = json.loads((folder / "whole.json").read_text())["stages"][0]["launches"]
    assert (launch["grid"], launch["blocks_counted"]) == ([2, 2, 1], 2)
    (load,) = (line for line in launch["lines"] if line["space"] == "global" and line["access"] == "load")
    assert load["requests"] == 2 * 32, "32 warps in each of two blocks"


def test_a_module_is_profiled_into_json(folder: Path) -> None:
    done = run(folder, "--profile=counts.json", "-m", "program", "1")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    document = json.loads((folder / "counts.json").read_text())
    assert document["title"] == "program"
    (launch,) = document["stages"][0]["launches"]
    assert (launch["kernel"], launch["times"]) == ("transpose<float>", 1)
    assert launch["least_bytes"] == 2 * 64 * 64 * 4


def test_the_kernel_has_its_name_if_its_first_access_is_in_a_function_that_was_not_inlined(
    folder: Path,
) -> None:
    element = "(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x"
    function = """
template <typename T>
__noinline__ __device__ void put(T (&tile)[32][32], const T* in, int element) {
    tile[threadIdx.y][threadIdx.x] = in[element];
}
"""
    inline = f"tile[threadIdx.y][threadIdx.x] = in[{element}];"
    assert inline in KERNELS
    text = KERNELS.replace(inline, f"put(tile, in, {element});")
    text = text.replace("#include <cuda_runtime.h>\n", f"#include <cuda_runtime.h>\n{function}")
    (folder / "kernels.cu").write_text(text)

    done = run(folder, "--profile=counts.json", "program.py", "1")

    assert done.returncode == 0, done.stderr
    document = json.loads((folder / "counts.json").read_text())
    (launch,) = document["stages"][0]["launches"]
    assert launch["kernel"] == "transpose<float>"
    assert launch["lines"][0]["source"].strip() == "tile[threadIdx.y][threadIdx.x] = in[element];"


def test_a_program_without_kernels_is_told_so(folder: Path) -> None:
    done = run(folder, "--profile", "program.py", "0")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert "no kernel was launched" in done.stderr


def test_in_one_log_the_report_comes_after_what_the_program_printed(tmp_path: Path) -> None:
    (tmp_path / "prints.py").write_text("print('printed')\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("PYTHONUNBUFFERED", None)  # which would hide Python's buffer
    command = [sys.executable, "-m", "cusimt", "--profile", "prints.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=600, check=True,
    )  # fmt: skip
    printed, report = done.stdout.splitlines()
    assert printed == "printed" and "no kernel was launched" in report


@pytest.mark.parametrize(
    ("options", "sentence", "advice"),
    [
        (
            ["--profile", "--no-checks"],
            "--profile and --no-checks exclude each other.",
            "Leave out --no-checks.",
        ),
        (["--profile="], "--profile= is not possible.", "All options: python -m cusimt --help"),
        (["--profil"], "There is no option --profil.", "All options: python -m cusimt --help"),
        (
            ["--profile=no where/counts.json"],
            "no where/counts.json cannot be written. The folder of the file has to exist.",
            "Create it: mkdir -p 'no where'",
        ),
    ],
)
def test_options_that_mean_nothing(folder: Path, options: list[str], sentence: str, advice: str) -> None:
    done = run(folder, *options, "program.py", "1")
    assert done.returncode == 2
    assert done.stderr.startswith(sentence) and "usage: python -m cusimt" in done.stderr
    assert done.stderr.splitlines()[0].endswith(advice)


OUTLINED = """\
#include <cuda_runtime.h>

template <typename T>
__noinline__ __device__ T neighbour(const T* in, int step) {
    __shared__ T tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    return tile[(threadIdx.x + step) % 64];
}
template <typename T>
__noinline__ __device__ void store(T* out, T value) { out[threadIdx.x] = value; }

template <typename T, int Step>
__global__ void shifted(const T* in, T* out) { store(out, neighbour(in, Step)); }

template <typename T>
int launch(T* in, T* out) {
    constexpr int Step = 3;
    shifted<T, Step><<<1, 64>>>(in, out);
    return cudaDeviceSynchronize();
}

extern "C" int run(int) {
    double *in, *out;
    cudaMalloc(&in, 64 * sizeof(double));
    cudaMalloc(&out, 64 * sizeof(double));
    cudaMemset(in, 0, 64 * sizeof(double));
    return launch(in, out);
}
"""


def test_a_kernel_whose_accesses_are_all_in_functions_is_known_by_its_calls(folder: Path) -> None:
    (folder / "kernels.cu").write_text(OUTLINED)
    done = run(folder, "--profile", "program.py", "1")
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    said = [line.strip() for line in done.stderr.splitlines()]
    assert "shifted<double, 3>" in said  # the source says shifted<T, Step>
    assert any("512 bytes of shared memory" in line for line in said), (
        "the array of the function that it calls"
    )
