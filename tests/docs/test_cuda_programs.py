"""The CUDA programs that pages include: what they print on the simulated GPU, and what nvcc makes of one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.support import toolchain
from grader.support.errors import ToolchainError
from tests.docs.cuda_programs import ROOT, SAMPLES, build, reported, run

SIGMOID = SAMPLES / "fast_math" / "sigmoid.cu"


def test_copies_mapped_and_managed_memory_give_one_result(tmp_path: Path) -> None:
    done = run(build(SAMPLES / "staging" / "three_ways.cu", tmp_path))
    total = sum(0.5 * i + 1 for i in range(1000))
    assert done.stdout.split() == ["copies:", f"{total}", "mapped:", f"{total}", "managed:", f"{total}"]
    assert done.returncode == 0, done.stderr


def test_a_product_by_mma_sync_is_exact(tmp_path: Path) -> None:
    done = run(build(SAMPLES / "tensor_cores" / "mma_sync.cu", tmp_path))
    assert (done.stdout, done.returncode) == ("0 of 128 elements differ\n", 0), done.stderr


@pytest.fixture(scope="module")
def late_error(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(SAMPLES / "late_error" / "late_error.cu", tmp_path_factory.mktemp("late_error"))


@pytest.mark.parametrize(
    ("arguments", "call", "error"),
    [
        (["launch"], "the check after shift", "invalid argument"),
        (["launch", "checked"], "the check after scale", "invalid argument"),
        (["access"], "the copy after scale", "an illegal memory access was encountered"),
        # launches are synchronous here, as on a GPU under CUDA_LAUNCH_BLOCKING=1
        (["access", "checked"], "the check after scale", "an illegal memory access was encountered"),
    ],
)
def test_an_error_is_reported_where_the_program_first_looks(
    late_error: Path, arguments: list[str], call: str, error: str
) -> None:
    done = run(late_error, *arguments)
    assert done.stdout.splitlines()[-1] == f"reported by {call}: {error}"
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("mistake", "finding"),
    [("race", "Race on shared memory"), ("unwritten", "Uninitialized __global__ read")],
)
def test_what_memcheck_does_not_look_for_is_a_finding_here(
    tmp_path: Path, mistake: str, finding: str
) -> None:
    assert finding in reported(SAMPLES / "late_error" / "silent.cu", tmp_path, mistake)


@pytest.mark.release(
    "PyTorch's load_inline reads its own headers twice; cusimt/tests has the finding in its tensors"
)
@pytest.mark.slow("compiles with torch/extension.h")
def test_an_element_past_the_end_of_a_tensor_is_a_finding_here(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cusimt", str(SAMPLES / "late_error" / "overrun.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TORCH_EXTENSIONS_DIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "element 128 of an allocation, which has 128 elements" in done.stdout + done.stderr
    assert "x is 1.0, and its neighbour's first element is" in done.stdout, "the function took the tensor"
    assert done.returncode == 1


def _opcodes(ptx: str, kernel: str) -> list[str]:
    """The instructions of one kernel, in order, without their operands."""
    body = re.search(rf"\.entry {kernel}\(.*?^}}$", ptx, re.MULTILINE | re.DOTALL)
    assert body, kernel
    return re.findall(r"^\s+(?:@!?%p\d+ )?([a-z][\w.]+)", body[0], re.MULTILINE)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """The PTX of the sample without and with --use_fast_math."""
    try:
        nvcc = toolchain.cuda_toolkit().nvcc
    except ToolchainError:
        pytest.skip("needs nvcc from a CUDA toolkit")
    folder = tmp_path_factory.mktemp("ptx")
    texts = []
    for name, flags in (("exact", ()), ("fast", ("--use_fast_math",))):
        target = folder / f"{name}.ptx"
        command = [str(nvcc), "-arch=sm_90", *flags, "-ptx", str(SIGMOID), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts.append(target.read_text())
    return texts[0], texts[1]


def test_fast_math_replaces_division_exp_and_tanh_of_float(compiled: tuple[str, str]) -> None:
    exact, fast = compiled
    before, after = _opcodes(exact, "sigmoid_float"), _opcodes(fast, "sigmoid_float")
    assert "rcp.rn.f32" in before and "rcp.approx.ftz.f32" not in before
    assert "rcp.approx.ftz.f32" in after and "rcp.rn.f32" not in after
    assert sum(code.startswith("fma") for code in before) > 3  # splits the argument of exp
    assert not any(code.startswith("fma") for code in after)
    assert "tanh.approx.f32" not in _opcodes(exact, "tanh_float")
    assert "tanh.approx.f32" in _opcodes(fast, "tanh_float")


@pytest.mark.parametrize("kernel", ["sigmoid_double", "tanh_double"])
def test_fast_math_keeps_every_instruction_of_double(compiled: tuple[str, str], kernel: str) -> None:
    exact, fast = (_opcodes(ptx, kernel) for ptx in compiled)
    arithmetic = [code for code in exact if code.endswith(".f64")]
    assert len(arithmetic) > 10
    assert [code.replace(".ftz", "") for code in exact] == [code.replace(".ftz", "") for code in fast]
    assert not [code for code in fast if "approx" in code and code not in exact]
