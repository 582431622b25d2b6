"""How a module's kernels announce themselves: the translation of each form of definition."""

from __future__ import annotations

import pytest

from cusimt.translate import translate


def announced(source: str) -> list[str]:
    """The casts by which kernels are announced."""
    text = translate(source, "k.cu", relocatable=True, module=True)
    parts = text.split("SIMT_MODULE_KERNEL = ")[1:]
    return [part.partition("static_cast<")[2].partition(");")[0] for part in parts]


@pytest.mark.parametrize(
    ("source", "casts"),
    [
        ("__global__ void k() {}", ["void (*)()>(k)"]),
        (
            "__global__ void k(const float* __restrict__ x, int n) {}",
            ["void (*)(const float* __restrict__ x, int n)>(k)"],
        ),
        ("__global__ void k(int n = 3, float a = f(1, 2)) {}", ["void (*)(int n, float a)>(k)"]),
        ("namespace a { __global__ void k(int) {} }", ["void (*)(int)>(k)"]),
        ("__global__ void a::k(int) {}", ["void (*)(int)>(a::k)"]),
        ('extern "C" __global__ void k(int) {}', ["void (*)(int)>(k)"]),
        ('extern "C" { __global__ void k(int) {} }', ["void (*)(int)>(k)"]),
        ("__global__ void __launch_bounds__(64) k(int) {}", ["void (*)(int)>(k)"]),
        ("__launch_bounds__(64, 2) __global__ void k(int) {}", ["void (*)(int)>(k)"]),
        (
            "__global__ void k(float* x) {} __global__ void k(int* x) {}",
            ["void (*)(float* x)>(k)", "void (*)(int* x)>(k)"],
        ),
        ("template <class T> __global__ void k(T* x) {}", []),
        (
            "template <class T> __global__ void k(T* x) {} template __global__ void k<int>(int*);",
            ["void (*)(int*)>(k<int>)"],
        ),
        ("template <> __global__ void k<float, 3>(float* x) {}", ["void (*)(float* x)>(k<float, 3>)"]),
        ("__global__ void k(int);", []),
        ("__device__ void f(int) {}", []),
        (
            "#define DEFINE(T) __global__ void k_##T(T* x) { *x = 1; }\nDEFINE(int)",
            ["void (*)(T* x)>(k_##T)"],
        ),
        ("__global__ void k(\n    int a,  // one\n    int b) {\n}", ["void (*)(int a, int b)>(k)"]),
    ],
)
def test_a_kernel_is_announced_with_its_type(source: str, casts: list[str]) -> None:
    assert announced(source) == casts


def test_lines_stay_where_they_were() -> None:
    source = "__global__ void k(\n    int a) {\n}\nint last;\n"
    assert translate(source, "k.cu", module=True).splitlines()[4] == "int last;"


def test_nothing_is_announced_outside_of_a_module() -> None:
    assert "SIMT_MODULE_KERNEL" not in translate("__global__ void k() {}", "k.cu")
