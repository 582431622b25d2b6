"""Words of several numbers, 8-bit numbers, special functions; patterns of the language."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as np
import pytest
from numpy.typing import NDArray

from cusimt.tests.surface_program import Program, program


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def words(request: pytest.FixtureRequest) -> Program:
    return program("words", checked=request.param)


def test_lanes_of_words(words: Program) -> None:
    n = 96
    values = np.random.default_rng(0).integers(0, 2**32, (2, n), dtype=np.uint64).astype(np.uint32)
    values[:, :4] = [[0x80808080, 0x7FFF8000, 0, 0xFFFFFFFF], [0x80808080, 0x00018000, 0, 1]]
    result = np.zeros((25, n), np.uint32)
    words.lanes(values, result, n)
    typed = {t: [each.view(t).astype(np.int64) for each in values] for t in ("i1", "u1", "i2", "u2")}
    (b4, b5), (u4, u5), (h4, h5), (w4, w5) = typed["i1"], typed["u1"], typed["i2"], typed["u2"]

    def lanes(row: int, expected: NDArray[np.int64], dtype: str) -> None:
        assert np.array_equal(result[row].view(dtype), expected.astype(dtype)), row

    lanes(0, u4 + u5, "u1")
    lanes(1, np.clip(h4 + h5, -32768, 32767), "i2")
    lanes(2, np.minimum(u4 + u5, 255), "u1")
    lanes(3, w4 - w5, "u2")
    lanes(4, np.clip(b4 - b5, -128, 127), "i1")
    lanes(5, np.maximum(w4 - w5, 0), "u2")
    lanes(6, np.maximum(b4, b5), "i1")
    lanes(7, np.minimum(w4, w5), "u2")
    lanes(8, abs(h4 - h5), "u2")
    lanes(9, abs(u4 - u5), "u1")
    lanes(10, (b4 + b5 + (b4 + b5 >= 0)) >> 1, "i1")
    lanes(11, (w4 + w5 + 1) >> 1, "u2")
    lanes(12, (u4 + u5) >> 1, "u1")
    lanes(13, -(h4 > h5).astype(np.int64), "i2")
    lanes(14, -(u4 <= u5).astype(np.int64), "i1")
    lanes(15, (u4 == u5).astype(np.int64), "u1")
    assert np.array_equal(result[16], abs(h4 - h5).reshape(n, 2).sum(axis=1))
    assert np.array_equal(result[17], abs(u4 - u5).reshape(n, 4).sum(axis=1))
    lanes(18, np.minimum(abs(b4), 127), "i1")
    lanes(19, -h4, "i2")
    halves, bytes_ = h4.reshape(n, 2), b5.reshape(n, 4)
    assert np.array_equal(result[20].view(np.int32), (halves * bytes_[:, :2]).sum(axis=1) + 7)
    unsigned, high = w4.reshape(n, 2), u5.reshape(n, 4)[:, 2:]
    assert np.array_equal(result[21], (unsigned * high).sum(axis=1) + 7)
    assert set(result[23]) == {0x80000001}
    assert set(result[24]) == {0x80000003}
    for found, mask, base in zip(result[22], *values, strict=True):
        bits = [bit for bit in range(int(base) % 32, 32) if int(mask) >> bit & 1]
        assert found == (bits[2] if len(bits) > 2 else 0xFFFFFFFF)


def test_bytes_as_numbers(words: Program) -> None:
    e4m3, e5m2 = np.zeros(256, np.float32), np.zeros(256, np.float32)
    words.decode(e4m3, e5m2)
    assert np.array_equal(e5m2, (np.arange(256, dtype=np.uint16) << 8).view(np.float16), equal_nan=True)
    magnitude = [m * 2.0**-9 if e == 0 else (8 + m) * 2.0 ** (e - 10) for e in range(16) for m in range(8)]
    magnitude[127] = math.nan
    assert np.array_equal(e4m3, [*magnitude, *(-each for each in magnitude)], equal_nan=True)


def test_numbers_as_bytes(words: Program) -> None:
    e4m3, e5m2 = np.zeros(256, np.float32), np.zeros(256, np.float32)
    words.decode(e4m3, e5m2)
    between = (e4m3[:126] + e4m3[1:127]) / 2  # ties
    special = [np.inf, -np.inf, np.nan, 448, 464, 464.1, -1e9, 57344, 61440, 61439, 2.0**-10, 1e-30, -0.0]
    values = np.array([*between, *e4m3, *np.random.default_rng(1).normal(scale=200, size=300), *special])
    values = values.astype(np.float32)
    n = len(values)
    result = np.zeros((5, n), np.uint8)
    words.encode(values, result, n)
    for row, table, largest in ((0, e4m3, 126), (1, e5m2, 123), (2, e4m3, 126), (3, e5m2, 123)):
        finite = table[: largest + 1].astype(np.float64)
        overflow = 0x7F if row == 2 else 0x7C if row == 3 else largest
        half_step = (finite[-1] - finite[-2]) / 2
        for value, found in zip(values.astype(np.float64), result[row], strict=True):
            if np.isnan(value):
                expected = 0x7F
            else:
                distance = abs(finite - abs(value))
                nearest = np.flatnonzero(distance == distance.min())
                even = nearest[nearest % 2 == 0] if len(nearest) == 2 else nearest
                over = abs(value) > finite[-1] + half_step or (
                    abs(value) == finite[-1] + half_step and largest % 2
                )
                expected = (overflow if over else int(even[0])) | (0x80 if np.signbit(value) else 0)
            assert found == expected, (row, value)
    assert result[4].all()


def test_numbers_of_four_bits_and_scale_factors(words: Program) -> None:
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    ties = (table[:-1] + table[1:]) / 2
    positive = np.array(
        [*table, *ties, 2.6, 5.1, 7, 1e9, np.inf, 2.0**-127, 3 * 2.0**-128, 3e38, 1.5 * 2.0**126]
    )
    values = np.array([*positive, *-positive, np.nan], np.float32)
    n = len(values)
    codes, back = np.zeros((5, n), np.uint8), np.zeros((3, n), np.float32)
    words.four_bits(values, codes, back, n)
    magnitude = np.minimum(np.nan_to_num(abs(values), nan=6), 6)
    sign = np.where(np.signbit(values) & ~np.isnan(values), 8, 0)
    above = np.searchsorted(table, magnitude)
    below = np.where(table[above] == magnitude, above, above - 1)
    middle = (table[above] + table[below]) / 2
    upper = (magnitude > middle) | ((magnitude == middle) & (above % 2 == 0))
    nearest = np.where(upper, above, below)
    assert np.array_equal(codes[0], nearest | sign)
    assert np.array_equal(codes[1], np.where(np.isnan(values), 7, below | sign))
    assert np.array_equal(codes[2], nearest | sign | 0x90)
    decoded = table[nearest] * np.where(sign, -1, 1)
    assert np.array_equal(back[0], decoded)
    assert np.array_equal(back[1], decoded[::-1])
    with np.errstate(divide="ignore"):
        exponents = np.log2(abs(values.astype(np.float64)))
    up = np.where(np.isnan(values), 255, np.clip(np.ceil(exponents), -127, 127) + 127)
    down = np.clip(np.floor(exponents), -127, 128) + 127
    assert np.array_equal(codes[3], np.nan_to_num(up, nan=255))
    assert np.array_equal(codes[4], np.where(np.isnan(values), 255, np.nan_to_num(down)))
    assert np.array_equal(back[2], np.where(up == 255, np.nan, 2.0 ** (up - 127)), equal_nan=True)


def test_special_functions(words: Program) -> None:
    x = np.array([0.0, 0.5, 1.0, 3.0, 4.9, 5.1, 20.0, 400.0, 700.0])
    result = np.zeros((4, len(x)))
    words.special(x, result, len(x))
    scaled = [math.exp(each * each) * math.erfc(each) for each in x[:7]]
    np.testing.assert_allclose(result[0][:7], scaled, rtol=1e-11)
    np.testing.assert_allclose(result[1], np.i0(x), rtol=1e-13)
    order_one = []
    for each in x:
        factors = (each * each / 4 / (k * (k + 1)) for k in range(1, 1500))
        order_one.append(math.fsum(itertools.accumulate(factors, operator.mul, initial=each / 2)))
    np.testing.assert_allclose(result[2], order_one, rtol=1e-13)
    np.testing.assert_allclose(result[3], 3 * x, rtol=1e-15)


def test_dynamic_shared_memory_of_a_struct(words: Program) -> None:
    floats, doubles = np.arange(40, dtype=np.float32), np.arange(33.0)
    words.reverse_floats(floats, 40)
    words.reverse_doubles(doubles, 33)
    assert np.array_equal(floats, np.arange(40)[::-1])
    assert np.array_equal(doubles, np.arange(33)[::-1])


def test_lambdas_of_the_device(words: Program) -> None:
    values = np.zeros(50, np.int32)
    words.lambdas(values, 50)
    assert np.array_equal(values, np.arange(50) ** 2 + 50)
