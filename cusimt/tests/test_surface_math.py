"""Mathematical, conversion and integer intrinsics against exact arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cusimt.tests.surface_program import ON_GPU, Array, Program, no_findings, program

RNG_SEED = 11


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def intrinsics(request: pytest.FixtureRequest) -> Program:
    return program("math", checked=request.param)


def apply(intrinsics: Program, name: str, *operands: Array, result: Any) -> Array:
    out = np.zeros(len(operands[0]), result)
    intrinsics.call(name, *operands, out, len(out))
    assert no_findings()
    return out


def integers(dtype: Any, count: int = 2000, seed: int = RNG_SEED) -> Array:
    limits = np.iinfo(dtype)
    rng = np.random.default_rng(seed)
    special = np.array([0, 1, limits.max, limits.min, limits.max // 2, 3, 255, 32], dtype)
    scale = rng.integers(0, limits.bits - 1, count).astype(dtype)
    return np.concatenate([special, rng.integers(limits.min, limits.max, count, dtype=dtype) >> scale])


@pytest.mark.parametrize(
    ("name", "function", "low", "high"),
    [
        ("f_rsqrt", lambda x: 1 / math.sqrt(x), 1e-6, 1e6),
        ("f_exp", math.exp, -80, 80),
        ("f_log2", math.log2, 1e-6, 1e6),
        ("f_tanh", math.tanh, -5, 5),
        ("f_erf", math.erf, -3, 3),
        ("f_normcdf", lambda x: 0.5 * math.erfc(-x / math.sqrt(2)), -5, 5),
    ],
)
def test_float_functions(
    intrinsics: Program, name: str, function: Callable[[float], float], low: float, high: float
) -> None:
    values = np.random.default_rng(RNG_SEED).uniform(low, high, 1000).astype(np.float32)
    expected = np.array([function(float(x)) for x in values])
    result = apply(intrinsics, name, values, result=np.float32)
    np.testing.assert_allclose(result, expected, rtol=3e-5 if ON_GPU else 3e-7)  # __expf is fast there


def test_sine_and_cosine_of_multiples_of_pi(intrinsics: Program) -> None:
    quarters = np.arange(-40, 41, dtype=np.float32) / 4
    root = math.sqrt(0.5)
    sines = np.array([0, root, 1, root, 0, -root, -1, -root])[np.arange(-40, 41) % 8]
    cosines = np.array([1, root, 0, -root, -1, -root, 0, root])[np.arange(-40, 41) % 8]
    np.testing.assert_allclose(
        apply(intrinsics, "f_sinpi", quarters, result=np.float32), sines, atol=1e-7, rtol=1e-7
    )
    np.testing.assert_allclose(
        apply(intrinsics, "f_cospi", quarters, result=np.float32), cosines, atol=1e-7, rtol=1e-7
    )
    whole = apply(intrinsics, "d_sinpi", np.arange(-5.0, 1e6, 99_999), result=np.float64)
    assert not whole.any()


def test_inverse_error_functions(intrinsics: Program) -> None:
    y = np.concatenate([np.linspace(-5, 5, 201), [1e-10, -1e-300, 0, 26]])
    erf, erfc = (np.array([function(float(v)) for v in y]) for function in (math.erf, math.erfc))
    inner = np.abs(y) < 3
    back = apply(intrinsics, "d_erfinv", erf[inner], result=np.float64)
    np.testing.assert_allclose(back, y[inner], rtol=1e-11)
    positive, tails = y[y >= 0], erfc[y >= 0]
    back = apply(intrinsics, "d_erfcinv", tails, result=np.float64)
    np.testing.assert_allclose(back, positive, rtol=1e-11, atol=1e-15)
    quantiles = apply(intrinsics, "d_normcdfinv", tails / 2, result=np.float64)
    np.testing.assert_allclose(quantiles, -math.sqrt(2) * positive, rtol=1e-11, atol=1e-15)
    edges = np.array([1, -1, 2, np.nan], np.float32)
    ends = apply(intrinsics, "f_erfinv", edges, result=np.float32)
    assert np.array_equal(ends, [np.inf, -np.inf, np.nan, np.nan], equal_nan=True)


def test_saturation(intrinsics: Program) -> None:
    values = np.array([-1, -0.0, 0.25, 1, 2, np.inf, -np.inf, np.nan], np.float32)
    assert apply(intrinsics, "f_saturate", values, result=np.float32).tolist() == [0, 0, 0.25, 1, 1, 1, 0, 0]


def test_minimum_and_maximum_ignore_nan(intrinsics: Program) -> None:
    a = np.array([1, np.nan, 3, np.nan, -np.inf], np.float32)
    b = np.array([2, 2, np.nan, np.nan, np.inf], np.float32)
    for name, function in [("f_min", np.fmin), ("f_max", np.fmax)]:
        result = apply(intrinsics, name, a, b, result=np.float32)
        assert np.array_equal(result, function(a, b), equal_nan=True)


# ---- conversions ---------------------------------------------------------------------------------------

FLOATS = np.array(
    [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 1e9, 3e9, -3e9, 5e9, 1e30, -1e30, np.inf, -np.inf, np.nan, 0.4999],
    np.float32,
)


@pytest.mark.parametrize(
    ("name", "rounding"), [("rn", np.rint), ("rz", np.trunc), ("ru", np.ceil), ("rd", np.floor)]
)
def test_floats_to_integers_saturate(intrinsics: Program, name: str, rounding: np.ufunc) -> None:
    rounded = np.nan_to_num(rounding(FLOATS.astype(np.float64)), nan=0, posinf=1e300, neginf=-1e300)
    result = apply(intrinsics, f"to_int_{name}", FLOATS, result=np.int32)
    assert result.tolist() == rounded.clip(-(2**31), 2**31 - 1).tolist()


def test_floats_to_unsigned_and_long_integers(intrinsics: Program) -> None:
    expected = [0, 1, 2, 0, 0, 0, 10**9, 3 * 10**9, 0, 2**32 - 1, 2**32 - 1, 0, 2**32 - 1, 0, 0, 0]
    assert apply(intrinsics, "to_uint_rz", FLOATS, result=np.uint32).tolist() == expected
    values = np.array([1e300, -1e300, np.nan, 2.0**62 + 1024, -1.9])
    expected = [2**63 - 1, -(2**63), -(2**63), 2**62 + 1024, -1]
    assert apply(intrinsics, "d_to_long_rz", values, result=np.int64).tolist() == expected


def test_integers_to_floats_in_each_direction(intrinsics: Program) -> None:
    values = integers(np.int32)
    up = apply(intrinsics, "int_to_float_ru", values, result=np.float32).astype(np.float64)
    down = apply(intrinsics, "int_to_float_rd", values, result=np.float32).astype(np.float64)
    inward = apply(intrinsics, "int_to_float_rz", values, result=np.float32).astype(np.float64)
    exact = values.astype(np.float32).astype(np.float64) == values
    assert np.all(down <= values) and np.all(values <= up)
    above = np.nextafter(down.astype(np.float32), np.float32(np.inf)).astype(np.float64)
    assert np.array_equal(up, np.where(exact, down, above))
    assert np.array_equal(inward, np.where(values < 0, up, down))
    doubles = np.array([1 + 2**-30, -1 - 2**-30, 1e300])
    result = apply(intrinsics, "double_to_float_rz", doubles, result=np.float32)
    assert result.tolist() == [1, -1, float(np.finfo(np.float32).max)]


def test_bits(intrinsics: Program) -> None:
    bits = integers(np.uint32)
    bits = bits[~np.isnan(bits.view(np.float32))]
    assert np.array_equal(apply(intrinsics, "bits_of", bits.view(np.float32), result=np.uint32), bits)
    assert np.array_equal(apply(intrinsics, "float_of", bits, result=np.float32).view(np.uint32), bits)
    values = np.array([1.5, -2.25e10])
    swapped = apply(intrinsics, "swapped_words", values, result=np.float64)
    assert np.array_equal(swapped.view(np.uint32), values.view(np.uint32).reshape(-1, 2)[:, ::-1].ravel())


# ---- stated roundings ----------------------------------------------------------------------------------


def nearest(exact: Fraction, dtype: Any) -> Any:
    """A neighbour of `exact`, at most one away from where any rounding would put it."""
    return dtype(float(exact))


def rounded(exact: Fraction, mode: str, dtype: Any) -> Any:
    """`exact` rounded as `mode` says, found among the values around it."""
    start = nearest(exact, dtype)
    around = {start, np.nextafter(start, dtype(np.inf)), np.nextafter(start, dtype(-np.inf))}
    if mode == "rz":
        mode = "rd" if exact > 0 else "ru"
    if mode == "rd":
        return max(value for value in around if Fraction(float(value)) <= exact)
    if mode == "ru":
        return min(value for value in around if Fraction(float(value)) >= exact)
    even = {value: int(value.view(f"u{value.itemsize}")) & 1 for value in around}
    return min(around, key=lambda value: (abs(Fraction(float(value)) - exact), even[value]))


@pytest.mark.parametrize("mode", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize(
    ("name", "dtype", "operation"),
    [
        ("f_add", np.float32, lambda x, y: x + y),
        ("f_sub", np.float32, lambda x, y: x - y),
        ("f_mul", np.float32, lambda x, y: x * y),
        ("f_div", np.float32, lambda x, y: x / y),
        ("f_fused", np.float32, lambda x, y: x * y + x),
        ("d_add", np.float64, lambda x, y: x + y),
        ("d_mul", np.float64, lambda x, y: x * y),
    ],
)
def test_arithmetic_with_a_stated_rounding(
    intrinsics: Program, name: str, dtype: Any, operation: Callable[[Fraction, Fraction], Fraction], mode: str
) -> None:
    rng = np.random.default_rng(RNG_SEED)
    a = (rng.normal(size=300) * 10.0 ** rng.integers(-5, 5, 300)).astype(dtype)
    b = (rng.normal(size=300) * 10.0 ** rng.integers(-5, 5, 300)).astype(dtype)
    result = apply(intrinsics, f"{name}_{mode}", a, b, result=dtype)
    for x, y, got in zip(a, b, result, strict=True):
        assert got == rounded(operation(Fraction(float(x)), Fraction(float(y))), mode, dtype), (x, y)


def test_reciprocal_and_root_with_a_stated_rounding(intrinsics: Program) -> None:
    values = np.random.default_rng(RNG_SEED).uniform(0.1, 100, 300).astype(np.float32)
    reciprocals = apply(intrinsics, "f_rcp_ru", values, result=np.float32)
    for x, got in zip(values, reciprocals, strict=True):
        assert got == rounded(1 / Fraction(float(x)), "ru", np.float32)
    for x, root in zip(values, apply(intrinsics, "f_sqrt_rd", values, result=np.float32), strict=True):
        following = Fraction(float(np.nextafter(root, np.float32(np.inf))))
        assert Fraction(float(root)) ** 2 <= Fraction(float(x)) < following**2


# ---- integers ------------------------------------------------------------------------------------------


def signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def byte_perm(x: int, y: int) -> int:
    pool, selector, result = [(x | y << 32) >> 8 * i & 0xFF for i in range(8)], x ^ y, 0
    for i in range(4):
        result |= pool[selector >> 4 * i & 7] << 8 * i
    return result


def bytes_of(value: int, *, sign: bool) -> list[int]:
    parts = [value >> shift & 0xFF for shift in (0, 8, 16, 24)]
    return [signed(part, 8) for part in parts] if sign else parts


@pytest.mark.parametrize(
    ("name", "dtype", "function"),
    [
        ("count_ones", np.uint32, lambda x: x.bit_count()),
        ("leading", np.uint32, lambda x: 32 - x.bit_length()),
        ("first_set", np.uint32, lambda x: (x & -x).bit_length()),
        ("count_ones_ll", np.uint64, lambda x: x.bit_count()),
        ("leading_ll", np.uint64, lambda x: 64 - x.bit_length()),
        ("first_set_ll", np.uint64, lambda x: (x & -x).bit_length()),
    ],
)
def test_bit_counts(intrinsics: Program, name: str, dtype: Any, function: Callable[[int], int]) -> None:
    values = integers(dtype)
    result = apply(intrinsics, name, values, result=np.int32)
    assert result.tolist() == [function(int(x)) for x in values]


def test_bit_reversal(intrinsics: Program) -> None:
    for name, dtype, width in [("brev", np.uint32, 32), ("brevll", np.uint64, 64)]:
        values = integers(dtype)
        expected = [int(f"{int(x):0{width}b}"[::-1], 2) for x in values]
        assert apply(intrinsics, name, values, result=dtype).tolist() == expected


@pytest.mark.parametrize(
    ("name", "dtype", "result", "function"),
    [
        ("umulhi", np.uint32, np.uint32, lambda x, y: x * y >> 32),
        ("mulhi", np.int32, np.int32, lambda x, y: x * y >> 32),
        ("umul64hi", np.uint64, np.uint64, lambda x, y: x * y >> 64),
        ("mul64hi", np.int64, np.int64, lambda x, y: x * y >> 64),
        ("mul24", np.int32, np.int32, lambda x, y: signed(signed(x, 24) * signed(y, 24))),
        ("umul24", np.uint32, np.uint32, lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF) & 0xFFFFFFFF),
        ("hadd", np.int32, np.int32, lambda x, y: (x + y) >> 1),
        ("rhadd", np.int32, np.int32, lambda x, y: (x + y + 1) >> 1),
        ("sad", np.int32, np.uint32, lambda x, y: abs(x - y) + 5 & 0xFFFFFFFF),
        ("funnel_l", np.uint32, np.uint32, lambda x, y: (y << 32 | x) << y % 32 >> 32 & 0xFFFFFFFF),
        ("funnel_r", np.uint32, np.uint32, lambda x, y: (y << 32 | x) >> x % 32 & 0xFFFFFFFF),
        ("funnel_lc", np.uint32, np.uint32, lambda x, y: (y << 32 | x) << min(y % 40, 32) >> 32 & 0xFFFFFFFF),
        ("funnel_rc", np.uint32, np.uint32, lambda x, y: (y << 32 | x) >> min(y % 40, 32) & 0xFFFFFFFF),
        ("byte_perm", np.uint32, np.uint32, byte_perm),
        (
            "dp4a",
            np.int32,
            np.int32,
            lambda x, y: 7 + sum(map(operator.mul, bytes_of(x, sign=True), bytes_of(y, sign=True))),
        ),
        (
            "dp4a_unsigned",
            np.uint32,
            np.uint32,
            lambda x, y: 7 + sum(map(operator.mul, bytes_of(x, sign=False), bytes_of(y, sign=False))),
        ),
    ],
)
def test_integer_pairs(
    intrinsics: Program, name: str, dtype: Any, result: Any, function: Callable[[int, int], int]
) -> None:
    a, b = integers(dtype), integers(dtype, seed=RNG_SEED + 1)[::-1].copy()
    expected = [function(int(x), int(y)) for x, y in zip(a, b, strict=True)]
    assert apply(intrinsics, name, a, b, result=result).tolist() == expected
