"""Exercise 25 on a GPU: Triton compiles and tunes it, and torch.compile sees into its operator."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")

PROGRAM = """
import torch
import torch.nn.functional as F
from kernel import forward_kernel
from op import layer_norm
from torch.profiler import ProfilerActivity, profile

def tensors(rows, columns, dtype):
    torch.manual_seed(rows)
    made = (torch.randn(rows, columns), torch.rand(columns) + 0.5, torch.randn(columns))
    return [each.to("cuda", dtype).requires_grad_() for each in made]

LIMITS = {torch.float16: 1e-2, torch.bfloat16: 1e-1, torch.float32: 1e-4, torch.float64: 1e-11}
for dtype, limit in LIMITS.items():
    for rows, columns in ((5, 100), (140, 33), (3, 513), (1, 1)):
        leaves = tensors(rows, columns, dtype)
        wide = [each.detach().double().requires_grad_() for each in leaves]
        out, expected = layer_norm(*leaves, 0.1), F.layer_norm(wide[0], (columns,), *wide[1:], 0.1)
        given = torch.randn_like(out)
        out.backward(given)
        expected.backward(given.double())
        pairs = [(out, expected), *((a.grad, b.grad) for a, b in zip(leaves, wide, strict=True))]
        for got, right in pairs:
            scale = max(1.0, right.abs().max().item())
            assert (got.double() - right).abs().max().item() <= limit * scale, (dtype, rows, columns)

storage = torch.empty(2 * (2**30 + 60) + 60, dtype=torch.float16, device="cuda")
far = storage.as_strided((3, 60), (2**30 + 60, 1)).normal_()
ones = torch.ones(60, dtype=torch.float16, device="cuda")
torch.testing.assert_close(layer_norm(far, ones, ones), F.layer_norm(far, (60,), ones, ones))

compiled = torch.compile(layer_norm, fullgraph=True, dynamic=True)
for rows in (9, 4):
    x, weight, bias = tensors(rows, 20, torch.float32)
    out = compiled(x, weight, bias)
    torch.testing.assert_close(out, F.layer_norm(x, (20,), weight, bias))
    out.sum().backward()

with profile(activities=[ProfilerActivity.CUDA]) as seen:
    layer_norm(*tensors(5, 100, torch.float32), 0.1)
assert any("forward_kernel" in each.key for each in seen.key_averages())
print(forward_kernel.best_config)
"""


def test_the_solution_is_right_on_a_gpu(tmp_path: Path) -> None:
    environment = {**os.environ, "TRITON_CACHE_DIR": str(tmp_path)}
    environment.pop("TRITON_INTERPRET", None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT / "solutions" / "25_triton", env=environment,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ROWS" in done.stdout
