"""Exercise 13 moves numbers about: impostors that leave the moving to the CUDA runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.catalog import Catalog
from grader.checks import grade
from grader.verdict import CheckResult, Status

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = Catalog.open(ROOT).find("13")

# A kernel that keeps everything in its place is coalesced and has no conflicts: then the copies turn it.
KERNEL = """
#include <cstdint>
#include <cuda_runtime.h>
template <typename T>
__global__ void same(const T* x, T* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
    if (i < n) out[i] = x[i];
}
template <typename T>
void launch_transpose(const T* x, T* out, int64_t rows, int64_t columns, cudaStream_t stream) {
    const int64_t n = rows * columns;
    if (n == 0) return;
    T* kept = nullptr;
    cudaMallocAsync(&kept, n * sizeof(T), stream);
    same<T><<<unsigned((n + 255) / 256), 256, 0, stream>>>(x, kept, n);
    for (int64_t column = 0; column < columns; ++column) COPY
    cudaFreeAsync(kept, stream);
}
template void launch_transpose<float>(const float*, float*, int64_t, int64_t, cudaStream_t);
template void launch_transpose<double>(const double*, double*, int64_t, int64_t, cudaStream_t);
"""
STRIDED = (
    "cudaMemcpy2DAsync(out + column * rows, sizeof(T), kept + column, columns * sizeof(T), sizeof(T), rows, "
    "cudaMemcpyDeviceToDevice, stream);"
)
ONE_BY_ONE = (
    "for (int64_t row = 0; row < rows; ++row) cudaMemcpyAsync(out + column * rows + row, "
    "kept + row * columns + column, sizeof(T), cudaMemcpyDefault, stream);"
)


def judged(folder: Path, copy: str) -> dict[str, CheckResult]:
    for name in (*EXERCISE.edit, *EXERCISE.given):
        (folder / name).write_text((EXERCISE.solution_dir / name).read_text())
    (folder / "kernel.cu").write_text(KERNEL.replace("COPY", copy))
    return {check.name: check for check in grade(EXERCISE, folder, backend="simt").checks}


@pytest.mark.parametrize("copy", [STRIDED, ONE_BY_ONE], ids=["cudaMemcpy2DAsync", "cudaMemcpyAsync"])
def test_copies_of_the_runtime_that_transpose(copy: str, tmp_path: Path) -> None:
    checks = judged(tmp_path, copy)
    call = copy[copy.index("cudaMemcpy") : copy.rindex("Async(") + len("Async")]
    assert checks["correctness"].status is Status.PASS
    assert checks["device_work"].status is Status.FAIL
    assert f"called {call} to copy within the device" in checks["device_work"].sentence
    assert checks["efficiency"].points == 0
