"""Several .cu files in one library: each has device code of its own, as nvcc compiles it without -rdc."""

from __future__ import annotations

from pathlib import Path

from cusimt.compiler import libraries
from cusimt.support.toolchain import host_compiler
from cusimt.tests.runtime_program import build, run
from cusimt.translate import translate

SHARED_HEADER = """
#pragma once
__device__ int plain_twice(int x) { return 2 * x; }
__device__ int counter;
"""
FILE = """
#include "both.cuh"
#include <cstdio>
__constant__ int table[2] = {%(number)d, %(number)d};
template <int N> __device__ int combine(int a, int b) { return %(combined)s; }
__device__ __forceinline__ int add(int a);
__inline__ __device__ int own(int a) { return add(a) + %(number)d; }
__device__ int add(int a) { return a + table[1]; }
static __global__ void kernel(int* out) { *out = combine<1>(plain_twice(5), 3) * 1000 + own(1) + counter; }
void %(name)s() {
    int *out, result;
    cudaMalloc(&out, 4);
    kernel<<<1, 1>>>(out);
    cudaMemcpy(&result, out, 4, cudaMemcpyDeviceToHost);
    printf("%%d\\n", result);
}
%(main)s
"""


def test_device_functions_and_variables_belong_to_their_file(tmp_path: Path) -> None:
    files = {
        "first": {
            "number": 10,
            "combined": "a + b",
            "main": "void second(); int main() { first(); second(); }",
        },
        "second": {"number": 20, "combined": "a - b", "main": ""},
    }
    (tmp_path / "both.cuh").write_text(translate(SHARED_HEADER, "both.cuh"))
    compiler, objects = host_compiler().command, []
    for name, parts in files.items():
        source, target = tmp_path / f"{name}.cpp", tmp_path / f"{name}.o"
        source.write_text(translate(FILE % {"name": name, **parts}, f"{name}.cu"))
        flags = [*libraries.compile_flags(False), *(f"-I{folder}" for folder in libraries.include_dirs())]
        # -O0 keeps the calls, through which the linker's choice would show
        build(*compiler, *flags, "-O0", "-include", "simt/prelude.h", "-c", source, "-o", target)
        objects.append(target)
    program = tmp_path / "program"
    build(*compiler, *objects, libraries.module_object(False), *libraries.link_flags(False), "-o", program)
    assert run(program).stdout.split() == ["13021", "7041"]
