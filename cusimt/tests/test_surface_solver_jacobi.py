"""cuSOLVER's Jacobi methods against numpy: singular values, and eigenvalues of Hermitian matrices."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest

from cusimt.compiler import libraries
from cusimt.tests.device_arrays import Device
from cusimt.tests.surface_program import ON_GPU, Array, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuSOLVER itself needs no test")

SUCCESS, NOT_INITIALIZED, INVALID_VALUE, EXECUTION_FAILED, NOT_SUPPORTED = 0, 1, 3, 6, 9
VALUES_ONLY, VECTORS = 0, 1
LOWER, UPPER = 0, 1
ELEMENT = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
REAL = {"S": np.float32, "D": np.float64, "C": np.float32, "Z": np.float64}
TOLERANCE = {"S": 1e-4, "D": 1e-11, "C": 1e-4, "Z": 1e-11}


@functools.cache
def solver() -> ctypes.CDLL:
    runtime()
    return ctypes.CDLL(str(libraries.solver_library()))


@dataclass
class Jacobi:
    """Calls of one method for one type of elements, `info` that they answer, and what the method is told."""

    letter: str
    method: str  # "gesvdj" or "syevj", which is called heevj for complex matrices
    device: Device
    handle: ctypes.c_void_p = field(default_factory=ctypes.c_void_p)
    parameters: ctypes.c_void_p = field(default_factory=ctypes.c_void_p)

    def __post_init__(self) -> None:
        assert solver().cusolverDnCreate(ctypes.byref(self.handle)) == SUCCESS
        assert self._about("Create")(ctypes.byref(self.parameters)) == SUCCESS

    def close(self) -> None:
        assert self._about("Destroy")(self.parameters) == SUCCESS
        assert solver().cusolverDnDestroy(self.handle) == SUCCESS

    def _about(self, verb: str) -> Callable[..., int]:
        function: Callable[..., int] = getattr(solver(), f"cusolverDn{verb}{self.method.capitalize()}Info")
        return function

    def set(self, name: str, value: float) -> int:
        argument = ctypes.c_double(value) if name == "Tolerance" else ctypes.c_int(int(value))
        status: int = getattr(solver(), f"cusolverDnX{self.method}Set{name}")(self.parameters, argument)
        return status

    def tell(self, name: str) -> tuple[int, float]:
        answer = ctypes.c_double() if name == "Residual" else ctypes.c_int()
        function = getattr(solver(), f"cusolverDnX{self.method}Get{name}")
        return function(self.handle, self.parameters, ctypes.byref(answer)), answer.value

    def __call__(self, *arguments: object, batch: int | None = None) -> tuple[int, list[int]]:
        """The status, and `info` of each matrix."""
        name = "heevj" if self.method == "syevj" and self.letter in "CZ" else self.method
        function = f"cusolverDn{self.letter}{name}{'' if batch is None else 'Batched'}"
        batches = () if batch is None else (batch,)
        count = ctypes.c_int()
        ask = getattr(solver(), f"{function}_bufferSize")
        status: int = ask(self.handle, *arguments, ctypes.byref(count), self.parameters, *batches)
        if status != SUCCESS:
            return status, []
        work = self.device.put(np.zeros(count.value, ELEMENT[self.letter]))
        infos = np.full(batch or 1, 77, np.int32)
        info = self.device.put(infos)
        call = getattr(solver(), function)
        status = call(self.handle, *arguments, work, count, info, self.parameters, *batches)
        return status, self.device.get(info, infos).tolist()


@pytest.fixture(params=list(ELEMENT))
def gesvdj(request: pytest.FixtureRequest, device: Device) -> Iterator[Jacobi]:
    yield (made := Jacobi(request.param, "gesvdj", device))
    made.close()


@pytest.fixture(params=list(ELEMENT))
def syevj(request: pytest.FixtureRequest, device: Device) -> Iterator[Jacobi]:
    yield (made := Jacobi(request.param, "syevj", device))
    made.close()


def random(rows: int, columns: int, letter: str, seed: int = 0) -> Array:
    draw = np.random.default_rng([rows, columns, seed]).uniform
    values = draw(-4, 4, (rows, columns)) + (1j * draw(-4, 4, (rows, columns)) if letter in "CZ" else 0)
    return np.asfortranarray(values.astype(ELEMENT[letter]))


def hermitian(n: int, letter: str, seed: int = 0) -> Array:
    a = random(n, n, letter, seed)
    return np.asfortranarray(a + a.conj().T)


def close(got: Array, right: Array, letter: str) -> bool:
    return np.allclose(got, right, rtol=TOLERANCE[letter], atol=TOLERANCE[letter] * 10)


def orthonormal(columns: Array, letter: str) -> bool:
    return close(columns.conj().T @ columns, np.eye(columns.shape[1]), letter)


@pytest.mark.parametrize("econ", [0, 1])
@pytest.mark.parametrize(("m", "n"), [(9, 4), (5, 5), (3, 8), (1, 1)])
def test_singular_values(gesvdj: Jacobi, device: Device, m: int, n: int, econ: int) -> None:
    letter, shorter = gesvdj.letter, min(m, n)
    a, gap = random(m + 1, n, letter), 2  # rows between the columns, which no call touches
    u = np.full((m + gap, shorter if econ else m), 7, ELEMENT[letter], order="F")
    v = np.full((n + gap, shorter if econ else n), 7, ELEMENT[letter], order="F")
    s = np.zeros(shorter, REAL[letter])
    to_s, to_u, to_v = device.put(s), device.put(u), device.put(v)
    matrix = (m, n, device.put(a), m + 1)
    assert gesvdj(VECTORS, econ, *matrix, to_s, to_u, m + gap, to_v, n + gap) == (SUCCESS, [0])
    s, u, v = device.get(to_s, s), device.get(to_u, u), device.get(to_v, v)
    assert (u[m : m + gap, :-1] == 7).all()
    u, v = u[:m], v[:n]
    assert close(s, np.linalg.svd(a[:m].astype(np.complex128))[1], letter)
    assert orthonormal(u, letter)
    assert orthonormal(v, letter)
    assert close((u[:, :shorter] * s) @ v[:, :shorter].conj().T, a[:m], letter)
    (status, sweeps), (_, residual) = gesvdj.tell("Sweeps"), gesvdj.tell("Residual")
    assert status == SUCCESS
    assert 1 <= sweeps < 30
    assert residual <= TOLERANCE[letter]


def test_singular_values_without_vectors_leave_those_alone(gesvdj: Jacobi, device: Device) -> None:
    a = random(6, 3, gesvdj.letter)
    to_s = device.put(np.zeros(3, REAL[gesvdj.letter]))
    status = gesvdj(VALUES_ONLY, 0, 6, 3, device.put(a), 6, to_s, None, 6, None, 3)
    assert status == (SUCCESS, [0])
    got = device.get(to_s, np.zeros(3, REAL[gesvdj.letter]))
    assert close(got, np.linalg.svd(a.astype(np.complex128))[1], gesvdj.letter)


@pytest.mark.parametrize("rank", [0, 2])
def test_vectors_of_a_singular_matrix_are_orthonormal(gesvdj: Jacobi, device: Device, rank: int) -> None:
    letter, n = gesvdj.letter, 5
    a = np.asfortranarray(random(n, rank, letter) @ random(rank, n, letter))
    like, s = np.zeros((n, n), ELEMENT[letter], order="F"), np.zeros(n, REAL[letter])
    to_s, to_u, to_v = device.put(s), device.put(like), device.put(like)
    assert gesvdj(VECTORS, 0, n, n, device.put(a), n, to_s, to_u, n, to_v, n) == (SUCCESS, [0])
    s, u, v = device.get(to_s, s), device.get(to_u, like), device.get(to_v, like)
    assert orthonormal(u, letter)
    assert orthonormal(v, letter)
    assert np.allclose(s[rank:], 0, atol=TOLERANCE[letter] * 10)
    assert close((u * s) @ v.conj().T, a, letter)


@pytest.mark.parametrize(("m", "n"), [(6, 4), (3, 7)])
@pytest.mark.parametrize("sort", [0, 1])
def test_singular_values_of_a_batch(gesvdj: Jacobi, device: Device, m: int, n: int, sort: int) -> None:
    letter, shorter, batch = gesvdj.letter, min(m, n), 3
    assert gesvdj.set("SortEig", sort) == SUCCESS
    all_a = [random(m, n, letter, seed) for seed in range(batch)]
    u, v = np.zeros((m, m * batch), ELEMENT[letter], "F"), np.zeros((n, n * batch), ELEMENT[letter], "F")
    s = np.zeros((shorter, batch), REAL[letter], "F")
    to_s, to_u, to_v = device.put(s), device.put(u), device.put(v)
    arguments = (VECTORS, m, n, device.put(np.hstack(all_a)), m, to_s, to_u, m, to_v, n)
    assert gesvdj(*arguments, batch=batch) == (SUCCESS, [0] * batch)
    s, u, v = device.get(to_s, s), device.get(to_u, u), device.get(to_v, v)
    for k, a in enumerate(all_a):
        left, right = u[:, m * k : m * (k + 1)], v[:, n * k : n * (k + 1)]
        values = np.linalg.svd(a.astype(np.complex128))[1]
        assert close(s[:, k] if sort else np.sort(s[:, k])[::-1], values, letter)
        assert orthonormal(left, letter)
        assert close((left[:, :shorter] * s[:, k]) @ right[:, :shorter].conj().T, a, letter)
    assert gesvdj.tell("Sweeps")[0] == gesvdj.tell("Residual")[0] == NOT_SUPPORTED


@pytest.mark.parametrize("uplo", [LOWER, UPPER])
@pytest.mark.parametrize("job", [VALUES_ONLY, VECTORS])
@pytest.mark.parametrize("n", [1, 6, 40])
def test_eigenvalues(syevj: Jacobi, device: Device, uplo: int, job: int, n: int) -> None:
    letter = syevj.letter
    a = hermitian(n, letter)
    half = np.tril(a) if uplo == LOWER else np.triu(a)
    half[np.triu_indices(n, 1) if uplo == LOWER else np.tril_indices(n, -1)] = np.nan  # is not read
    at, w = device.put(half), device.put(np.zeros(n, REAL[letter]))
    assert syevj(job, uplo, n, at, n, w) == (SUCCESS, [0])
    values = device.get(w, np.zeros(n, REAL[letter]))
    assert close(values, np.linalg.eigvalsh(a.astype(np.complex128)), letter)
    if job == VECTORS:
        vectors = device.get(at, a)
        assert orthonormal(vectors, letter)
        assert np.allclose(a @ vectors, vectors * values, atol=TOLERANCE[letter] * 50)
    assert syevj.tell("Residual")[1] <= TOLERANCE[letter] * 100


@pytest.mark.parametrize("sort", [0, 1])
def test_eigenvalues_of_a_batch(syevj: Jacobi, device: Device, sort: int) -> None:
    letter, n, batch = syevj.letter, 5, 4
    assert syevj.set("SortEig", sort) == SUCCESS
    all_a = [hermitian(n, letter, seed) for seed in range(batch)]
    w = np.zeros((n, batch), REAL[letter], "F")
    at, to_w = device.put(np.hstack(all_a)), device.put(w)
    assert syevj(VECTORS, UPPER, n, at, n, to_w, batch=batch) == (SUCCESS, [0] * batch)
    w, all_vectors = device.get(to_w, w), device.get(at, np.hstack(all_a))
    for k, a in enumerate(all_a):
        vectors = all_vectors[:, n * k : n * (k + 1)]
        values = np.linalg.eigvalsh(a.astype(np.complex128))
        assert close(w[:, k] if sort else np.sort(w[:, k]), values, letter)
        assert np.allclose(a @ vectors, vectors * w[:, k], atol=TOLERANCE[letter] * 50)
    assert syevj.tell("Sweeps")[0] == NOT_SUPPORTED


def test_too_few_sweeps_are_answered(syevj: Jacobi, gesvdj: Jacobi, device: Device) -> None:
    n = 7
    for method in (syevj, gesvdj):
        assert method.set("MaxSweeps", 1) == SUCCESS
    values = device.put(np.zeros(n, np.float64))
    at = device.put(hermitian(n, syevj.letter))
    assert syevj(VALUES_ONLY, LOWER, n, at, n, values) == (SUCCESS, [n + 1])
    assert syevj.tell("Residual")[1] > 0.01
    at = device.put(random(n, n - 2, gesvdj.letter))
    assert gesvdj(VALUES_ONLY, 0, n, n - 2, at, n, values, None, n, None, n) == (SUCCESS, [n - 1])
    assert gesvdj.tell("Sweeps") == (SUCCESS, 1)


def test_a_coarse_tolerance_takes_fewer_sweeps(syevj: Jacobi, device: Device) -> None:
    a, values, sweeps = hermitian(20, syevj.letter), device.put(np.zeros(20)), []
    for tolerance in (0, 0.1):
        assert syevj.set("Tolerance", tolerance) == SUCCESS
        assert syevj(VALUES_ONLY, LOWER, 20, device.put(a), 20, values) == (SUCCESS, [0])
        sweeps.append(syevj.tell("Sweeps")[1])
    assert sweeps[0] > sweeps[1]


def test_what_is_wrong_is_answered(device: Device) -> None:
    gesvdj, syevj = Jacobi("D", "gesvdj", device), Jacobi("D", "syevj", device)
    a, values = random(4, 4, "D"), device.put(np.zeros(4))
    at, info = device.put(a), device.put(np.full(1, 77, np.int32))
    assert syevj(VECTORS, LOWER, 4, at, 3, values) == (INVALID_VALUE, [])
    assert syevj(VECTORS, LOWER, 4, at, 8, values) == (EXECUTION_FAILED, [77])  # ends outside
    assert gesvdj(VECTORS, 0, 4, 4, at, 4, values, at, 3, at, 4) == (INVALID_VALUE, [77])
    large = np.zeros((33, 33))
    to = device.put(large)
    arguments = (VECTORS, 33, 33, to, 33, values, to, 33, to, 33)
    assert gesvdj(*arguments, batch=1) == (INVALID_VALUE, [])
    for method in (gesvdj, syevj):
        assert method.set("Tolerance", -1) == method.set("MaxSweeps", -1) == INVALID_VALUE
    call = functools.partial(solver().cusolverDnDsyevj, syevj.handle, VECTORS, LOWER, 4, at, 4, values)
    assert call(at, 3, info, syevj.parameters) == INVALID_VALUE  # too little workspace
    assert call(at, 4, info, None) == INVALID_VALUE
    assert solver().cusolverDnXsyevjGetSweeps(None, syevj.parameters, info) == NOT_INITIALIZED
    gesvdj.close()
    syevj.close()
