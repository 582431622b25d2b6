"""What tests of the libraries hold for a while: arrays in device memory, a handle of cuBLAS, and scalars."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import numpy as np
from numpy.typing import NDArray

from cusimt.tests.surface_program import Array, runtime


class Device:
    """Arrays in device memory, column by column; freed at the end of the context."""

    def __init__(self) -> None:
        self.pointers: list[ctypes.c_void_p] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for pointer in self.pointers:
            runtime().cudaFree(pointer)

    def put(self, array: Array) -> ctypes.c_void_p:
        pointer = ctypes.c_void_p()
        assert runtime().cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(array.nbytes)) == 0
        data = np.asfortranarray(array)
        runtime().cudaMemcpy(pointer, ctypes.c_void_p(data.ctypes.data), ctypes.c_size_t(array.nbytes), 1)
        self.pointers.append(pointer)
        return pointer

    def get(self, pointer: ctypes.c_void_p, like: Array) -> Array:
        data = np.empty_like(like, order="F")
        runtime().cudaMemcpy(ctypes.c_void_p(data.ctypes.data), pointer, ctypes.c_size_t(like.nbytes), 2)
        return data


@contextmanager
def blas_handle() -> Iterator[ctypes.c_void_p]:
    """A handle of cuBLAS for the time of the context."""
    created = ctypes.c_void_p()
    assert runtime().cublasCreate(ctypes.byref(created)) == 0
    yield created
    assert runtime().cublasDestroy(created) == 0


def scalar(value: float, dtype: type = np.float32) -> ctypes.c_void_p:
    array: NDArray[np.generic] = np.array([value], dtype)
    scalar.kept.append(array)  # type: ignore[attr-defined]
    return ctypes.c_void_p(array.ctypes.data)


scalar.kept = []  # type: ignore[attr-defined]


def random(rows: int, cols: int, dtype: type = np.float32) -> Array:
    values = np.random.default_rng(rows * 100 + cols).uniform(-4, 4, (rows, cols))
    return np.asfortranarray(values.astype(dtype))
