"""Patterns of NaN, infinity and zero."""

from __future__ import annotations

import math

import torch

from grader.checks.values.compare import number
from grader.checks.values.extremes import OF_A_MAXIMUM
from grader.checks.values.rows import SHORTEST
from grader.checks.values.wrong_answer import NARROW, Wrong
from grader.run.tensors import dtype_name

NEARLY = 1e-9  # of a sum in double precision
FIRST = "subtract the row's own maximum first."


def all_zero(wrong: Wrong) -> str:
    zeros = wrong.flat_got == 0
    if wrong.count < 2 or not bool(zeros[wrong.flat_mask].all()):
        return ""
    if bool(zeros.all()) and _products_vanish(wrong):
        return (
            "Every element is 0: the products of the inputs are below 2^-25, and float16 rounds those to 0. "
            "Compute in float, and convert at the store."
        )
    if bool(zeros.all() & wrong.flat_got.signbit().all() & (wrong.flat_expected > 0).all()):
        return (
            "Every element is -0 where a positive number is right. That is what a positive number divided by "
            "-infinity gives: did a sum become -infinity?"
        )
    if bool(zeros.all()):
        return (
            "Every element is 0: the result was allocated but not computed, multiplied by 0, or divided by "
            "infinity."
        )
    return f"All {wrong.count} wrong elements are 0."


def _products_vanish(wrong: Wrong) -> bool:
    """Whether the largest elements of two or more inputs have a product that is 0 in float16."""
    narrow = [values for _, values in wrong.inputs if values.dtype == torch.float16 and values.numel()]
    sizes = [float(values.abs().max()) for values in narrow]
    return len(sizes) > 1 and 0 < math.prod(sizes) < 2**-25


def not_a_number(wrong: Wrong) -> str:
    strange = ~wrong.flat_got.isfinite() & wrong.flat_expected.isfinite()
    lost = wrong.flat_got.isfinite() & ~wrong.flat_expected.isfinite()
    if bool(strange.any()):
        many = int(strange.sum())
        overflown = wrong.flat_got.isinf() & strange
        if wrong.got.dtype == torch.float16 and bool(overflown.any()):
            return _overflow(wrong, many)
        kind = "NaN or infinite"
        if not bool(overflown.any()):
            kind = "NaN"
        elif torch.equal(overflown, strange):
            kind = "infinite"
        text = f"{many} of {wrong.total} elements are {kind} where the answer is finite"
        if wrong.by_host and bool(wrong.flat_got.isnan().all()):
            return (
                f"{text}: no copy brought a kernel's result into this array. Is the copy to the host missing?"
            )
        if reason := wrong.reason():
            return f"{text}. {reason}"
        return f"{text}{_of_exponentials(wrong, strange) or _what_it_may_be(wrong)}"
    if bool(lost.any()) and int(lost.sum()) == wrong.count:
        if not _brings_any(wrong):
            return _NOT_REPORTED
        below = bool((wrong.flat_expected[lost] == -math.inf).all())
        return _times_zero(wrong, lost) or (_ABOVE if below else _LOST)
    return ""


def _what_it_may_be(wrong: Wrong) -> str:
    """Of memory whose every byte is known to be written, only what the kernel loaded may be undefined."""
    loaded = "an undefined value that was loaded"
    rest = f"or {loaded}" if wrong.written else f"{loaded}, or uninitialised memory"
    return f": 0/0, inf - inf, 0 * inf, an overflow, {rest}."


