"""Recognise typical wrong answers, as an experienced colleague would at a glance.

Every pattern is a function from :class:`Wrong` to a sentence or ``""``; the first that speaks is used. A
pattern must be certain of what it says about the numbers; what it concludes from them it offers as a
question or a hint.
"""

from __future__ import annotations

from collections.abc import Callable

from grader.checks.values import (
    displaced,
    error_places,
    extremes,
    non_finite,
    precision,
    relations,
    row_sharing,
    rows,
    sum_patterns,
    unwritten,
)
from grader.checks.values.wrong_answer import Wrong

PATTERNS: tuple[Callable[[Wrong], str], ...] = (
    error_places.beyond_32_bits,
    relations.below_zero,
    unwritten.never_written,
    error_places.bytes_for_elements,
    rows.cancellation,
    non_finite.not_a_number,
    extremes.start_value,
    displaced.zeros_in_chunks,
    non_finite.all_zero,
    sum_patterns.terms_of_ones,
    relations.a_factor,
    relations.transposed,
    sum_patterns.transposed_operands,
    relations.shifted,
    relations.a_chain_factor,
    relations.the_cotangent,
    relations.for_ones,
    relations.the_reason,
    displaced.within_groups,
    displaced.another_cotangent,
    relations.single_terms,
    relations.an_input,
    rows.summed_product,
    sum_patterns.one_row_left_out,
    rows.unbalanced_gradient,
    rows.radial_gradient,
    rows.scaled_rows,
    rows.shifted_rows,
    rows.scaled_and_shifted_rows,
    row_sharing.factors_of_threads,
    precision.low_precision,
    precision.narrow_arithmetic,
    displaced.other_places,
    displaced.right_sums,
    displaced.in_chunks,
    error_places.a_region,
)


def diagnose(wrong: Wrong) -> str:
    """One or two sentences about what the pattern suggests; ``""`` when nothing is recognised."""
    if wrong.count == 0 or wrong.got.is_complex():
        return ""
    for pattern in PATTERNS:
        try:
            sentence = pattern(wrong)
        except (ArithmeticError, LookupError, RuntimeError, ValueError):
            continue  # numbers beyond what it can compute with: a hint that fails must not cost the verdict
        if sentence:
            return sentence
    return ""
