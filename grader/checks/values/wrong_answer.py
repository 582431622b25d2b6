"""A wrong answer paired with the right one, as the patterns of `diagnose` see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import torch

from grader.run.values import TracedLaunch

MANY = 8  # with fewer elements a coincidence is too likely
NARROW = (torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Wrong:
    """A wrong answer: ``got`` as returned, ``expected`` in double precision, ``mask`` of the wrong elements.

    ``inputs`` are the tensor inputs by name; ``cotangent`` is given when the answer is a gradient, and
    ``for_ones`` the right gradient for a cotangent of ones. ``written`` says that every byte of it is known
    to have been written, ``terms`` how many are added into an element at most. ``turned`` gives the right
    answers for inputs that are transposed, with the names of these; ``launches`` are the kernels that ran.
    ``by_host`` says that no copy from the device brought it. ``reason`` evaluates the reference for mistakes
    that need more than these numbers to be told, and gives a sentence about the first that fits.
    ``of_wrong_forward`` says that this is the gradient of a forward whose results are wrong, too.
    """

    got: torch.Tensor
    expected: torch.Tensor
    mask: torch.Tensor
    inputs: Sequence[tuple[str, torch.Tensor]] = ()
    cotangent: torch.Tensor | None = None
    written: bool = False
    terms: int = 1
    for_ones: torch.Tensor | None = None
    turned: Callable[[], Iterable[tuple[str, torch.Tensor]]] = tuple
    launches: Sequence[TracedLaunch] = ()
    by_host: bool = False
    reason: Callable[[], str] = str
    of_wrong_forward: bool = False
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

    @property
    def largest_whole(self) -> float:
        """Up to here the dtype of the answer holds every whole number."""
        return 2 / torch.finfo(self.got.dtype).eps if self.got.is_floating_point() else math.inf

    def is_close(self, candidate: torch.Tensor, where: torch.Tensor | None = None) -> bool:
        """Whether ``got`` is `candidate` up to its own rounding (at the elements `where`)."""
        got, other, right = self.flat_got, candidate.reshape(-1).to(self.expected.dtype), self.flat_expected
        if where is not None:
            got, other, right = got[where], other[where], right[where]
        if got.numel() == 0 or not bool(got.isfinite().all()):
            return False
        if not self.got.is_floating_point():
            return torch.equal(got, other)
        eps = torch.finfo(self.got.dtype).eps
        if self.got.dtype in NARROW:  # few digits, so much is near: it must be far nearer than the answer
            eps /= 16
            if not float((got - other).abs().sum()) <= float((got - right).abs().sum()) / 4:
                return False
        finite = self.flat_expected[self.flat_expected.isfinite()]
        size = float(finite.abs().max()) if finite.numel() else 0.0
        return bool(((got - other).abs() <= 64 * eps * (other.abs() + size)).all())
