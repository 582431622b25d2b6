"""Compare a returned tensor with the expected one: kind, dtype, shape, device, and only then values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import torch

from grader.checks.values.expected import Expected, Tolerance
from grader.run.tensors import dtype_name


class Returned(Protocol):
    """What the comparison reads of a :class:`grader.run.Output`."""

    @property
    def tensor(self) -> torch.Tensor | None: ...
    @property
    def device(self) -> str: ...
    @property
    def kind(self) -> str: ...


@dataclass(frozen=True)
class Mismatch:
    """The first difference. ``what`` is one of kind, dtype, shape, device, value.

    For values: ``index`` is the first wrong element in row-major order, ``wrong`` the mask of all of them.
    """

    what: str
    expected: str
    got: str
    index: tuple[int, ...] | None = None
    wrong: torch.Tensor | None = None

    @property
    def count(self) -> int:
        return int(self.wrong.sum()) if self.wrong is not None else 0


def compare(returned: Returned, expected: Expected) -> Mismatch | None:
    """The first thing that differs, or None."""
    wanted_kind = "numpy" if expected.device == "numpy" else "tensor"
    if returned.kind != wanted_kind or returned.tensor is None:
        return Mismatch("kind", _KINDS[wanted_kind], _KINDS.get(returned.kind, returned.kind))
    got = returned.tensor
    if got.dtype != expected.dtype:
        return Mismatch("dtype", dtype_name(expected.dtype), dtype_name(got.dtype))
    if tuple(got.shape) != expected.shape:
        return Mismatch("shape", str(expected.shape), str(tuple(got.shape)))
    if wanted_kind == "tensor" and returned.device != expected.device:
        return Mismatch("device", expected.device, returned.device)
    return compare_values(got, expected.values, expected.tolerance)


def compare_values(got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> Mismatch | None:
    """Compare element by element; NaN and infinities must stand exactly where the reference has them."""
    wrong = wrong_elements(got, expected, tolerance)
    if not bool(wrong.any()):
        return None
    flat = int(wrong.reshape(-1).to(torch.uint8).argmax())
    index = tuple(int(each) for each in torch.unravel_index(torch.tensor(flat), wrong.shape))
    wanted_text, got_text = pair(expected.reshape(-1)[flat], got.reshape(-1)[flat])
    return Mismatch("value", wanted_text, got_text, index, wrong)


def wrong_elements(got: torch.Tensor, expected: torch.Tensor, tolerance: Tolerance) -> torch.Tensor:
    """A mask in the shape of `expected`. The test is ``not (difference <= allowed)``: NaN never passes it."""
    if not (expected.is_floating_point() or expected.is_complex()):
        return got != expected
    answer = got.to(expected.dtype)
    # `==` settles infinities, whose difference is NaN, and everything that is exactly right.
    same = (answer == expected) | (answer.isnan() & expected.isnan())
    allowed = tolerance.relative * expected.abs() + tolerance.absolute
    near = expected.isfinite() & ((answer - expected).abs() <= allowed)
    return ~(same | near)


def pair(expected: torch.Tensor, got: torch.Tensor) -> tuple[str, str]:
    """Both numbers with as many digits as it takes to tell them apart (at least 6)."""
    one, other = expected.item(), got.item()
    for digits in (6, 9, 12, 17):
        texts = number(one, digits), number(other, digits)
        if texts[0] != texts[1]:
            break
    return texts


def number(value: complex | float | int | bool, digits: int = 6) -> str:
    if isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, complex):
        return f"{value.real:.{digits}g}{value.imag:+.{digits}g}i"
    return f"{value:.{digits}g}"


_KINDS = {
    "tensor": "a tensor",
    "numpy": "a NumPy array",
    "none": "None",
    "other": "something that is neither a tensor nor an array",
}
