"""The long run of solutions with fresh seeds goes on where it ended, and hides no flip."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from grader.course.exercise import Exercise
from grader.run import Zygote
from grader.verdict import CheckResult, Status, Verdict
from tests.unit.fake_submission import fake_exercise

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import regrade
from regrade import Graded, flips_of, read, results_table

NO_FLIP = Graded("03_muladd", 5, [], 2.0, 1.5, "abc")


def verdict(*checks: CheckResult) -> Verdict:
    return Verdict("03_muladd", "Muladd", "simt", 5, checks)


RIGHT = (
    CheckResult("correctness", Status.PASS, "All right.", 60.0, 60.0),
    CheckResult("safety", Status.PASS, "Nothing.", 20.0, 20.0),
    CheckResult("performance", Status.UNAVAILABLE, "No GPU.", 0.0, 0.0),
)


def test_a_flip_is_any_other_ending_and_any_missing_point() -> None:
    exercise = fake_exercise(scores={"correctness": 60, "safety": 20, "performance": 20})
    assert flips_of(verdict(*RIGHT), exercise) == []
    wrong = dataclasses.replace(RIGHT[0], status=Status.TIMEOUT, sentence="Too slow.", points=0.0)
    assert flips_of(verdict(wrong, *RIGHT[1:]), exercise) == [
        "correctness: timeout: Too slow.", "20 of 80 points; a solution gets 80 of 80",
    ]  # fmt: skip
    half = dataclasses.replace(RIGHT[1], points=10.0)
    assert flips_of(verdict(RIGHT[0], half, RIGHT[2]), exercise) == [
        "70 of 80 points; a solution gets 80 of 80"
    ]
    assert flips_of(verdict(*RIGHT[1:]), exercise) == ["20 of 20 points; a solution gets 80 of 80"]


def test_a_stopped_run_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regrade, "open_lane", lambda *given, **options: FakeLane())
    log = tmp_path / "log.jsonl"
    exercises = [fake_exercise(slug=slug) for slug in ("03_muladd", "06_matmul")]

    def stops_after(most: int) -> None:
        def graded(exercise: Exercise, lane: Zygote, seed: int) -> Graded:
            if len(read(log)) == most:
                raise KeyboardInterrupt
            return dataclasses.replace(NO_FLIP, exercise=exercise.slug, seed=seed)

        regrade.run(exercises, 3, log, graded)

    with pytest.raises(KeyboardInterrupt):
        stops_after(3)
    with log.open("a") as stream:
        stream.write('{"exercise": "03_mul')  # the machine lost power
    assert [each.exercise for each in read(log)] == ["03_muladd", "06_matmul", "03_muladd"]
    stops_after(99)
    done = read(log)
    assert sorted(each.exercise for each in done) == ["03_muladd"] * 3 + ["06_matmul"] * 3
    assert len({each.seed for each in done}) == 6


class FakeLane:
    def __enter__(self) -> FakeLane:
        return self

    def __exit__(self, *given: object) -> None: ...


def test_the_table_names_the_seed_of_each_flip() -> None:
    flipped = dataclasses.replace(NO_FLIP, seed=77, flips=["safety: fail: a race"], seconds=4.0)
    text = results_table([NO_FLIP, flipped])
    row = next(line for line in text.splitlines() if line.startswith("| 03_muladd"))
    assert [cell.strip() for cell in row.split("|")[1:-1]] == ["03_muladd", "2", "1", "77", "3.00", "1.50"]
    assert "- 03_muladd, seed 77: safety: fail: a race" in text
