"""cuBLAS: products of matrices and vectors, in every type and layout, against numpy."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence

import numpy as np
import pytest

from cusimt.tests.device_arrays import Device, random, scalar
from cusimt.tests.surface_program import ON_GPU, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuBLAS itself needs no test")

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 0, 1, 7, 13, 15
FLOAT, DOUBLE, HALF, INT8, INT32 = 0, 1, 2, 3, 10
COMPUTE_FLOAT, COMPUTE_INT32, COMPUTE_TF32 = 68, 72, 77
DEFAULT_MATH, TF32_MATH = 0, 3
TYPES = {FLOAT: np.float32, DOUBLE: np.float64, HALF: np.float16, INT8: np.int8, INT32: np.int32}


@pytest.mark.parametrize("op_b", [0, 1])
@pytest.mark.parametrize("op_a", [0, 1])
def test_a_product_inside_of_larger_matrices(
    blas: ctypes.c_void_p, device: Device, op_a: int, op_b: int
) -> None:
    m, n, k = 13, 7, 5
    a = random(*((m, k) if op_a == 0 else (k, m)))
    b = random(*((k, n) if op_b == 0 else (n, k)))
    c = random(20, n)
    padded_a = np.asfortranarray(np.pad(a, ((0, 3), (0, 0)), constant_values=np.nan))
    at_a, at_b, at_c = device.put(padded_a), device.put(b), device.put(c)
    status = runtime().cublasSgemm(
        blas, op_a, op_b, m, n, k, scalar(2), at_a, len(padded_a), at_b, len(b), scalar(-1), at_c, 20
    )
    assert status == SUCCESS
    expected = c.copy()
    expected[:m] = 2 * (a.T if op_a else a) @ (b.T if op_b else b) - c[:m]
    assert np.allclose(device.get(at_c, c), expected, rtol=1e-5, atol=1e-5)


def test_a_call_that_is_refused_says_so_by_its_status_and_computes_nothing(
    blas: ctypes.c_void_p, device: Device
) -> None:
    a, c = random(4, 4), np.full((4, 4), 77, np.float32, order="F")
    at_a, at_c = device.put(a), device.put(c)

    def multiply() -> int:
        one = scalar(1)
        status = runtime().cublasSgemm(blas, 0, 0, 4, 4, 4, one, at_a, 4, at_a, 4, scalar(0), at_c, 4)
        return int(status)

    runtime().simt_refuse_library_call(1)
    assert multiply() == EXECUTION_FAILED
    assert np.all(device.get(at_c, c) == 77)
    runtime().simt_refuse_library_call(2)
    assert [multiply(), multiply(), multiply()] == [SUCCESS, EXECUTION_FAILED, SUCCESS]
    assert np.allclose(device.get(at_c, c), a @ a, rtol=1e-5)


@pytest.mark.parametrize(
    ("type_ab", "type_c", "compute"),
    [(HALF, HALF, COMPUTE_FLOAT), (HALF, FLOAT, COMPUTE_FLOAT), (INT8, INT32, COMPUTE_INT32)],
)
def test_types_named_at_run_time(
    blas: ctypes.c_void_p, device: Device, type_ab: int, type_c: int, compute: int
) -> None:
    m, n, k = 6, 9, 33
    a, b = random(m, k, TYPES[type_ab]), random(k, n, TYPES[type_ab])
    c = np.full((m, n), 77, TYPES[type_c], order="F")
    at_a, at_b, at_c = device.put(a), device.put(b), device.put(c)
    kind = np.int32 if compute == COMPUTE_INT32 else np.float32
    one, zero = scalar(1, kind), scalar(0, kind)
    status = runtime().cublasGemmEx(
        blas, 0, 0, m, n, k, one, at_a, type_ab, m, at_b, type_ab, k, zero, at_c, type_c, m, compute, -1
    )
    assert status == SUCCESS
    expected = (a.astype(np.float64) @ b.astype(np.float64)).astype(TYPES[type_c])
    assert np.allclose(device.get(at_c, c), expected, rtol=2e-3 if type_c == HALF else 1e-5)


@pytest.mark.parametrize(
    ("low_bits", "rounded"),
    [
        (2.0**-12, 0),
        (2.0**-11, 2.0**-10),  # half way: to even
        (2.0**-10 + 2.0**-11, 2.0**-10),
        (2.0**-11 - 2.0**-23, 0),
        (math.inf, math.inf),
        (math.nan, math.nan),
    ],
)
@pytest.mark.parametrize(
    ("compute", "mode", "is_tf32"),
    [
        (COMPUTE_FLOAT, DEFAULT_MATH, False),
        (COMPUTE_FLOAT, TF32_MATH, True),
        (COMPUTE_TF32, DEFAULT_MATH, True),
    ],
)
@pytest.mark.parametrize("sign", [1, -1])
def test_tf32_rounds_to_ten_bits_of_a_mantissa(
    blas: ctypes.c_void_p,
    device: Device,
    compute: int,
    mode: int,
    is_tf32: bool,
    low_bits: float,
    rounded: float,
    sign: int,
) -> None:
    """Both the handle's math mode and the type to compute in switch it on."""
    leading = 1 + 2.0**-10
    a, b = np.full((1, 1), sign * (leading + low_bits), np.float32), np.ones((1, 1), np.float32)
    at_a, at_b, at_c = device.put(a), device.put(b), device.put(np.zeros_like(a))
    runtime().cublasSetMathMode(blas, mode)
    one, zero = scalar(1), scalar(0)
    status = runtime().cublasGemmEx(
        blas, 0, 0, 1, 1, 1, one, at_a, FLOAT, 1, at_b, FLOAT, 1, zero, at_c, FLOAT, 1, compute, -1
    )
    runtime().cublasSetMathMode(blas, DEFAULT_MATH)
    assert status == SUCCESS
    expected = sign * (leading + rounded) if is_tf32 else a[0, 0]
    assert np.array_equal(device.get(at_c, a)[0, 0], np.float32(expected), equal_nan=True)


