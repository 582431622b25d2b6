"""Inline PTX that has an exact meaning, against numpy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from grader.simt.findings import symbolise
from tests.simt.surface_program import Program, findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def ptx(request: pytest.FixtureRequest) -> Program:
    findings()
    return program("ptx", checked=request.param)


def no_findings() -> bool:
    return symbolise([json.loads(line) for line in findings().splitlines()]) == []


def test_integers_and_bits(ptx: Program) -> None:
    n = 64
    a, b, c = values = np.random.default_rng(0).integers(0, 2**32, (3, n), dtype=np.uint64).astype(np.uint32)
    result = np.zeros((19, n), np.uint32)
    ptx.integers(values, result, n)
    signed_a, signed_b = a.view(np.int32).astype(np.int64), b.view(np.int32).astype(np.int64)
    wide = a.astype(np.uint64) * b.astype(np.uint64)
    pairs = b.astype(np.uint64) << np.uint64(32) | a
    field = (signed_a >> 20) & 0xFF
    shifted = a >> (c & 31)
    eight = np.stack([*a.view(np.uint8).reshape(n, 4).T, *b.view(np.uint8).reshape(n, 4).T])
    permuted = np.zeros((n, 4), np.uint8)
    for byte in range(4):
        picked = eight[c >> 4 * byte & 7, np.arange(n)]
        permuted[:, byte] = np.where(c >> 4 * byte & 8, np.where(picked & 0x80, 0xFF, 0), picked)
    expected = [
        a + b,
        ((signed_a * signed_b) >> 32).astype(np.uint32),
        a * b + c,
        (a & b) | (a & c) | (b & c),
        (a & 0xFFFF) | (b & 0xFFFF) << 16,
        a >> 4 & 0x1FF,
        np.where(field >= 128, field - 256, field).astype(np.uint32),
        (b & ~np.uint32(0xFFF00)) | (a & 0xFFF) << 8,
        (pairs >> (c & 31).astype(np.uint64)).astype(np.uint32),
        np.bitwise_count(a),
        np.array([32 - int(each).bit_length() for each in shifted]),
        (signed_a >> np.minimum(c & 63, 31)).astype(np.uint32),
        np.where((signed_a < signed_b) & (a < b), 5, 7) + np.where(a < b, 0, 100),
        wide.astype(np.uint32),
        (wide >> np.uint64(32)).astype(np.uint32),
        c ^ a,
        permuted.view(np.uint32)[:, 0],
        np.full(n, 0xFFFFFFFF),
        np.full(n, 132),
    ]
    for number, each in enumerate(expected):
        assert np.array_equal(result[number], each.astype(np.uint32)), number


def test_numbers_and_conversions(ptx: Program) -> None:
    n = 32
    a, b = values = np.random.default_rng(1).normal(size=(2, n)).astype(np.float32) + 0.01
    result = np.zeros((8, n), np.float32)
    ptx.numbers(values, result, n)
    half_a, half_b = (each.astype(np.float16).astype(np.float64) for each in (a, b))
    assert np.array_equal(result[0], (half_a * half_a + half_a).astype(np.float16))
    assert np.array_equal(result[1], (half_b * half_b + half_b).astype(np.float16))
    np.testing.assert_allclose(result[2], np.exp2(a), rtol=3e-7)
    assert np.array_equal(result[3], 1 / b)
    assert np.array_equal(result[4], (a.astype(np.float64) * b + 1).astype(np.float32))
    assert np.array_equal(result[5], np.rint(a * np.float32(10)))
    assert np.array_equal(result[6], np.maximum(a, b))
    assert np.array_equal(result[7], result[5])


def test_text_that_a_condition_chooses(ptx: Program) -> None:
    values, result = np.arange(40, dtype=np.float32), np.zeros(40, np.float32)
    ptx.conditional(values, result, 40)
    assert np.array_equal(result, np.where(values % 3 == 0, -1, values))


def test_memory_and_lanes(ptx: Program) -> None:
    findings()
    values = np.random.default_rng(2).integers(-50, 50, (100, 4)).astype(np.float32)
    sums, count = np.zeros(4, np.float32), np.zeros(2, np.int32)
    ptx.memory(values, sums, count, 100)
    rows = np.concatenate([values, np.zeros((28, 4), np.float32)])
    assert np.array_equal(sums, rows.sum(axis=1).reshape(4, 32).sum(axis=1))
    positive = (rows[:, 0] > 0).reshape(4, 32).sum(axis=1)
    assert count.tolist() == [128, positive.max()]
    assert no_findings()


def test_matrix_fragments(ptx: Program) -> None:
    findings()
    rng = np.random.default_rng(3)
    a, b = rng.integers(-9, 9, (16, 16)).astype(np.float16), rng.integers(-9, 9, (16, 8)).astype(np.float16)
    result = np.zeros((2, 16, 8), np.float32)
    ptx.product(a, b, result)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(result[0], exact)
    assert np.array_equal(result[1], exact.astype(np.float16))
    assert no_findings()


def test_products_of_bytes(ptx: Program) -> None:
    a, b = (np.random.default_rng(4).integers(-128, 128, (rows, 32)).astype(np.int8) for rows in (16, 8))
    result = np.zeros((16, 8), np.int32)
    ptx.byte_product(a, b, result)
    assert np.array_equal(result, a.astype(np.int32) @ b.astype(np.int32).T + 1)


def test_matrices_are_stored_and_transposed(ptx: Program) -> None:
    matrix = np.arange(64, dtype=np.float16).reshape(8, 8)
    result = np.zeros((3, 8, 8), np.float16)
    ptx.store_matrix(matrix, result)
    assert np.array_equal(result[0], matrix)
    assert np.array_equal(result[1], matrix.T)
    assert np.array_equal(result[2], matrix.T)


def test_predicates_and_barriers_with_numbers(ptx: Program) -> None:
    findings()
    values, result = np.random.default_rng(5).integers(0, 99, 128).astype(np.int32), np.zeros(448, np.int32)
    ptx.handing_on(values, result)
    assert np.array_equal(result[:128], values.reshape(4, 32).cumsum(axis=1).ravel())
    assert np.array_equal(result[128:256], np.arange(128) % 32 == 0)
    assert np.array_equal(result[256:].reshape(3, 64), values[:64] + np.arange(3)[:, None])
    assert no_findings()
