"""Recognise what a wrong answer looks like, the way an experienced colleague would at a glance.

Every pattern is a function from :class:`Wrong` to a sentence or ``""``; the first that speaks is used. A
pattern must be certain of what it says about the numbers; what it concludes from them it offers as a
question or a hint.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

POISON = 0xA5
MANY = 8  # fewer elements than this make a coincidence too likely
LARGEST_DIVISOR = 10_000  # an average over more elements than this is not tried


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: ``got`` as returned, ``expected`` in double precision, ``mask`` of the wrong elements.

    ``inputs`` are the tensor inputs by name; ``cotangent`` is given when the answer is a gradient.
    """

    got: torch.Tensor
    expected: torch.Tensor
    mask: torch.Tensor
    inputs: Sequence[tuple[str, torch.Tensor]] = ()
    cotangent: torch.Tensor | None = None
    flat_got: torch.Tensor = field(init=False)
    flat_expected: torch.Tensor = field(init=False)
    flat_mask: torch.Tensor = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "flat_got", self.got.reshape(-1).to(self.expected.dtype))
        object.__setattr__(self, "flat_expected", self.expected.reshape(-1))
        object.__setattr__(self, "flat_mask", self.mask.reshape(-1))

    @property
    def total(self) -> int:
        return self.flat_mask.numel()

    @property
    def count(self) -> int:
        return int(self.flat_mask.sum())

    def is_close(self, candidate: torch.Tensor, where: torch.Tensor | None = None) -> bool:
        """Whether ``got`` is `candidate` up to its own rounding (at the elements `where`)."""
        eps = torch.finfo(self.got.dtype).eps if self.got.is_floating_point() else 0.0
        got, other = self.flat_got, candidate.reshape(-1).to(self.expected.dtype)
        if where is not None:
            got, other = got[where], other[where]
        if got.numel() == 0 or not bool(got.isfinite().all()):
            return False
        finite = self.flat_expected[self.flat_expected.isfinite()]
        size = float(finite.abs().max()) if finite.numel() else 0.0
        return bool(((got - other).abs() <= 64 * eps * (other.abs() + size)).all())


def diagnose(wrong: Wrong) -> str:
    """One or two sentences about what the pattern suggests; ``""`` when nothing is recognised."""
    if wrong.count == 0 or wrong.got.is_complex():
        return ""
    for pattern in PATTERNS:
        sentence = pattern(wrong)
        if sentence:
            return sentence
    return ""


def never_written(wrong: Wrong) -> str:
    raw = wrong.got.contiguous().reshape(-1).view(torch.uint8).reshape(wrong.total, -1)
    untouched = (raw == POISON).all(dim=1)
    number = int(untouched.sum())
    if number == 0 or wrong.got.dtype == torch.bool:
        return ""
    fill = f"the fill pattern 0x{POISON:X} of fresh device memory"
    if number == wrong.total:
        return f"Nothing was written: every element still holds {fill}. Does the kernel run, on this pointer?"
    first = int(untouched.to(torch.uint8).argmax())
    if bool(untouched[first:].all()):
        which = f"Elements {first} to {wrong.total - 1} were" if number > 1 else f"Element {first} was"
        return f"{which} never written: {fill} is still there. {_about_the_grid(wrong, first)}"
    return f"{number} of {wrong.total} elements were never written: they still hold {fill}."


def _about_the_grid(wrong: Wrong, first: int) -> str:
    row = wrong.expected.shape[-1]
    if wrong.expected.ndim >= 2 and first % row == 0 and first > 0:
        return f"That is from row {first // row} on: is the number of blocks rounded up in every dimension?"
    if first % 32 == 0 and first > 0:
        return "Is the number of blocks rounded up, and does the index count the block?"
    return "Is the guard at the end of the grid too strict?"


def all_zero(wrong: Wrong) -> str:
    zeros = wrong.flat_got == 0
    if wrong.count < 2 or not bool(zeros[wrong.flat_mask].all()):
        return ""
    if bool(zeros.all()):
        return "Every element is 0: the result was allocated but not computed, or multiplied by 0."
    return f"All {wrong.count} wrong elements are 0."


