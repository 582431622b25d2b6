"""`submission_secret.txt` beside a submission: nbgrader names the feedback folder after it.

In an exchange that everybody can list, nobody is to guess the folder of somebody else.
"""

from __future__ import annotations

import secrets

NAME = "submission_secret.txt"
_BYTES = 64  # as ``nbgrader submit`` draws them


def drawn() -> str:
    """A new one, in hex digits."""
    return secrets.token_hex(_BYTES)
