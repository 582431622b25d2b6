"""nvcuda::wmma against numpy: every shape, type and layout, and what happens when lanes are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt.counters import counting
from cusimt.tests.surface_program import Program, no_findings, program

Matrix = NDArray[Any]
SHAPES = {16: (16, 16, 16), 32: (32, 8, 16), 8: (8, 32, 16)}
# Columns first: of the first factor, of the second, of the sum and the result.
LAYOUTS = [(False, False, False), (True, False, False), (False, True, True), (True, True, True)]


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def wmma(request: pytest.FixtureRequest) -> Program:
    return program("wmma", checked=request.param)


def spread(matrix: Matrix, by_columns: bool) -> Matrix:
    """As the kernel reads it: by rows or columns, each followed by 16 elements that it must not touch."""
    lines = matrix.T if by_columns else matrix
    return np.ascontiguousarray(np.pad(lines, ((0, 0), (0, 16)), constant_values=99))


def product(
    wmma: Program, name: str, factors: tuple[Matrix, Matrix], added: Matrix, layouts: int, m: int
) -> Matrix:
    by_columns = LAYOUTS[layouts]
    a, b, c = (spread(each, by) for each, by in zip((*factors, added), by_columns, strict=True))
    result = c.copy()
    wmma.call(name, a, b, c, result, layouts, m)
    assert np.all(result[:, -16:] == 99)
    inner = result[:, :-16]
    return inner.T if by_columns[2] else inner


def random_factors(shape: tuple[int, int, int], low: int, high: int, dtype: Any) -> tuple[Matrix, Matrix]:
    rng, (m, n, k) = np.random.default_rng(sum(shape)), shape
    return rng.integers(low, high, (m, k)).astype(dtype), rng.integers(low, high, (k, n)).astype(dtype)


@pytest.mark.parametrize("layouts", range(4))
@pytest.mark.parametrize("m", [16, 32, 8])
@pytest.mark.parametrize(
    ("name", "dtype", "sum_dtype", "low"),
    [
        ("half_float", np.float16, np.float32, -9),
        ("half_half", np.float16, np.float16, -9),
        ("int8", np.int8, np.int32, -128),
        ("uint8", np.uint8, np.int32, 0),
    ],
)
def test_products_of_integers_are_exact(
    wmma: Program, name: str, dtype: Any, sum_dtype: Any, low: int, m: int, layouts: int
) -> None:
    factors = random_factors(SHAPES[m], low, 9 if low == -9 else 127, dtype)
    exact = factors[0].astype(np.int64) @ factors[1].astype(np.int64)
    added = np.arange(exact.size).reshape(exact.shape).astype(sum_dtype)
    result = product(wmma, name, factors, added, layouts, m)
    assert np.array_equal(result, (exact + added.astype(np.int64)).astype(sum_dtype))


@pytest.mark.parametrize("layouts", range(4))
@pytest.mark.parametrize("m", [16, 32, 8])
def test_bfloat16(wmma: Program, m: int, layouts: int) -> None:
    factors = random_factors(SHAPES[m], -100, 100, np.float32)
    bits = tuple((each.view(np.uint32) >> 16).astype(np.uint16) for each in factors)
    exact = factors[0] @ factors[1]
    result = product(wmma, "bfloat16", (bits[0], bits[1]), np.ones_like(exact), layouts, m)
    assert np.array_equal(result, exact + 1)


@pytest.mark.parametrize("layouts", range(4))
def test_tf32_ignores_the_low_bits(wmma: Program, layouts: int) -> None:
    rng = np.random.default_rng(4)
    factors = (
        rng.normal(size=(16, 8)).astype(np.float32),
        rng.normal(size=(8, 16)).astype(np.float32),
    )
    cut = [(each.view(np.uint32) & 0xFFFFE000).view(np.float32).astype(np.float64) for each in factors]
    result = product(wmma, "tf32", factors, np.zeros((16, 16), np.float32), layouts, 16)
    np.testing.assert_allclose(result, cut[0] @ cut[1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("layouts", range(4))
def test_doubles(wmma: Program, layouts: int) -> None:
    rng = np.random.default_rng(5)
    factors = rng.normal(size=(8, 4)), rng.normal(size=(4, 8))
    added = rng.normal(size=(8, 8))
    result = product(wmma, "doubles", factors, added, layouts, 8)
    np.testing.assert_allclose(result, factors[0] @ factors[1] + added, rtol=1e-14, atol=1e-14)


def test_a_tiled_product(wmma: Program) -> None:
    a, b = np.random.default_rng(6).normal(size=(2, 64, 64)).astype(np.float16)
    result = np.zeros((64, 64), np.float32)
    wmma.matmul(a, b, result, 64)
    exact = 2 * (a.astype(np.float64) @ b.astype(np.float64)) + 1
    np.testing.assert_allclose(result, exact, rtol=1e-5, atol=1e-4)
    assert no_findings()


def test_multiply_adds_are_counted() -> None:
    a, b = np.ones((2, 64, 64), np.float16)
    with counting() as counts:
        program("wmma", checked=True).matmul(a, b, np.zeros((64, 64), np.float32), 64)
    assert [each.tensor_multiply_adds for each in counts] == [64**3]


def test_sizes_and_saturation(wmma: Program) -> None:
    facts = np.zeros(8, np.int32)
    wmma.facts(facts)
    wraps = (2**31 - 101 + 16 * 127 * 127) - 2**32
    assert facts.tolist() == [16, 4, 8, 4, wraps, 2**31 - 1, 0x3F802000, 0x3F800000]