def not_a_number(wrong: Wrong) -> str:
    strange = ~wrong.flat_got.isfinite() & wrong.flat_expected.isfinite()
    lost = wrong.flat_got.isfinite() & ~wrong.flat_expected.isfinite()
    if bool(strange.any()):
        number = int(strange.sum())
        return (
            f"{number} of {wrong.total} elements are NaN or infinite where the answer is finite: 0/0, an "
            "overflow, or memory that nobody wrote."
        )
    if bool(lost.any()) and int(lost.sum()) == wrong.count:
        return "NaN and infinity have to go through to the result; here they were lost, as max and min do it."
    return ""


def a_chain_factor(wrong: Wrong) -> str:
    """A gradient that has one factor too few or too many: an input, or the cotangent itself."""
    if wrong.cotangent is None or not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    for name, values in (("grad_out", wrong.cotangent), *wrong.inputs):
        factor = _broadcast(values, wrong.expected)
        if factor is None or not bool((factor != 0).all()):
            continue
        if wrong.is_close(wrong.expected / factor):
            return (
                f"The result is the right one divided by {name}: the chain rule's factor {name} is missing."
            )
        if wrong.is_close(wrong.expected * factor):
            return f"The result is the right one times {name}: that factor does not belong there."
    return ""


def an_input(wrong: Wrong) -> str:
    """The answer is an input, or differs from the right one by exactly an input."""
    if not wrong.got.is_floating_point() or wrong.total < MANY:
        return ""
    for name, values in wrong.inputs:
        fitted = _broadcast(values, wrong.expected)
        if fitted is None or not bool(fitted.any()):
            continue
        if wrong.is_close(fitted):
            return f"The result equals {name} unchanged."
        if wrong.is_close(wrong.expected - fitted):
            return f"The result is too small by exactly {name}: that term is missing."
        if wrong.is_close(wrong.expected + fitted):
            return f"The result is too large by exactly {name}: that term is added once too often."
    return ""


def a_factor(wrong: Wrong) -> str:
    if not wrong.got.is_floating_point() or not bool(wrong.flat_expected.any()):
        return ""
    usable = wrong.flat_expected.isfinite() & (wrong.flat_expected != 0)
    if not bool(usable.any()):
        return ""
    largest = int(torch.where(usable, wrong.flat_expected.abs(), 0).argmax())
    ratio = float(wrong.flat_got[largest] / wrong.flat_expected[largest])
    for factor, words in _factors_near(ratio):
        if wrong.is_close(wrong.expected * factor):
            return f"Every element is {words} what it should be."
    return ""


def _factors_near(ratio: float) -> Iterator[tuple[float, str]]:
    """The whole number, or the inverse of one, that `ratio` may stand for, with its words."""
    if not math.isfinite(ratio) or ratio == 0:
        return
    sign, minus = math.copysign(1.0, ratio), "minus " if ratio < 0 else ""
    size, divisor = round(abs(ratio)), round(1 / abs(ratio))
    if 1 <= size <= LARGEST_DIVISOR and sign * size != 1:
        yield sign * size, f"{minus}{size} times" if size > 1 else "minus"
    if 2 <= divisor <= LARGEST_DIVISOR:
        yield sign / divisor, f"{minus}{_PARTS.get(divisor, f'1/{divisor} of')}"


_PARTS = {2: "half of", 4: "a quarter of"}


def transposed(wrong: Wrong) -> str:
    if wrong.expected.ndim < 2 or min(wrong.expected.shape[-2:]) < 2 or wrong.total < MANY:
        return ""
    rows, columns = wrong.expected.shape[-2:]
    turned = wrong.expected.mT.reshape(wrong.expected.shape)
    back = wrong.expected.reshape(*wrong.expected.shape[:-2], columns, rows).mT
    if wrong.is_close(turned) or wrong.is_close(back):
        return (
            "These are the right numbers, transposed: row and column index are exchanged, or the strides of "
            "a transposed tensor are ignored."
        )
    return ""


