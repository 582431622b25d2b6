"""Runs any command, such as `make test`, in an environment that has a simulated GPU."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from cusimt.programs.program import prepare, status_with_findings
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
    prepare(checked)
    os.environ["CUDA_PATH"] = os.environ["CUDA_HOME"]  # what Makefiles read
    return status_with_findings(_status(words), checked)


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
