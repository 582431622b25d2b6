"""Which workloads are measured: what was asked for, else what the exercise has and memory allows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from grader.benchmark.workloads import FACTORS, MOST, Workload, dtypes_of, fitting, needed_bytes, timed
from grader.checks.timing.scaling import LEAST
from grader.specification import Spec
from grader.support.errors import UsageError


def require_speed(spec: Spec, slug: str, others: Sequence[str], again: str) -> None:
    """Raise UsageError for an exercise that is not timed; ``others`` are the numbers of those that are."""
    if spec.speed is not None and spec.traffic is not None:
        return
    lacks = "SPEED" if spec.speed is None else "traffic"
    raise UsageError(
        f"{slug} has no speed model: its spec.py has no {lacks}.",
        "A benchmark times the call that SPEED names, and compares it with the bytes that traffic gives.",
        f"Exercises that are timed: {', '.join(others)}. Run: {again}",
    )


def factor_of(text: str, again: str) -> Fraction:
    """The factor that ``--size`` names, as ``1/4`` or ``2``. Raises UsageError."""
    try:
        factor = Fraction(text)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not LEAST <= factor <= MOST:
        raise UsageError(
            f"--size {text} is no size that can be measured.",
            f"A size is a factor of the exercise's timed size, from {LEAST} to {MOST}, as 1/4, 1 or 2.",
            f"For example: {again} --size 1/4 --size 1",
        )
    return factor


def dtypes_named(names: Sequence[str], spec: Spec, slug: str, again: str) -> list[str]:
    """``names`` as given, or SPEED's own. Raises UsageError for one that no case of the exercise asks for."""
    known = list(dtypes_of(spec))
    for name in names:
        if name not in known:
            raise UsageError(
                f"{slug} is not asked for {name}.",
                f"The dtypes of its cases are {', '.join(known)}.",
                f'For example: {again} --dtype "{known[-1]}"',
            )
    return list(dict.fromkeys(names))


def workloads_of(
    spec: Spec, factors: Sequence[Fraction], dtypes: Sequence[str], free_bytes: int
) -> tuple[list[Workload], list[str]]:
    """What is measured, smallest first, and a sentence for everything that memory does not allow.

    Without ``factors`` SPEED's own dtype is measured in several sizes, and every other dtype of the exercise
    in the largest of these.
    """
    of = dtypes_of(spec)
    own, *others = list(of)
    sizes = sorted(set(factors or FACTORS))
    found: list[Workload] = []
    notes: list[str] = []
    for name in dtypes or [own, *others]:
        wanted = sizes if dtypes or factors or name == own else sizes[-1:]
        fit = fitting(spec, wanted, of[name], free_bytes)
        found += fit
        notes += _left_out(spec, wanted, of[name], fit, free_bytes)
    return found, notes


def _left_out(
    spec: Spec, wanted: Sequence[Fraction], dtypes: Sequence[str], fit: Sequence[Workload], free_bytes: int
) -> list[str]:
    taken = {each.factor for each in fit}
    notes = []
    for factor in wanted:
        if factor in taken:
            continue
        workload = timed(spec, factor, dtypes)
        needed, free = needed_bytes(spec, workload) / 2**30, free_bytes / 2**30
        note = f"{workload.name} is left out: it needs 4 × {needed:.1f} GiB, and {free:.1f} GiB are free."
        if not taken & set(wanted):
            note += f" Measured instead: {fit[0].name}."
        notes.append(note)
    return notes
