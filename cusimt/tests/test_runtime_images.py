"""Images that nvcc writes (`-ptx`, `-cubin`, `-fatbin`), loaded with the driver's API."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.compiler.toolkit import cuda_home
from cusimt.support.toolchain import host_compiler

SOURCE = Path(__file__).parent / "runtime/loaded_image.cpp"
KERNELS = """
#include "factor.h"
extern "C" __global__ void triple(int* x) { x[threadIdx.x] *= FACTOR; }
__global__ void overrun(int* x) { x[threadIdx.x + 1] = 0; }
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the program and with kernels."""
    folder, home = tmp_path_factory.mktemp("images"), cuda_home(checked=True)
    (folder / "kernels.cu").write_text(KERNELS)
    (folder / "factor.h").write_text("#define FACTOR 3\n")
    command = [*host_compiler().command, f"-I{home}/include", str(SOURCE), f"-L{home}/lib64", "-lcuda"]
    subprocess.run([*command, "-o", str(folder / "program")], check=True)
    return folder


def in_cusimt(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-m", "cusimt", "--", "bash", "-c", line]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )


FAT = "-fatbin -gencode=arch=compute_75,code=sm_75 -gencode=arch=compute_90,code=sm_90"


@pytest.mark.parametrize(
    ("flags", "file", "loaded"),
    [
        ("-ptx", "kernels.ptx", "CUDA_SUCCESS"),
        ("-cubin -arch=sm_90 -o own.bin", "own.bin", "CUDA_SUCCESS"),
        (FAT, "kernels.fatbin", "CUDA_SUCCESS"),
        ("-cubin -arch=sm_80 -o old.bin", "old.bin", "CUDA_ERROR_NO_BINARY_FOR_GPU"),
        ("-ptx -arch=compute_120 -o new.ptx", "new.ptx", "CUDA_ERROR_INVALID_PTX"),
    ],
)
def test_an_image_is_loaded_where_its_architecture_runs(
    folder: Path, flags: str, file: str, loaded: str
) -> None:
    done = in_cusimt(folder, f"nvcc {flags} kernels.cu && ./program {file} triple")
    runs = [] if "ERROR" in loaded else ["CUDA_SUCCESS 3 21"] * 2
    assert done.stdout.splitlines() == [loaded, *runs], done.stderr


def test_an_image_follows_its_headers(folder: Path) -> None:
    line = (
        "sed s/3/5/ factor.h > new && mv new factor.h && nvcc -fatbin kernels.cu && ./program kernels.fatbin"
    )
    done = in_cusimt(folder, f"cp factor.h old; {line} triple; mv old factor.h")
    assert "CUDA_SUCCESS 5 35" in done.stdout, done.stderr


def test_kernels_of_an_image_are_checked(folder: Path) -> None:
    done = in_cusimt(folder, "nvcc -fatbin kernels.cu -o checked.bin && ./program checked.bin _Z7overrunPi")
    assert done.returncode == 1
    assert "element 8 of an allocation, which has 8 elements (1 past the end)" in done.stderr
    assert "kernels.cu:4" in done.stderr


def test_mistakes_leave_no_image(folder: Path) -> None:
    (folder / "wrong.cu").write_text("__global__ void k(int* x) { missing(x); }\n")
    done = in_cusimt(folder, "nvcc -cubin wrong.cu")
    assert done.returncode != 0 and "missing" in done.stderr
    assert not (folder / "wrong.cubin").exists()
