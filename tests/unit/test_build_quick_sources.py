"""A source without the code of one side, and the names by which the other compiler knows its kernels."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.compilation.quick import nvrtc, shortcuts
from grader.compilation.quick.sources import device_side, host_side

SOURCE = """\
#include <cstdint>
namespace {
constexpr int kThreads = 256;
constexpr int twice(int n) { return 2 * n; }
unsigned blocks(int64_t n) { return (n + kThreads - 1) / kThreads; }
struct Row {
    float* values;
    float& at(int i) const { return values[i]; }
};
template <typename T, int N = 4>
__global__ void scale(T* x, int64_t n) {
    #pragma unroll
    for (int i = 0; i < N; ++i) { x[i] *= twice(2); }
}
}  // namespace
void other(float* x, cudaStream_t stream);
extern "C" void launch(float* x, int64_t n, cudaStream_t stream) {
    scale<float><<<blocks(n), kThreads, 0, stream>>>(x, n);
}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x[i] *= twice(2)", "x[i] += twice(2)"),
        ("x[i] *= twice(2);", "x[i] *=\n\n  twice(2); /* two lines more */"),
        ("#pragma unroll", ""),
        ("namespace {", "// a comment\nnamespace {"),
    ],
)
def test_the_hosts_side_is_the_same_for_what_only_a_gpu_runs(before: str, after: str) -> None:
    assert before in SOURCE
    assert host_side(SOURCE.replace(before, after, 1)) == host_side(SOURCE) is not None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("kThreads = 256", "kThreads = 128"),
        ("twice(int n) { return 2 * n; }", "twice(int n) { return n + n; }"),
        ("(T* x, int64_t n)", "(T* x, int n)"),
        ("int N = 4", "int N = 8"),
        ("return values[i]", "return values[0]"),
        ("#include <cstdint>", "#include <cmath>"),
        ("#pragma unroll", "#define kThreads 512"),
        ("__global__ void scale", "__host__ __device__ void scale"),
    ],
)
def test_the_hosts_side_shows_what_the_host_compiles(before: str, after: str) -> None:
    assert before in SOURCE
    assert host_side(SOURCE.replace(before, after, 1)) != host_side(SOURCE)


@pytest.mark.parametrize("function", ["__host__ __device__ int f()", "__device__ auto f()"])
def test_what_the_host_may_run_or_ask_the_type_of_is_its_own(function: str) -> None:
    one, other = (f"{function} {{ return {value}; }}" for value in (1, 2))
    assert host_side(one) != host_side(other)


@pytest.mark.parametrize(
    "asks", ["int line = __LINE__;", "void f() { assert(1); }", "void f() { TORCH_CHECK(1); }"]
)
def test_lines_count_where_code_may_ask_for_them(asks: str) -> None:
    kernel = "__global__ void k() {%s}\n"
    assert host_side(kernel % "" + asks) == host_side(kernel % "  return;" + asks)
    assert host_side(kernel % "" + asks) != host_side(kernel % "\n" + asks)


def test_an_own_macro_asks_for_no_line() -> None:
    text = "#define MAKE(T) template void launch<T>(T*);\n__global__ void k() {%s}\nMAKE(float)\n"
    assert host_side(text % "") == host_side(text % "\n")


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k() {\n#if A\nif (x) {\n#else\nif (y) {\n#endif\n}\n}\nvoid host() {}",
        "#define BEGIN {\n__global__ void k() BEGIN }\n",
        "void f() { ( }",
    ],
)
def test_a_text_whose_brackets_are_not_certain_has_neither_side(text: str) -> None:
    assert host_side(text) is None and device_side(text) is None


def test_the_devices_side_has_empty_host_functions_on_the_same_lines() -> None:
    found = device_side(SOURCE)
    assert found is not None
    assert found.count("\n") == SOURCE.count("\n")
    lines = {line.strip() for line in found.splitlines()}
    assert {
        "__device__ constexpr int twice(int n) { return 2 * n; }",
        "__device__ void other(float* x, cudaStream_t stream);",
        'extern "C" __device__ void launch(float* x, int64_t n, cudaStream_t stream) {',
        "for (int i = 0; i < N; ++i) { x[i] *= twice(2); }",
        "constexpr int kThreads = 256;",
    } <= lines
    assert "<<<" not in found


def test_kernels_are_named_as_a_program_names_them() -> None:
    symbols = ["_Z5scaleIfLi4EEvPT_l", "_ZN12_GLOBAL__N_15scaleIdEEvPT_l", "plain"]
    assert shortcuts.expressions(symbols) == ["scale<float, 4>", "scale<double>", "plain"]


def test_a_lambda_has_no_name() -> None:
    assert shortcuts.expressions(["_Z3runIZ4hostvEUlvE_EvT_"]) is None


def test_symbols_get_the_names_that_the_host_launches() -> None:
    ptx = ".entry _Z1kPf(\n.param .u64 _Z1kPf_param_0\n)\n.entry _Z1kPff("
    assert nvrtc.renamed(ptx, ["_Z1kPf"], ["other"]) == ptx.replace("_Z1kPf_", "other_").replace(
        "_Z1kPf(", "other("
    )
    assert nvrtc.renamed(ptx, [""], ["other"]) is None


def test_a_header_is_named_after_its_contents(tmp_path: Path) -> None:
    """Else precompiled headers could be those of an older text."""
    source, header = tmp_path / "kernel.cu", tmp_path / "tiles.h"
    source.write_text('#include "tiles.h"\n')
    names = set()
    for text in ("constexpr int kTile = 16;", "constexpr int kTile = 32;"):
        header.write_text(text)
        found = nvrtc.device_sides(source, ())
        assert found is not None
        (name,) = (name for name, held in found[1].items() if held == text)
        assert found[0] == f'#include "{name}"\n'
        names.add(name)
    assert len(names) == 2
