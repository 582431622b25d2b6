"""`submission_secret.txt` beside a submission: nbgrader names the feedback folder after it.

In an exchange that everybody can list, nobody is to guess the folder of somebody else.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from grader.support.reading import Refused, read_below

NAME = "submission_secret.txt"
_BYTES = 64  # as ``nbgrader submit`` draws them


def drawn() -> str:
    """A new one, in hex digits."""
    return secrets.token_hex(_BYTES)


def handed_in(folder: Path) -> str:
    """The one in ``folder``, which ``nbgrader submit`` drew, or "". Its learner looks for feedback by it."""
    try:
        return read_below(folder, NAME, 2 * _BYTES).decode("ascii")
    except (FileNotFoundError, Refused, UnicodeDecodeError):
        return ""
