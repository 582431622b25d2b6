"""memcpy and its kin in kernels: every size is watched, however the compiler writes it out."""

from __future__ import annotations

import json

import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.runtime_program import program, run, source_line
from cusimt.translate import TranslationError, translate

SIZES = (1, 2, 3, 4, 8, 12, 16, 24, 64)
WAYS = ("copies", "std_copies", "built_in_copies", "moves", "fills", "assigns", "by_algorithm")


def found(case: str, size: int) -> list[Finding]:
    done = run(program("memory_functions"), case, str(size))
    assert done.returncode == 0, done.stderr
    error, *lines = done.stdout.splitlines()
    assert error == "cudaSuccess"
    return findings.symbolise([json.loads(line) for line in lines])


@pytest.mark.parametrize("way", WAYS)
def test_what_was_copied_or_filled_is_written(way: str) -> None:
    assert [(size, explain(each)) for size in SIZES for each in found(way, size)] == []


@pytest.mark.parametrize("way", WAYS)
def test_an_access_past_the_end_is_found(way: str) -> None:
    kinds = {size: {each.kind for each in found(f"{way}_past", size)} for size in SIZES}
    assert kinds == {size: {"out_of_bounds"} for size in SIZES}


@pytest.mark.parametrize("way", WAYS)
def test_two_threads_that_write_the_same_race(way: str) -> None:
    kinds = {size: {each.kind for each in found(f"{way}_together", size)} for size in SIZES}
    assert kinds == {size: {"race_global"} for size in SIZES}


@pytest.mark.parametrize("size", SIZES)
def test_shared_memory_needs_a_barrier_behind_a_fill(size: int) -> None:
    assert found("share_by_barrier", size) == []
    (race,) = found("share", size)
    assert race.kind == "race_shared"
    lines = {race.frame.line, race.other.frame.line if race.other else 0}
    assert lines == {source_line("memory_functions", mark) for mark in ("shares", "shared_read")}


def test_results_through_pointers_of_mathematical_functions_are_written() -> None:
    assert found("splits", 4) == []


@pytest.mark.parametrize("name", ["wmemcpy", "swab", "bzero", "strncpy"])
def test_other_functions_of_the_c_library_are_refused_in_kernels(name: str) -> None:
    kernel = f"__global__ void k(char* a, char* b) {{\n  {name}(a, b);\n}}\n"
    with pytest.raises(TranslationError, match=rf"a\.cu:2: a kernel calls {name}, a function of the host"):
        translate(kernel, "a.cu")
    assert "#line 1" in translate(f"void f(char* a, char* b) {{ {name}(a, b); }}\n", "a.cu")
    assert "#line 1" in translate(f"__device__ void {name}(char*, char*);\n{kernel}", "a.cu")
