"""alpha * x.

>>> scale(torch.ones(3, device="cuda"), 2.0)
tensor([2., 2., 2.], device='cuda:0')
"""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import torch

import grader

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["scale"]

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())

grader.load("first_kernel", ["kernel.cu", "binding.cpp"], is_python_module=False)


def timed(function: Callable[P, R]) -> Callable[P, R]:
    """Log how long a call of `function` takes on the host."""

    @functools.wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> R:
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            logger.debug("%s took %.3f ms", function.__name__, 1e3 * (time.perf_counter() - start))

    return inner


@timed
def scale(x: Tensor, alpha: float) -> Tensor:
    """alpha * x for a contiguous float32 CUDA tensor of any shape."""
    return torch.ops.first_kernel.scale.default(x, float(alpha))
