"""Recognise what a wrong answer looks like, the way an experienced colleague would at a glance.

Every pattern is a function from :class:`Wrong` to a sentence or ``""``; the first that speaks is used. A
pattern must be certain of what it says about the numbers; what it concludes from them it offers as a
question or a hint.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.checks.values import (
    elsewhere,
    operands,
    places,
    precision,
    relations,
    rows,
    shares,
    strange,
    terms,
    untouched,
)
from grader.checks.values.wrong import Wrong

PATTERNS: tuple[Callable[[Wrong], str], ...] = (
    places.beyond_32_bits,
    relations.below_zero,
    untouched.never_written,
    places.bytes_for_elements,
    rows.cancellation,
    strange.not_a_number,
    elsewhere.zeros_in_chunks,
    strange.all_zero,
    operands.terms_of_ones,
    relations.a_factor,
    relations.transposed,
    operands.transposed_operands,
    relations.shifted,
    relations.a_chain_factor,
    relations.the_cotangent,
    relations.for_ones,
    relations.the_reason,
    elsewhere.within_groups,
    elsewhere.another_cotangent,
    relations.single_terms,
    relations.an_input,
    rows.summed_product,
    terms.one_row_left_out,
    rows.unbalanced_gradient,
    rows.radial_gradient,
    rows.scaled_rows,
    rows.shifted_rows,
    rows.scaled_and_shifted_rows,
    shares.factors_of_threads,
    precision.low_precision,
    precision.narrow_arithmetic,
    elsewhere.other_places,
    elsewhere.right_sums,
    elsewhere.in_chunks,
    places.a_region,
)


def diagnose(wrong: Wrong) -> str:
    """One or two sentences about what the pattern suggests; ``""`` when nothing is recognised."""
    if wrong.count == 0 or wrong.got.is_complex():
        return ""
    for pattern in PATTERNS:
        try:
            sentence = pattern(wrong)
        except (ArithmeticError, RuntimeError, ValueError):
            continue  # numbers beyond what it can compute with: a hint that fails must not cost the verdict
        if sentence:
            return sentence
    return ""
