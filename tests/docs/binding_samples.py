"""The programs of docs/bindings.md: copied out of the repository, and run as a reader would run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples" / "bindings"
WAYS = ("pybind11", "load", "load_inline", "cuda_extension", "torch_library", "custom_op", "stable_abi")
SHELL = "import subprocess, sys; sys.exit(subprocess.call(['sh', *sys.argv[1:]]))"


class Copy:
    """One sample in `folder`, which holds nothing else; `simulated` puts the simulated GPU around it."""

    def __init__(self, way: str, folder: Path, *, simulated: bool) -> None:
        self.folder = folder / way
        shutil.copytree(SAMPLES / way, self.folder)
        self._simulated = simulated
        programs = folder / "programs"  # a shell that finds this Python under the name `python`
        programs.mkdir()
        (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        (programs / "python").chmod(0o755)
        (folder / "shell.py").write_text(SHELL)
        self._environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "TORCH_EXTENSIONS_DIR": str(folder / "extensions"),
        }
        if simulated:
            self._environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
            self._environment["CU2GRAD_BACKEND"] = "simt"

    def prints(self) -> str:
        """What `session.sh` prints from `run.py` on, or `run.py` where a sample has no session."""
        session = self.folder / "session.sh"
        if session.exists():
            build, run = session.read_text().split("python run.py\n")
            assert run == "", "run.py is the last command"
            self.shell("-e", "-c", build)
        return self.shell("-c", "python run.py")

    def shell(self, *arguments: str) -> str:
        """What `sh ARGUMENTS` prints in the copy; fails unless its exit status is 0."""
        around = [sys.executable, "-m", "grader.simt", "../shell.py"] if self._simulated else ["sh"]
        done = subprocess.run(
            [*around, *arguments], cwd=self.folder, env=self._environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def expected(way: str, name: str = "output.txt") -> str:
    return (SAMPLES / way / name).read_text()