def shifted(wrong: Wrong) -> str:
    """The right numbers, one element or one row too early or too late."""
    if wrong.total < MANY:
        return ""
    steps = {1: "one element"}
    if wrong.expected.ndim >= 2 and wrong.expected.shape[-1] > 1:
        steps[wrong.expected.shape[-1]] = "one row"
    for step, words in steps.items():
        if wrong.total - step < MANY:
            continue
        for sign, direction in ((1, "late"), (-1, "early")):
            moved = wrong.flat_expected.roll(sign * step)
            inside = torch.ones_like(wrong.flat_mask)
            inside[:step] = inside[:step] & (sign < 0)
            inside[-step:] = inside[-step:] & (sign > 0)
            if wrong.is_close(moved, inside):
                return f"These are the right numbers, {words} too {direction}: an index is off by one."
    return ""


def low_precision(wrong: Wrong) -> str:
    """Right to fewer digits than the dtype holds."""
    if not wrong.got.is_floating_point() or wrong.count < 2:
        return ""
    error = (wrong.flat_got - wrong.flat_expected).abs()[wrong.flat_mask]
    size = float(wrong.flat_expected.abs().max())
    if not bool(error.isfinite().all()) or not (size > 0 and math.isfinite(size)):
        return ""
    relative = float(error.max()) / size
    if wrong.got.dtype == torch.float64 and relative < 1e-5:
        return (
            "It is right to about 7 digits: float32 arithmetic (a float variable, an f suffix, expf) in a "
            "float64 kernel?"
        )
    if wrong.got.dtype == torch.float32 and relative < 1e-2:
        return (
            f"It is nearly right (largest error {relative:.1g} of the largest value): a constant with too "
            "few digits, or arithmetic in half precision?"
        )
    return ""


def a_region(wrong: Wrong) -> str:
    """Which part is wrong: the tail, one edge, every other element."""
    indices = wrong.flat_mask.nonzero().reshape(-1)
    first, last = int(indices[0]), int(indices[-1])
    if wrong.count == wrong.total:
        return "Every element is wrong." if wrong.total > 1 else ""
    if first > 0 and last == wrong.total - 1 and wrong.count == wrong.total - first:
        right = "Element 0 is right" if first == 1 else f"Elements 0 to {first - 1} are right"
        blocks = ", a whole number of warps: look at the last, partial block" if first % 32 == 0 else ""
        return f"{right}{blocks}; everything from {first} on is wrong."
    edge = _edge(wrong)
    if edge:
        return edge
    if wrong.count >= MANY and bool((indices[1:] - indices[:-1] == 2).all()):
        return f"Every other element is wrong, from {first} on."
    return f"{wrong.count} of {wrong.total} elements are wrong."


def _edge(wrong: Wrong) -> str:
    if wrong.expected.ndim < 2:
        return ""
    mask = wrong.mask.reshape(-1, *wrong.mask.shape[-2:]).any(dim=0)
    rows, columns = mask.any(dim=1), mask.any(dim=0)
    for name, lines in (("row", rows), ("column", columns)):
        number = int(lines.sum())
        if 2 * number > lines.numel() or not bool(lines[-number:].all()):
            continue
        which = f"the last {name}" if number == 1 else f"the last {number} {name}s"
        return f"All wrong elements lie in {which}: look at the tiles or blocks that hang over the edge."
    return ""


def _broadcast(values: torch.Tensor, expected: torch.Tensor) -> torch.Tensor | None:
    """`values` in the shape of `expected`, if NumPy's rules allow it."""
    try:
        return values.to(expected.dtype).expand(expected.shape)
    except RuntimeError:
        return None


PATTERNS: tuple[Callable[[Wrong], str], ...] = (
    never_written,
    not_a_number,
    all_zero,
    a_factor,
    transposed,
    shifted,
    a_chain_factor,
    an_input,
    low_precision,
    a_region,
)
