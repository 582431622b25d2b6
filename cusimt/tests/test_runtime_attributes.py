"""Attributes of streams: kept, and without effect."""

from __future__ import annotations

import ctypes

import pytest

from cusimt.tests.surface_program import ON_GPU, runtime

pytestmark = pytest.mark.skipif(ON_GPU, reason="the values of CUDA's own attributes depend on the GPU")

SUCCESS, INVALID_VALUE, INVALID_HANDLE = 0, 1, 400
WINDOW, CLUSTER, PERSISTING_BYTES = 1, 4, 6
NORMAL, STREAMING, PERSISTING = range(3)


class Window(ctypes.Structure):
    _fields_ = [
        ("base", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("hit_ratio", ctypes.c_float),
        ("hit", ctypes.c_int),
        ("miss", ctypes.c_int),
    ]


class Value(ctypes.Union):
    _fields_ = [("pad", ctypes.c_char * 64), ("window", Window)]


def value(ratio: float = 0.5, miss: int = STREAMING) -> Value:
    return Value(window=Window(0x1000, 4096, ratio, PERSISTING, miss))


def test_a_window_is_kept_and_copied() -> None:
    first, second = ctypes.c_void_p(), ctypes.c_void_p()
    for stream in (first, second):
        assert runtime().cudaStreamCreate(ctypes.byref(stream)) == SUCCESS
    assert runtime().cudaStreamSetAttribute(first, WINDOW, ctypes.byref(value())) == SUCCESS
    assert runtime().cudaStreamCopyAttributes(second, first) == SUCCESS
    got = Value()
    assert runtime().cudaStreamGetAttribute(second, WINDOW, ctypes.byref(got)) == SUCCESS
    assert (got.window.bytes, got.window.hit_ratio, got.window.hit) == (4096, 0.5, PERSISTING)
    assert runtime().cudaCtxResetPersistingL2Cache() == SUCCESS
    for stream in (first, second):
        runtime().cudaStreamDestroy(stream)


@pytest.mark.parametrize("wrong", [value(ratio=1.5), value(miss=PERSISTING)])
def test_a_window_that_cuda_refuses(wrong: Value) -> None:
    assert runtime().cudaStreamSetAttribute(None, WINDOW, ctypes.byref(wrong)) == INVALID_VALUE
    assert runtime().cudaStreamSetAttribute(None, CLUSTER, ctypes.byref(value())) == INVALID_VALUE
    nowhere = ctypes.c_void_p(12345)
    assert runtime().cudaStreamSetAttribute(nowhere, WINDOW, ctypes.byref(value())) == INVALID_HANDLE
    runtime().cudaGetLastError()


def test_the_share_of_the_cache_is_a_limit() -> None:
    limit = ctypes.c_size_t(7)
    assert runtime().cudaDeviceSetLimit(PERSISTING_BYTES, ctypes.c_size_t(1 << 20)) == SUCCESS
    assert runtime().cudaDeviceGetLimit(ctypes.byref(limit), PERSISTING_BYTES) == SUCCESS
    assert limit.value == 1 << 20
