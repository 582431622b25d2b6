"""cuSPARSE's products of sparse matrices, triangular systems and conversions against NumPy."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt import findings
from cusimt.tests.surface_program import Program, program, runtime
from cusimt.tests.test_libraries_host import compressed, sparse

Floats = NDArray[np.float32]
SUCCESS, INVALID_VALUE, EXECUTION_FAILED = 0, 3, 6
FLOAT, BY_ROWS = 0, 2  # CUDA_R_32F, CUSPARSE_ORDER_ROW
TYPE_NOT_SUPPORTED, NOT_SUPPORTED, INSUFFICIENT_RESOURCES = 8, 10, 11


@pytest.fixture(scope="module")
def host() -> Program:
    return program("sparse_matrices")


def product(host: Program, beta: float = 0, mistake: int = 0) -> tuple[NDArray[np.int32], Floats, Floats]:
    """Answers, 2 A B + beta C, and what that should be, of matrices with cancelling products."""
    a, b = sparse(9, 9, 1), sparse(9, 9, 2)
    a[0] = b[:, 0] = 0
    a[0, :2], b[:2, 0] = [3, -3], [5, 5]  # an entry whose value is zero
    is_there = (a != 0).astype(int) @ (b != 0).astype(int) > 0
    room = int(is_there.sum())
    offsets, columns = np.zeros(10, np.int32), np.zeros(room, np.int32)
    values = np.arange(room, dtype=np.float32)
    before = np.zeros((9, 9), np.float32)
    before[is_there] = values
    if not beta:
        values[:] = np.nan
    answers = np.full(3, -1, np.int32)
    parts = (compressed(each) for each in (a, b))
    (offsets_a, columns_a, values_a), (offsets_b, columns_b, values_b) = parts
    host.gemm(
        9, len(values_a), offsets_a, columns_a, values_a, len(values_b), offsets_b, columns_b, values_b,
        offsets, columns, values, float(beta), mistake, answers,
    )  # fmt: skip
    result = np.zeros((9, 9), np.float32)
    if answers[0] == SUCCESS:
        assert answers[1] == room
        assert answers[2] == sum((a[:, k] != 0).sum() * (b[k] != 0).sum() for k in range(9))
        rows = np.repeat(np.arange(9), np.diff(offsets))
        assert np.array_equal(np.nonzero(is_there), (rows, columns))
        result[rows, columns] = values
    return answers, result, 2 * a @ b + np.float32(beta) * before


@pytest.mark.parametrize("beta", [0, -3])
def test_sparse_times_sparse(host: Program, beta: float) -> None:
    answers, result, expected = product(host, beta)
    assert answers[0] == SUCCESS
    assert np.array_equal(result, expected)
    assert not findings.take()


@pytest.mark.parametrize(("mistake", "status"), [
    (1, INVALID_VALUE), (2, INSUFFICIENT_RESOURCES), (3, INVALID_VALUE), (4, NOT_SUPPORTED),
])  # fmt: skip
def test_what_a_product_of_sparse_matrices_refuses(host: Program, mistake: int, status: int) -> None:
    answers, result, _ = product(host, mistake=mistake)
    assert answers[0] == status
    assert not result.any()


def solved(
    host: Program, *, upper: int = 0, unit: int = 0, flips: tuple[int, int] = (0, 0), width: int = 3,
    mistake: int = 0,
) -> tuple[NDArray[np.int32], Floats, Floats, Floats]:  # fmt: skip
    """Answers, the solution, the same by SpSV, and what it should be. Both triangles of A have entries."""
    a = sparse(8, 8, 3) / 16
    np.fill_diagonal(a, np.arange(2, 10))
    triangle = np.triu(a) if upper else np.tril(a)
    if unit:
        np.fill_diagonal(triangle, 1)
    b = np.random.default_rng(4).normal(size=(8, width)).astype(np.float32)
    stored_b = np.ascontiguousarray(b.T if flips[1] else b)
    c, vector, answers = np.zeros((8, width), np.float32), np.zeros(8, np.float32), np.full(3, -1, np.int32)
    offsets, columns, values = compressed(a)
    host.solve(
        8, len(values), offsets, columns, values, upper, unit, *flips, width, stored_b, c, vector,
        0.5, mistake, answers,
    )  # fmt: skip
    expected = np.linalg.solve((triangle.T if flips[0] else triangle).astype(np.float64), 0.5 * b)
    return answers, c, vector, expected


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("unit", [0, 1])
@pytest.mark.parametrize("flips", [(0, 0), (1, 0), (0, 1)])
def test_triangular_systems(host: Program, upper: int, unit: int, flips: tuple[int, int]) -> None:
    answers, c, _, expected = solved(host, upper=upper, unit=unit, flips=flips)
    assert answers.tolist() == [SUCCESS, -1, 1]
    np.testing.assert_allclose(c, expected, rtol=2e-5, atol=1e-6)
    answers, c, vector, _ = solved(host, upper=upper, unit=unit, flips=flips, width=1)
    assert answers.tolist() == [SUCCESS, SUCCESS, 1]
    assert np.array_equal(vector, c[:, 0])
    assert not findings.take()


@pytest.mark.parametrize(("mistake", "status"), [(1, INVALID_VALUE), (2, EXECUTION_FAILED)])
def test_a_solve_needs_its_analysis_and_its_workspace(host: Program, mistake: int, status: int) -> None:
    answers, c, *_ = solved(host, mistake=mistake)
    assert answers[0] == status
    assert not c.any()


@pytest.mark.parametrize("numeric", [0, 1])
@pytest.mark.parametrize("base", [0, 1])
def test_rows_to_columns(host: Program, numeric: int, base: int) -> None:
    a = sparse(7, 5, 5).astype(np.float64)
    offsets, columns, values = compressed(a)
    count = len(values)
    new_offsets, new_rows, new_values = np.zeros(6, np.int32), np.zeros(count, np.int32), np.zeros(count)
    answers = np.full(1, -1, np.int32)
    host.csr_to_csc(
        7, 5, count, offsets + base, columns + base, values.astype(np.float64),
        new_offsets, new_rows, new_values, numeric, base, answers,
    )  # fmt: skip
    expected = compressed(a.T)
    assert answers[0] == SUCCESS
    assert np.array_equal(new_offsets - base, expected[0])
    assert np.array_equal(new_rows - base, expected[1])
    assert np.array_equal(new_values, expected[2] if numeric else np.zeros(count))
    assert not findings.take()


@pytest.mark.parametrize(("base", "mistake", "status"), [
    (0, 0, SUCCESS), (1, 0, SUCCESS), (0, 1, TYPE_NOT_SUPPORTED), (0, 2, EXECUTION_FAILED),
])  # fmt: skip
def test_sums_of_sparse_matrices(host: Program, base: int, mistake: int, status: int) -> None:
    a, b = (sparse(7, 5, seed).astype(np.float64) for seed in (6, 7))
    a[2, 3], b[2, 3] = 3, 2  # an entry whose value is zero: 2 * 3 - 3 * 2
    is_there = (a != 0) | (b != 0)
    entries = int(is_there.sum())
    offsets, columns, values = np.zeros(8, np.int32), np.zeros(entries, np.int32), np.zeros(entries)
    answers = np.full(2, -1, np.int32)
    (offsets_a, columns_a, values_a), (offsets_b, columns_b, values_b) = (compressed(each) for each in (a, b))
    host.add(
        7, 5, len(values_a), offsets_a, columns_a, values_a.astype(np.float64),
        len(values_b), offsets_b, columns_b, values_b.astype(np.float64), np.array([2.0, -3.0]),
        base, offsets, columns, values, mistake, answers,
    )  # fmt: skip
    assert answers[0] == status
    if status != SUCCESS:
        assert not values.any()
        return
    assert answers[1] == entries
    rows = np.repeat(np.arange(7), np.diff(offsets))
    assert offsets[0] == base and np.array_equal(np.nonzero(is_there), (rows, columns - base))
    assert np.array_equal(values, (2 * a - 3 * b)[is_there])
    assert not findings.take()


def test_calls_that_only_prepare_work_may_be_refused_too() -> None:
    library, matrix = runtime(), ctypes.c_void_p()
    sizes = [ctypes.c_int64(each) for each in (2, 3, 3)]
    room = np.zeros(6, np.float32)
    at = room.ctypes.data_as(ctypes.c_void_p)
    assert library.cusparseCreateDnMat(ctypes.byref(matrix), *sizes, at, FLOAT, BY_ROWS) == SUCCESS

    def set_batch() -> int:
        return int(library.cusparseDnMatSetStridedBatch(matrix, 1, ctypes.c_int64(6)))

    library.simt_refuse_library_call(2)
    assert [set_batch(), set_batch(), set_batch()] == [SUCCESS, INSUFFICIENT_RESOURCES, SUCCESS]
    assert library.cusparseDestroyDnMat(matrix) == SUCCESS
