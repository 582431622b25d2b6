"""Given: loads the compiled extension and gives it a Python name."""

import torch

import grader

grader.load("row_sums", ["kernel.cu", "binding.cpp"], is_python_module=False)


def row_sums(x: torch.Tensor) -> torch.Tensor:
    """x.sum(1) for a contiguous float32 CUDA matrix."""
    return torch.ops.row_sums.row_sums(x)
