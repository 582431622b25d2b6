"""Valid folder names for student ids: nothing that could lead elsewhere."""

from __future__ import annotations

import re

STUDENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]*")
LONGEST = 128  # characters; a file system's limit is 255 bytes
RULE = (
    f"An id is a folder's name: a letter A-Z or a digit first, then letters, digits and . _ @ + -, "
    f"at most {LONGEST} in all."
)


def is_student(name: str) -> bool:
    """Whether ``name`` can be the id of a student, and so the name of a folder."""
    return len(name) <= LONGEST and STUDENT.fullmatch(name) is not None
