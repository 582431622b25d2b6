"""Exercise 25 computes what exercise 17 computes: the operator in Triton matches the one in CUDA C++."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import importlib.util, os, sys
import torch

def op(slug):
    folder = f"{ROOT}/solutions/{slug}"
    os.chdir(folder)
    sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(f"op_{slug}", f"{folder}/op.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.layer_norm

both = [op("17_layer_norm"), op("25_triton")]
for dtype, rows, columns in ((torch.float32, 5, 100), (torch.float64, 3, 65), (torch.float32, 1, 7)):
    torch.manual_seed(rows)
    tensors = [torch.randn(rows, columns), torch.rand(columns) + 0.5, torch.randn(columns)]
    given = torch.randn(rows, columns, dtype=dtype, device="cuda")
    results = []
    for function in both:
        leaves = [each.to("cuda", dtype).requires_grad_() for each in tensors]
        out = function(*leaves, 1e-5)
        out.backward(given)
        results.append([out.detach(), *(each.grad for each in leaves)])
    for one, other in zip(*results, strict=True):
        torch.testing.assert_close(one.cpu(), other.cpu())
print("equal")
"""


@pytest.mark.slow("builds the solution of 17")
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
def test_it_matches_the_operator_in_cuda(tmp_path: Path) -> None:
    program = tmp_path / "compare.py"
    program.write_text(f"ROOT = {str(ROOT)!r}\n{PROGRAM}")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"}
    done = subprocess.run(
        [sys.executable, "-m", "cusimt", str(program)], cwd=tmp_path, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("equal")
