"""A maximum, or a minimum, that began with some number."""

from __future__ import annotations

import torch

from grader.checks.values.compare import number
from grader.checks.values.wrong_answer import Wrong

_RULE = (
    "A {0} has to begin with {1}, and elements that do not exist count as {1}: any other number, however "
    "{2}, is {3} some input."
)
OF_A_MAXIMUM = _RULE.format("maximum", "-infinity", "low", "above")
_OF_A_MINIMUM = _RULE.format("minimum", "infinity", "high", "below")


def start_value(wrong: Wrong) -> str:
    """Every wrong element is one number, which the input does not hold, and beyond the right one: an extreme
    of the input's elements.
    """
    name, values = next(iter(wrong.inputs), ("", torch.empty(0)))
    if wrong.cotangent is not None or not values.is_floating_point() or values.numel() <= wrong.total:
        return ""
    given = values.reshape(-1).to(wrong.expected.dtype)
    got, right = wrong.flat_got[wrong.flat_mask], wrong.flat_expected[wrong.flat_mask]
    start = got[0]
    of_the_input = bool(torch.isin(wrong.flat_expected, given).all()) and not bool((given == start).any())
    if not of_the_input or not bool((got == start).all()):
        return ""
    for extreme, beyond, rule in (
        (given.max(), start > right, OF_A_MAXIMUM),
        (given.min(), start < right, _OF_A_MINIMUM),
    ):
        if bool((wrong.flat_expected == extreme).any() & beyond.all()):
            return f"Every wrong element is {number(float(start))}, which {name} does not hold. {rule}"
    return ""
