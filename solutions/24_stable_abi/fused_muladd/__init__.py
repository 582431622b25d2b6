"""a * b + c for CUDA tensors in one kernel, with gradients."""

from pathlib import Path

import torch

# --8<-- [start:load]
torch.ops.load_library(Path(__file__).parent / "_C.abi3.so")  # loading it registers the operators
from .ops import muladd  # noqa: E402, I001
# --8<-- [end:load]

__all__ = ["muladd"]
