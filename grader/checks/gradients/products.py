"""Small products and quotients of the tensors that a backward pass has available."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations

import torch

Factor = tuple[str, torch.Tensor]


def product_of(
    cotangent: torch.Tensor, factors: Sequence[Factor], fits: Callable[[torch.Tensor], bool]
) -> str:
    """The formula of the first product of the cotangent and at most two factors that ``fits``; else ``""``.

    ``grad_out * a``, ``grad_out / a``, ``grad_out * a * b`` and ``grad_out * a / b``.
    """
    for words, values in _products(cotangent, _of_one_shape(cotangent, factors)):
        if bool(values.isfinite().all()) and fits(values):
            return words
    return ""


def _of_one_shape(cotangent: torch.Tensor, factors: Iterable[Factor]) -> list[Factor]:
    """Those that broadcast to the shape of the cotangent."""
    found = []
    for name, values in factors:
        try:
            found.append((name, values.expand(cotangent.shape)))
        except RuntimeError:
            continue
    return found


def _products(cotangent: torch.Tensor, factors: Sequence[Factor]) -> Iterator[Factor]:
    for name, values in factors:
        yield f"grad_out * {name}", cotangent * values
        yield f"grad_out / {name}", cotangent / values
    for number, (name, values) in enumerate(factors):
        for other, more in factors[number:]:
            yield f"grad_out * {name} * {other}", cotangent * values * more
    for (name, values), (other, more) in permutations(factors, 2):
        yield f"grad_out * {name} / {other}", cotangent * values / more
