"""A record of a measurement comes into its lesson with the machine it was taken on."""

from __future__ import annotations

from pathlib import Path

import measured

VERDICTS = """# Reference solutions

- date: 2026-03-01
- GPU: NVIDIA X, driver 580.1
- commit: abc1234

Exercise 02_first, First, on cuda: passed, 80 of 80 points.
Correctness passed, 40 of 40 points. All right.

Exercise 03_second, Second, on cuda: passed, 100 of 100 points.
Performance passed, 20 of 20 points. 1.5 times the speed of a + b (95 % interval 1.4 to 1.6).
"""
RECORD = """# Fused multiply-add, measured

- date: 2026-03-01
- processor: some CPU, 16 cores
- GPU: {gpu}
- torch: 2.13.0
- nvcc: 13.0

| what | value |
|------|-------|
| own  | 1 ms  |
"""


def test_a_record_is_shown_with_the_machine_that_did_the_work(tmp_path: Path) -> None:
    table = "| what | value |\n|------|-------|\n| own  | 1 ms  |\n"

    for gpu, machine in (("NVIDIA X, 580.1", "NVIDIA X, 580.1"), ("none", "some CPU, 16 cores")):
        record = tmp_path / "record.md"
        record.write_text(RECORD.format(gpu=gpu))
        assert measured.render(record) == (
            f"Measured on {machine}, torch 2.13.0, nvcc 13.0, 2026-03-01:\n\n{table}"
        )


def test_without_a_record_a_lesson_tells_the_speed_that_a_verdict_named(tmp_path: Path) -> None:
    verdicts = tmp_path / "solutions_x.md"
    verdicts.write_text(VERDICTS)
    assert measured.spoken(verdicts, "02_first") == ""
    assert measured.spoken(verdicts, "04_third") == ""
    said = measured.spoken(verdicts, "03_second")
    assert "On an NVIDIA X, 2026-03-01, commit abc1234" in said
    assert (
        '"1.5 times the speed of a + b (95 % interval 1.4 to 1.6)" (`benchmarks/results/solutions_x.md`)'
        in said
    )
