"""The programs of docs/bindings.md: copied out of the repository, and run as a reader would run them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from cusimt.tests.quick_builds import QUICK_BUILDS

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples" / "bindings"
WAYS = ("pybind11", "load", "load_inline", "cuda_extension", "torch_library", "custom_op", "stable_abi")
# An autograd worker that still wants the GIL when Python ends aborts the process (pytorch/pytorch#190489).
# That is rare, happens after everything was printed, and was seen on a busy machine. The run is repeated.
ENDED_TOO_EARLY = "terminate called without an active exception"
AS_SHOWN = ("stable_abi",)  # the page counts the symbols of an optimised library
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
            **({} if way in AS_SHOWN else QUICK_BUILDS),
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
            self.shell(build)
        return self.shell("python run.py")

    def shell(self, script: str) -> str:
        """What `script` prints in the copy; fails unless its exit status is 0."""
        for _ in range(3):
            done = self._run(script)
            if ENDED_TOO_EARLY not in done.stderr:
                break
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def _run(self, script: str) -> subprocess.CompletedProcess[str]:
        around = [sys.executable, "-m", "cusimt", "../shell.py"] if self._simulated else ["sh"]
        command = [*around, "-e", "-c", script]
        return subprocess.run(
            command, cwd=self.folder, env=self._environment, capture_output=True, text=True, check=False
        )


def expected(way: str, name: str = "output.txt") -> str:
    return (SAMPLES / way / name).read_text()
