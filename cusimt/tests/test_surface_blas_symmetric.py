"""cuBLAS: products with symmetric, triangular and diagonal matrices, against numpy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from cusimt.tests.device_arrays import Device, random, scalar
from cusimt.tests.surface_program import ON_GPU, Array, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuBLAS itself needs no test")

LEFT, RIGHT, LOWER, UPPER, UNIT = 0, 1, 0, 1, 1

sides = pytest.mark.parametrize("side", [LEFT, RIGHT])
triangles = pytest.mark.parametrize("uplo", [LOWER, UPPER])
operations = pytest.mark.parametrize("op", [0, 1])


def triangle(matrix: Array, uplo: int) -> Array:
    return np.tril(matrix) if uplo == LOWER else np.triu(matrix)


def half_of(matrix: Array, uplo: int) -> Array:
    """`matrix`, of which no element outside of the triangle is a number."""
    return np.where(triangle(np.ones_like(matrix), uplo) != 0, matrix, np.nan)


@triangles
@operations
@pytest.mark.parametrize("name", ["syrk", "syrkx", "syr2k"])
def test_updates_of_a_symmetric_matrix(
    blas: ctypes.c_void_p, device: Device, name: str, op: int, uplo: int
) -> None:
    n, k = 6, 5
    a, b = random(*((n, k) if op == 0 else (k, n))), random(*((k, n) if op else (n, k))) + 1
    c = random(n, n)
    at_a, at_b, at_c = device.put(a), device.put(b), device.put(c)
    second = () if name == "syrk" else (at_b, len(b))
    status = getattr(runtime(), f"cublasS{name}")(
        blas, uplo, op, n, k, scalar(2), at_a, len(a), *second, scalar(-1), at_c, n
    )
    assert status == 0
    x, y = (a.T, b.T) if op else (a, b)
    product = {"syrk": x @ x.T, "syrkx": x @ y.T, "syr2k": x @ y.T + y @ x.T}[name]
    expected = triangle(2 * product - c, uplo) + c - triangle(c, uplo)
    assert np.allclose(device.get(at_c, c), expected, rtol=1e-5, atol=1e-4)


@sides
@triangles
def test_a_product_reads_one_triangle_of_a_symmetric_matrix(
    blas: ctypes.c_void_p, device: Device, side: int, uplo: int
) -> None:
    m, n = 4, 7
    order = m if side == LEFT else n
    whole = random(order, order)
    whole = whole + whole.T
    b, c = random(m, n), np.full((m, n), np.nan, np.float32)
    at_a, at_b, at_c = device.put(half_of(whole, uplo)), device.put(b), device.put(c)
    status = runtime().cublasSsymm(
        blas, side, uplo, m, n, scalar(3), at_a, order, at_b, m, scalar(0), at_c, m
    )
    assert status == 0
    expected = 3 * (whole @ b if side == LEFT else b @ whole)
    assert np.allclose(device.get(at_c, c), expected, rtol=1e-5, atol=1e-4)


@sides
@triangles
@operations
@pytest.mark.parametrize("diagonal", [0, UNIT])
def test_a_product_with_a_triangle_may_replace_its_operand(
    blas: ctypes.c_void_p, device: Device, side: int, uplo: int, op: int, diagonal: int
) -> None:
    m, n = 5, 3
    order = m if side == LEFT else n
    a, b = random(order, order, np.float64), random(m, n, np.float64)
    given = half_of(a, uplo)
    if diagonal == UNIT:
        np.fill_diagonal(given, np.nan)
        np.fill_diagonal(a, 1)
    at_a, at_b = device.put(given), device.put(b)
    status = runtime().cublasDtrmm(
        blas, side, uplo, op, diagonal, m, n, scalar(0.5, np.float64), at_a, order, at_b, m, at_b, m
    )
    assert status == 0
    factor = triangle(a, uplo).T if op else triangle(a, uplo)
    assert np.allclose(device.get(at_b, b), 0.5 * (factor @ b if side == LEFT else b @ factor))


@sides
@pytest.mark.parametrize("step", [1, 2, -2])
def test_a_product_with_a_diagonal(blas: ctypes.c_void_p, device: Device, side: int, step: int) -> None:
    m, n = 4, 6
    order = m if side == LEFT else n
    a, x, c = random(m, n), random(2 * order, 1), np.zeros((m, n), np.float32)
    at_a, at_x, at_c = device.put(a), device.put(x), device.put(c)
    assert runtime().cublasSdgmm(blas, side, m, n, at_a, m, at_x, step, at_c, m) == 0
    taken = x[:, 0][:: abs(step)][:order][:: np.sign(step)]
    expected = taken[:, None] * a if side == LEFT else a * taken
    assert np.allclose(device.get(at_c, c), expected)


def test_a_size_that_is_no_size_is_refused(blas: ctypes.c_void_p, device: Device) -> None:
    at, one = device.put(random(4, 4)), scalar(1)
    call = runtime().cublasSsyrk
    assert call(blas, LOWER, 0, 4, 4, one, at, 3, one, at, 4) == 7  # CUBLAS_STATUS_INVALID_VALUE
    assert call(None, LOWER, 0, 4, 4, one, at, 4, one, at, 4) == 1  # CUBLAS_STATUS_NOT_INITIALIZED
    assert call(blas, LOWER, 0, 5, 4, one, at, 5, one, at, 5) == 13  # CUBLAS_STATUS_EXECUTION_FAILED
