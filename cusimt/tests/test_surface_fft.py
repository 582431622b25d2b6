"""cuFFT against numpy: sizes with and without large primes, dimensions, batches, layouts, types."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from cusimt.tests.device_arrays import Device
from cusimt.tests.surface_program import ON_GPU, Array, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="cuFFT itself needs no test")

SUCCESS, INVALID_PLAN, INVALID_TYPE, INVALID_VALUE, EXEC_FAILED, INVALID_SIZE = 0, 1, 3, 4, 6, 8
C2C, R2C, C2R, Z2Z, D2Z, Z2D = 0x29, 0x2A, 0x2C, 0x69, 0x6A, 0x6C
FORWARD, INVERSE = -1, 1


@pytest.fixture
def plan() -> Iterator[ctypes.c_int]:
    made = ctypes.c_int()
    yield made
    runtime().cufftDestroy(made)


def random(*shape: int, dtype: type = np.complex64) -> Array:
    drawn = np.random.default_rng(sum(shape)).uniform(-1, 1, (2, *shape))
    return (drawn[0] + 1j * drawn[1] if np.issubdtype(dtype, np.complexfloating) else drawn[0]).astype(dtype)


class CDevice(Device):
    """Like Device, for row-major arrays."""

    def put(self, array: Array) -> ctypes.c_void_p:
        return super().put(array.ravel())

    def get(self, pointer: ctypes.c_void_p, like: Array) -> Array:
        return super().get(pointer, like.ravel()).reshape(like.shape)


@pytest.fixture
def memory() -> Iterator[CDevice]:
    with CDevice() as created:
        yield created


def ints(values: Sequence[int]) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(values))(*values)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 30, 61, 67, 97 * 2, 360, 1021])
@pytest.mark.parametrize("direction", [FORWARD, INVERSE])
def test_any_length_in_batches(plan: ctypes.c_int, memory: CDevice, n: int, direction: int) -> None:
    data = random(3, n, dtype=np.complex128)
    at = memory.put(data)
    assert runtime().cufftPlan1d(ctypes.byref(plan), n, Z2Z, 3) == SUCCESS
    assert runtime().cufftExecZ2Z(plan, at, at, direction) == SUCCESS
    right = np.fft.fft(data) if direction == FORWARD else np.fft.ifft(data) * n
    assert np.allclose(memory.get(at, data), right, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("shape", [(12,), (5, 6), (4, 9), (3, 4, 7)])
def test_real_transforms_and_back(plan: ctypes.c_int, memory: CDevice, shape: tuple[int, ...]) -> None:
    data = random(*shape, dtype=np.float32)
    half = np.fft.rfftn(data).astype(np.complex64)
    at, out = memory.put(data), memory.put(np.zeros_like(half))
    makers = {1: "cufftPlan1d", 2: "cufftPlan2d", 3: "cufftPlan3d"}
    rest = (1,) if len(shape) == 1 else ()
    assert getattr(runtime(), makers[len(shape)])(ctypes.byref(plan), *shape, R2C, *rest) == SUCCESS
    assert runtime().cufftExecR2C(plan, at, out) == SUCCESS
    assert np.allclose(memory.get(out, half), half, atol=1e-5)
    runtime().cufftDestroy(plan)
    assert getattr(runtime(), makers[len(shape)])(ctypes.byref(plan), *shape, C2R, *rest) == SUCCESS
    assert runtime().cufftExecC2R(plan, out, at) == SUCCESS
    assert np.allclose(memory.get(at, data), data * data.size, atol=1e-4)


def test_a_half_that_is_not_hermitian_counts_as_numpys(plan: ctypes.c_int, memory: CDevice) -> None:
    half = random(6, 5, dtype=np.complex128)
    at, out = memory.put(half), memory.put(np.zeros((6, 8)))
    runtime().cufftPlan2d(ctypes.byref(plan), 6, 8, Z2D)
    assert runtime().cufftExecZ2D(plan, at, out) == SUCCESS
    right = np.fft.irfftn(half, (6, 8), axes=(0, 1)) * 48
    assert np.allclose(memory.get(out, np.zeros((6, 8))), right, atol=1e-11)


def test_in_place_the_rows_of_real_numbers_are_padded(plan: ctypes.c_int, memory: CDevice) -> None:
    data = random(4, 6, dtype=np.float64)
    padded = np.zeros((4, 8))
    padded[:, :6] = data
    at = memory.put(padded)
    runtime().cufftPlan2d(ctypes.byref(plan), 4, 6, D2Z)
    assert runtime().cufftExecD2Z(plan, at, at) == SUCCESS
    right = np.fft.rfft2(data)
    assert np.allclose(memory.get(at, right), right)


def test_layouts_of_ones_own(plan: ctypes.c_int, memory: CDevice) -> None:
    """Columns of a batch: stride 3, distance 1; the output in rows that are longer than they need be."""
    data = random(4, 5, 3)
    out = np.full((3, 4, 7), 9 + 0j, np.complex64)
    at, to = memory.put(data), memory.put(out)
    embed_in, embed_out = ints([4, 5]), ints([4, 7])
    made = runtime().cufftPlanMany(
        ctypes.byref(plan), 2, ints([4, 5]), embed_in, 3, 1, embed_out, 1, 28, C2C, 3
    )
    assert made == SUCCESS
    assert runtime().cufftExecC2C(plan, at, to, FORWARD) == SUCCESS
    out[:, :, :5] = np.fft.fft2(np.moveaxis(data, 2, 0))
    assert np.allclose(memory.get(to, out), out, atol=1e-5)


def test_a_result_counts_as_written_by_a_library(plan: ctypes.c_int, memory: CDevice) -> None:
    at = memory.put(random(8))
    out = ctypes.c_void_p()
    runtime().cudaMalloc(ctypes.byref(out), ctypes.c_size_t(64))
    runtime().cufftPlan1d(ctypes.byref(plan), 8, C2C, 1)
    runtime().cufftExecC2C(plan, at, out, FORWARD)
    counts = (ctypes.c_uint64 * 6)()
    runtime().simt_writers(out, ctypes.c_size_t(64), counts)
    runtime().cudaFree(out)
    assert list(counts) == [0, 0, 64, 0, 0, 0]


def test_what_is_wrong_is_answered(plan: ctypes.c_int, memory: CDevice) -> None:
    at, host = memory.put(random(8)), random(8)
    assert runtime().cufftPlan1d(ctypes.byref(plan), 0, C2C, 1) == INVALID_SIZE
    assert runtime().cufftPlan1d(ctypes.byref(plan), 8, 99, 1) == INVALID_TYPE
    assert runtime().cufftExecC2C(ctypes.c_int(12345), at, at, FORWARD) == INVALID_PLAN
    assert runtime().cufftPlan1d(ctypes.byref(plan), 8, C2C, 2) == SUCCESS
    assert runtime().cufftExecR2C(plan, at, at) == INVALID_TYPE
    assert runtime().cufftExecC2C(plan, at, at, 0) == INVALID_VALUE
    assert runtime().cufftExecC2C(plan, at, at, FORWARD) == EXEC_FAILED  # the second batch is outside
    assert runtime().cufftExecC2C(plan, ctypes.c_void_p(host.ctypes.data), at, FORWARD) == EXEC_FAILED
    assert runtime().cufftDestroy(plan) == SUCCESS
    assert runtime().cufftDestroy(plan) == INVALID_PLAN
