"""The kernels beside exercise 09: what is wrong with each, or what it costs, is what its lesson says."""

from __future__ import annotations

import pytest

from grader.cli.profile import take_profile
from grader.run import Zygote
from grader.verdict import Status

from .conftest import ROOT
from .samples import Samples

SAMPLES = Samples.of("09", "scatters")
pytestmark = SAMPLES.together


@pytest.mark.slow("grades a submission")
@pytest.mark.parametrize(
    ("kernel", "failing", "kind", "line"),
    [
        ("lost.cu", "safety", "race_global", "grad_weight[row * columns + i % columns] += grad_out[i];"),
        ("by_index.cu", "efficiency", "global_load_sectors", "atomicAdd(&grad_weight[row * columns + col"),
    ],
)  # fmt: skip
def test_a_wrong_scatter_fails_where_the_lesson_says(
    lane: Zygote, kernel: str, failing: str, kind: str, line: str
) -> None:
    verdict = SAMPLES.graded(kernel, lane)

    failed = {check.name: check for check in verdict.checks if check.status is Status.FAIL}
    assert failing in failed and not {"correctness", "gradient", "device_work"} & set(failed)
    found = [each for each in failed[failing].findings if each.kind == kind]
    assert [each.source.strip().startswith(line) for each in found] == [True]


def test_adding_up_runs_first_is_right(lane: Zygote) -> None:
    verdict = SAMPLES.graded("runs.cu", lane)
    wrong = [check for check in verdict.checks if check.status is Status.FAIL and check.name != "efficiency"]
    assert not wrong, [check.sentence for check in wrong]


@pytest.mark.slow("compiles and profiles a submission")
@pytest.mark.parametrize(("kernel", "updates"), [("runs.cu", 7 * 12), ("", 200 * 12)])
def test_where_an_index_repeats_runs_need_one_update_for_32_positions(kernel: str, updates: int) -> None:
    with SAMPLES.on_desk(kernel) as files:
        profile, _ = take_profile(SAMPLES.exercise, files, "always the same index")  # 200 indices, rows of 12
    (launched,) = profile.stages[1].launches
    assert sum(line.lanes for line in launched.counts.lines if line.access == "atomic") == updates


def test_the_lesson_shows_the_part_of_the_verdict_that_names_the_race() -> None:
    lesson = SAMPLES.exercise.lesson_path.read_text(encoding="utf-8")
    assert '"docs/_captured/09_embedding_backward.no_atomic.txt:5:8"' in lesson
    captured = ROOT / "docs" / "_captured" / "09_embedding_backward.no_atomic.txt"
    shown = captured.read_text(encoding="utf-8").splitlines()[4:8]
    assert shown[0].startswith("Safety failed") and shown[-1].endswith("#race-global")
