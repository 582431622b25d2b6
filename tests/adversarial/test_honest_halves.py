"""What others computed earns nothing, and all that the submission's own kernels did keeps its points.

The attacks whose results others make are in attacks/others_results; here are mistakes of honest learners.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from grader.checks import grade
from grader.course.catalog import Catalog
from grader.course.mutants import load_mutants
from grader.run import Zygote
from tests.desks import desk, together

COURSE = Catalog.open(Path(__file__).resolve().parents[2])

# Of efficiency, the limits on forward count: what library operators cost in backward says nothing.
KEPT: dict[tuple[str, str], dict[str, float]] = {
    ("03", "library instead of the op"): {"correctness": 0, "gradient": 20, "safety": 0, "device_work": 0},
    ("16", "library backward"): {
        "correctness": 30, "gradient": 0, "safety": 10, "device_work": 0, "efficiency": 11.43,
    },
    ("13", "the library transposes the gradient"): {
        "correctness": 30, "gradient": 0, "safety": 10, "device_work": 0, "efficiency": 17.78,
    },
    # The kernels did all the work: what is wrong costs device work alone.
    ("04", "operands made dense"): {"correctness": 30, "gradient": 15, "safety": 15, "device_work": 0},
    ("02", "waits for the device"): {"correctness": 40, "gradient": 20, "safety": 10, "device_work": 0},
}  # fmt: skip
NOT_OWN = {"03", "16", "13"}


def _of_its_kind(number: str, name: str) -> Any:
    """Of each kind, which differ in what keeps its points, the first compiles in the shortest time."""
    kind = pytest.mark.variety("not own" if number in NOT_OWN else "own", of_all=True)
    return pytest.param(
        number, name, id=f"{number}-{name.replace(' ', '_')}", marks=[kind, together(COURSE.find(number))]
    )


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(("number", "name"), [_of_its_kind(*each) for each in KEPT])
def test_an_honest_half_keeps_its_half(number: str, name: str, lane: Zygote) -> None:
    exercise = COURSE.find(number)
    mistake = next(each for each in load_mutants(exercise) if each.name == name)
    with desk(exercise) as files:
        mistake.write(files)
        verdict = grade(exercise, files, backend="simt", seed=7, zygote=lane)

    points = {check.name: check.points for check in verdict.checks}
    wanted = KEPT[number, name]
    said = "\n".join(f"{check.name}: {check.sentence}" for check in verdict.checks)
    assert {check: points[check] for check in wanted} == wanted, said
    assert bool(verdict.to_review) == (number in NOT_OWN), said
