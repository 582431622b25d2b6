"""`__CUDA_ARCH__` in one pass that serves host and device: what is decided where."""

from __future__ import annotations

import pytest

from cusimt.translate import TranslationError, translate
from cusimt.translate.conditions import Unknown, value_of

PTX = '  asm volatile("wgmma.fence.sync.aligned;");'


def lines(source: str, architecture: int = 900) -> list[str]:
    """The translated lines without the first, which names the file."""
    translated = translate(source, "k.cu", architecture).split("\n")[1:]
    assert len(translated) == source.count("\n") + 1
    return translated


def branches(condition: str, around: str = "__global__ void k(float* x) {{\n{}\n}}\n") -> list[str]:
    """What the directives of `condition`, with an `#else`, become in a kernel."""
    code = around.format(f"#{condition}\n  x[0] = 1;\n#else\n  x[0] = 2;\n#endif")
    return [line for line in lines(code) if line.startswith("#")]


@pytest.mark.parametrize(
    ("condition", "decided"),
    [
        ("ifdef __CUDA_ARCH__", "#if 1"),
        ("ifndef __CUDA_ARCH__", "#if 0"),
        ("if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700", "#if 1"),
        ("if !defined (__CUDA_ARCH__) || (__CUDA_ARCH__ < 600)", "#if 0"),
        ("if (__CUDA_ARCH__ >= 800) || defined(FAST)", "#if 1"),
        ("if __CUDA_ARCH__ == 900 && 0", "#if 0"),
        ("if defined __CUDA_ARCH__ && !(__CUDA_ARCH__ * 2 != 1800L)", "#if 1"),
    ],
)
def test_a_kernel_is_compiled_as_on_the_device(condition: str, decided: str) -> None:
    assert branches(condition) == [decided, "#else", "#endif"]


def test_a_condition_on_other_macros_is_left_to_the_compiler() -> None:
    assert (
        branches("if defined(FAST) && __CUDA_ARCH__ >= 800")[0]
        == "#if defined(FAST) && SIMT_CUDA_ARCH >= 800"
    )


def test_one_branch_of_several_is_taken() -> None:
    source = "#if __CUDA_ARCH__ >= 900\nA\n#elif __CUDA_ARCH__ >= 800\nB\n#else\nC\n#endif"
    assert lines(source)[::2] == ["#if 1", "#elif 0", "#else", "#endif"]
    assert lines(source, 800)[::2] == ["#if 0", "#elif 1", "#else", "#endif"]
    assert lines(source, 750)[::2] == ["#if 0", "#elif 0", "#else", "#endif"]


@pytest.mark.parametrize("qualifiers", ["__host__ __device__ ", "HOST_DEVICE ", ""])
def test_a_function_of_both_chooses_when_it_is_called(qualifiers: str) -> None:
    source = qualifiers + (
        "float f(float x) {\n#ifdef __CUDA_ARCH__\n  return rsqrtf(x);\n#else\n"
        '  if (x < 0) throw std::runtime_error("x");\n  y *= 2; return 1 / std::sqrt(x);\n#endif\n}'
    )
    assert lines(source) == [
        f"{qualifiers}float f(float x) {{",
        "if (::simt::on_device()) {",
        "  return rsqrtf(x);",
        "} else {",
        '  if (x < 0) throw std::runtime_error("x");',
        "  y *= 2; return 1 / std::sqrt(x);",
        "}",
        "}",
    ]


def test_the_host_alone_may_have_a_branch() -> None:
    assert lines("void f() {\n#ifndef __CUDA_ARCH__\ncall();\n#endif\n}")[1:4] == [
        "if (!::simt::on_device()) {",
        "call();",
        "}",
    ]


@pytest.mark.parametrize(
    "statement",
    ["float r = 1;", "auto r{1};", "T* p = q;", "ns::pair<int, T> r(1);", "if (x) {", "x = 1", "#define A 1"],
)
def test_declarations_and_parts_of_statements_are_the_devices(statement: str) -> None:
    source = f"HD void f() {{\n#ifdef __CUDA_ARCH__\n{statement}\n#else\n{statement}\n#endif\n}}"
    assert [lines(source)[i] for i in (1, 3, 5)] == ["#if 1", "#else", "#endif"]


def test_what_only_the_host_sees_stays() -> None:
    assert lines("#ifndef __CUDA_ARCH__\n#include <thread>\n#endif")[0] == "#if 1"
    assert lines("#ifndef __CUDA_ARCH__\nA\n#else\nB\n#endif")[0] == "#if 0"
    assert lines("#if __CUDA_ARCH__ < 600\ndouble atomicAdd(double*, double);\n#endif")[0] == "#if 0"


def test_uses_outside_of_conditions_are_renamed() -> None:
    source = "constexpr int a = __CUDA_ARCH__;  // __CUDA_ARCH__\n"
    source += '#define OLD (__CUDA_ARCH__ < 700)\n"__CUDA_ARCH__"'
    assert lines(source) == [
        "constexpr int a = SIMT_CUDA_ARCH;  // __CUDA_ARCH__",
        "#define OLD (SIMT_CUDA_ARCH < 700)",
        '"__CUDA_ARCH__"',
    ]


def test_an_older_architecture_stands_in_for_ptx() -> None:
    start = "__device__ void f() {\n#if __CUDA_ARCH__ >= 900\n"
    source = f"{start}{PTX}\n#elif __CUDA_ARCH__ >= 800\n  g();\n#else\n  h();\n#endif\n}}"
    assert [lines(source)[i] for i in (1, 3, 5)] == ["#if 0", "#elif 1", "#else"]
    source = f"{start}{PTX}\n#else\n  h();\n#endif\n}}"
    assert [lines(source)[i] for i in (1, 3)] == ["#if 0", "#else"]


@pytest.mark.parametrize("other", ["", "#else\n", "#else\n  __trap();\n", '#else\n  printf("sm_90 only");\n'])
def test_ptx_that_nothing_stands_in_for_is_refused(other: str) -> None:
    source = f"__global__ void f() {{\n#if __CUDA_ARCH__ >= 900\n{PTX}\n{other}#endif\n}}"
    with pytest.raises(TranslationError) as refusal:
        translate(source, "k.cu")
    assert refusal.value.line == 3


@pytest.mark.parametrize(
    "condition", ["1 +", "a b", "(1", "defined(", "'a'", "1 ? 2 : 3", "x(1)", "~1", "True", "1 # 2"]
)
def test_conditions_that_cannot_be_read_are_unknown(condition: str) -> None:
    assert isinstance(value_of(condition, {}), Unknown)


@pytest.mark.parametrize(
    ("condition", "value"),
    [("1 + 2 * 3 == 7", 1), ("!1 || 2 > 3", 0), ("0x10 - 1 >= 15u", 1), ("x && 0", 0), ("0 || y", 0)],
)
def test_conditions_have_values(condition: str, value: int) -> None:
    assert value_of(condition, {"y": None}) == value
