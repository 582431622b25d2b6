"""Launches that a kernel's own declarations do not allow: __launch_bounds__, static shared memory."""

from __future__ import annotations

import functools
import json

import pytest

from cusimt import findings
from cusimt.findings import rule
from cusimt.tests.runtime_program import program, run

INVALID = "cudaErrorInvalidValue 0"
TOO_MUCH = "the kernel uses too much shared data"


@functools.cache
def printed(checked: bool) -> tuple[str, ...]:
    done = run(program("kernel_limits", checked))
    assert done.returncode == 0, done.stderr
    return tuple(done.stdout.splitlines())


def outcome(case: str, checked: bool = True) -> str:
    (line,) = (line for line in printed(checked) if line.startswith(case))
    return line.removeprefix(case).strip(" :")


def notes(checked: bool = True) -> list[str]:
    raw = [json.loads(line) for line in printed(checked) if line.startswith("{")]
    return [finding.note for finding in findings.symbolise(raw)]


both_builds = pytest.mark.parametrize("checked", [True, False], ids=["checked", "fast"])


@both_builds
@pytest.mark.parametrize(
    "launch",
    [
        "bounded<64><<<2, dim3(5, 13)>>>(out)",  # whose type is deduced
        "bounded<64, float><<<1, 65>>>(out)",
        "of_a_trait<<<1, 65>>>(out)",
        "hidden<<<1, 65>>>(out)",
        "plain<<<1, 65>>>(out)",
        "of_a_macro<<<1, 65>>>(out)",
        "cudaLaunchKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr)",
        "cudaLaunchCooperativeKernel((void*)plain, dim3(1), dim3(65), arguments, 0, nullptr)",
    ],
)
def test_a_block_beyond_the_launch_bounds_is_refused(launch: str, checked: bool) -> None:
    assert outcome(launch, checked) == INVALID
    assert "the block has 65 threads; at most 64 by its __launch_bounds__" in notes(checked)


@both_builds
@pytest.mark.parametrize(
    ("launch", "value"),
    [
        ("bounded<64><<<1, 64>>>(out)", 64),
        ("bounded<128, float><<<1, 65>>>(out)", 128),
        ("of_a_trait<<<1, 64>>>(out)", 1),
        ("unbounded<<<1, 65>>>(out)", 4),
        ("tiled<12288><<<1, 1>>>(out)", 12289),
        ("tiled<8192><<<1, 1, 16384>>>(out)", 8193),
        ("tiled<8192><<<1, 1, 100000>>>(out)", 8193),
        ("large_dynamic<<<1, 1, 49152>>>(out)", 0),
    ],
)
def test_launches_within_the_limits_run(launch: str, value: int, checked: bool) -> None:
    assert outcome(launch, checked) == f"cudaSuccess {value}"


@both_builds
def test_static_shared_memory_beyond_48_kib_is_refused_in_the_words_of_ptxas(checked: bool) -> None:
    assert outcome("tiled<12289><<<1, 1>>>(out)", checked) == INVALID
    assert f"{TOO_MUCH} (0xc004 bytes, 0xc000 max)" in notes(checked)


def test_the_arrays_of_called_functions_count() -> None:
    assert outcome("with_a_function<<<1, 2>>>(out)") == INVALID
    assert f"{TOO_MUCH} (0xe000 bytes, 0xc000 max)" in notes()


@both_builds
def test_dynamic_shared_memory_has_what_the_static_arrays_leave(checked: bool) -> None:
    assert outcome("tiled<8192><<<1, 1, 16388>>>(out)", checked) == INVALID
    assert outcome("large_dynamic<<<1, 1, 49156>>>(out)", checked) == INVALID
    refused = "16388 bytes of dynamic shared memory; this kernel may have 16384"
    assert f"{refused} (more after cudaFuncSetAttribute)" in notes()
    assert "0 1" in printed(checked)  # cudaFuncSetAttribute: all that is left, and four bytes more


@both_builds
@pytest.mark.parametrize(
    ("kernel", "threads", "static", "blocks", "best"),
    [
        ("bounded<64, float>", 64, 0, 0, 64),
        ("of_a_trait", 64, 0, 0, 64),
        ("hidden", 64, 0, 0, 64),
        ("plain", 64, 0, 0, 64),
        ("unbounded", 1024, 0, 21, 1024),
        ("tiled<8192>", 1024, 32768, 6, 1024),
    ],
)
def test_attributes_and_occupancy_know_the_limits(
    kernel: str, threads: int, static: int, blocks: int, best: int, checked: bool
) -> None:
    said = f"threads {threads} static {static} dynamic {49152 - static}"
    assert outcome(f"{kernel}:", checked) == f"{said}, blocks of 65: {blocks}, best block {best}"


def test_each_refusal_has_a_rule_of_its_own() -> None:
    raw = [json.loads(line) for line in printed(True) if line.startswith("{")]
    rules = {finding.note: rule(finding) for finding in findings.symbolise(raw)}
    bounds = next(text for note, text in rules.items() if "__launch_bounds__" in note)
    static = next(text for note, text in rules.items() if note.startswith(TOO_MUCH))
    assert "raise the bound" in bounds
    assert "nvcc refuses" in static
