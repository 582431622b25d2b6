"""Diagrams of 08: the bits of three floating types, and what a sum loses when it is kept in 16 of them."""

from __future__ import annotations

import random

import torch

from diagram import Diagram

TOKENS = 2048
_BIT = 16  # pixels
# name, bits of the exponent, bits of the fraction
TYPES = (("float32", 8, 23), ("bfloat16", 8, 7), ("float16", 5, 10))


def sixteen_bits() -> Diagram:
    """Sign, exponent and fraction of float32, bfloat16 and float16, and what follows from their lengths."""
    ends = {name: _power(torch.finfo(getattr(torch, name)).max) for name, _, _ in TYPES}
    said = "; ".join(
        f"{name} has {exponent} bits of exponent and {fraction} of fraction, ends at {ends[name]} and rounds "
        f"by at most {_unit(fraction)}"
        for name, exponent, fraction in TYPES
    )
    canvas = Diagram(
        "sixteen-bits", 660, 250, "The bits of three floating types",
        f"Three rows of bits: {said}. bfloat16 is the upper half of float32: the same exponent, less fraction.",
    )  # fmt: skip
    left = 100
    canvas.text(left + 5 * _BIT, 16, "exponent", "middle small b")
    canvas.text(left + 20.5 * _BIT, 16, "fraction", "middle small a")
    for row, (name, exponent, fraction) in enumerate(TYPES):
        y = 26 + row * 76
        canvas.text(left - 12, y + 22, name, "end mono")
        canvas.box(left, y, _BIT - 2, 34)
        canvas.box(left + _BIT, y, exponent * _BIT - 2, 34, str(exponent), "b")
        canvas.box(left + (1 + exponent) * _BIT, y, fraction * _BIT - 2, 34, str(fraction), "a")
        text = f"ends at {ends[name]}, rounds by at most {_unit(fraction)}"
        canvas.text(left, y + 54, text, "small")
    return canvas


def running_sum() -> Diagram:
    """The sum of products as it grows, kept in float32, float16 and bfloat16."""
    terms = products()
    exact = sum(float(each) for each in terms)
    curves = {name: kept_in(getattr(torch, name), terms) for name in ("float32", "float16", "bfloat16")}
    last = {name: curve[-1] for name, curve in curves.items()}
    stuck = next(count for count, each in enumerate(curves["bfloat16"], 1) if each == last["bfloat16"])
    canvas = Diagram(
        "running-sum", 660, 330, "One sum, kept in three types",
        f"A sum of {TOKENS} products between 0 and 1 as it grows. Kept in float32 it ends at "
        f"{last['float32']:.1f}, as it should: the exact sum is {exact:.1f}. Kept in float16 it ends at "
        f"{last['float16']:.1f}. Kept in bfloat16 it falls behind, reaches {last['bfloat16']:.0f} after "
        f"{stuck} terms and stays there.",
    )  # fmt: skip
    left, right, top, bottom = 60, 500, 20, 280
    high = 600

    def at(count: int, value: float) -> tuple[float, float]:
        return left + (right - left) * count / TOKENS, bottom - (bottom - top) * value / high

    canvas.line([(left, top), (left, bottom), (right, bottom)], "axis")
    for value in range(0, high + 1, 100):
        canvas.text(left - 8, at(0, value)[1] + 4, str(value), "end small")
    for count in range(512, TOKENS + 1, 512):
        canvas.text(at(count, 0)[0], bottom + 18, str(count), "middle small")
    canvas.text((left + right) / 2, bottom + 40, "terms added", "middle")
    for name, kind in (("float16", "a"), ("float32", "c"), ("bfloat16", "b")):
        points = [at(count, curves[name][count - 1]) for count in range(32, TOKENS + 1, 32)]
        canvas.line([at(0, 0), *points], f"curve {kind}")
    for name, kind, shift in (("float32", "c", -22), ("float16", "a", 16), ("bfloat16", "b", -4)):
        y = at(0, last[name])[1] + shift
        canvas.text(right + 10, y, name, kind)
        canvas.text(right + 10, y + 16, f"{last[name]:.1f}", kind)
    return canvas


def products() -> list[torch.Tensor]:
    """Products of two numbers between 0 and 1, each rounded to bfloat16 so that every type holds the same."""
    numbers = random.Random(8)
    drawn = [numbers.random() * numbers.random() for _ in range(TOKENS)]
    return list(torch.tensor(drawn, dtype=torch.float64).to(torch.bfloat16).to(torch.float64))


def kept_in(dtype: torch.dtype, terms: list[torch.Tensor]) -> list[float]:
    """The sum after each of the terms, rounded to `dtype` after every addition."""
    total = torch.zeros((), dtype=dtype)
    found = []
    for each in terms:
        total = total + each.to(dtype)
        found.append(float(total))
    return found


def _power(value: float) -> str:
    """65504, 3.4·10³⁸"""
    if value < 1e6:
        return f"{value:.0f}"
    digits, _, power = f"{value:.1e}".partition("e+")
    return f"{digits}·10{_raised(power)}"


def _unit(fraction: int) -> str:
    return f"2{_raised(f'-{fraction + 1}')}"


def _raised(digits: str) -> str:
    return digits.translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
