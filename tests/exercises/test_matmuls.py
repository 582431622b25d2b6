"""The kernels beside exercise 15's solution: each is right, and as efficient as the lesson says."""

from __future__ import annotations

import pytest

from benchmarks.matmul_traffic import SECTOR, SOLUTION, requested
from cusimt.profile.model import Profile
from grader.cli.profile import take_profile
from grader.run import Zygote

from .samples import Samples, failed

SAMPLES = Samples.of("15", "matmuls")
pytestmark = SAMPLES.together


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize("kernel", ["tile16.cu", "naive.cu"])
def test_a_step_on_the_way_is_right_but_reads_too_much(lane: Zygote, kernel: str) -> None:
    verdict = SAMPLES.graded(kernel, lane)

    failures = failed(verdict)
    assert [check.name for check in failures] == ["efficiency"]
    assert {each.kind for each in failures[0].findings} == {"global_load_sectors"}
    assert 0 < failures[0].points < failures[0].out_of


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize("kernel", ["aligned.cu", "registers.cu"])
def test_a_step_beyond_the_solution_passes(lane: Zygote, kernel: str) -> None:
    verdict = SAMPLES.graded(kernel, lane)
    assert verdict.passed, [check.sentence for check in verdict.checks]
    assert verdict.earned == verdict.out_of == 90


@pytest.mark.slow("compiles and profiles a submission")
@pytest.mark.parametrize("kernel", ["tile16", "naive", "aligned", "registers"])
def test_the_table_of_the_lesson_names_the_bytes_that_are_counted(kernel: str) -> None:
    with SAMPLES.on_desk(f"{kernel}.cu") as files:
        profile, findings = take_profile(SAMPLES.exercise, files, "128 x 128 x 128")
    assert not findings
    assert requested(f"kernel `{kernel}.cu`", 128, 128, 128) == moved(profile)


def test_so_do_those_of_the_solution() -> None:
    profile, _ = take_profile(SAMPLES.exercise, SAMPLES.exercise.solution_dir, "128 x 128 x 128")
    assert requested(SOLUTION, 128, 128, 128) == moved(profile)


def moved(profile: Profile) -> int:
    """Bytes of all sectors that forward requested."""
    lines = [line for each in profile.stages[0].launches for line in each.counts.lines]
    return SECTOR * sum(line.sectors for line in lines if line.space == "global")
