"""With nothing but the handbook's first page: twenty invented students, from nothing to marks in the LMS.

The commands run as they stand there. What each mark has to be is known from how the hand-in was made.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import os
import re
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from cusimt.support.cache import cache_root
from grader.cli.grade_class import require_sandbox
from grader.support.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/instructors/first_course.md").read_text()
SAMPLE = ROOT / "docs/samples/class"
INVENT = "python docs/samples/class/invent.py ~/gpu101"
MOST_COMMANDS = 12


def commands() -> list[str]:
    """A line is a command."""
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def invented() -> ModuleType:
    found = importlib.util.spec_from_file_location("invent", SAMPLE / "invent.py")
    assert found and found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def blanked(text: str) -> str:
    """Without what differs from run to run, and the blanks that columns end with."""
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"/\S+/gpu101", "~/gpu101", "\n".join(lines).strip() + "\n")


def test_twelve_commands_are_enough() -> None:
    """Beside the one that stands for an LMS."""
    assert len([command for command in commands() if command != INVENT]) <= MOST_COMMANDS
    assert INVENT in commands()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which everything after the installation was done; ``said.json`` has what was printed."""
    try:
        require_sandbox()
    except UsageError as reason:
        pytest.skip(str(reason))
    home = tmp_path_factory.mktemp("home")
    programs = home / "bin"
    programs.mkdir()
    for name, words in (("grader", "-m grader "), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words}"$@"\n')
        (programs / name).chmod(0o755)
    results = home / "gpu101" / "results"
    results.mkdir(parents=True)
    (results / "secret").write_text("d0" * 32 + "\n")  # so that only the first run here compiles
    environment = {
        **os.environ, "HOME": str(home), "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT), "CUSIMT_CACHE": str(cache_root()), "COLUMNS": "100",
    }  # fmt: skip
    steps = commands()
    steps = steps[steps.index(INVENT) :]
    said = {}
    for number, command in enumerate(steps):
        folder = ROOT if number == 0 else home / "gpu101"
        done = subprocess.run(
            ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        said[command] = done.stdout
    (home / "said.json").write_text(json.dumps(said))
    return home


def said(home: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((home / "said.json").read_text())
    return found


@pytest.mark.slow
def test_no_mark_is_wrong(home: Path) -> None:
    invent = invented()
    with (home / "gpu101/upload/canvas.csv").open(newline="") as file:
        _, _, *rows = csv.reader(file)
    assert len(rows) == 20
    for _, _, _, student, _, first, second in rows:
        _, mark = invent.KINDS.get(student, (None, 100.0))
        assert float(first) == mark / 10, student
        if student == invent.NOTHING:
            assert second == ""
        else:
            assert float(second) == mark / 10, student


@pytest.mark.slow
def test_everybody_who_handed_in_gets_feedback(home: Path) -> None:
    for slug, number in (("00_first_kernel", 20), ("01_vector_add", 19)):
        with zipfile.ZipFile(home / f"gpu101/upload/feedback_{slug}.zip") as packed:
            texts = {name.split("_")[0]: packed.read(name).decode() for name in packed.namelist()}
        assert len(texts) == number
        assert "Mark: 80 of 100" in texts["donald"] and "past the end" in texts["donald"]
        assert "host code computed them" in texts["lotfi"]
        assert "Mark: 100 of 100" in texts["sofia"]
    assert len((home / "gpu101/results/released.jsonl").read_text().splitlines()) == 39


@pytest.mark.slow
def test_each_command_names_the_next(home: Path) -> None:
    printed = said(home)
    after = list(printed)[2:]
    for command, following in pairwise(after):
        if (words := following.split()[:3]) != command.split()[:3]:
            assert " ".join(words) in printed[command], command


@pytest.mark.slow
def test_the_page_shows_what_comes_out(home: Path) -> None:
    assert blanked(said(home)["grader class grade"]) == (SAMPLE / "grade.txt").read_text()
