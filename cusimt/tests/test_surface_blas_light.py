"""cuBLASLt: products that descriptors describe, with a bias and an activation, against numpy."""

from __future__ import annotations

import ctypes
import functools

import numpy as np
import pytest

from cusimt.tests.device_arrays import Device, random, scalar
from cusimt.tests.surface_program import ON_GPU, Array, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuBLASLt itself needs no test")

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, NOT_SUPPORTED = 0, 1, 7, 15
FLOAT, HALF = 0, 2
TYPES = {FLOAT: np.float32, HALF: np.float16}
COMPUTE_FLOAT, COMPUTE_DOUBLE = 68, 70
ORDER, BATCH_COUNT, STRIDE = 1, 5, 6  # attributes of a layout
POINTER_MODE, OP_A, OP_B, EPILOGUE, BIAS = 2, 3, 4, 7, 8  # attributes of a product
AUXILIARY_POINTER, BIAS_TYPE = 11, 26
DEFAULT, RELU, GELU, ADD_BIAS, RELU_AUX = 1, 2, 32, 4, 130
STREAM = WORKSPACE = ALGORITHM = None


def layout(rows: int, cols: int, type_: int = FLOAT, leading: int | None = None) -> ctypes.c_void_p:
    created = ctypes.c_void_p()
    sizes = (ctypes.c_uint64(rows), ctypes.c_uint64(cols), ctypes.c_int64(leading or rows))
    assert runtime().cublasLtMatrixLayoutCreate(ctypes.byref(created), type_, *sizes) == SUCCESS
    return created


def description(
    compute: int = COMPUTE_FLOAT, scale: int = FLOAT, **values: ctypes.c_void_p | int
) -> ctypes.c_void_p:
    created = ctypes.c_void_p()
    assert runtime().cublasLtMatmulDescCreate(ctypes.byref(created), compute, scale) == SUCCESS
    for name, value in values.items():
        assert set_product(created, globals()[name], value) == SUCCESS
    return created


def set_product(descriptor: ctypes.c_void_p, attribute: int, value: ctypes.c_void_p | int) -> int:
    held = value if isinstance(value, ctypes.c_void_p) else ctypes.c_int32(value)
    status: int = runtime().cublasLtMatmulDescSetAttribute(
        descriptor, attribute, ctypes.byref(held), ctypes.c_size_t(ctypes.sizeof(held))
    )
    return status


def set_layout(descriptor: ctypes.c_void_p, attribute: int, value: ctypes.c_int32 | ctypes.c_int64) -> int:
    status: int = runtime().cublasLtMatrixLayoutSetAttribute(
        descriptor, attribute, ctypes.byref(value), ctypes.c_size_t(ctypes.sizeof(value))
    )
    return status


def gelu(x: Array) -> Array:
    result: Array = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    return result


ACTIVATIONS = {DEFAULT: lambda x: x, RELU: lambda x: np.maximum(x, 0), GELU: gelu}


@pytest.mark.parametrize("dtype", [FLOAT, HALF])
@pytest.mark.parametrize("activation", [DEFAULT, RELU, GELU])
@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("op_a", "op_b"), [(0, 0), (1, 0), (0, 1)])
def test_a_product_with_a_bias_and_an_activation(
    blas: ctypes.c_void_p, device: Device, dtype: int, activation: int, has_bias: bool, op_a: int, op_b: int
) -> None:
    m, n, k = 13, 7, 5
    a, b = random(*((k, m) if op_a else (m, k))) / 4, random(*((n, k) if op_b else (k, n))) / 4
    a, b, c, bias = (x.astype(TYPES[dtype]) for x in (a, b, random(m, n), random(m, 1)))
    at_a, at_b, at_c, at_bias = (device.put(x) for x in (a, b, c, bias))
    padded = np.full((m + 3, n), 77, TYPES[dtype], order="F")
    at_d = device.put(padded)
    epilogue = (ADD_BIAS | (0 if activation == DEFAULT else activation)) if has_bias else activation
    product = description(OP_A=op_a, OP_B=op_b, EPILOGUE=epilogue)
    if has_bias:
        assert set_product(product, BIAS, at_bias) == SUCCESS
    of_a, of_b, of_c = (layout(len(x), x.shape[1], dtype) for x in (a, b, c))
    of_d = layout(m, n, dtype, m + 3)
    matrices = (at_a, of_a, at_b, of_b)
    arguments = (scalar(2), *matrices, scalar(-1), at_c, of_c, at_d, of_d, ALGORITHM, WORKSPACE)
    status = runtime().cublasLtMatmul(blas, product, *arguments, ctypes.c_size_t(0), STREAM)
    assert status == SUCCESS
    wide = [x.astype(np.float64) for x in (a, b, c, bias)]
    value = 2 * (wide[0].T if op_a else wide[0]) @ (wide[1].T if op_b else wide[1]) - wide[2]
    expected = ACTIVATIONS[activation](value + wide[3] if has_bias else value)
    result = device.get(at_d, padded)
    tolerance = 1e-5 if dtype == FLOAT else 2e-3
    assert np.allclose(result[:m], expected, rtol=tolerance, atol=tolerance)
    assert np.all(result[m:] == 77)
    assert np.array_equal(device.get(at_c, c), c)


