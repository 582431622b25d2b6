"""Which access of a race comes first, from nothing but the text between the two."""

from __future__ import annotations

import textwrap

import pytest

from cusimt.findings.hazards import READ_FIRST, WRITE_FIRST, RacingAccess, order_of
from cusimt.translate.functions import Function, functions, reached_from, without_noise


def order(source: str) -> str:
    """Of the accesses in the lines marked W and R; `c` marks calls that are known to have led to one."""
    lines = textwrap.dedent(source).strip("\n").split("\n")

    def access(mark: str) -> RacingAccess:
        marked = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}")]
        called = [number for number, line in enumerate(lines, 1) if line.endswith(f"// {mark}c")]
        return RacingAccess((*marked, *called), mark == "W")

    found = order_of(access("W"), access("R"), lines)
    assert found == order_of(access("R"), access("W"), lines)
    return found


FIRST_BARRIER = """
__global__ void sums(const float* x, float* out) {
    __shared__ float tile[32];
    for (int k = 0; k < n; k += 32) {
        tile[t] = x[k + t];  // W
        // the __syncthreads() is missing here
        for (int i = 0; i < 32; ++i) sum += tile[i];  // R
        __syncthreads();
    }
}
"""
SECOND_BARRIER = """
__global__ void sums(const float* x, float* out) {
    for (int k = 0; k < n; k += 32) {
        tile[t] = x[k + t];  // W
        __syncthreads();
        for (int i = 0; i < 32; ++i) sum += tile[i];  // R
    }
}
"""
READ_ABOVE = """
__global__ void shift(float* out) {
    const float left = tile[t - 1];  // R
    tile[t] = left;  // W
}
"""
TREE = """
__global__ void tree(float* out) {
    for (int s = 128; s > 0; s /= 2) {
        const float other = tile[t + s];  // R
        __syncthreads();
        tile[t] += other;  // W
    }
}
"""
BY_A_HELPER = """
namespace {
template <typename T>
__device__ void load(T (&tile)[32], const T* x) {
    tile[threadIdx.x] = x[threadIdx.x];  // W
}
template <typename T>
__global__ void __launch_bounds__(kTile * kTile) sums(const T* x, float* out) {
    for (int k = 0; k < n; k += 32) {
        load<T>(a, x + k);
        load<T>(b, x + k);
        __syncthreads();
        sum += a[0] * b[0];  // R
    }
}
}  // namespace
"""
WAITS_IN_A_HELPER = """
__device__ void fill(float* tile) {
    tile[t] = 0;  // W
    block.sync();
}
__global__ void sums(float* out) {
    for (;;) {
        fill(tile);  // Wc
        use();
        float first = tile[0];  // R
    }
}
"""
HELPER_BETWEEN = """
__device__ void all_here() { __syncthreads(); }
__global__ void sums(float* out) {
    for (;;) {
        tile[t] = 1;  // W
        all_here();
        float first = tile[0];  // R
    }
}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (FIRST_BARRIER, WRITE_FIRST),
        (SECOND_BARRIER, READ_FIRST),
        (READ_ABOVE, READ_FIRST),
        (TREE, WRITE_FIRST),
        (BY_A_HELPER, READ_FIRST),
        (BY_A_HELPER.replace("        __syncthreads();\n", ""), WRITE_FIRST),
        (HELPER_BETWEEN, READ_FIRST),
        (HELPER_BETWEEN.replace("{ __syncthreads(); }", "{}"), WRITE_FIRST),
        (SECOND_BARRIER.replace("__syncthreads", "__syncwarp"), ""),  # enough for the threads of one warp
        (SECOND_BARRIER.replace("__syncthreads();", 'asm("bar.sync 0;");'), WRITE_FIRST),
        (SECOND_BARRIER.replace("__syncthreads();", "// __syncthreads();"), WRITE_FIRST),
        (SECOND_BARRIER.replace("__syncthreads();", "if (shared) __syncthreads();"), ""),
    ],
)
def test_the_order_is_that_of_the_program(source: str, expected: str) -> None:
    assert order(source) == expected


IN_A_HELPER = """
__device__ float block_sum(float value) {
    __shared__ float parts[32];
    parts[warp] = value;  // W
    __syncthreads();
    return parts[lane];  // R
}
__global__ void norm(float* out) {
    float mean = block_sum(x);
    float variance = block_sum(x - mean);  // Wc
}
"""


def test_a_helper_that_is_called_again_lacks_a_barrier_after_its_read() -> None:
    """Both lines are in the helper; that it is called in two places says nothing against them."""
    assert order(IN_A_HELPER) == READ_FIRST
    assert order(IN_A_HELPER.replace("__syncthreads();", "")) == WRITE_FIRST


def test_accesses_of_functions_that_do_not_meet_have_no_order() -> None:
    assert order(BY_A_HELPER.replace("load<T>", "other<T>")) == ""
    assert (
        order_of(RacingAccess((3,), True), RacingAccess((3,), False), ["", "", "tile[t] += tile[t + 1];", ""])
        == ""
    )


def test_functions_are_found_with_their_names_and_lines() -> None:
    text = without_noise(
        BY_A_HELPER.strip("\n") + "\nconst int table[] = {f(1)};\nstruct S {\n  int g() { return 1; }\n};"
    )
    assert functions(text) == [
        Function("load", 3, 5),
        Function("sums", 7, 14),
        Function("g", 18, 18),
    ]


def test_functions_of_any_length_are_found() -> None:
    long = (
        f"/* {'x' * (1 << 20)} */ template <{'class A, ' * 500}class B> void f(int (*g)(int (*)(int))) {{}}"
    )
    assert functions(without_noise(long)) == [Function("f", 1, 1)]


def test_what_a_function_calls_is_reached_too() -> None:
    text = without_noise(WAITS_IN_A_HELPER + HELPER_BETWEEN.replace("sums", "other"))
    assert [each.name for each in reached_from(["sums"], text)] == ["sums", "fill"]
    assert [each.name for each in reached_from(["other"], text)] == ["other", "all_here"]
    assert reached_from(["missing"], text) == []
