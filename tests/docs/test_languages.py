"""The table of lesson 25: one operation in four languages, as far as it can be tested without a GPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cusimt.triton import lacking
from grader.course.catalog import Catalog

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "benchmarks"
COMPARED = [each.slug for each in Catalog.open(ROOT).exercises if each.triton_dir.is_dir()]
# Time means nothing here; all the rest is done as on a GPU.
MEASURED = """
import sys
sys.path[:0] = [sys.argv.pop(1)]
import languages_of_one as one

one.milliseconds = lambda work: [work(), 0.5][1]
one.copy_bandwidth = lambda: 1e6
as_it_is = one.function_of

def function_of(name, exercise, spec):
    function = as_it_is(name, exercise, spec)
    if name == one.EAGER:
        return lambda *args: function(*args) * 1.01
    if name == one.COMPILED:
        raise RuntimeError("no | compiler\\nnor anything else")
    return function

one.function_of = function_of
one.main()
"""


@pytest.fixture
def languages(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import languages

    yield languages
    for name in ("languages", "record"):
        sys.modules.pop(name, None)


def answered(stage: str, contender: str, **what: Any) -> dict[str, Any]:
    return {"stage": stage, "contender": contender, **what}


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line]


def test_a_cell_has_the_time_and_the_share_of_the_floor(languages: ModuleType) -> None:
    facts = {
        "entry": "f", "inputs": "8, float32", "copy": 4e9,
        "bytes": {"forward": 4_000_000, "forward and backward": 10_000_000},
    }  # fmt: skip
    times = [
        answered(stage, name, ms=place / 1000)
        for stage in languages.STAGES
        for place, name in enumerate(languages.CONTENDERS, 1)
    ]
    rows = rows_of(languages.tables({"03_x": [facts, *times]}))
    assert rows[0] == ["operation", "floor", "eager", "`torch.compile`", "Triton", "CUDA C++"]
    assert rows[2] == [
        "03, f, forward", "1.0 µs", "1.0 µs, 100 %", "2.0 µs, 50 %", "3.0 µs, 33 %", "4.0 µs, 25 %",
    ]  # fmt: skip
    assert rows[3][:3] == ["03, f, forward and backward", "2.5 µs", "1.0 µs, 250 %"]
    assert rows[-1] == ["03", "8, float32", "4.0 MB", "10.0 MB", "4.00 TB/s"]


def test_what_fails_costs_its_own_cells_and_is_named(languages: ModuleType) -> None:
    first = [
        {"entry": "f", "inputs": "8", "bytes": dict.fromkeys(languages.STAGES, 1000), "copy": 1e6},
        answered("forward", "eager", ms=0.002),
        answered("forward and backward", "eager", problem="no memory"),
        {"ended": "its process ended with exit code -11: "},
    ]  # fmt: skip
    text = languages.tables({"03_x": first, "07_y": [{"ended": "its process took more than 45 s"}]})
    rows = rows_of(text)
    assert rows[2][2:] == ["2.0 µs, 50 %", *["not timed"] * 3]
    assert rows[3][1:] == ["1.0 µs", *["not timed"] * 4]
    assert rows[4] == ["07, 07_y, forward", *["not timed"] * 5]
    assert rows[-3:] == [
        ["03_x, eager, forward and backward", "no memory"],
        ["03_x, `torch.compile`, Triton, CUDA C++", "its process ended with exit code -11:"],
        ["07_y, eager, `torch.compile`, Triton, CUDA C++", "its process took more than 45 s"],
    ]


def test_a_process_that_ends_is_an_answer(
    languages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "one.py"
    program.write_text(
        "import sys, time\nprint('{\"contender\": \"eager\"}')\nprint('x', flush=True)\nsys.exit('why')"
    )
    monkeypatch.setattr(languages, "ONE", program)
    assert languages.answers("03_x", 1, 60) == [
        {"contender": "eager"}, {"ended": "its process ended with exit code 1: why"},
    ]  # fmt: skip
    program.write_text(program.read_text().replace("sys.exit('why')", "time.sleep(60)"))
    assert languages.answers("03_x", 1, 2) == [
        {"contender": "eager"}, {"ended": "its process took more than 2 s"},
    ]  # fmt: skip


@pytest.mark.slow("builds a solution, and runs kernels by Triton's interpreter")
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
def test_all_contenders_are_judged_before_they_are_timed(tmp_path: Path) -> None:
    program = tmp_path / "measure.py"
    program.write_text(MEASURED)
    command = [sys.executable, "-m", "cusimt", str(program), str(BENCHMARKS), "17", "--size", "1/512"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    facts, *answers = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    assert facts["inputs"] == "32 × 4,096, 4,096, 4,096, float32"
    assert [each.get("ms") for each in answers] == [*[None] * 4, *[0.5] * 4]
    wrong, wrong_too, *raised = (each["problem"] for each in answers[:4])
    assert wrong == wrong_too and wrong.startswith("WrongError: result 0 is wrong by 1.0e-02")
    assert raised == ["RuntimeError: no / compiler"] * 2


def test_the_bytes_of_every_backward_are_known(languages: ModuleType) -> None:
    text = (BENCHMARKS / "languages_of_one.py").read_text() + (BENCHMARKS / "lessons.py").read_text()
    assert len(COMPARED) == 6
    assert [slug for slug in COMPARED if f'"{slug}": lambda' not in text] == []
