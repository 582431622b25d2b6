"""Patterns of sums: terms left out or added twice, and sums of products with transposed operands."""

from __future__ import annotations

import torch

from grader.checks.values.wrong_answer import MANY, NARROW, Wrong

SHORTEST = 4  # elements of a row, from which on it is no coincidence that two agree
MOST = 1 << 22  # pairs of rows that are compared
NEAR = 64  # roundings of the largest number in a sum


def one_row_left_out(wrong: Wrong) -> str:
    """Every wrong row of a gradient differs from the right one by exactly one row of the cotangent."""
    given, shape = wrong.cotangent, wrong.expected.shape
    if given is None or len(shape) != 2 or given.ndim < 2 or given.shape[-1] != shape[-1]:
        return ""
    if shape[-1] < SHORTEST or wrong.got.dtype in NARROW or not wrong.got.is_floating_point():
        return ""
    off = wrong.expected - wrong.got.to(wrong.expected.dtype)
    touched = wrong.mask.any(dim=1).nonzero().reshape(-1)
    terms = given.reshape(-1, shape[-1]).to(off.dtype)
    if not bool(off.isfinite().all()) or len(touched) * len(terms) > MOST:
        return ""
    for sign, said in ((1, "too small by exactly"), (-1, "too large by exactly")):
        which = torch.cdist(sign * off[touched], terms).argmin(dim=1)
        size = float(max(wrong.expected.abs().max(), terms.abs().max()))
        near = NEAR * torch.finfo(wrong.got.dtype).eps * size
        if not bool(((sign * off[touched] - terms[which]).abs() <= near).all()):
            continue
        if not bool((terms[which].abs().amax(dim=1) > 4 * near).all()):
            continue  # a row of zeros is left out of everything
        place = torch.unravel_index(which[0], given.shape[:-1])
        index = ", ".join(str(int(each)) for each in place)
        one = "is left out of" if sign > 0 else "is added once too often in"
        every = "the wrong row" if len(touched) == 1 else f"each of the {len(touched)} wrong rows"
        return f"Row {int(touched[0])} is {said} grad_out[{index}]: one term {one} {every}."
    return ""


TRANSPOSED = "This is the right result for"


def transposed_operands(wrong: Wrong) -> str:
    """The right answer for inputs whose rows and columns are exchanged."""
    if wrong.total < MANY:
        return ""
    for names, values in wrong.turned():
        if values.shape == wrong.expected.shape and wrong.is_close(values):
            return (
                f"{TRANSPOSED} {names} transposed: where the kernel reads {names}, in memory "
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
    """A rounded quotient as a whole number where it is one, else unchanged."""
    nearest = float(round(quotient))
    unit = torch.finfo(wrong.got.dtype).eps if wrong.got.is_floating_point() else 0
    sure = abs(quotient - nearest) <= 4 * unit * nearest < 0.25
    return nearest if sure else quotient
