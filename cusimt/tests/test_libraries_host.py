"""cuSPARSE and cuRAND's host interface against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt import findings
from cusimt.tests.surface_program import Program, program

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
SUCCESS, INVALID_VALUE, EXECUTION_FAILED = 0, 3, 6
CSR, CSC, COO = 1, 2, 3


@pytest.fixture(scope="module")
def host() -> Program:
    return program("sparse")


def sparse(rows: int, cols: int, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    dense = rng.integers(-9, 9, (rows, cols)).astype(np.float32)
    return np.where(rng.random((rows, cols)) < 0.3, dense, np.float32(0))


def compressed(matrix: NDArray[np.floating]) -> tuple[Ints, Ints, Floats]:
    """Offsets, columns and values of the rows."""
    rows, columns = np.nonzero(matrix)
    offsets = np.r_[0, np.bincount(rows, minlength=len(matrix)).cumsum()]
    return offsets.astype(np.int32), columns.astype(np.int32), matrix[rows, columns].astype(np.float32)


def parts(matrix: Floats, layout: int) -> tuple[Ints, Ints, Floats]:
    if layout == COO:
        rows, columns = np.nonzero(matrix)  # counted from 1
        return (rows + 1).astype(np.int32), (columns + 1).astype(np.int32), matrix[rows, columns]
    return compressed(matrix if layout == CSR else matrix.T)


@pytest.mark.parametrize("layout", [CSR, CSC, COO])
@pytest.mark.parametrize(("flip_a", "flip_b"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize(("order_b", "order_c"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_sparse_times_dense(
    host: Program, layout: int, flip_a: int, flip_b: int, order_b: int, order_c: int
) -> None:
    a = sparse(7, 5, 1)
    rng = np.random.default_rng(2)
    op_a = a.T if flip_a else a
    op_b = rng.integers(-9, 9, (op_a.shape[1], 4)).astype(np.float32)
    before = rng.integers(-9, 9, (op_a.shape[0], 4)).astype(np.float32)
    stored_b = (op_b.T if flip_b else op_b).ravel(order="C" if order_b else "F")
    result = before.ravel(order="C" if order_c else "F").copy()
    outer, inner, values = parts(a, layout)
    numbers = np.array([7, 5, 4, len(values), flip_a, flip_b, order_b, order_c], np.int32)
    answers = np.full(1, -1, np.int32)
    scalars = np.array([2, -3], np.float32)
    host.sparse_dense(layout, numbers, outer, inner, values, stored_b, result, scalars, 0, answers)
    assert answers[0] == SUCCESS
    expected = 2 * op_a @ op_b - 3 * before
    assert np.array_equal(result.reshape(expected.shape, order="C" if order_c else "F"), expected)
    assert not findings.take()


@pytest.mark.parametrize(("rows", "cols", "nnz", "status"), [
    (2, 2, 4, SUCCESS), (0, 0, 0, SUCCESS), (1, 1, 3, INVALID_VALUE), (3, 2, 7, INVALID_VALUE),
    (0, 0, 1, INVALID_VALUE),
])  # fmt: skip
def test_no_matrix_has_more_entries_than_elements(
    host: Program, capfd: pytest.CaptureFixture[str], rows: int, cols: int, nnz: int, status: int
) -> None:
    answers = np.full(3, -1, np.int32)
    host.sparse_creation(rows, cols, nnz, np.zeros(8, np.int32), np.zeros(8, np.float32), answers)
    assert answers.tolist() == [status] * 3
    if status != SUCCESS:
        assert f"cusparseCreateCsr(): dimension mismatch, nnz ({nnz}) > matrix size ({rows * cols})" in (
            capfd.readouterr().err
        )


def test_with_beta_zero_the_old_result_does_not_matter(host: Program) -> None:
    a = sparse(6, 6, 3)
    outer, inner, values = compressed(a)
    b, result = np.eye(6, dtype=np.float32), np.full((6, 6), np.nan, np.float32)
    numbers = np.array([6, 6, 6, len(values), 0, 0, 1, 1], np.int32)
    answers = np.zeros(1, np.int32)
    host.sparse_dense(CSR, numbers, outer, inner, values, b, result, np.array([1, 0], np.float32), 0, answers)
    assert np.array_equal(result, a)


@pytest.mark.parametrize(
    ("mistake", "status"),
    [("workspace", INVALID_VALUE), ("entries", EXECUTION_FAILED), ("index", EXECUTION_FAILED)],
)
def test_mistakes_have_statuses(host: Program, mistake: str, status: int) -> None:
    a = sparse(6, 6, 3)
    outer, inner, values = compressed(a)
    b, result = np.eye(6, dtype=np.float32), np.zeros((6, 6), np.float32)
    numbers = np.array([6, 6, 6, len(values), 0, 0, 1, 1], np.int32)
    if mistake == "entries":
        numbers[3] = 36  # more than there are
    if mistake == "index":
        inner[2] = 6
    answers = np.zeros(1, np.int32)
    scalars = np.array([1, 0], np.float32)
    host.sparse_dense(
        CSR, numbers, outer, inner, values, b, result, scalars, int(mistake == "workspace"), answers
    )
    assert answers[0] == status
    assert not result.any()


@pytest.mark.parametrize("flip", [0, 1])
@pytest.mark.parametrize("shared", ["offsets", "matrix", "dense"])
def test_a_batch_of_sparse_products(host: Program, flip: int, shared: str) -> None:
    """Arrays with a stride of 0 serve all products: offsets alone, or all of A, or B."""
    rng = np.random.default_rng(8)
    first = sparse(6, 5, 9)
    offsets, columns, values = compressed(first)
    count, rows, inner = 3, 5 if flip else 6, 6 if flip else 5
    all_values = rng.integers(1, 9, (count, len(values))).astype(np.float32)
    dense = rng.integers(-9, 9, (count, inner, 4)).astype(np.float32)
    result = np.full((count, rows, 4), np.nan, np.float32)
    strides = {
        "offsets": [0, len(values), inner * 4, rows * 4],
        "matrix": [0, 0, inner * 4, rows * 4],
        "dense": [0, len(values), 0, rows * 4],
    }[shared]
    numbers = np.array([6, 5, 4, len(values), flip, 0, 1, 1], np.int32)
    answers = np.full(6, -1, np.int32)
    host.sparse_batch(
        numbers, offsets, np.tile(columns, count), all_values, dense, result, np.array(strides, np.int32),
        count, 1 if shared == "dense" else count, answers,
    )  # fmt: skip
    assert answers.tolist() == [SUCCESS, 1, INVALID_VALUE, SUCCESS, SUCCESS, SUCCESS]
    for number in range(count):
        a = np.zeros_like(first)
        a[np.nonzero(first)] = all_values[0 if shared == "matrix" else number]
        b = dense[0 if shared == "dense" else number]
        assert np.array_equal(result[number], (a.T if flip else a) @ b)
    assert not findings.take()


@pytest.mark.parametrize(("which", "call"), [(0, 3), (1, 3), (2, 4), (3, 5)])
def test_a_stride_at_which_a_batch_overlaps_is_refused(host: Program, which: int, call: int) -> None:
    """As measured with cuSPARSE on an H200: each array of a matrix ends before that of the next begins."""
    offsets, columns, values = compressed(sparse(6, 5, 9))
    strides = np.array([7, len(values), 5 * 4, 6 * 4], np.int32)
    strides[which] -= 1
    numbers, answers = np.array([6, 5, 4, len(values), 0, 0, 1, 1], np.int32), np.zeros(6, np.int32)
    host.sparse_batch(
        numbers, np.tile(offsets, 2), np.tile(columns, 2), np.tile(values, 2),
        np.zeros((2, 5, 4), np.float32), np.zeros((2, 6, 4), np.float32), strides, 2, 2, answers,
    )  # fmt: skip
    assert {number for number in (3, 4, 5) if answers[number] == INVALID_VALUE} == {call}


def test_a_batch_of_two_sizes_is_refused(host: Program) -> None:
    offsets, columns, values = compressed(sparse(6, 5, 9))
    numbers, answers = np.array([6, 5, 4, len(values), 0, 0, 1, 1], np.int32), np.zeros(6, np.int32)
    host.sparse_batch(
        numbers, offsets, columns, values, np.zeros((2, 5, 4), np.float32), np.zeros((3, 6, 4), np.float32),
        np.array([0, 0, 20, 24], np.int32), 3, 2, answers,
    )  # fmt: skip
    assert answers[0] == INVALID_VALUE


def test_sparse_times_vector_in_double_with_64_bit_indices(host: Program) -> None:
    a = sparse(50, 30, 4).astype(np.float64)
    offsets, columns, values = compressed(a)
    x, y = np.random.default_rng(5).normal(size=30), np.ones(50)
    answers = np.zeros(1, np.int32)
    host.sparse_vector(
        offsets.astype(np.int64),
        columns.astype(np.int64),
        values.astype(np.float64),
        x,
        y,
        np.array([2.0, 0.5]),
        50,
        30,
        len(values),
        answers,
    )
    assert answers[0] == SUCCESS
    np.testing.assert_allclose(y, 2 * a @ x + 0.5, rtol=1e-12)


def test_products_at_the_places_of_a_sparse_matrix(host: Program) -> None:
    pattern = sparse(9, 8, 6)
    offsets, columns, values = compressed(pattern)
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(9, 16)).astype(np.float16), rng.normal(size=(8, 16)).astype(np.float16)
    answers = np.zeros(1, np.int32)
    host.sampled(
        offsets, columns, values, a.view(np.uint16), b.view(np.uint16), 9, 8, 16, len(values), answers
    )
    assert answers[0] == SUCCESS
    product = a.astype(np.float64) @ b.astype(np.float64).T
    np.testing.assert_allclose(values, product[np.nonzero(pattern)], rtol=1e-5)


def test_generators_of_random_numbers(host: Program) -> None:
    n = 20000
    uniform, normal = np.zeros(n, np.float32), np.zeros(n, np.float32)
    log_normal, poisson, words = np.zeros(n), np.zeros(n, np.uint32), np.zeros(n, np.uint32)
    answers = np.zeros(2, np.int32)
    host.random_numbers(uniform, normal, log_normal, poisson, words, n, answers)
    assert 0 < uniform.min() <= uniform.max() <= 1
    assert abs(uniform.mean() - 0.5) < 0.01
    assert abs(normal.mean() - 3) < 0.05
    assert abs(normal.std() - 2) < 0.05
    assert abs(np.log(log_normal).mean() - 0.5) < 0.01
    assert abs(np.log(log_normal).std() - 0.25) < 0.01
    assert abs(poisson.mean() - 4.5) < 0.1
    assert abs(poisson.var() - 4.5) < 0.2
    assert len(np.unique(words)) == n
    length_not_multiple, launch_failure = 105, 201
    assert answers.tolist() == [length_not_multiple, launch_failure]  # an odd number of pairs; host memory
