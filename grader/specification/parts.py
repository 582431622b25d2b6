"""Exercises of several operations: `PARTS` replaces `ENTRY`, `reference` and `CASES` in a `spec.py`.

Every part is judged on its own, by the same checks as an exercise with one operation, and gives one result
of the verdict. What it costs to fail one part is that part's points::

    PARTS = [
        Part("scale", "a factor for every column", entry="scale", reference=scale, cases=[...],
             gradient=Gradient(cases=[...])),
        Part("blend", "a mixture of two tensors", entry="blend", reference=blend, cases=[...]),
    ]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

from grader.specification.efficiency import Efficiency
from grader.specification.naming import of_kind
from grader.specification.vocabulary import Case, Gradient, Refusal


@dataclass(frozen=True)
class Part:
    """One operation of several.

    ``name`` is its name in the verdict and in mutants.toml, ``title`` goes on in its sentences ("a factor for
    every column: ..."). ``sections`` of exercise.toml belong to it: while all of them are untouched the part
    is not attempted; by default that is the section of its name. ``points`` of ``scores.parts``; by default
    those that are left are split evenly. ``main`` marks the part that the file's other exports are about
    (EFFICIENCY, SPEED, PROFILE, traffic and so on); by default the first. A part with ``efficiency`` is right
    only if it also keeps those limits, which the simulated GPU counts. The other words are those of a
    ``spec.py``.
    """

    name: str
    title: str
    entry: str
    reference: Callable[..., Any]
    cases: Sequence[Case]
    gradient: Gradient | None = None
    refusals: Sequence[Refusal] = ()
    accumulation: Callable[..., int] | None = None
    tolerances: Callable[[Any], tuple[float, float]] | None = None
    rounded_once: bool = False
    confused: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    efficiency: Efficiency | Sequence[Efficiency] = ()
    sections: tuple[str, ...] = ()
    points: int | None = None
    main: bool = False


def checked(value: Any, points: int, sections: Collection[str]) -> tuple[Part, ...]:
    """The parts, each with its ``points`` and ``sections``; raises TypeError or ValueError.

    ``points`` and ``sections`` are those of the exercise.
    """
    found: list[Part] = []
    for part in value:
        of_kind(Part, part, "PARTS")
        if not part.name.isidentifier() or part.name in {earlier.name for earlier in found}:
            raise ValueError(f"PARTS: {part.name!r} is no identifier, or the name of two parts")
        own = part.sections or (part.name,)
        unknown = sorted(set(own) - set(sections))
        if unknown:
            raise ValueError(f"PARTS, {part.name!r}: exercise.toml has no section {unknown[0]!r}")
        found.append(replace(part, sections=own))
    if not found:
        raise ValueError("PARTS is empty")
    if sum(part.main for part in found) > 1:
        raise ValueError("PARTS: only one part is the main one")
    shares = _split(found, points)
    return tuple(replace(part, points=share) for part, share in zip(found, shares, strict=True))


def main_of(parts: Sequence[Part]) -> int:
    """The position of the part that the other exports of the file are about."""
    return next((number for number, part in enumerate(parts) if part.main), 0)


# Words of a part, by the name that a spec.py without parts exports them under.
_OWN = {
    "REFUSALS": "refusals", "GRADIENT": "gradient",
    "accumulation": "accumulation", "tolerances": "tolerances", "ROUNDED_ONCE": "rounded_once",
    "CONFUSED": "confused",
}  # fmt: skip


def shared_by(
    parts: Sequence[Part], exports: Mapping[str, Any], functions: Collection[str]
) -> dict[str, Any]:
    """What a ``spec.py`` exports beside its parts: its constants, and ``functions``.

    A word of the parts may be there to be written into some of them. Raises ValueError where it is in none.
    """
    for name, word in _OWN.items():
        if name in exports and all(getattr(part, word) is not exports[name] for part in parts):
            raise ValueError(
                f"PARTS: no part takes {name}; write {word}={name} in those that it is meant for"
            )
    return {
        name: each
        for name, each in exports.items()
        if (name.isupper() or name in functions) and name not in _OWN
    }


def exports_of(part: Part, shared: Mapping[str, Any]) -> SimpleNamespace:
    """What a ``spec.py`` of this part alone would export, beside what all parts share."""
    own = {
        "ENTRY": part.entry,
        "reference": part.reference,
        "CASES": part.cases,
        "REFUSALS": part.refusals,
        "GRADIENT": part.gradient,
        "accumulation": part.accumulation,
        "tolerances": part.tolerances,
        "ROUNDED_ONCE": part.rounded_once or None,
        "CONFUSED": part.confused or None,
        "EFFICIENCY": part.efficiency or None,
    }
    return SimpleNamespace(**{**shared, **{name: each for name, each in own.items() if each is not None}})


def _split(parts: Sequence[Part], total: int) -> list[int]:
    """Whole points for each part, ``total`` together: its own, or an even share of what they leave.

    Where that does not come out even, the first parts get one more. Raises ValueError when their own exceed
    the total.
    """
    left = total - sum(part.points or 0 for part in parts)
    sharing = [part for part in parts if part.points is None]
    if left < 0 or (left and not sharing):
        raise ValueError(f"PARTS: the points of the parts do not add up to scores.parts, which is {total}")
    even, rest = divmod(left, len(sharing)) if sharing else (0, 0)
    shares = iter([even + 1] * rest + [even] * (len(sharing) - rest))
    return [next(shares) if part.points is None else part.points for part in parts]
