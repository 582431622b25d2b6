"""A Python program in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def printed(program: str, folder: Path) -> str:
    """What it prints, run in `folder`; fails if it does."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
