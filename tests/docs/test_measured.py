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


def test_the_speeds_of_all_solutions_stand_in_one_table(tmp_path: Path) -> None:
    verdicts = tmp_path / "solutions_x.md"
    verdicts.write_text(VERDICTS)
    assert measured.speeds(verdicts, ["02_first", "03_second"]).splitlines() == [
        "Measured on an NVIDIA X, 2026-03-01, commit abc1234:",
        "",
        "| solution | speed | PyTorch's expression | 95 % interval |",
        "|---|---|---|---|",
        "| [03_second](../lessons/03_second.md) | 1.5× | `a + b` | 1.4 to 1.6 |",
    ]


CONTENDERS = """# Solutions beside others

- date: 2026-03-01
- GPU: NVIDIA X, 580.1
- torch: 2.13.0
- nvcc: 13.0

## 02_first

2 × (16) · float32

| contender                            | time      | spread  | speed    | of the floor | peak memory |
|--------------------------------------|-----------|---------|----------|--------------|-------------|
| `reference solution`                 | 0.0500 ms | ± 0.1 % | 300 GB/s | 0.80         | 64.0 MiB    |
| `Triton`                             | 0.0400 ms | ± 0.1 % | 300 GB/s | 0.80         | 64.0 MiB    |
| `a * b`                              | 0.0900 ms | ± 0.1 % | 407 GB/s | 0.97         | 64.0 MiB    |
| `a * b, torch.compile`               | 0.0300 ms | ± 0.2 % | 406 GB/s | 0.97         | 64.0 MiB    |
| `a * b, torch.compile, max-autotune` | 0.0250 ms | ± 0.1 % | 410 GB/s | 0.98         | 64.0 MiB    |
| `a.clone(), torch.compile`           | 0.0100 ms | ± 0.1 % | 410 GB/s | 0.98         | 64.0 MiB    |

2 × (16) · float64

| contender              | time      | spread  | speed    | of the floor | peak memory |
|------------------------|-----------|---------|----------|--------------|-------------|
| `reference solution`   | 0.1000 ms | ± 0.1 % | 300 GB/s | 0.90         | 64.0 MiB    |
| `a * b`                | 0.0900 ms | ± 0.1 % | 407 GB/s | 0.97         | 64.0 MiB    |
| `a * b, torch.compile` | 0.2000 ms | ± 0.2 % | 406 GB/s | 0.97         | 64.0 MiB    |

## 03_second

Not measured: it has no speed model.
"""


def test_a_solution_stands_beside_the_fastest_compiled_form_of_the_same_expression(tmp_path: Path) -> None:
    record = tmp_path / "contenders_x.md"
    record.write_text(CONTENDERS)
    where, _, _, _, *rows = measured.contenders(record).splitlines()
    assert where == "Measured on an NVIDIA X, 580.1, torch 2.13.0, nvcc 13.0, 2026-03-01:"
    name = "[02_first](../lessons/02_first.md)"
    assert rows == [
        f"| {name} | float32 | 0.0500 ms | 0.80 | 0.0400 ms | 0.0250 ms | 0.50× |",
        f"| {name} | float64 | 0.1000 ms | 0.90 |  | 0.2000 ms | 2.00× |",
    ]


def test_the_rows_of_the_factor_table_are_those_of_the_record(tmp_path: Path) -> None:
    assert measured.factor_rows(tmp_path / "missing.md").count("not measured") == 14
    record = tmp_path / "record.md"
    builds = [
        f"| {way} | {number}.5 s | as on the page |" for number, way in enumerate(sum(measured.COLUMNS, ()))
    ]
    calls = ["| TORCH_LIBRARY | 9.0 µs | 20.0 µs |"]
    table = ["| way | first build | prints |", "|---|---|---|", *builds, ""]
    record.write_text("\n".join([*table, "| way | a call | a call that records |", "|---|---|---|", *calls]))
    first, second = measured.factor_rows(record).splitlines()
    assert first == "| **first build** | 0.5 s | 1.5 s, 2.5 s, 3.5 s | 4.5 s | 5.5 s | 6.5 s |"
    assert second.split(" | ")[3] == "9.0 µs"
    assert second.count("not measured") == 6
