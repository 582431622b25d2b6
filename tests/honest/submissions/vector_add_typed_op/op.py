from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import numpy as np

import grader

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

logger = logging.getLogger(__name__)
logger.addHandler(logging.NullHandler())
_DTYPE: Final = np.dtype(np.float32)
_native = grader.load("vector_add", ["kernel.cu", "binding.cpp"])


def vector_add(a: Vector, b: Vector, out: Vector | None = None) -> Vector:
    match out:
        case None:
            logger.debug("allocating %d elements", np.size(a))
            result = np.full(np.shape(a), np.nan, dtype=_DTYPE)
        case np.ndarray():
            result = out
        case _:
            raise TypeError(f"out must be an array or None, not {type(out).__name__}")
    _native.vector_add(a, b, result)
    return result
