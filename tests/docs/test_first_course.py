"""The first page of the handbook, run from its second step to its sixth as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from grader.cli.batch import require_sandbox

from cusimt.support.cache import cache_root
from grader.support.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/instructors/first_course.md").read_text()
SAMPLE = ROOT / "docs/samples/class"


def blocks() -> list[str]:
    """The commands after the installation, without the wheel, which takes an index of packages."""
    steps = PAGE.partition("## 2.")[2]
    found = re.findall(r"^```sh\n(.*?)^```", steps, re.MULTILINE | re.DOTALL)
    return [block for block in found if "pip wheel" not in block]


def blanked(text: str) -> str:
    """Without what differs from run to run, and the blanks that columns end with."""
    lines = [line.rstrip() for line in text.splitlines()]
    return re.sub(r"/\S+/gpu101", "~/gpu101", "\n".join(lines).strip() + "\n")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the last command of each block printed, by that command's first two words."""
    try:
        require_sandbox()
    except UsageError as reason:
        pytest.skip(str(reason))
    home = tmp_path_factory.mktemp("home")
    program = home / "bin" / "grader"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m grader "$@"\n')
    program.chmod(0o755)
    environment = {
        **os.environ, "HOME": str(home), "PATH": f"{program.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT), "CUSIMT_CACHE": str(cache_root()), "COLUMNS": "100",
    }  # fmt: skip
    folder, printed = ROOT, {}
    for block in blocks():
        script = f"set -e\nexport COURSE={ROOT}\n{block}"
        done = subprocess.run(
            ["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}{done.stderr}"
        folder = home / "gpu101"
        printed[" ".join(block.strip().splitlines()[-1].split()[:2])] = blanked(done.stdout)
        if "grader class new" in block:
            shutil.copy(SAMPLE / "course.toml", folder)
    return printed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "sample"), [("grader class grade", "batch.txt"), ("grader class marks", "marks.txt")]
)
def test_the_page_shows_what_comes_out(outputs: dict[str, str], command: str, sample: str) -> None:
    assert outputs[command] == (SAMPLE / sample).read_text()


@pytest.mark.slow
def test_the_hand_outs_are_made(outputs: dict[str, str]) -> None:
    assert outputs["grader class release"].startswith("handout holds 3 exercises, without solutions.\n")
