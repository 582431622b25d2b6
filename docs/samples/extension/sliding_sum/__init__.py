"""Sums over a sliding window, on the CPU and on CUDA, differentiable as often as you like."""

import torch  # noqa: F401  # before _C, which is linked against torch's libraries

from . import _C  # noqa: F401  # registers the operators
from .ops import sliding_sum

__all__ = ["sliding_sum"]
