"""Patterns of sums of products: transposed operands, and terms that can be counted."""

from __future__ import annotations

import torch

from grader.checks.values.wrong_answer import MANY, Wrong


def transposed_operands(wrong: Wrong) -> str:
    """The right answer for inputs whose rows and columns are exchanged."""
    if wrong.total < MANY:
        return ""
    for names, values in wrong.turned():
        if values.shape == wrong.expected.shape and wrong.is_close(values):
            return (
                f"This is the right result for {names} transposed: where the kernel reads {names}, in memory "
                "or in a tile, row and column index are exchanged."
            )
    return ""


def terms_of_ones(wrong: Wrong) -> str:
    """Where every input is one, the result says how many terms were added; or one over it, if it divides."""
    ones = all(bool((values == 1).all()) and values.numel() for _, values in wrong.inputs)
    if not ones or not wrong.inputs or wrong.terms < 2 or max(wrong.total, wrong.terms) < MANY:
        return ""
    found, right = (torch.unique(each) for each in (wrong.flat_got, wrong.flat_expected))
    if len(right) != 1 or len(found) != 1:
        return ""
    added, wanted = float(found), float(right)
    result = "the result"
    if 0 < wanted < 1 and added > 0:
        result, added, wanted = "1 over the result", _whole(1 / added, wrong), _whole(1 / wanted, wrong)
    whole = added.is_integer() and wanted.is_integer() and 0 < added < wrong.largest_whole
    if not whole or added == wanted:
        return ""
    many = f"{added - wanted:.0f} too many" if added > wanted else f"{wanted - added:.0f} too few"
    return f"The inputs are ones, so {result} counts terms: {added:.0f} instead of {wanted:.0f}, {many}."


def _whole(quotient: float, wrong: Wrong) -> float:
    """The whole number that a rounded quotient stands for; as it is where it stands for none."""
    nearest = float(round(quotient))
    unit = torch.finfo(wrong.got.dtype).eps if wrong.got.is_floating_point() else 0
    sure = abs(quotient - nearest) <= 4 * unit * nearest < 0.25
    return nearest if sure else quotient
