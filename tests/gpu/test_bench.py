"""`grader bench` on a GPU: every contender is timed, and no time is below what the device can do."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grader.course.catalog import Catalog

ROOT = Path(__file__).resolve().parents[2]
TIMED = [each.slug for each in Catalog.open(ROOT).exercises if "performance" in each.scores]


@pytest.mark.parametrize("slug", TIMED)
def test_all_contenders_are_timed(slug: str, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "grader", "bench", slug[:2], "--from", "solutions", "--size", "1/4",
        "--backend", "cuda", "--json", str(tmp_path / "bench.json"), "--plain",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "bench.json").read_text())
    for workload in found["workloads"]:
        assert workload["floor"]["ms"] > 0
        contenders = {each["name"]: each for each in workload["contenders"]}
        assert {"your submission", "reference solution"} <= set(contenders)
        assert ("Triton" in contenders) == (ROOT / "docs" / "samples" / "triton" / slug).is_dir()
        assert any(name.endswith("max-autotune") for name in contenders)
        for name, each in contenders.items():
            assert each["problem"] == "", (name, each["problem"])
            assert 0 < each["low_ms"] <= each["median_ms"] <= each["high_ms"]
            assert each["peak_bytes"] > 0
