"""The sizes of a verdict: the seed draws those that a case leaves open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from grader.specification import Case, Spec
from grader.specification.naming import with_arguments


def with_sizes(spec: Spec, slug: str, seed: int) -> Spec:
    """``spec`` of the exercise ``slug``, its cases and its parts, with the sizes that ``seed`` draws."""
    label = f"{seed}/{slug}/{spec.part.name if spec.part else ''}"
    gradient = spec.gradient
    if gradient is not None:
        gradient = replace(gradient, cases=_sized(spec, gradient.cases, "GRADIENT", label))
    return replace(
        spec,
        cases=_sized(spec, spec.cases, "CASES", label),
        gradient=gradient,
        parts=tuple(with_sizes(part, slug, seed) for part in spec.parts),
    )


def _sized(spec: Spec, cases: Sequence[Case], where: str, label: str) -> tuple[Case, ...]:
    return tuple(
        case
        if case.sizes is None
        else with_arguments(case, case.sizes.draw(f"{label}/{where}/{case.name}"), spec.parameters, where)
        for case in cases
    )
