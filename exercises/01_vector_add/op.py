"""Given: loads the compiled module, and allocates the result if the caller passes none."""

import numpy as np

import grader

_extension = grader.load("vector_add", ["kernel.cu", "binding.cpp"])


def vector_add(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """a + b on the device, for float32 vectors of equal length; written into `out` if given."""
    if out is None:
        out = np.full(np.shape(a), np.nan, dtype=np.float32)  # so that an unwritten element shows
    _extension.vector_add(a, b, out)
    return out
