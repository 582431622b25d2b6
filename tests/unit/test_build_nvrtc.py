"""Device code by NVRTC: the machine code that nvcc makes, and only for what leaves the host's code alone."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cusimt.support.toolchain import cuda_toolkit, torch_install
from grader.compilation.quick import nvrtc, shortcuts
from grader.compilation.quick.nvcc_steps import NvccSteps
from grader.compilation.steps import step
from grader.support.errors import ToolchainError
from tests.unit.test_build_nvcc_steps import KERNELS, NEEDS_TORCHS_CUDA, request_for

# NVRTC reads none of c10's headers; a lambda's type has no name; shared memory has other addresses.
FOR_NVCC = re.compile(r"c10/util|ATen/|torch/|<cub/|__device__ \(|\[=\]|\[&\]|__shared__")
_SECTION = re.compile(r"\] \.text\.(\S+)\s+PROGBITS\s+\w+ (\w+) (\w+)")


def why_not() -> str:
    try:
        cuda_toolkit()
    except ToolchainError as error:
        return error.what
    nvrtc.start()
    compiler, needed = nvrtc.running(), nvrtc.toolkit_version()
    found = compiler.version() if compiler is not None else None
    nvrtc.stop()
    wanted = "needs libnvrtc of nvcc's version: pip install 'nvidia-cuda-nvrtc=={}.{}.*'"
    return "" if found == needed else wanted.format(*needed)


pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "NVRTC is here")


@pytest.fixture(scope="module")
def compiler() -> Iterator[nvrtc.Compiler]:
    nvrtc.start()
    found = nvrtc.running()
    assert found is not None
    yield found
    nvrtc.stop()


@pytest.fixture(autouse=True)
def for_one_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")


def steps_of(source: Path, folder: Path) -> NvccSteps:
    (folder / "ninja").mkdir(parents=True)
    steps = step(request_for(source, True), source).split(folder)
    assert steps is not None
    return steps


def machine_code(folder: Path) -> dict[str, bytes]:
    """The instructions of each kernel, by its symbol."""
    (cubin,) = folder.glob("*.cubin")
    table = subprocess.run(["readelf", "-SW", cubin], capture_output=True, text=True, check=True).stdout
    whole = cubin.read_bytes()
    sections = {name: (int(at, 16), int(size, 16)) for name, at, size in _SECTION.findall(table)}
    return {name: whole[at : at + size] for name, (at, size) in sections.items()}


@pytest.mark.slow("compiles a solution with nvcc and with NVRTC")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.parent.name)
def test_the_machine_code_is_what_nvcc_makes(kernel: Path, tmp_path: Path, compiler: nvrtc.Compiler) -> None:
    if torch_install().cuda is None and NEEDS_TORCHS_CUDA.search(kernel.read_text()):
        pytest.skip("needs the CUDA headers of torch, which its build for the CPU lacks")
    whole = steps_of(kernel, tmp_path / "whole")
    whole.write_module_id()
    subprocess.run(whole.device, check=True, capture_output=True)
    kernels = shortcuts.kernels_in(whole.ptx.read_text())
    again = steps_of(kernel, tmp_path / "again")
    again.write_module_id()
    ptx = compiler.ptx(again, (), kernels)
    assert (ptx is None) is bool(FOR_NVCC.search(kernel.read_text()))
    if ptx is not None:
        again.ptx.write_text(ptx)
        subprocess.run(again.assemble, check=True, capture_output=True)
        assert machine_code(tmp_path / "again") == machine_code(tmp_path / "whole")


def test_answers_that_arrive_together_are_read_one_by_one(compiler: nvrtc.Compiler) -> None:
    """Two requests at once, and the one from the start: none waits for what has arrived already."""
    assert compiler.version() == nvrtc.toolkit_version()
    for name in ("one", "two"):
        compiler._send({**nvrtc._FIRST, "source": f"__global__ void {name}() {{}}", "name": f"{name}.cu"})
    time.sleep(1)
    assert "three" in compiler._answer({**nvrtc._FIRST, "source": "__global__ void three() {}"})["ptx"]


def test_shared_memory_that_a_header_declares_is_for_nvcc(tmp_path: Path, compiler: nvrtc.Compiler) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(
        "#define MEMORY(T) __sha##red__ T\n"
        "__global__ void turn(float* x) {\n"
        "    MEMORY(float) tile[32];\n"
        "    tile[threadIdx.x] = x[threadIdx.x];\n"
        "    __syncthreads();\n"
        "    x[threadIdx.x] = tile[31 - threadIdx.x];\n"
        "}\n"
    )
    assert compiler.ptx(steps_of(source, tmp_path / "steps"), (), ["_Z4turnPf"]) is None