def _of_exponentials(wrong: Wrong, strange: torch.Tensor) -> str:
    """What the inputs of a softmax say about NaN: exp overflows, or is 0, or it comes from elsewhere."""
    name, rows = _softmax_of(wrong, strange)
    if not rows.numel():
        return ""
    dtype = torch.float32 if wrong.got.dtype in NARROW else wrong.got.dtype
    shown, limits = dtype_name(dtype), torch.finfo(dtype)
    above, below = math.log(limits.max), math.log(limits.tiny * limits.eps / 2)
    largest, size = rows.amax(dim=1), float(rows.abs().max())
    if bool((largest > above).all()):
        told = f". In each of these rows, {name} exceeds {above:.1f}, beyond which exp overflows in {shown}: "
        return told + FIRST
    if bool((largest < below).all()):
        told = (
            f". In each of these rows, all of {name} is below {below:.0f}, where exp is 0 in {shown}, and so "
        )
        return f"{told}is their sum, which makes 0/0: {FIRST}"
    if 2 * size < above:  # of differences, too
        return (
            f", although {name} is nowhere beyond {number(size, 3)} there, where no exp overflows. Does it "
            "come from a start value or a filler: inf - inf, or inf * 0?"
        )
    return ""


def _softmax_of(wrong: Wrong, strange: torch.Tensor) -> tuple[str, torch.Tensor]:
    """The rows of the input whose results are strange, if the right rows add up to 1 with nothing below 0."""
    nothing = "", torch.empty(0)
    width = wrong.expected.shape[-1] if wrong.expected.ndim else 0
    if width < SHORTEST or not wrong.got.is_floating_point():
        return nothing
    right = wrong.flat_expected.reshape(-1, width)
    right = right[right.isfinite().all(dim=1)]
    if not right.numel() or bool((right < 0).any() | ((right.sum(dim=1) - 1).abs() > NEARLY).any()):
        return nothing
    name, values = next(iter(wrong.inputs), nothing)
    if values.shape != wrong.expected.shape or not values.is_floating_point():
        return nothing
    return name, values.to(torch.float64).reshape(-1, width)[strange.reshape(-1, width).any(dim=1)]


def _overflow(wrong: Wrong, many: int) -> str:
    """Infinities in float16, whose range is easily left."""
    limit = torch.finfo(torch.float16).max
    text = f"{many} of {wrong.total} elements are NaN or infinite where the answer is finite. "
    finite = wrong.flat_expected[wrong.flat_expected.isfinite()]
    if float(finite.abs().max()) > limit:
        return f"{text}The answer itself is beyond {limit:.0f}, where float16 ends."
    return (
        f"{text}float16 ends at {limit:.0f}: the answer fits, but does every product and partial sum? "
        "Compute in float, and convert at the store. Else it is a division by 0, or uninitialised memory."
    )


_LOST = (
    "NaN and infinity must reach the result; here they were lost, as fmax and fmin lose them, or a product "
    "that is left out where a factor is 0."
)
_ABOVE = f"The answer is -infinity, and a larger number is given. {OF_A_MAXIMUM}"
_NOT_REPORTED = (
    "The inputs are finite: NaN or infinity is the answer where there is no number to give, and here some "
    "number is given instead."
)


def _times_zero(wrong: Wrong, lost: torch.Tensor) -> str:
    """Is one input 0, where an answer was lost that another made NaN? By elements, or as a whole."""

    def has(values: torch.Tensor, wanted: torch.Tensor) -> bool:
        by_element = values.shape == wrong.expected.shape
        return bool(wanted.reshape(-1)[lost].all() if by_element else wanted.all())

    zero = [name for name, values in wrong.inputs if has(values, values == 0)]
    strange = [name for name, values in wrong.inputs if not bool(values.isfinite().all())]
    if not zero or not strange or not bool(wrong.flat_expected[lost].isnan().all()):
        return ""
    return (
        f"0 times NaN is NaN, and so is 0 times infinity: here {zero[0]} is 0 where {strange[0]} is NaN or "
        "infinite. Is the product left out where a factor is 0?"
    )


def _brings_any(wrong: Wrong) -> bool:
    """Whether an input, the cotangent included, holds NaN or infinity; of no inputs nothing is known."""
    given = [tensor for _, tensor in wrong.inputs]
    given += [wrong.cotangent] if wrong.cotangent is not None else []
    return not given or not all(bool(each.isfinite().all()) for each in given)
