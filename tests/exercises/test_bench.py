"""`grader bench` from the command to the files, on the simulated GPU."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking
from grader.benchmark.contenders import SOLUTION, SUBMISSION, TRITON
from grader.benchmark.counters import ONE_EACH
from grader.cli import main
from grader.course.catalog import Catalog
from grader.course.exercise import Exercise

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow("builds and counts a submission and a solution")
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
def test_submission_solution_and_triton_are_counted_side_by_side(
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
    assert [each["name"] for each in found["contenders"]] == [SUBMISSION, SOLUTION, TRITON]
    own, *others = (each["stages"][0] for each in found["contenders"])
    for each in (own, *others):
        assert each["moved_bytes"] == each["least_bytes"] == 4 * 4 * 65_536
        assert each["requests"] == 4 * 65_536 // 32 and each["bank_conflicts"] == 0
    assert own["lines"] and not any(each["lines"] for each in others)  # a benchmark gives no answer away
    assert found["notes"] == [ONE_EACH]


@pytest.mark.slow("builds and counts a submission and a solution")
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
def test_a_case_that_triton_cannot_take_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "16_softmax"
    shutil.copytree(Catalog.open(ROOT).find("16").triton_dir, broken)
    (broken / "op.py").write_text((broken / "op.py").read_text().replace("LONGEST = 65_536", "LONGEST = 8"))
    monkeypatch.setattr(Exercise, "triton_dir", broken)
    monkeypatch.setattr(sys, "argv", ["grader", "bench", "16", "--from", "solutions", "--backend", "simt"])
    assert main() == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Kernels in Triton are not compared: softmax(x: float32 (64, 1024)) raised ValueError" in shown
    assert "reference solution" in shown


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
