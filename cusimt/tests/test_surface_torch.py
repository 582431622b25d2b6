"""PyTorch's C++ headers read by the simulated nvcc."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cusimt.compiler import libraries
from cusimt.support.toolchain import host_compiler, torch_install
from cusimt.tests.surface_program import ON_GPU, SOURCES, program
from cusimt.translate import translate


@pytest.mark.slow
@pytest.mark.skipif(ON_GPU, reason="reads the simulated GPU's headers")
def test_a_kernels_file_with_torchs_headers_compiles(tmp_path: Path) -> None:
    source = SOURCES / "torch_types.cu"
    translated = tmp_path / "torch_types.cpp"
    translated.write_text(translate(source.read_text(), str(source)))
    folders = [*libraries.include_dirs(), *torch_install().include_dirs]
    command = [
        *host_compiler().command,
        *libraries.compile_flags(False),
        *(f"-I{folder}" for folder in folders),
    ]
    command += [
        "-include",
        "simt/prelude.h",
        "-fsyntax-only",
        str(translated),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("name", "dtype"), [("transpose", np.float32), ("transpose_half", np.float16)])
def test_header_only_accessors(name: str, dtype: Any) -> None:
    values = np.random.default_rng(0).normal(size=(37, 5)).astype(dtype)
    result = np.zeros((5, 37), dtype)
    program("header_only", torch=True).call(name, values, result, 37, 5)
    assert np.array_equal(result, values.T)


def test_c10_and_cuda_halves_are_the_same_bits() -> None:
    values = np.array([0, -0.0, 1.5, 65504, 6e-8, -np.inf], np.float16)
    half, bfloat = np.zeros(6, np.float16), np.zeros(6, np.uint16)
    program("header_only", torch=True).convert(values, half, bfloat, 6)
    assert np.array_equal(half.view(np.uint16), values.view(np.uint16))
    assert bfloat.tolist() == [0, 0x8000, 0x3FC0, 0x4780, 0x3380, 0xFF80]
