"""Lessons 28 and 29: attention and its gradients in plain PyTorch, and the numbers worked out by hand."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs/samples/attention"
attention_in_tiles = runpy.run_path(str(SAMPLES / "tiles.py"))["attention_in_tiles"]
gradients = runpy.run_path(str(SAMPLES / "gradients.py"))["gradients"]
LESSON = (ROOT / "docs/lessons/28_attention_forward.md").read_text(encoding="utf-8")
BACKWARD = (ROOT / "docs/lessons/29_attention_backward.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("size", [1, 3, 8, 20, 64])
def test_the_result_does_not_depend_on_the_tiles(size: int) -> None:
    torch.manual_seed(7)
    q, k, v = torch.randn(9, 4, dtype=torch.float64), *torch.randn(2, 20, 4, dtype=torch.float64)
    scores = 3 * q @ k.T / 2
    out, lse = attention_in_tiles(3 * q, k, v, size)
    torch.testing.assert_close(out, torch.softmax(scores, 1) @ v)
    torch.testing.assert_close(lse, torch.logsumexp(scores, 1))


def test_the_numbers_by_hand_are_those_of_the_sample() -> None:
    q, k = torch.ones(1, 1, dtype=torch.float64), torch.tensor([[1.0], [3], [2], [4]], dtype=torch.float64)
    out, lse = attention_in_tiles(q, k, 10 * torch.arange(1.0, 5)[:, None].double(), 2)
    assert f"= {float(out):.2f}, and lse" in LESSON
    assert f"= {float(lse):.3f}. With all four scores at once" in LESSON
    weights = ", ".join(f"{math.exp(score - float(lse)):.3f}" for score in (1, 3, 2))
    assert f"{weights} and\n{math.exp(4 - float(lse)):.3f}" in LESSON


def test_the_memory_in_the_table_is_that_of_the_shapes() -> None:
    for length in (1024, 4096, 32_768):
        operands, scores = 4 * length * 64 * 4 / 2**20, length * length * 4 / 2**20
        size = f"{scores:.0f} MiB" if scores < 1024 else f"{scores / 1024:.0f} GiB"
        assert f"| {length:,} | {operands:.0f} MiB | {size} |" in LESSON


def test_the_gradients_are_those_of_autograd() -> None:
    torch.manual_seed(8)
    q, k, v = torch.randn(9, 4, dtype=torch.float64), *torch.randn(2, 20, 4, dtype=torch.float64)
    leaves = [each.requires_grad_() for each in (q, k, v)]
    out, lse = attention_in_tiles(*leaves, 8)
    grad_out, grad_lse = torch.randn_like(out), torch.randn_like(lse)
    expected = torch.autograd.grad([out, lse], leaves, [grad_out, grad_lse])
    with torch.no_grad():
        torch.testing.assert_close(gradients(grad_out, grad_lse, q, k, v, out, lse), expected)


def test_the_gradients_by_hand() -> None:
    scores = torch.tensor([1.0, 3, 2, 4], dtype=torch.float64, requires_grad=True)
    v = 10 * torch.arange(1.0, 5).double()
    out = torch.softmax(scores, 0) @ v
    (grad,) = torch.autograd.grad(out, scores)
    mean = out.item()
    for key, (score, value, ds) in enumerate(zip(scores.tolist(), v.tolist(), grad.tolist(), strict=True)):
        weight = math.exp(score) / sum(math.exp(each) for each in scores.tolist())
        row = f"| {key} | {weight:.3f} | {value - mean:.2f} | {ds:.3f} |".replace("-", "−")
        assert row in BACKWARD


def test_the_memory_that_backward_needs_is_that_of_the_shapes() -> None:
    for length in (1024, 4096, 32_768):
        kept, scores = 2 * length * 4 / 2**10, length * length * 4 / 2**20
        size = f"{scores:.0f} MiB" if scores < 1024 else f"{scores / 1024:.0f} GiB"
        operands = 4 * length * 64 * 4 / 2**20
        assert f"| {length:,} | {operands:.0f} MiB | {kept:.0f} KiB | {size} |" in BACKWARD
