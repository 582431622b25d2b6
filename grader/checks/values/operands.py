"""Patterns of sums of products: operands that were read transposed, and terms that can be counted."""

from __future__ import annotations

import torch

from grader.checks.values.wrong import MANY, Wrong


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
    """Where every input is one, the result says how many terms were added."""
    ones = all(bool((values == 1).all()) and values.numel() for _, values in wrong.inputs)
    if not ones or not wrong.inputs or wrong.terms < 2:
        return ""
    found, right = (torch.unique(each) for each in (wrong.flat_got, wrong.flat_expected))
    if len(right) != 1 or len(found) != 1:
        return ""
    added, wanted = float(found), float(right)
    whole = added.is_integer() and wanted.is_integer() and 0 < added < wrong.largest_whole
    if not whole or max(wrong.total, wrong.terms) < MANY:
        return ""
    count = f"The inputs are ones, so the result counts terms: {added:.0f} instead of {wanted:.0f}."
    return f"{count} {'Some are left out.' if added < wanted else 'Some are added more than once.'}"