def test_a_batch_in_place_and_a_beta_of_zero_that_hides_nan(blas: ctypes.c_void_p, device: Device) -> None:
    a, b, c = random(4, 3 * 5), random(3, 2 * 5), np.full((4, 2 * 5), np.nan, np.float32, order="F")
    at_a, at_b, at_c = device.put(a), device.put(b), device.put(c)
    layouts = layout(4, 3), layout(3, 2), layout(4, 2)
    for each, stride in zip(layouts, (12, 6, 8), strict=True):
        assert set_layout(each, BATCH_COUNT, ctypes.c_int32(5)) == SUCCESS
        assert set_layout(each, STRIDE, ctypes.c_int64(stride)) == SUCCESS
    of_a, of_b, of_c = layouts
    matrices = (at_a, of_a, at_b, of_b)
    arguments = (scalar(1), *matrices, scalar(0), at_c, of_c, at_c, of_c, ALGORITHM, WORKSPACE)
    assert runtime().cublasLtMatmul(blas, description(), *arguments, ctypes.c_size_t(0), STREAM) == SUCCESS
    result = device.get(at_c, c)
    for i in range(5):
        expected = a[:, 3 * i : 3 * i + 3] @ b[:, 2 * i : 2 * i + 2]
        assert np.allclose(result[:, 2 * i : 2 * i + 2], expected, rtol=1e-5, atol=1e-5)


def heuristic(blas: ctypes.c_void_p, product: ctypes.c_void_p, *layouts: ctypes.c_void_p) -> tuple[int, int]:
    """The status of the question for an algorithm, and the number of algorithms."""
    preference, results, returned = ctypes.c_void_p(), ctypes.create_string_buffer(96), ctypes.c_int(-1)
    assert runtime().cublasLtMatmulPreferenceCreate(ctypes.byref(preference)) == SUCCESS
    status = runtime().cublasLtMatmulAlgoGetHeuristic(
        blas, product, *layouts, preference, 1, results, ctypes.byref(returned)
    )
    assert runtime().cublasLtMatmulPreferenceDestroy(preference) == SUCCESS
    return status, returned.value


def test_the_heuristic_answers_before_the_product(blas: ctypes.c_void_p) -> None:
    good = layout(4, 3), layout(3, 2), layout(4, 2), layout(4, 2)
    assert heuristic(blas, description(), *good) == (SUCCESS, 1)
    misfit = layout(4, 3), layout(5, 2), layout(4, 2), layout(4, 2)
    assert heuristic(blas, description(), *misfit) == (INVALID_VALUE, 0)
    assert heuristic(blas, description(EPILOGUE=RELU_AUX), *good) == (NOT_SUPPORTED, 0)
    assert heuristic(blas, description(COMPUTE_DOUBLE, 1), *good) == (NOT_SUPPORTED, 0)
    by_rows = layout(4, 3)
    assert set_layout(by_rows, ORDER, ctypes.c_int32(1)) == SUCCESS
    assert heuristic(blas, description(), by_rows, *good[1:]) == (NOT_SUPPORTED, 0)


def test_what_is_refused_is_named(blas: ctypes.c_void_p, device: Device) -> None:
    string = runtime().cublasGetStatusString
    string.restype = ctypes.c_char_p
    assert set_product(description(), AUXILIARY_POINTER, ctypes.c_void_p(8)) == NOT_SUPPORTED
    assert b"attribute 11" in string(NOT_SUPPORTED)
    assert set_product(description(), BIAS, 5) == INVALID_VALUE  # four bytes for a pointer
    assert b"attribute 8 has 8 bytes" in string(INVALID_VALUE)
    at = device.put(random(4, 4))
    square = layout(4, 4)
    ends = (scalar(0), at, square, at, square, ALGORITHM, WORKSPACE, ctypes.c_size_t(0), STREAM)
    multiply = functools.partial(runtime().cublasLtMatmul, blas)
    product = description(EPILOGUE=ADD_BIAS)
    assert multiply(product, scalar(1), at, square, at, square, *ends) == INVALID_VALUE
    assert b"bias" in string(INVALID_VALUE)
    nothing = runtime().cublasLtMatmul(None, product, scalar(1), at, square, at, square, *ends)
    assert nothing == NOT_INITIALIZED
