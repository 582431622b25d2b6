"""Given: loads the compiled extension and gives it a Python name."""

import torch

import grader

grader.load("first_kernel", ["kernel.cu", "binding.cpp"], is_python_module=False)


def scale(x: torch.Tensor, alpha: float) -> torch.Tensor:
    """alpha * x for a contiguous float32 CUDA tensor of any shape."""
    return torch.ops.first_kernel.scale(x, alpha)
