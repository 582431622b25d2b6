"""Sizes drawn for each verdict, so that no kernel can be written for the sizes of the cases.

    Case("sizes of this verdict", sizes=drawn(
        lambda rows, columns: [tensor((rows, columns)), tensor(columns)],
        rows=(1, 2000), columns=(1, 2000),
        where=lambda rows, columns: 1 << 16 < rows * columns < 100_000,
    ))

The verdict's seed decides them: the same seed gives the same sizes on every machine. Half of the sizes are
spread evenly on a logarithmic scale. A quarter are primes, and a quarter exceed a power of two by one: there
a launch configuration that rounds down, or a loop that assumes whole tiles, leaves something out.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from math import isqrt
from random import Random

from grader.specification.vocabulary import Argument

Range = tuple[int, int]
ATTEMPTS = 100_000
# Computed in software and correctly rounded, where pow() of two machines may differ in the last bit.
_EXACT = Context(prec=28, rounding=ROUND_HALF_EVEN)
_AT_FIRST = 1000  # a spec whose first draw takes more attempts is refused: a later draw might find nothing


@dataclass(frozen=True)
class DrawnSizes:
    """Sizes still to be drawn, and the arguments that have them; made by :func:`drawn`."""

    arguments: Callable[..., Sequence[Argument]]
    ranges: Mapping[str, Range]
    where: Callable[..., bool] | None

    def draw(self, label: str, attempts: int = ATTEMPTS) -> list[Argument]:
        """The arguments for `label`, which always draws the same sizes.

        Raises ValueError when `attempts` draws found no sizes that ``where`` accepts.
        """
        random = Random(label)
        for _ in range(attempts):
            found = {name: _size(low, high, random) for name, (low, high) in self.ranges.items()}
            if self.where is None or self.where(**found):
                return list(self.arguments(**found))
        raise ValueError(f"sizes: where accepted none of {attempts} draws")

    def example(self) -> list[Argument]:
        """Arguments of one fixed draw, with which a spec is checked before there is a seed."""
        return self.draw("example", _AT_FIRST)


def drawn(
    arguments: Callable[..., Sequence[Argument]],
    *,
    where: Callable[..., bool] | None = None,
    **ranges: Range,
) -> DrawnSizes:
    """Describe arguments whose sizes are drawn from the verdict's seed.

    Args:
        arguments: a function of the sizes that gives the arguments of the call; arguments share a size by
            using it more than once.
        where: a function of the sizes that says which draws to keep: at least so many elements, so that no
            small grid covers them; at most so much work, so that a simulated GPU gets through it.
        ranges: the least and the largest value of each size, both included.
    """
    described = DrawnSizes(arguments, ranges, where)
    _refuse_nonsense(described)
    return described


def _refuse_nonsense(given: DrawnSizes) -> None:
    """Raise TypeError or ValueError when nothing can be drawn; :func:`load_spec` adds the file."""
    if not given.ranges:
        raise ValueError("drawn: there is no size to draw; give a range, as in rows=(1, 300)")
    for name, (low, high) in given.ranges.items():
        if not 1 <= low < high:
            raise ValueError(f"drawn: {name}=({low}, {high}) is no range of sizes from 1 up")
    for function in filter(None, (given.arguments, given.where)):
        try:
            inspect.signature(function).bind(**given.ranges)
        except TypeError as problem:
            raise TypeError(
                f"drawn: the ranges are for {', '.join(given.ranges)}; a function of them: {problem}"
            ) from problem


def _size(low: int, high: int, random: Random) -> int:
    # Only random() gives the same numbers in every version of Python.
    value = min(high, _between(low, high + 1, Decimal(random.random())))
    kind = int(4 * random.random())
    if kind == 0:
        special = (1 << (value.bit_length() - 1)) + 1
    elif kind == 1:
        special = next((each for each in range(value, 1, -1) if _is_prime(each)), value)
    else:
        return value
    return special if low <= special <= high else value


def _between(low: int, high: int, share: Decimal) -> int:
    """``low * (high / low) ** share``, rounded down."""
    exponent = _EXACT.multiply(share, _EXACT.ln(_EXACT.divide(Decimal(high), Decimal(low))))
    return int(_EXACT.multiply(Decimal(low), _EXACT.exp(exponent)))


def _is_prime(number: int) -> bool:
    return all(number % each for each in range(2, isqrt(number) + 1))
