"""The declarations: sizes, alignments and numbers as in CUDA, and vector types that move in one access."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.compiler import libraries
from cusimt.folders import INCLUDE
from cusimt.support.errors import ToolchainError
from cusimt.support.toolchain import cuda_toolkit, host_compiler
from cusimt.tests.runtime_program import build, program, run

# The accesses that move each type, by size.
WHOLE = {
    "float1": [4],
    "float2": [8],
    "float4": [16],
    "int4": [16],
    "uchar4": [4],
    "double2": [16],
    "double4": [16, 16],
}


def accesses() -> Iterator[tuple[str, list[tuple[str, int]]]]:
    title, seen = "", list[tuple[str, int]]()
    for line in run(program("accesses")).stdout.splitlines():
        if not line.startswith("{"):
            if title:
                yield title, seen
            title, seen = line, []
            continue
        finding = json.loads(line)
        assert finding["kind"] == "use_after_free"
        seen.append((finding["access"], finding["bytes"]))
    yield title, seen


def test_a_vector_moves_in_one_access() -> None:
    for title, seen in accesses():
        name, what = title.split()
        reads = [size for access, size in seen if access == "read"]
        writes = [size for access, size in seen if access == "write"]
        assert (reads, writes) == (([], WHOLE[name]) if what == "store" else (WHOLE[name], [])), title


def numbers_of(header: Path, names: list[str]) -> str:
    return "\n".join(f'    printf("{name} %lld\\n", (long long)({name}));' for name in names)


def printed(folder: Path, name: str, include_dirs: list[Path], body: str) -> str:
    source = folder / f"{name}.cpp"
    source.write_text(f"#include <cstdio>\n#include <cuda_runtime_api.h>\nint main() {{\n{body}\n}}\n")
    flags = ["-std=c++20", "-w", *(f"-I{path}" for path in include_dirs)]
    build(*host_compiler().command, *flags, source, "-o", folder / name)
    return run(folder / name).stdout


def test_numbers_are_those_of_cuda(tmp_path: Path) -> None:
    """Enumerators and flags of driver_types.h and of graphs, sizes, alignments: as in the real headers."""
    try:
        toolkit = cuda_toolkit()
    except ToolchainError:
        pytest.skip("needs a CUDA toolkit's headers, for instance the PyPI package nvidia-cuda-runtime")
    if (
        not (toolkit.include_dirs[0] / "driver_types.h")
        .read_text()
        .count("cudaErrorInvalidResourceConfiguration")
    ):
        pytest.skip("the CUDA toolkit found is older than 13.0")
    graphs = (INCLUDE / "simt" / "graph_types.h").read_text()
    text = (INCLUDE / "driver_types.h").read_text() + graphs
    names = re.findall(r"^\s+(cuda\w+) = ", text, re.MULTILINE) + re.findall(r"#define (cuda\w+) 0x", text)
    names += re.findall(r"^CUDA_ERROR\((\w+),", (INCLUDE / "cuda_error_list.h").read_text(), re.MULTILINE)
    attributes = (INCLUDE / "simt" / "device_attribute_list.inl").read_text()
    names += [f"cudaDevAttr{name}" for name in re.findall(r"^BOTH\((\w+),", attributes, re.MULTILINE)]
    scalars = [
        "char",
        "uchar",
        "short",
        "ushort",
        "int",
        "uint",
        "long",
        "ulong",
        "longlong",
        "ulonglong",
        "float",
    ]
    vectors = [f"{scalar}{count}" for scalar in [*scalars, "double"] for count in (1, 2, 3, 4)]
    names += [
        f"{what}({name})" for name in [*vectors, "dim3", "double4_32a"] for what in ("sizeof", "alignof")
    ]
    names += [f"sizeof({name})" for name in re.findall(r"^struct (\w+) {", graphs, re.MULTILINE)]
    ours = printed(tmp_path, "ours", libraries.include_dirs(), numbers_of(INCLUDE, names))
    theirs = printed(tmp_path, "theirs", list(toolkit.include_dirs), numbers_of(INCLUDE, names))
    assert len(names) > 300
    assert ours.splitlines() == theirs.splitlines()


def test_runtime_answers_as_an_h200_does() -> None:
    """Error codes, call by call. The recording is what the same program printed on the GPU with CUDA 13.0."""
    recorded = Path(__file__).parent / "runtime" / "error_codes.h200.txt"
    assert run(program("error_codes")).stdout.splitlines() == recorded.read_text().splitlines()


def test_memcpy_stays_memcpy_where_the_compiler_fortifies() -> None:
    fortified = [*host_compiler().command, "-D_FORTIFY_SOURCE=2", *libraries.compile_flags(checked=True)]
    command = [*fortified, "-E", "-P", "-x", "c++", "-"]
    source = "#include <string.h>\nlevel __USE_FORTIFY_LEVEL"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "level 0"


C_HOST = """\
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <cufft.h>
_Static_assert((int)CUDA_ERROR_ILLEGAL_ADDRESS == (int)cudaErrorIllegalAddress, "one numbering");
#define LAYOUT(TYPE, SIZE, ALIGNMENT) \\
    _Static_assert(sizeof(TYPE) == SIZE && _Alignof(TYPE) == ALIGNMENT, #TYPE);
LAYOUT(uchar3, 3, 1) LAYOUT(short4, 8, 8) LAYOUT(float2, 8, 8) LAYOUT(float3, 12, 4)
LAYOUT(float4, 16, 16) LAYOUT(double2, 16, 16) LAYOUT(double4, 32, 16) LAYOUT(dim3, 12, 4)
int main(void) {
    struct cudaDeviceProp properties;
    cublasHandle_t handle;
    cublasLtHandle_t light;
    float* x;
    float4 v = {1, 2, 3, 4};
    cudaError_t error = cudaMalloc((void**)&x, sizeof v);
    error = cudaMemcpyAsync(x, &v, sizeof v, cudaMemcpyHostToDevice, 0);
    error = cudaGetDeviceProperties(&properties, 0);
    if (cublasLtCreate(&light) != CUBLAS_STATUS_SUCCESS) return CUFFT_NVRTC_FAILURE;
    if (cublasCreate_v2(&handle) != CUBLAS_STATUS_SUCCESS || !cublasDgemm_v2) return 1;
    return error == cudaSuccess;
}
"""


def test_a_host_in_c(tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text(C_HOST)
    folders = [f"-I{folder}" for folder in libraries.include_dirs()]
    flags = ["-x", "c", "-std=c11", "-Werror", "-fsyntax-only", *folders]
    command = [*host_compiler().command, *flags, "host.c"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


REMOVED = """
#include <cuda_runtime_api.h>
int main() {
    size_t before, after;
    enum cudaFuncCache cache;
    cudaError_t error = cudaThreadGetLimit(&before, cudaLimitMallocHeapSize);
    if (!error) error = cudaThreadSetLimit(cudaLimitMallocHeapSize, 2 * before);
    if (!error) error = cudaDeviceGetLimit(&after, cudaLimitMallocHeapSize);
    if (!error) error = cudaThreadSetCacheConfig(cudaFuncCachePreferL1);
    if (!error) error = cudaThreadGetCacheConfig(&cache);
    if (!error) error = cudaThreadSynchronize();
    if (!error) error = cudaThreadExit();
    return error != cudaSuccess || after != 2 * before || cache != cudaFuncCachePreferNone;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_functions_that_cuda_13_removed_do_what_replaced_them_does(tmp_path: Path, language: str) -> None:
    (tmp_path / "host.c").write_text(REMOVED)
    folders = [f"-I{folder}" for folder in libraries.include_dirs()]
    command = [*host_compiler().command, "-x", language, *folders, "host.c", "-x", "none", "-o", "host"]
    command += libraries.link_flags(checked=False)
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "CUDA 13 removed it: call cudaDeviceSynchronize" in done.stderr
    assert run(tmp_path / "host").returncode == 0


GUARDS = {
    "cuda_runtime.h": "__CUDA_RUNTIME_H__ __CUDA_RUNTIME_API_H__ __DRIVER_TYPES_H__ __VECTOR_TYPES_H__ "
    "__VECTOR_FUNCTIONS_H__",
    "cuda_bf16.h": "__CUDA_FP16_H__ __CUDA_BF16_H__",
    "cublas_v2.h": "CUBLAS_V2_H_ CUBLAS_API_H_",
    "curand.h": "CURAND_H_",
    "cusparse.h": "CUSPARSEAPI",
}


@pytest.mark.parametrize("header", GUARDS)
def test_macros_by_which_other_headers_know_what_is_included(tmp_path: Path, header: str) -> None:
    asked = "".join(f"#ifndef {name}\n#error {name}\n#endif\n" for name in GUARDS[header].split())
    (source := tmp_path / "asking.cpp").write_text(f"#include <{header}>\n{asked}")
    flags = ["-std=c++20", "-fsyntax-only", *(f"-I{path}" for path in libraries.include_dirs())]
    build(*host_compiler().command, *flags, source)


HEADERS = sorted(
    file.relative_to(INCLUDE).as_posix()
    for folder in (".", "cooperative_groups", "nvtx3")
    for file in (INCLUDE / folder).glob("*.h*")
    if file.name != "cuda_error_list.h"  # which is a list, and no header
    and not file.read_text().startswith("#error")
)
REFUSED = sorted(file for file in INCLUDE.glob("*.h") if file.read_text().startswith("#error"))
STANDARDS = ["c++14", "c++17", "c++20", "c++2b"]
COMPILERS = ["g++", "clang++"]
HOST_USES = """
struct Node { int value; };
inline int uses(float* x, const float (&open)[4], Node** nodes) {
    int* integers;
    cudaStream_t stream = nullptr;
    const float* constants;
    curandState* states;
    cudaMalloc(&integers, 4);
    cudaMalloc(&constants, 4);
    cudaMalloc(&states, sizeof(curandState));
    cudaMallocAsync(nodes, 4, stream);
    cudaMallocManaged(&x, 4);
    cudaMemcpyToSymbol(open, x, 4);
    cudaMemcpyFromSymbolAsync(x, open, 4, 0, cudaMemcpyDeviceToHost, stream);
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    dim3 grid(2, 3);
    float4 four = make_float4(1, 2, 3, 4);
    __half half = __float2half(four.x);
    __nv_bfloat16 brain = __float2bfloat16(four.y);
    nvtx3::scoped_range range("uses");
    nvtxRangePush("uses");
    return int(grid.y) + int(__half2float(half)) + int(__bfloat162float(brain)) + nvtxRangePop();
}
"""


def compiles(compiler: str, standard: str, source: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    build(compiler, f"-std={standard}", "-Wall", "-Werror", "-fsyntax-only", f"-I{INCLUDE}", source)


@pytest.mark.parametrize("standard", STANDARDS)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_host_code_of_every_standard_may_include_every_header(
    tmp_path: Path, compiler: str, standard: str
) -> None:
    (source := tmp_path / "host.cpp").write_text(
        "".join(f"#include <{name}>\n" for name in HEADERS) + HOST_USES
    )
    compiles(compiler, standard, source)


@pytest.mark.parametrize("header", HEADERS)
def test_a_header_needs_no_other_before_it(tmp_path: Path, header: str) -> None:
    (source := tmp_path / "host.cpp").write_text(f"#include <{header}>\n")
    compiles("g++", STANDARDS[0], source)


@pytest.mark.parametrize("header", REFUSED, ids=lambda path: path.name)
def test_a_header_that_is_not_simulated_says_so(tmp_path: Path, header: Path) -> None:
    (source := tmp_path / "host.cpp").write_text(f"#include <{header.name}>\n")
    command = ["g++", "-fsyntax-only", f"-I{INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert f"{header.name} is not simulated" in done.stderr


MISSING = {
    "cufft.h": ("cufftGetSizeMany64(0, 1)", "CUFFT_SUCCESS"),
    "cufftXt.h": ("cufftXtExec(0, nullptr, nullptr, 1)", "CUFFT_SUCCESS"),
    "cublas_v2.h": ("cublasCgemm(nullptr)", "CUBLAS_STATUS_SUCCESS"),
    "cusolverDn.h": ("cusolverDnDsyevdx(nullptr, 1, 2.0)", "CUSOLVER_STATUS_SUCCESS"),
}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("header", MISSING)
def test_a_function_of_a_library_that_is_not_simulated_is_refused_by_name(
    tmp_path: Path, header: str, compiler: str
) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"needs {compiler}")
    call, success = MISSING[header]
    check = f"bool is_done() {{ auto status = {call}; return status == {success}; }}\n"
    (source := tmp_path / "host.cpp").write_text(f"#include <{header}>\n{check}")
    command = [compiler, "-O1", "-c", f"-I{INCLUDE}", str(source), "-o", str(tmp_path / "host.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert f"{call.partition('(')[0]} is not simulated: docs/reference/simt.md lists" in done.stderr


COMPLEX = """\
#include <cuComplex.h>
#ifdef __cplusplus
#include <complex>
static_assert(sizeof(cuComplex) == sizeof(float2), "one type");
#endif
static int is(cuDoubleComplex z, double real, double imaginary) {
    return fabs(cuCreal(z) - real) < 1e-12 && fabs(cuCimag(z) - imaginary) < 1e-12;
}
int main(void) {
    cuDoubleComplex a = make_cuDoubleComplex(1, 2), b = make_cuDoubleComplex(3, -4);
    cuComplex large = make_cuComplex(3e30f, 4e30f), one = cuCdivf(large, large);
    int right = is(cuCadd(a, b), 4, -2) && is(cuCsub(a, b), -2, 6) && is(cuCmul(a, b), 11, 2);
    right = right && is(cuCdiv(a, b), -0.2, 0.4) && is(cuConj(a), 1, -2) && is(cuCfma(a, b, a), 12, 4);
    right = right && cuCabs(b) == 5 && cuCabsf(large) == 5e30f;
    right = right && is(cuComplexFloatToDouble(one), 1, 0) && cuCrealf(cuComplexDoubleToFloat(b)) == 3;
    return right ? 0 : 1;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_complex_numbers(tmp_path: Path, language: str) -> None:
    (source := tmp_path / "numbers").write_text(COMPLEX)
    build(*host_compiler().command, "-x", language, f"-I{INCLUDE}", source, "-lm", "-o", tmp_path / "program")
    subprocess.run([tmp_path / "program"], check=True)