COMPUTE_HALF, COMPUTE_DOUBLE = 64, 70


@pytest.mark.parametrize(
    ("dtype", "compute"),
    [(FLOAT, COMPUTE_HALF), (FLOAT, COMPUTE_DOUBLE), (DOUBLE, COMPUTE_FLOAT), (HALF, COMPUTE_DOUBLE)],
)
def test_a_type_to_compute_in_that_does_not_fit_is_refused(
    blas: ctypes.c_void_p, device: Device, dtype: int, compute: int
) -> None:
    """cuBLAS would read alpha in that type, and find another number."""
    at = device.put(np.ones((2, 2), TYPES[dtype]))
    one = scalar(1, np.float64)
    status = runtime().cublasGemmEx(
        blas, 0, 0, 2, 2, 2, one, at, dtype, 2, at, dtype, 2, one, at, dtype, 2, compute, -1
    )
    assert status == NOT_SUPPORTED


def test_batches_and_a_beta_of_zero_that_hides_nan(blas: ctypes.c_void_p, device: Device) -> None:
    a, b = random(4, 3 * 5, np.float64), random(3, 2 * 5, np.float64)
    c = np.full((4, 2 * 5), np.nan, order="F")
    at_a, at_b, at_c = device.put(a), device.put(b), device.put(c)
    one, zero, stride = scalar(1, np.float64), scalar(0, np.float64), ctypes.c_longlong
    status = runtime().cublasDgemmStridedBatched(
        blas, 0, 0, 4, 2, 3, one, at_a, 4, stride(12), at_b, 3, stride(6), zero, at_c, 4, stride(8), 5
    )
    assert status == SUCCESS
    result = device.get(at_c, c)
    for i in range(5):
        expected = a[:, 3 * i : 3 * i + 3] @ b[:, 2 * i : 2 * i + 2]
        assert np.allclose(result[:, 2 * i : 2 * i + 2], expected)


