"""`grader bench` from the command to the files, on the simulated GPU."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from grader.cli import main
from grader.course.catalog import Catalog

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow("builds and counts a submission and a solution")
def test_submission_and_solution_are_counted_side_by_side(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    where = tmp_path / "bench.json"
    arguments = ["bench", "03", "--from", "solutions", "--backend", "simt", "--json", str(where)]
    monkeypatch.setattr(sys, "argv", ["grader", *arguments])
    assert main() == 0
    shown = capsys.readouterr().out
    assert "counters are compared, not times" in shown and "100 %" in shown
    found = json.loads(where.read_text())
    assert (found["kind"], found["case"], found["done"]) == ("counters", "65,536 elements", True)
    own, solution = (each["stages"][0] for each in found["contenders"])
    assert own["moved_bytes"] == own["least_bytes"] == solution["moved_bytes"] == 4 * 4 * 65_536
    assert own["requests"] == 4 * 65_536 // 32 and own["bank_conflicts"] == 0
    assert own["lines"] and not solution["lines"]  # a benchmark gives no answer away


@pytest.mark.slow("asks the audit and the compiler")
def test_a_stub_is_not_benchmarked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "argv", ["grader", "bench", "03", "--backend", "cuda"])
    assert Catalog.open(ROOT).find("03").solution_dir.is_dir()
    assert main() == 1
    said = capsys.readouterr().err
    assert "TODO" in said and "Only what builds can be timed." in said and "grader check 03" in said
