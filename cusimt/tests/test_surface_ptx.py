"""Inline PTX that has an exact meaning, against numpy."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from cusimt.findings import symbolise
from cusimt.tests.surface_program import Program, findings, no_findings, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def ptx(request: pytest.FixtureRequest) -> Program:
    return program("ptx", checked=request.param)


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


def test_the_clock_of_the_gpu_goes_on_from_launch_to_launch(ptx: Program) -> None:
    times = np.zeros(4, np.uint64)
    ptx.times(times, 1_980_000)  # a millisecond
    first, ended, second, last = times.tolist()
    assert 1_000_000 <= ended - first < 1_010_000
    assert 1_000_000 <= last - second < 1_010_000
    assert ended < second


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
    values = np.random.default_rng(2).integers(-50, 50, (100, 4)).astype(np.float32)
    sums, count = np.zeros(4, np.float32), np.zeros(2, np.int32)
    ptx.memory(values, sums, count, 100)
    rows = np.concatenate([values, np.zeros((28, 4), np.float32)])
    assert np.array_equal(sums, rows.sum(axis=1).reshape(4, 32).sum(axis=1))
    positive = (rows[:, 0] > 0).reshape(4, 32).sum(axis=1)
    assert count.tolist() == [128, positive.max()]
    assert no_findings()


def test_matrix_fragments(ptx: Program) -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(-9, 9, (16, 16)).astype(np.float16), rng.integers(-9, 9, (16, 8)).astype(np.float16)
    result = np.zeros((2, 16, 8), np.float32)
    ptx.product(a, b, result)
    exact = a.astype(np.float32) @ b.astype(np.float32)
    assert np.array_equal(result[0], exact)
    assert np.array_equal(result[1], exact.astype(np.float16))
    assert no_findings()


def test_rows_of_a_fragment_that_nobody_needs(ptx: Program) -> None:
    out = np.zeros((16, 16), np.float32)
    ptx.partly_filled(out, 5, 1)
    assert np.array_equal(out[:5].ravel(), np.arange(80))
    assert no_findings()


@pytest.mark.parametrize(("rows", "waits", "kind"), [(0, 1, "uninitialized_read"), (16, 0, "race_shared")])
def test_a_fragment_that_is_loaded_too_early(rows: int, waits: int, kind: str) -> None:
    program("ptx", checked=True).partly_filled(np.zeros(256, np.float32), rows, waits)
    found = symbolise([json.loads(line) for line in findings().splitlines()])
    assert kind in {each.kind for each in found}


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
    values, result = np.random.default_rng(5).integers(0, 99, 128).astype(np.int32), np.zeros(448, np.int32)
    ptx.handing_on(values, result)
    assert np.array_equal(result[:128], values.reshape(4, 32).cumsum(axis=1).ravel())
    assert np.array_equal(result[128:256], np.arange(128) % 32 == 0)
    assert np.array_equal(result[256:].reshape(3, 64), values[:64] + np.arange(3)[:, None])
    assert no_findings()


def test_bounds_and_numbers_of_8_bits(ptx: Program) -> None:
    n, rng = 64, np.random.default_rng(6)
    a, b = values = np.concatenate(
        [rng.normal(size=(2, n // 2)), rng.normal(0, 300, (2, n // 2))], axis=1
    ).astype(np.float32)
    i, j = whole = rng.integers(-(2**31), 2**31, (2, n)).astype(np.int32)
    result = np.zeros((18, n), np.uint32)
    ptx.bounded(values, whole, result, n)
    low_i, low_j = (np.clip(each >> 20, -128, 127).astype(np.uint8).astype(np.uint32) for each in (i, j))
    eight_a, eight_b = (torch.tensor(each).clamp(-448, 448).to(torch.float8_e4m3fn) for each in (a, b))
    relu_a, relu_b = (np.maximum(each, 0).astype(np.float16) for each in (a, b))
    with np.errstate(over="ignore"):
        squares = [np.maximum(each.astype(float) ** 2 - 4, 0).astype(np.float16) for each in (relu_b, relu_a)]
    bytes_i, bytes_j = (
        i.view(np.int8).reshape(n, 4).astype(np.int64),
        j.view(np.uint8).reshape(n, 4).astype(np.int64),
    )
    words, signed = (
        i.view(np.uint16).reshape(n, 2).astype(np.int64),
        j.view(np.int8).reshape(n, 4).astype(np.int64),
    )
    shifted, unsigned = i >> (j & 31), i.view(np.uint32) >> (j & 31)
    highest = [(int(each) if each >= 0 else ~int(each)).bit_length() - 1 for each in shifted]
    above = (a > b) | (np.arange(n) == 0)
    opposite = ~above
    expected = [
        np.clip(np.rint(a), -128, 127).astype(np.int32),
        np.clip(i >> 20, 0, 255),
        0x56780000 | low_i << 8 | low_j,
        eight_a.view(torch.uint8).numpy().astype(np.uint32) << 8 | eight_b.view(torch.uint8).numpy(),
        pairs_of_halves(eight_b.to(torch.float16).numpy(), eight_a.to(torch.float16).numpy()),
        pairs_of_halves(relu_b, relu_a),
        pairs_of_halves(*squares),
        pairs_of_halves(
            *(
                np.exp2((each / 64).astype(np.float16).astype(np.float32)).astype(np.float16)
                for each in (b, a)
            )
        ),
        (bytes_i * bytes_j).sum(axis=1) + 7,
        (words * signed[:, 2:]).sum(axis=1) - 7,
        np.array(highest),
        np.array([32 - int(each).bit_length() if each else -1 for each in unsigned]),
        np.clip(i.astype(np.int64) + j, -(2**31), 2**31 - 1),
        (i & j) | 0x64006400,
        np.where(above, 1, 2) + np.where(opposite, 10, 0),
        np.maximum(a, b).view(np.uint32),
        np.clip(a / np.float32(256) + np.float32(0.5), 0, 1).astype(np.float32).view(np.uint32),
        np.copysign(b, a).view(np.uint32),
    ]
    for number, each in enumerate(expected):
        assert np.array_equal(result[number], each.astype(np.int64).astype(np.uint32)), number


def pairs_of_halves(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return low.view(np.uint16).astype(np.uint32) | high.view(np.uint16).astype(np.uint32) << 16


def test_words_in_any_order_and_cache_policies(ptx: Program) -> None:
    values = np.random.default_rng(7).integers(-50, 50, (32, 4)).astype(np.float32)
    sums, least, pairs = np.zeros(4, np.float32), np.zeros(1, np.int64), np.zeros(1, np.uint32)
    copied = np.zeros((32, 4), np.float32)
    ptx.words(values, sums, least, pairs, copied)
    assert np.array_equal(sums, values.sum(axis=0))
    assert least[0] == -31
    assert pairs[0] == 0x42004200  # 32 as bfloat16, twice
    assert np.array_equal(copied, values)
    assert no_findings()


@pytest.mark.parametrize("how", [0, 1, 3])
def test_what_was_released_is_ordered(ptx: Program, how: int) -> None:
    out = np.zeros(1, np.int32)
    ptx.arriving(np.zeros(129, np.int32), out, how)
    assert out[0] == 100
    assert no_findings()


def test_what_was_not_released_is_a_race() -> None:
    program("ptx", checked=True).arriving(np.zeros(129, np.int32), np.zeros(1, np.int32), 2)
    found = symbolise([json.loads(line) for line in findings().splitlines()])
    assert {each.kind for each in found} == {"race_global"}
