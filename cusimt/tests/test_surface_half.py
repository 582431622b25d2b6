"""Half and bfloat16: every code, every rounding, against numpy and exact fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from cusimt.tests.surface_program import Array, Program, program

CODES = np.arange(65536, dtype=np.uint32).astype(np.uint16)
HALVES = CODES.view(np.float16)
BFLOATS = (CODES.astype(np.uint32) << 16).view(np.float32)


@pytest.fixture(scope="module", params=[False, True], ids=["fast", "checked"])
def half(request: pytest.FixtureRequest) -> Program:
    return program("half", checked=request.param)


def apply(half: Program, name: str, *operands: Array, result: type = np.uint16) -> Array:
    out = np.zeros(len(operands[0]), result)
    half.call(name, *map(np.ascontiguousarray, operands), out, len(out))
    return out


def same_values(result: Array, expected: Array) -> bool:
    """Bit for bit, except that any NaN equals any NaN."""
    both_nan = np.isnan(result) & np.isnan(expected)
    bits = np.dtype(f"u{result.itemsize}")
    return bool(np.all((result.view(bits) == expected.view(bits)) | both_nan))


def to_bfloat16(values: Array) -> Array:
    """Codes of floats rounded to nearest even: half a unit is added, a tie below an even code falls back."""
    bits = values.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(values), np.uint16(0x7FFF), rounded).astype(np.uint16)


def floats_of_interest() -> Array:
    """Every half, every midpoint of two halves and its neighbours, infinities, NaN, random bits."""
    finite = np.sort(HALVES[np.isfinite(HALVES)].astype(np.float64))
    middles = ((finite[1:] + finite[:-1]) / 2).astype(np.float32)
    beside = [np.nextafter(middles, np.float32(side)) for side in (-np.inf, np.inf)]
    edges = np.array(
        [65504, 65519.996, 65520, 65536, 1e30, np.inf, np.nan, 2**-25, 2**-26, 1e-45], np.float32
    )
    bits = np.random.default_rng(3).integers(0, 2**32, 200_000, dtype=np.uint64).astype(np.uint32)
    return np.concatenate([HALVES.astype(np.float32), middles, *beside, edges, -edges, bits.view(np.float32)])


def test_every_half_as_a_float(half: Program) -> None:
    result = apply(half, "half_to_float", CODES, result=np.float32)
    assert same_values(result, HALVES.astype(np.float32))


def test_every_bfloat16_as_a_float(half: Program) -> None:
    assert same_values(apply(half, "bfloat16_to_float", CODES, result=np.float32), BFLOATS)


@pytest.mark.parametrize("name", ["float_to_half", "implicit_half"])
def test_floats_round_to_the_nearest_half(half: Program, name: str) -> None:
    values = floats_of_interest()
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    result = apply(half, name, values)
    assert same_values(result.view(np.float16), expected)
    assert set(result[np.isnan(values)]) == {0x7FFF}


@pytest.mark.parametrize("name", ["float_to_bfloat16", "implicit_bfloat16"])
def test_floats_round_to_the_nearest_bfloat16(half: Program, name: str) -> None:
    middles = (CODES.astype(np.uint32) << 16 | 0x8000).view(np.float32)
    values = np.concatenate([floats_of_interest(), BFLOATS, middles])
    assert np.array_equal(apply(half, name, values), to_bfloat16(values))


def test_a_double_is_rounded_once(half: Program) -> None:
    """1 + 2^-11 + 2^-40 lies above the midpoint of two halves; as a float it would be the midpoint."""
    values = np.array([1 + 2**-11 + 2**-40, 1 + 2**-11, 1 + 2**-11 - 2**-40, -1 - 2**-11 - 2**-40])
    assert apply(half, "double_to_half", values).tolist() == [0x3C01, 0x3C00, 0x3C00, 0xBC01]
    values = np.array([1 + 2**-8 + 2**-40, 1 + 2**-8, 5e-324, -1e300])
    assert apply(half, "double_to_bfloat16", values).tolist() == [0x3F81, 0x3F80, 0x0000, 0xFF80]


def test_directed_roundings_enclose_the_value(half: Program) -> None:
    values = floats_of_interest()
    values = values[np.isfinite(values) & (np.abs(values) < 65504)]
    down = apply(half, "float_to_half_rd", values).view(np.float16)
    up = apply(half, "float_to_half_ru", values).view(np.float16)
    inward = apply(half, "float_to_half_rz", values).view(np.float16)
    exact = values.astype(np.float16).astype(np.float32) == values
    assert np.all(down.astype(np.float32) <= values) and np.all(values <= up.astype(np.float32))
    assert np.all(np.where(exact, down == up, np.nextafter(down, np.float16(np.inf)) == up))
    assert same_values(inward, np.where(values < 0, up, down))


def test_directed_roundings_saturate(half: Program) -> None:
    values = np.array([1e6, -1e6], np.float32)
    assert apply(half, "float_to_half_rz", values).tolist() == [0x7BFF, 0xFBFF]
    assert apply(half, "float_to_half_ru", values).tolist() == [0x7C00, 0xFBFF]
    assert apply(half, "float_to_half_rd", values).tolist() == [0x7BFF, 0xFC00]


@pytest.mark.parametrize(
    ("name", "rounding"), [("rn", np.rint), ("rz", np.trunc), ("ru", np.ceil), ("rd", np.floor)]
)
def test_halves_as_integers(half: Program, name: str, rounding: np.ufunc) -> None:
    finite = np.nan_to_num(HALVES.astype(np.float64), nan=0, posinf=2.0**31 - 1, neginf=-(2.0**31))
    result = apply(half, f"half_to_int_{name}", CODES, result=np.int32)
    assert np.array_equal(result, rounding(finite).astype(np.int64))


def test_halves_as_short_integers_saturate(half: Program) -> None:
    finite = np.trunc(np.nan_to_num(HALVES.astype(np.float64), nan=0, posinf=1e9, neginf=-1e9))
    assert np.array_equal(apply(half, "half_to_short", CODES, result=np.int16), finite.clip(-32768, 32767))
    assert np.array_equal(apply(half, "half_to_ushort", CODES, result=np.uint16), finite.clip(0, 65535))


def test_integers_as_halves_and_bfloats(half: Program) -> None:
    values = np.array([0, 1, -1, 2048, 2049, 2051, 65504, 65519, 65520, -70000, 2**31 - 1], np.int32)
    with np.errstate(over="ignore"):
        expected = values.astype(np.float64).astype(np.float16)
    assert same_values(apply(half, "int_to_half", values).view(np.float16), expected)
    assert apply(half, "int_to_half_rz", np.array([2049, 2051, -2051], np.int32)).tolist() == [
        0x6800,
        0x6801,
        0xE801,
    ]
    # 2^62 + 2^54 is the midpoint of two bfloats, and the 1 beyond it is lost in a double.
    values = np.array([2**62 + 2**54, 2**62 + 2**54 + 1, -(2**62 + 2**54 + 1), 2**62 + 2**54 - 1], np.int64)
    assert apply(half, "long_to_bfloat16", values).tolist() == [0x5E80, 0x5E81, 0xDE81, 0x5E80]


def test_half_to_bfloat16(half: Program) -> None:
    assert np.array_equal(apply(half, "half_to_bfloat16", CODES), to_bfloat16(HALVES.astype(np.float32)))


def random_codes(seed: int, count: int = 100_000) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    special = np.array([0, 0x8000, 1, 0x8001, 0x3C00, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x0400], np.uint16)
    first = np.concatenate(
        [rng.integers(0, 65536, count).astype(np.uint16), np.repeat(special, len(special))]
    )
    second = np.concatenate([rng.integers(0, 65536, count).astype(np.uint16), np.tile(special, len(special))])
    return first, second


@pytest.mark.parametrize(
    ("name", "operation"), [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide)]
)
def test_half_arithmetic(half: Program, name: str, operation: np.ufunc) -> None:
    a, b = random_codes(4)
    with np.errstate(all="ignore"):
        exact = operation(a.view(np.float16).astype(np.float64), b.view(np.float16).astype(np.float64))
        expected = exact.astype(np.float16)
    assert same_values(apply(half, f"half_{name}", a, b).view(np.float16), expected)


@pytest.mark.parametrize(("name", "operation"), [("add", np.add), ("mul", np.multiply), ("div", np.divide)])
def test_bfloat16_arithmetic(half: Program, name: str, operation: np.ufunc) -> None:
    a, b = random_codes(5)
    with np.errstate(all="ignore"):
        expected = to_bfloat16(operation(BFLOATS[a], BFLOATS[b]))
    result = apply(half, f"bfloat16_{name}", a, b)
    assert np.array_equal(result, expected)


def nearest_even(exact: Fraction, codes: Array, values: Array) -> int:
    """The code of the value (ascending and positive) nearest to `exact`; a tie goes to the even code."""
    above = int(np.searchsorted(values, float(exact)))
    candidates = range(max(above - 2, 0), min(above + 3, len(values)))
    return min(
        (abs(Fraction(float(values[i])) - exact), int(codes[i]) & 1, int(codes[i])) for i in candidates
    )[2]


@pytest.mark.parametrize("name", ["half", "bfloat16"])
def test_fused_multiply_add_rounds_once(half: Program, name: str) -> None:
    with np.errstate(invalid="ignore"):
        values = HALVES.astype(np.float64) if name == "half" else BFLOATS.astype(np.float64)
    rng = np.random.default_rng(6)
    top = 0x5000 if name == "half" else 0x5F00
    a, b, c = rng.integers(0x0001, top, (3, 3000)).astype(np.uint16)
    # Products half-way between two results, with an addend far too small for a double to hold beside.
    ties = (0x3C01, 0x3E00) if name == "half" else (0x3F81, 0x3FC0)
    a[:4], b[:4], c[:4] = ties[0], ties[1], [0x0001, 0x0002, 0x0400, 0x0000]
    result = apply(half, f"{name}_fused", a, b, c)
    order = np.argsort(values[: 0x7C00 if name == "half" else 0x7F80])
    codes, sorted_values = CODES[order], values[order]
    for i in range(len(a)):
        exact = Fraction(values[a[i]]) * Fraction(values[b[i]]) + Fraction(values[c[i]])
        if exact < Fraction(float(sorted_values[-1])):
            assert result[i] == nearest_even(exact, codes, sorted_values), (a[i], b[i], c[i])


def test_half_maximum_and_minimum(half: Program) -> None:
    a, b = random_codes(7)
    x, y = a.view(np.float16), b.view(np.float16)
    for name, operation in [("max", np.fmax), ("min", np.fmin), ("max_nan", np.maximum)]:
        result = apply(half, f"half_{name}", a, b).view(np.float16)
        assert np.array_equal(result, operation(x, y), equal_nan=True), name  # -0 equals +0 here, not below
    zeros = np.array([0x0000, 0x8000], np.uint16)
    assert apply(half, "half_max", zeros, zeros[::-1]).tolist() == [0, 0]
    assert apply(half, "half_min", zeros, zeros[::-1]).tolist() == [0x8000, 0x8000]


def test_half_comparisons(half: Program) -> None:
    a, b = random_codes(8)
    x, y = a.view(np.float16), b.view(np.float16)
    ordered = [x < y, x <= y, x > y, x >= y, x == y, x != y]
    result = apply(half, "half_compare", a, b, result=np.int32)
    assert np.array_equal(result, sum(flags.astype(np.int32) << bit for bit, flags in enumerate(ordered)))
    unordered = [
        ~(x >= y),
        ~(x > y),
        ~(x <= y),
        ~(x < y),
        (x == y) | np.isnan(x) | np.isnan(y),
        (x < y) | (x > y),
    ]
    result = apply(half, "half_compare_unordered", a, b, result=np.int32)
    assert np.array_equal(result, sum(flags.astype(np.int32) << bit for bit, flags in enumerate(unordered)))


def test_pairs(half: Program) -> None:
    a, b = random_codes(9, 20_000)
    x, y = a.view(np.float16), b.view(np.float16)
    pairs = a.view(np.uint32), b.view(np.uint32)
    with np.errstate(all="ignore"):
        assert same_values(apply(half, "half2_add", *pairs, result=np.uint32).view(np.float16), x + y)
    larger = np.where(x > y, 0xFFFF, 0).astype(np.uint16).view(np.uint32)
    assert np.array_equal(apply(half, "half2_larger", *pairs, result=np.uint32), larger)
    swapped = a.reshape(-1, 2)[:, ::-1].copy().view(np.uint32).ravel()
    assert np.array_equal(apply(half, "half2_swap", pairs[0], result=np.uint32), swapped)


def test_half_functions(half: Program) -> None:
    positive = CODES[:0x7C00]
    values = positive.view(np.float16).astype(np.float64)
    assert np.array_equal(
        apply(half, "half_sqrt", positive).view(np.float16), np.sqrt(values).astype(np.float16)
    )
    result = apply(half, "half_exp", positive).view(np.float16)
    with np.errstate(over="ignore"):
        expected = np.exp(values).astype(np.float16)
    units = np.abs(result.view(np.uint16).astype(int) - expected.view(np.uint16))
    assert units.max() <= 1


def test_a_change_of_sign_makes_any_nan_the_one_nan(half: Program) -> None:
    nan = np.isnan(HALVES)
    negated, absolute = apply(half, "half_negate", CODES), apply(half, "half_absolute", CODES)
    assert np.array_equal(negated, np.where(nan, 0x7FFF, CODES ^ 0x8000))
    assert np.array_equal(absolute, np.where(nan, 0x7FFF, CODES & 0x7FFF))


def test_halves_in_warps_and_atomics(half: Program) -> None:
    values = (np.arange(32) / 4).astype(np.float16)
    result = np.zeros(6, np.float16)
    half.half_sum(values.view(np.uint16), result)
    assert result.tolist() == [values.sum(), values.sum(), values[1], values[1], values.sum(), 32]
