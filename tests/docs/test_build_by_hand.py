"""The commands that lesson 01 shows for a build by hand do build the module."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.docs.python_program import printed

ROOT = Path(__file__).resolve().parent.parent.parent
SCRIPT = ROOT / "docs" / "samples" / "build_by_hand" / "build.sh"


def test_three_commands_make_a_module_that_refuses_what_it_should(tmp_path: Path) -> None:
    if shutil.which("nvcc") is None:
        pytest.skip("needs nvcc from a CUDA toolkit")
    for file in (ROOT / "solutions" / "01_vector_add").iterdir():
        shutil.copy(file, tmp_path)
    done = subprocess.run(
        ["sh", str(SCRIPT)],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable, "PYBIND11": _include_flags()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    program = (
        "import numpy as np, vector_add as v\n"
        "x = np.ones(3, np.float32)\n"
        "try: v.vector_add(x, x, np.zeros(3))\n"
        "except TypeError as error: print(error)\n"
    )
    assert printed(program, tmp_path) == "out must be float32, but is float64\n"


def _include_flags() -> str:
    """For Python's headers and pybind11's, of which torch brings a copy."""
    torch = importlib.util.find_spec("torch")
    assert torch is not None and torch.origin is not None
    return f"-I{sysconfig.get_paths()['include']} -I{Path(torch.origin).parent / 'include'}"
