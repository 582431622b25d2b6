"""a * b + c for CUDA tensors in one kernel, with gradients."""

# --8<-- [start:load]
import torch  # noqa: F401  # before _C, which is linked with torch's libraries

from . import _C  # noqa: F401  # loading it registers the operators
from .ops import muladd

# --8<-- [end:load]

__all__ = ["muladd"]
