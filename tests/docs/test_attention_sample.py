"""Lesson 28: attention in tiles in plain PyTorch, and the numbers that are worked out by hand."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
attention_in_tiles = runpy.run_path(str(ROOT / "docs/samples/attention/tiles.py"))["attention_in_tiles"]
LESSON = (ROOT / "docs/lessons/28_attention_forward.md").read_text(encoding="utf-8")


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
