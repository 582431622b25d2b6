"""A kernel that calls code of the host is stopped at the call; what a GPU has, it may call."""

from __future__ import annotations

import json
import platform

import pytest

from cusimt import findings
from cusimt.findings import explain
from cusimt.tests.runtime_program import program, run, source_line

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="only guarded on x86-64")

CALLS = {
    "compares_memory": "`memcmp`",
    "locks": "`pthread_spin_lock`",
    "calls_what_the_loader_bound": "a function",
    "prints_to_a_stream": "`std::ios_base::ios_base`",
    "calls_by_address": "`memcmp`",
    "calls_what_is_volatile": "`bcmp`",
    "throws": "`__cxa_allocate_exception`",
    "reads_a_number": "`strtof`",
    "signs_gamma": "`lgammaf_r`",
}


def found(case: str) -> findings.Finding:
    done = run(program("host_code"), case)
    assert done.returncode == 0, done.stderr
    error, _, *lines = done.stdout.splitlines()
    assert error == "cudaErrorLaunchFailure"
    (finding,) = findings.symbolise([json.loads(line) for line in lines])
    assert finding.kind == "host_function"
    assert finding.frame.line == source_line("host_code", case)
    return finding


@pytest.mark.parametrize("case", CALLS)
def test_a_call_of_the_host_is_found(case: str) -> None:
    text = explain(found(case))
    assert f"A kernel calls {CALLS[case]}, which is code of the host" in text
    assert "nvcc refuses to compile such a call" in text


def test_of_the_heap_a_kernel_has_malloc_and_free_only() -> None:
    assert "a kernel may call malloc and free only" in explain(found("allocates_zeros"))


def test_printf_does_not_store() -> None:
    text = explain(found("counts_letters"))
    assert "A kernel calls `printf` with `%n`" in text
    assert "CUDA's printf knows no %n" in text


def test_what_a_gpu_has_is_called() -> None:
    """Virtual functions, lambdas, functions by address, mathematics, arithmetic of the compiler, printf."""
    done = run(program("host_code"), "is_a_kernel")
    assert done.stdout == "9 printed\na line\ncudaSuccess\n9 9 4.5 6 18 0.5 \n"


def test_unchecked_kernels_are_not_guarded() -> None:
    assert run(program("host_code", checked=False), "compares_memory").stdout.startswith("cudaSuccess")
