"""A record of a measurement comes into its lesson with the machine it was taken on."""

from __future__ import annotations

from pathlib import Path

import measured

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
