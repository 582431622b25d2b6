"""docs/samples/stale_binary: an editable install goes on serving the binary of the kernel before the edit.

The session of the lesson is run as it stands, with the solution of 23 and a pip of its own that may not reach
any network. CU2GRAD_RECORD=1 writes its output anew.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from grader.course.workspace import without_markers

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "docs/samples/stale_binary"
PACKAGE = ROOT / "solutions/23_ahead_of_time"
OUTPUT = SAMPLE / "output.txt"


def commands() -> list[str]:
    return (SAMPLE / "session.sh").read_text().splitlines()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A working copy of the package, with ask.py beside it."""
    folder = tmp_path.resolve() / "fused_muladd"
    ignored = shutil.ignore_patterns("mutants.toml", "build", "*.egg-info", "*.so", "__pycache__")
    shutil.copytree(PACKAGE, folder, ignore=ignored)
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_text(without_markers(path.read_text()))
    shutil.copy(SAMPLE / "ask.py", folder)
    return folder


def environment(folder: Path) -> dict[str, str]:
    """A virtual environment that sees what this Python sees, and installs into itself alone."""
    venv.create(folder, symlinks=True, with_pip=False)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "outer.pth").write_text("".join(f"{path}\n" for path in sys.path if path))
    return {
        **os.environ,
        "PATH": f"{folder}/bin:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }


@pytest.mark.release("about pip and setuptools")
@pytest.mark.slow
def test_an_edited_kernel_is_not_compiled_by_an_editable_install(checkout: Path, tmp_path: Path) -> None:
    around = environment(tmp_path / "environment")
    told = []
    for command in commands():
        program, *arguments = shlex.split(command, comments=True)
        on_simt = ["-m", "cusimt"] if program == "python" else []
        done = subprocess.run(
            [program, *on_simt, *arguments], cwd=checkout, env=around, capture_output=True, text=True,
            timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        told += [f"$ {command}\n", *([done.stdout] if "ask.py" in command else [])]
    if os.environ.get("CU2GRAD_RECORD"):
        OUTPUT.write_text("".join(told))
    assert OUTPUT.read_text() == "".join(told)
    assert [line for line in told if line[0] != "$"] == [
        "muladd(2, 3, 1) = 7\n",
        "muladd(2, 3, 1) = 7\n",  # of a kernel that subtracts
        "muladd(2, 3, 1) = 5\n",
    ]
