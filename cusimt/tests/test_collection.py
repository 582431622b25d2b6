"""Kernels in the styles found in the wild: right values, and no findings, whatever the schedule."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cusimt import findings
from cusimt.findings import Finding, explain
from cusimt.tests.collection_program import ROOT, code_of, collection, source_line, theme_program
from cusimt.tests.surface_program import ON_GPU, LaunchFailed, runtime

SCHEDULES = {"forward": (0, 0), "reversed": (1, 0), "seeded": (2, 7)}


@pytest.fixture(params=SCHEDULES)
def schedule(request: pytest.FixtureRequest) -> Iterator[None]:
    """The order of blocks and threads, for the length of a test."""
    if ON_GPU:
        yield
        return
    findings.take()  # of a test that failed half-way
    order, seed = SCHEDULES[request.param]
    runtime().simt_set_schedule(order, seed)
    yield
    runtime().simt_set_schedule(0, 0)


def test_only_what_a_compiler_does_compiles_the_collection_again(tmp_path: Path) -> None:
    module = tmp_path / "module.py"

    def code(text: str) -> str:
        module.write_text(text)
        return code_of(module)

    written = code('"""Of one kind."""\n\n\ndef f() -> int:\n    """Seven."""\n    return 7\n')
    assert written == code('"""Of another."""\ndef f() -> int:\n    return 7  # as before\n')
    assert written != code("def f() -> int:\n    return 8\n")


@pytest.mark.usefixtures("schedule")
@pytest.mark.parametrize("checked", [False, True], ids=["fast", "checked"])
@pytest.mark.parametrize("name", collection())
def test_kernel(name: str, checked: bool) -> None:
    if checked and ON_GPU:
        pytest.skip("a GPU has no checked build")
    kernel = collection()[name]
    for size, call in kernel.calls().items():
        print("size", size)
        call.run(theme_program(kernel.theme, checked), kernel.name)
        if not ON_GPU:
            assert [explain(finding) for finding in findings.take()] == []


def test_the_collection_is_large() -> None:
    assert len(collection()) >= 60


@pytest.mark.slow
@pytest.mark.skipif(ON_GPU, reason="runs on the simulated GPU")
@pytest.mark.parametrize("options", [(), ("--no-checks",)], ids=["checked", "fast"])
def test_kernels_in_the_style_of_torch(options: tuple[str, ...], tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TORCH_EXTENSIONS_DIR": str(tmp_path)}
    script = str(Path(__file__).parent / "collection_torch.py")
    command = [sys.executable, "-m", "cusimt", *options, script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=600)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["the same"]), done.stderr


# ---- the classic mistake of each theme -----------------------------------------------------------------

MISTAKES = {
    "matmul_without_second_barrier": "race_shared",
    "halo_off_by_one": "out_of_bounds",
    "no_tail_guard": "out_of_bounds",
    "vector_past_the_end": "out_of_bounds",
    "vector_misaligned": "misaligned",
    "histogram_not_zeroed": "uninitialized_read",
    "histogram_not_atomic": "race_global",
    "scan_without_barrier": "race_shared",
    "mask_wrong": "bad_mask",
    "last_warp_unsynchronised": "race_shared",
    "scratch_used_twice": "race_shared",
    "barrier_after_return": "divergent_barrier",
    "dynamic_in_elements": "out_of_bounds",
    "sum_not_cleared": "uninitialized_read",
    "freed_too_early": "use_after_free",
}
SIZES = {"vector_past_the_end": 102, "halo_off_by_one": 64, "matmul_without_second_barrier": 20}
INTEGERS = ("histogram", "scan", "mask", "last_warp", "barrier", "dynamic")


def found(name: str, right: bool) -> list[Finding]:
    """What the checked build says of one kernel of mistakes.cu."""
    n = SIZES.get(name, 100)
    dtype: Any = np.int32 if name.startswith(INTEGERS) else np.float32
    inputs = [np.arange(n * n, dtype=dtype)] * 2 if name.startswith("matmul") else [np.arange(n, dtype=dtype)]
    output = np.zeros(n * n if name.startswith("matmul") else n, dtype)
    try:
        theme_program("mistakes", True).call(name, *inputs, output, n, int(right))
    except LaunchFailed as failed:
        runtime().simt_reset()  # the error is sticky
        return findings.symbolise(map(json.loads, failed.found.splitlines()))
    return findings.take()


@pytest.mark.skipif(ON_GPU, reason="a GPU has no checked build")
@pytest.mark.usefixtures("schedule")
@pytest.mark.parametrize("name", MISTAKES)
def test_mistake(name: str) -> None:
    seen = found(name, right=False)
    lines = {each.frame.line for each in seen} | {each.other.frame.line for each in seen if each.other}
    assert {each.kind for each in seen} == {MISTAKES[name]}, [explain(each) for each in seen]
    assert source_line("mistakes", name) in lines, [explain(each) for each in seen]


@pytest.mark.skipif(ON_GPU, reason="a GPU has no checked build")
@pytest.mark.usefixtures("schedule")
@pytest.mark.parametrize("name", MISTAKES)
def test_without_the_mistake(name: str) -> None:
    assert [explain(each) for each in found(name, right=True)] == []