def test_vectors(blas: ctypes.c_void_p, device: Device) -> None:
    a, x, y = random(6, 4), random(4, 1), random(6, 1)
    at_a, at_x, at_y = device.put(a), device.put(x), device.put(y)
    result, index = ctypes.c_float(), ctypes.c_int()
    step = runtime().cublasSgemv(blas, 0, 6, 4, scalar(1), at_a, 6, at_x, 1, scalar(0.5), at_y, 1)
    assert step == SUCCESS
    expected = a @ x + 0.5 * y
    assert np.allclose(device.get(at_y, y), expected, rtol=1e-5)
    assert runtime().cublasSaxpy(blas, 3, scalar(3), at_x, 1, at_y, 2) == SUCCESS
    expected[::2] += 3 * x[:3]
    assert np.allclose(device.get(at_y, y), expected, rtol=1e-5)
    assert runtime().cublasSdot(blas, 4, at_x, 1, at_x, -1, ctypes.byref(result)) == SUCCESS
    assert result.value == pytest.approx(float(x[:, 0] @ x[::-1, 0]), rel=1e-5)
    assert runtime().cublasSnrm2(blas, 4, at_x, 1, ctypes.byref(result)) == SUCCESS
    assert result.value == pytest.approx(float(np.linalg.norm(x)), rel=1e-5)
    assert runtime().cublasIsamax(blas, 4, at_x, 1, ctypes.byref(index)) == SUCCESS
    assert index.value == int(np.abs(x).argmax()) + 1


def test_transposing_and_adding_in_place(blas: ctypes.c_void_p, device: Device) -> None:
    a = random(5, 5)
    at_a = device.put(a)
    status = runtime().cublasSgeam(blas, 1, 0, 5, 5, scalar(1), at_a, 5, scalar(2), at_a, 5, at_a, 5)
    assert status == SUCCESS
    assert np.allclose(device.get(at_a, a), a.T + 2 * a, rtol=1e-5)


def test_what_is_wrong_is_answered(blas: ctypes.c_void_p, device: Device) -> None:
    at, host = device.put(random(4, 4)), random(4, 4)
    one = scalar(1)

    def product(blas: object, a: object, lda: int) -> int:
        status: int = runtime().cublasSgemm(blas, 0, 0, 4, 4, 4, one, a, lda, at, 4, one, at, 4)
        return status

    assert product(None, at, 4) == NOT_INITIALIZED
    assert product(blas, at, 3) == INVALID_VALUE
    assert product(blas, ctypes.c_void_p(host.ctypes.data), 4) == EXECUTION_FAILED
    assert product(blas, at, 8) == EXECUTION_FAILED  # columns that far apart end outside
    assert product(blas, at, 4) == SUCCESS


@pytest.mark.parametrize(
    ("sizes", "leading", "why"),
    [
        ((4, 3, 2), (3, 2, 4), "lda is 3, and must be at least 4: that is m, the length of a column of A"),
        ((4, 3, 2), (4, 1, 4), "ldb is 1, and must be at least 2: that is k, the length of a column of B"),
        ((4, 3, 2), (4, 2, 3), "ldc is 3, and must be at least 4: that is m, the length of a column of C"),
        ((4, -3, 2), (4, 2, 4), "n is -3, and no size is negative"),
    ],
)
def test_a_refused_argument_is_named(
    blas: ctypes.c_void_p, device: Device, sizes: Sequence[int], leading: Sequence[int], why: str
) -> None:
    at, one = device.put(random(4, 4)), scalar(1)
    lda, ldb, ldc = leading
    status = runtime().cublasSgemm(blas, 0, 0, *sizes, one, at, lda, at, ldb, one, at, ldc)
    said = runtime().cublasGetStatusString
    said.restype = ctypes.c_char_p
    assert status == INVALID_VALUE
    assert said(status).decode().startswith(f"CUBLAS_STATUS_INVALID_VALUE ({why}")
    assert said(status) == b"CUBLAS_STATUS_INVALID_VALUE"  # of a later call that has no explanation
