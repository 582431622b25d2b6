"""Hours from seconds, by a formula that is held against a class graded on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.simulated_cluster import Costs, Fleet, Variation, hours_with, simulated_hours

ROOT = Path(__file__).resolve().parents[2]
ALIKE = Variation(spread=0.0)


def test_one_machine_and_equal_submissions_are_arithmetic() -> None:
    # Four gradings of 900 s, two at a time, after a minute's start.
    assert simulated_hours(Fleet(2), 4, Costs(900), ALIKE) == pytest.approx((60 + 1800) / 3600)
    # One core and one GPU: the GPU waits for the first build, then for nothing.
    hours = simulated_hours(Fleet(1, 1), 3, Costs(100, 200), ALIKE)
    assert hours == pytest.approx((60 + 100 + 3 * 200) / 3600)


@pytest.mark.parametrize(
    ("fleet", "costs", "bottleneck", "variation"),
    [
        (Fleet(16, 4), Costs(12, 8), "GPUs", ALIKE),
        (Fleet(16, 4), Costs(12, 8), "GPUs", Variation(spread=1.0)),
        (Fleet(4, 8), Costs(12, 8), "cores", Variation(spread=0.5)),
        (Fleet(32), Costs(8), "cores", Variation(spread=1.0)),
        # With a machine for each, the slowest submission alone decides: the formula knows their mean.
        (Fleet(20_000), Costs(8), "cores", ALIKE),
    ],
)
def test_the_formula_agrees_with_the_simulation(
    fleet: Fleet, costs: Costs, bottleneck: str, variation: Variation
) -> None:
    size = hours_with(fleet, 20_000, costs)
    assert size.bottleneck == bottleneck
    assert size.hours == pytest.approx(simulated_hours(fleet, 20_000, costs, variation), rel=0.05)


def test_a_tenth_cut_short_costs_its_share() -> None:
    costs, fleet = Costs(12, 8), Fleet(16, 4)
    whole = simulated_hours(fleet, 20_000, costs, Variation(0.5))
    cut = simulated_hours(fleet, 20_000, costs, Variation(0.5, lost=0.1, notice=0.0))
    assert cut / whole == pytest.approx(1.05, abs=0.02)  # half of a grading is lost, in a tenth of them


def test_hours_that_are_paid_for_do_not_depend_on_the_fleet() -> None:
    size = hours_with(Fleet(16, 4), 3600, Costs(12, 8))
    assert (size.core_hours, size.gpu_hours) == (pytest.approx(12.0), pytest.approx(8.0))


def test_the_handbook_reckons_as_the_formula_does() -> None:
    page = (ROOT / "docs" / "instructors" / "sizing.md").read_text()
    shown = re.search(
        r"(\d+) s of a core and (\d+) s of a GPU.*?(\d+) cores and (\d+) GPUs.*?= (\d+) s", page, re.S
    )
    assert shown is not None
    core, gpu, cores, gpus, seconds = map(int, shown.groups())
    size = hours_with(Fleet(cores, gpus), 500 * 13, Costs(core, gpu))
    assert round(3600 * size.hours) == seconds
    assert (size.bottleneck, f"{size.hours:.1f} hours" in page) == ("GPUs", True)
