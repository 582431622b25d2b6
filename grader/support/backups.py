"""Replace files and keep what was there, in a new folder for each time."""

from __future__ import annotations

import datetime
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import UsageError

BACKUPS = Path(".cu2grad", "backups")  # in the folder of a course, a class or a workspace


def replace_files(changes: Mapping[Path, str], root: Path, backups: Path) -> Path | None:
    """Copies what exists of ``changes``, paths below ``root``, then writes each file at once.

    Returns the folder in ``backups`` that has the copies; None where there was nothing. Raises UsageError.
    """
    there = [path for path in changes if path.exists()]
    try:
        kept = new_backup(backups) if there else None
        for path, copy in ((path, kept / path.relative_to(root)) for path in there if kept):
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, copy)
        for path, text in changes.items():
            write_atomically(path, text, path.stat().st_mode & 0o777 if path.exists() else PUBLIC)
    except OSError as error:
        raise UsageError(
            f"{error.filename or root} cannot be written: {error.strerror}.",
            "Nothing was lost: what was there is as it was, or as the backup in .cu2grad/backups has it.",
            "Make the folder writable, then run the command again.",
        ) from error
    return kept


def new_backup(backups: Path) -> Path:
    """An empty folder in ``backups``, which may be missing; its name begins with the time."""
    backups.mkdir(parents=True, exist_ok=True)
    stamp = datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    made = Path(tempfile.mkdtemp(prefix=f"{stamp}-", dir=backups))
    made.chmod(0o755)
    return made


def differs(path: Path, text: str) -> bool:
    """Whether a file is missing or holds something else."""
    try:
        return path.read_bytes() != text.encode()
    except (FileNotFoundError, NotADirectoryError):
        return True
