"""Patterns of sums with known terms: terms left out, or added twice."""

from __future__ import annotations

import torch

from grader.checks.values.wrong_answer import NARROW, Wrong

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
