"""Runs any command, such as `make test`, in an environment that has a simulated GPU."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from cusimt.compiler.nvcc import CHECKS_VARIABLE
from cusimt.compiler.toolkit import cuda_home
from cusimt.programs import child_findings
from cusimt.programs.child_processes import export_to_children
from cusimt.programs.program import build_runtime, report_findings
from cusimt.support.errors import UsageError

_SIGNALLED = 128  # to which a shell adds the number of the signal


def run_command(words: Sequence[str], *, checked: bool) -> int:
    """Run `words` and return the exit status that this process should have.

    Every Python in it that imports torch has the simulated device, and nvcc is the simulated toolkit's. With
    `checked`, findings of these Pythons are printed to stderr, and turn a success into 1.
    """
    if not words:
        raise UsageError(
            "No command was named.",
            "What follows -- is run with a simulated GPU.",
            "Name one: python -m cusimt -- make test",
        )
    os.environ[CHECKS_VARIABLE] = str(int(checked))
    build_runtime()
    home = cuda_home(checked)
    os.environ.update(CUDA_HOME=str(home), CUDA_PATH=str(home))
    os.environ["PATH"] = os.pathsep.join([str(home / "bin"), os.environ.get("PATH", os.defpath)])
    export_to_children()
    if checked:
        child_findings.collect_from_children()
    status = _status(words)
    if checked and report_findings() and status == 0:
        return 1
    return status


def _status(words: Sequence[str]) -> int:
    try:
        status = subprocess.run(words, check=False).returncode
    except FileNotFoundError:
        raise UsageError(
            f"There is no command {words[0]}.",
            "The command after -- is looked for as a shell does it, on PATH.",
            "Correct its name, or give its path.",
        ) from None
    except PermissionError:
        raise UsageError(
            f"{words[0]} cannot be run.",
            "The command after -- has to be a program.",
            f"Allow it: chmod +x {words[0]}",
        ) from None
    return status if status >= 0 else _SIGNALLED - status
