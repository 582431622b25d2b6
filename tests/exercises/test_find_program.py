"""What find.cu of exercise 04 does is what its arithmetic says, for all sizes drawn; and find.py runs it."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from grader.checks.questions.predicted import counts_of
from grader.course.catalog import Catalog
from grader.run.zygote_handle import Zygote
from grader.specification import Choice, Program, load_spec
from grader.specification.questions import drawn_sizes
from tests.desks import together
from tests.unit.fake_submission import FakeSession, fake_bench

from .conftest import ROOT

EXERCISE = Catalog.open(ROOT).find("04_strides_and_indices")
pytestmark = together(EXERCISE)
NUMBERS = [each for each in load_spec(EXERCISE).questions if not isinstance(each, Choice)]
SIZES = NUMBERS[0].program.sizes
THREADS = 32  # of a block


def on_paper(sizes: dict[str, int]) -> dict[str, int]:
    """The answers, from the arithmetic of find.cu."""
    i = THREADS + sizes["thread"]
    row, column = i // sizes["columns"], i % sizes["pitch"]
    starts = range(sizes["blocks"] * THREADS)
    passes = [len(range(start, sizes["n"], THREADS)) for start in starts]
    return {"element_read": row * sizes["pitch"] + column, "elements_added": sum(passes)}


def several() -> list[dict[str, int]]:
    """Every value of every size at least once."""
    longest = max(map(len, SIZES.values()))
    return [
        {name: values[number % len(values)] for name, values in SIZES.items()} for number in range(longest)
    ]


@pytest.mark.parametrize("sizes", several(), ids=str)
def test_what_the_program_yields_is_what_paper_says(lane: Zygote, sizes: dict[str, int]) -> None:
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [], exercise=EXERCISE)
    bench = replace(bench, spawn=lane.spawn_worker)
    program = Program(NUMBERS[0].program.file, {name: (value,) for name, value in sizes.items()})
    questions = [replace(question, program=program) for question in NUMBERS]
    assert counts_of(bench, questions, draw=1) == on_paper(sizes)


def test_the_mistake_matters_for_every_thread_that_is_asked_about() -> None:
    names = ("rows", "columns", "pitch", "thread")
    for rows, columns, pitch, thread in itertools.product(*(SIZES[name] for name in names)):
        i = THREADS + thread
        assert i < rows * columns
        assert i % pitch != i % columns, (columns, pitch, thread)


def test_the_solution_answers_for_the_sizes_that_it_draws() -> None:
    sizes = drawn_sizes(NUMBERS[0].program, EXERCISE.slug, 1)
    assert on_paper(sizes) == {"element_read": 51, "elements_added": 188}


def run(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cusimt", str(EXERCISE.root / "find.py"), str(file), *arguments]
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(file.parent / "built")}  # its own `mine`
    return subprocess.run(
        command, cwd=file.parent, env=environment, capture_output=True, text=True, check=False
    )


def test_a_copy_with_printf_prints_what_the_lesson_shows(tmp_path: Path) -> None:
    line = "        out[i] = x[row * pitch + column];  // (A)\n"
    shown = (
        '        if (blockIdx.x == 1) printf("thread %d: i %d, row %d, column %d\\n", threadIdx.x, i, row, '
        "column);\n"
    )
    text = (EXERCISE.root / "find.cu").read_text()
    assert text.count(line) == 1
    mine = tmp_path / "mine.cu"
    mine.write_text(text.replace(line, line + shown))
    done = run(mine, "take_part", "9", "11", "13", "5")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    lesson = EXERCISE.lesson_path.read_text()
    assert lines[0] in lesson and lines[-1] in lesson and shown.strip() in lesson
    assert "thread 5: i 37, row 3, column 11" in lines


def test_growth_ends_with_the_finding_that_is_asked_about(tmp_path: Path) -> None:
    mine = tmp_path / "mine.cu"
    mine.write_text((EXERCISE.root / "find.cu").read_text())
    done = run(mine, "growth", "70")
    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "element 70 of an allocation, which has 70 elements (1 past the end)" in said
    assert "block (2,0,0), thread (5,0,0)" in said  # i = 69, the last one
