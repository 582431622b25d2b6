"""Hours from seconds, by a formula that is held against a class graded on paper."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.simulated_cluster import Variation, simulated_hours
from grader.cli.app import app
from grader.instruct.cluster.sizing import DRIVER_SECONDS, Costs, Fleet, costs_in, fleet_for, hours_with
from grader.instruct.results import Key, Record, ResultStore
from grader.support.errors import UsageError
from grader.verdict import CheckResult, Status, Verdict

ROOT = Path(__file__).resolve().parents[2]
ALIKE = Variation(spread=0.0)


def test_one_machine_and_equal_submissions_are_arithmetic() -> None:
    # Four gradings of 900 s, two at a time, after a minute's start and the driver's work for the first two.
    assert simulated_hours(Fleet(2), 4, Costs(900), ALIKE) == pytest.approx(
        (60 + 1800 + 2 * DRIVER_SECONDS) / 3600
    )
    # One core and one GPU: the GPU waits for the first build, then for nothing.
    hours = simulated_hours(Fleet(1, 1), 3, Costs(100, 200), ALIKE)
    assert hours == pytest.approx((60 + DRIVER_SECONDS + 100 + 3 * 200) / 3600)


@pytest.mark.parametrize(
    ("fleet", "costs", "bottleneck", "variation"),
    [
        (Fleet(16, 4), Costs(12, 8), "GPUs", ALIKE),
        (Fleet(16, 4), Costs(12, 8), "GPUs", Variation(spread=1.0)),
        (Fleet(4, 8), Costs(12, 8), "cores", Variation(spread=0.5)),
        (Fleet(32), Costs(8), "cores", Variation(spread=1.0)),
        # With a machine for each, the slowest submission alone decides: the formula knows their mean.
        (Fleet(20_000), Costs(8), "driver", ALIKE),
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


def test_the_fleet_for_a_deadline_meets_it_and_a_smaller_one_does_not() -> None:
    costs = Costs(12, 8)
    fleet = fleet_for(4.0, 6500, costs)
    assert fleet is not None
    assert hours_with(fleet, 6500, costs).hours <= 4.0
    assert hours_with(Fleet(fleet.cores, fleet.gpus - 1), 6500, costs).hours > 4.0
    assert hours_with(Fleet(fleet.cores - 1, fleet.gpus), 6500, costs).hours > 4.0
    assert fleet_for(0.001, 6500, costs) is None


def test_hours_that_are_paid_for_do_not_depend_on_the_fleet() -> None:
    size = hours_with(Fleet(16, 4), 3600, Costs(12, 8))
    assert (size.core_hours, size.gpu_hours) == (pytest.approx(12.0), pytest.approx(8.0))


def record(backend: str, built: float, graded: float) -> Record:
    checks = (CheckResult("correctness", Status.PASS, "Right.", 40.0, 40.0, seconds=graded),)
    key = Key("digest", "00_negate", "1:0", "0:0", backend)
    verdict = Verdict("00_negate", "Negate", backend, 1, checks, seconds=graded)
    return Record.now(key, verdict, built_seconds=built)


def test_costs_are_measured_on_what_was_graded() -> None:
    assert costs_in([record("cuda", 12.0, 7.0), record("cuda", 14.0, 5.0)]) == Costs(13.0, 6.0)
    assert costs_in([record("simt", 0.0, 5.0)]) == Costs(5.0, 0.0)
    with pytest.raises(UsageError, match="Nothing is graded"):
        costs_in([])


def test_the_handbook_shows_what_the_command_says() -> None:
    page = (ROOT / "docs" / "instructors" / "sizing.md").read_text()
    shown = re.search(r"\$ grader (cluster size .*--gpus 4)\n(.*\n.*)\n```", page)
    assert shown is not None
    result = CliRunner().invoke(app, shown[1].split())
    assert result.output.rstrip("\n") == shown[2]


def test_the_other_way_round_and_from_what_was_graded(tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    store.keep(record("cuda", 12.0, 8.0))
    words = ["cluster", "size", "--students", "500", "--exercises", "13", "--results", str(tmp_path)]
    said = CliRunner().invoke(app, [*words, "--hours", "4"]).output
    assert "12.0 s of a core and 8.0 s of a GPU" in said
    assert said.splitlines()[1].startswith("6 cores and 4 GPUs: 3.6 hours")
    assert "Nothing grades them" in CliRunner().invoke(app, [*words, "--hours", "0.001"]).output


def test_what_is_not_known_is_asked_for() -> None:
    result = CliRunner().invoke(app, ["cluster", "size", "--students", "5", "--exercises", "1"])
    assert isinstance(result.exception, UsageError)
    assert "--core-seconds" in str(result.exception)
