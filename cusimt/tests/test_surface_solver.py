"""cuSOLVER for dense matrices, and cuBLAS's systems of equations, against numpy."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from cusimt.compiler import libraries
from cusimt.tests.device_arrays import Device, random, scalar
from cusimt.tests.surface_program import ON_GPU, Array, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuSOLVER itself needs no test")

SUCCESS, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 0, 3, 6, 9
LOWER, UPPER = 0, 1
LEFT, RIGHT = 0, 1
NONE, TRANSPOSED = 0, 1
BLAS_NOT_SUPPORTED = 15
DTYPES = {"S": np.float32, "D": np.float64}
TOLERANCE = {"S": 2e-4, "D": 1e-11}


@functools.cache
def solver() -> ctypes.CDLL:
    runtime()
    return ctypes.CDLL(str(libraries.solver_library()))


@pytest.fixture(scope="module")
def handle() -> Iterator[ctypes.c_void_p]:
    created = ctypes.c_void_p()
    assert solver().cusolverDnCreate(ctypes.byref(created)) == SUCCESS
    yield created
    assert solver().cusolverDnDestroy(created) == SUCCESS


class Call:
    """Calls of cuSOLVER with a workspace of the size that it asks for, and the `info` that it answers."""

    def __init__(self, letter: str, handle: ctypes.c_void_p, device: Device) -> None:
        self.letter, self.handle, self.device = letter, handle, device
        self.info = device.put(np.full(1, 77, np.int32))

    def __getattr__(self, name: str) -> Callable[..., int]:
        function = getattr(solver(), f"cusolverDn{self.letter}{name}")
        return functools.partial(function, self.handle)

    def workspace(self, name: str, *arguments: object) -> tuple[ctypes.c_void_p, int]:
        count = ctypes.c_int()
        assert getattr(self, f"{name}_bufferSize")(*arguments, ctypes.byref(count)) == SUCCESS
        return self.device.put(np.zeros(count.value, DTYPES[self.letter])), count.value

    def said(self) -> int:
        return int(self.device.get(self.info, np.zeros(1, np.int32))[0])


@pytest.fixture(params=["S", "D"])
def call(request: pytest.FixtureRequest, handle: ctypes.c_void_p, device: Device) -> Call:
    return Call(request.param, handle, device)


def symmetric(n: int, dtype: type) -> Array:
    a = random(n, n, np.float64)
    return np.asfortranarray((a @ a.T + n * np.eye(n)).astype(dtype))


@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_cholesky(call: Call, device: Device, uplo: int) -> None:
    a, b = symmetric(7, DTYPES[call.letter]), random(7, 3, DTYPES[call.letter])
    at, to = device.put(a), device.put(b)
    work, count = call.workspace("potrf", uplo, 7, at, 7)
    assert call.potrf(uplo, 7, at, 7, work, count, call.info) == SUCCESS
    assert call.said() == 0
    factor = np.linalg.cholesky(a.astype(np.float64))
    got = device.get(at, a)
    half = np.tril(got) if uplo == LOWER else np.triu(got).T
    assert np.allclose(half, factor, rtol=TOLERANCE[call.letter])
    assert call.potrs(uplo, 7, 3, at, 7, to, 7, call.info) == SUCCESS
    assert np.allclose(a.astype(np.float64) @ device.get(to, b), b, atol=TOLERANCE[call.letter] * 10)
    broken = device.put(np.asfortranarray(np.diag([1, 2, -3, 4, 5, 6, 7]).astype(DTYPES[call.letter])))
    call.potrf(uplo, 7, broken, 7, work, count, call.info)
    assert call.said() == 3


@pytest.mark.parametrize("op", [NONE, TRANSPOSED])
@pytest.mark.parametrize("pivots", [True, False])
def test_lu(call: Call, device: Device, op: int, pivots: bool) -> None:
    dtype = DTYPES[call.letter]
    a, b = symmetric(6, dtype), random(6, 2, dtype)
    a[0, 1] += 3
    at, to = device.put(a), device.put(b)
    order = device.put(np.zeros(6, np.int32)) if pivots else None
    work, _ = call.workspace("getrf", 6, 6, at, 6)
    assert call.getrf(6, 6, at, 6, work, order, call.info) == SUCCESS
    assert call.said() == 0
    assert call.getrs(op, 6, 2, at, 6, order, to, 6, call.info) == SUCCESS
    left = (a.T if op else a).astype(np.float64)
    assert np.allclose(left @ device.get(to, b), b, atol=TOLERANCE[call.letter] * 10)


@pytest.mark.parametrize(("m", "n"), [(8, 5), (5, 5), (5, 8)])
def test_qr(call: Call, device: Device, m: int, n: int) -> None:
    dtype, k = DTYPES[call.letter], min(m, n)
    a = random(m, n, dtype)
    at, tau = device.put(a), device.put(np.zeros(k, dtype))
    work, count = call.workspace("geqrf", m, n, at, m)
    assert call.geqrf(m, n, at, m, tau, work, count, call.info) == SUCCESS
    r = np.triu(device.get(at, a))[:k]
    product = random(m, 4, dtype)
    to = device.put(product)
    work, count = call.workspace("ormqr", LEFT, TRANSPOSED, m, 4, k, at, m, tau, to, m)
    assert call.ormqr(LEFT, TRANSPOSED, m, 4, k, at, m, tau, to, m, work, count, call.info) == SUCCESS
    work, count = call.workspace("orgqr", m, k, k, at, m, tau)
    assert call.orgqr(m, k, k, at, m, tau, work, count, call.info) == SUCCESS
    q = device.get(at, a)[:, :k]
    tolerance = TOLERANCE[call.letter] * 10
    assert np.allclose(q @ r, a, atol=tolerance)
    assert np.allclose(q.T @ q, np.eye(k), atol=tolerance)
    assert np.allclose(device.get(to, product)[:k], q.T @ product, atol=tolerance)


@pytest.mark.parametrize(("job_u", "job_vt"), ["AA", "SS", "NN", "SN", "NA"])
def test_singular_values(call: Call, device: Device, job_u: str, job_vt: str) -> None:
    dtype, m, n = DTYPES[call.letter], 9, 4
    a = random(m, n, dtype)
    at, s = device.put(a), device.put(np.zeros(n, dtype))
    columns = m if job_u == "A" else n
    u, vt = np.full((m, columns), 7, dtype, order="F"), np.full((n, n), 7, dtype, order="F")
    at_u, at_vt = device.put(u), device.put(vt)
    work, count = call.workspace("gesvd", m, n)
    jobs = [ctypes.c_byte(ord(job)) for job in (job_u, job_vt)]
    assert call.gesvd(*jobs, m, n, at, m, s, at_u, m, at_vt, n, work, count, None, call.info) == SUCCESS
    values = device.get(s, np.zeros(n, dtype))
    right = np.linalg.svd(a.astype(np.float64))
    tolerance = TOLERANCE[call.letter] * 10
    assert np.allclose(values, right[1], atol=tolerance)
    u, vt = device.get(at_u, u), device.get(at_vt, vt)
    assert np.allclose(u.T @ u, np.eye(columns), atol=tolerance) if job_u != "N" else (u == 7).all()
    assert np.allclose(vt @ vt.T, np.eye(n), atol=tolerance) if job_vt != "N" else (vt == 7).all()
    if "N" not in job_u + job_vt:
        assert np.allclose((u[:, :n] * values) @ vt, a, atol=tolerance)


@pytest.mark.parametrize("uplo", [LOWER, UPPER])
def test_eigenvalues(call: Call, device: Device, uplo: int) -> None:
    dtype, n = DTYPES[call.letter], 6
    a = symmetric(n, dtype)
    half = np.asfortranarray(np.tril(a) if uplo == LOWER else np.triu(a))
    at, w = device.put(half), device.put(np.zeros(n, dtype))
    work, count = call.workspace("syevd", 1, uplo, n, at, n, w)
    assert call.syevd(1, uplo, n, at, n, w, work, count, call.info) == SUCCESS
    values, vectors = device.get(w, np.zeros(n, dtype)), device.get(at, a)
    assert np.allclose(values, np.linalg.eigvalsh(a.astype(np.float64)), rtol=TOLERANCE[call.letter])
    assert np.allclose(a @ vectors, vectors * values, atol=TOLERANCE[call.letter] * 200)


def test_what_is_wrong_is_answered(handle: ctypes.c_void_p, device: Device) -> None:
    call = Call("D", handle, device)
    a = symmetric(4, np.float64)
    at, host = device.put(a), np.zeros(64)
    work, count = call.workspace("potrf", LOWER, 4, at, 4)
    assert call.potrf(LOWER, 4, at, 3, work, count, call.info) == INVALID_VALUE
    assert call.potrf(LOWER, 4, at, 4, work, 0, call.info) == INVALID_VALUE
    assert call.potrf(LOWER, 4, at, 8, work, count, call.info) == EXECUTION_FAILED  # ends outside
    elsewhere = ctypes.c_void_p(host.ctypes.data)
    assert call.potrf(LOWER, 4, elsewhere, 4, work, count, call.info) == EXECUTION_FAILED
    values = device.put(np.zeros(4))
    jobs = [ctypes.c_byte(ord(job)) for job in "OA"]
    arguments = (4, 4, at, 4, values, at, 4, at, 4, work, count, None, call.info)
    assert call.gesvd(*jobs, *arguments) == NOT_SUPPORTED
    assert call.said() == 77


# ---- cuBLAS ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("side", [LEFT, RIGHT])
@pytest.mark.parametrize("uplo", [LOWER, UPPER])
@pytest.mark.parametrize("op", [NONE, TRANSPOSED])
@pytest.mark.parametrize("unit", [0, 1])
def test_triangular_systems(
    blas: ctypes.c_void_p, device: Device, side: int, uplo: int, op: int, unit: int
) -> None:
    m, n = 5, 3
    order = m if side == LEFT else n
    a, b = random(order, order, np.float64) + 9 * np.eye(order), random(m + 2, n, np.float64)
    at, to = device.put(a), device.put(b)
    two = scalar(2, np.float64)
    status = runtime().cublasDtrsm(blas, side, uplo, op, unit, m, n, two, at, order, to, m + 2)
    assert status == SUCCESS
    triangle = np.tril(a) if uplo == LOWER else np.triu(a)
    if unit:
        np.fill_diagonal(triangle, 1)
    triangle = triangle.T if op else triangle
    x = device.get(to, b)
    product = triangle @ x[:m] if side == LEFT else x[:m] @ triangle
    assert np.allclose(product, 2 * b[:m])
    assert np.array_equal(x[m:], b[m:])


def addresses(device: Device, matrices: list[Array]) -> tuple[list[ctypes.c_void_p], ctypes.c_void_p]:
    each = [device.put(matrix) for matrix in matrices]
    return each, device.put(np.array([pointer.value for pointer in each], np.uint64))


def test_batches_of_inverses(blas: ctypes.c_void_p, device: Device) -> None:
    matrices = [random(4, 4, np.float64) + scale * np.eye(4) for scale in (1, 2, 3)]
    matrices.append(np.diag([1.0, 0, 2, 3]))
    _, a = addresses(device, matrices)
    results, c = addresses(device, [np.zeros((4, 4)) for _ in matrices])
    pivots, info = device.put(np.zeros(16, np.int32)), device.put(np.full(4, 9, np.int32))
    assert runtime().cublasDgetrfBatched(blas, 4, a, 4, pivots, info, 4) == SUCCESS
    assert device.get(info, np.zeros(4, np.int32)).tolist() == [0, 0, 0, 2]
    assert runtime().cublasDgetriBatched(blas, 4, a, 4, pivots, c, 4, info, 4) == SUCCESS
    assert device.get(info, np.zeros(4, np.int32)).tolist() == [0, 0, 0, 2]
    for matrix, result in zip(matrices[:3], results, strict=False):
        assert np.allclose(device.get(result, matrix) @ matrix, np.eye(4))


def test_least_squares(blas: ctypes.c_void_p, device: Device) -> None:
    matrices, sides = [random(7, 3 + i, np.float64)[:, :3] for i in range(2)], [random(7, 2, np.float64)] * 2
    _, a = addresses(device, matrices)
    results, c = addresses(device, sides)
    info, infos = ctypes.c_int(), device.put(np.full(2, 9, np.int32))
    arguments = (blas, NONE, 7, 3, 2, a, 7, c, 7, ctypes.byref(info), infos, 2)
    assert runtime().cublasDgelsBatched(*arguments) == SUCCESS
    assert (info.value, device.get(infos, np.zeros(2, np.int32)).tolist()) == (0, [0, 0])
    for matrix, side, result in zip(matrices, sides, results, strict=True):
        right = np.linalg.lstsq(matrix, side, rcond=None)[0]
        assert np.allclose(device.get(result, side)[:3], right)
    assert runtime().cublasDgelsBatched(blas, NONE, 3, 7, *arguments[4:]) != SUCCESS
    assert runtime().cublasDgelsBatched(blas, TRANSPOSED, *arguments[2:]) == BLAS_NOT_SUPPORTED


@pytest.mark.parametrize(("type_", "dtype"), [(0, np.float32), (1, np.float64), (2, np.float16)])
def test_a_dot_product_of_named_types(blas: ctypes.c_void_p, device: Device, type_: int, dtype: type) -> None:
    x, y = random(9, 1, dtype), random(1, 9, dtype)
    at, to, result = device.put(x), device.put(y), np.zeros(1, dtype)
    compute = type_ if type_ < 2 else 0
    status = runtime().cublasDotEx(
        blas, 5, at, type_, 2, to, type_, -1, ctypes.c_void_p(result.ctypes.data), type_, compute
    )
    assert status == SUCCESS
    right = x.ravel()[::2].astype(np.float64) @ y.ravel()[4::-1].astype(np.float64)
    assert result[0] == pytest.approx(right, rel=2e-3 if type_ == 2 else 1e-6)
    assert runtime().cublasDotEx(blas, 5, at, type_, 1, to, 8, 1, at, type_, 0) == BLAS_NOT_SUPPORTED
