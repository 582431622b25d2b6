"""Puts what was handed in where nbgrader and ``grader batch`` look for it; loses nothing that was there."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from grader.errors import UsageError
from grader.instruct.submissions import timestamps
from grader.instruct.submissions.choosing import OURS
from grader.instruct.submissions.limits import NOTEBOOK_BYTES
from grader.instruct.submissions.reading import Refused
from grader.instruct.submissions.sources import FolderSource

SECRET = "submission_secret.txt"  # nbgrader names the feedback's folder after it, so that nobody guesses it
_SECRET_BYTES = 64  # as nbgrader submit writes it, in hex digits


class Landing(StrEnum):
    """What became of a submission on disk."""

    NEW = "new"
    SAME = "as it was"
    REPLACED = "replaced"
    DIFFERS = "refused"


def land(
    into: Path, student: str, slug: str, files: Mapping[str, bytes], submitted: datetime, replace: bool
) -> Landing:
    """Write ``into/student/slug/`` in one step, with nbgrader's time stamp and secret.

    A submission that is there with the same files keeps its time stamp. One with others stays, unless
    ``replace``; then it moves to ``INTO.replaced/STUDENT/SLUG/TIME``.

    Raises UsageError when ``into`` cannot be written.
    """
    place = into / student / slug
    landing = Landing.NEW
    try:
        if place.exists() or place.is_symlink():
            if _holds(place, files):
                return Landing.SAME
            if not replace:
                return Landing.DIFFERS
            landing = Landing.REPLACED
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".incoming-", dir=into) as scratch:
            whole = Path(scratch) / slug
            _fill(whole, files, submitted)
            if landing is Landing.REPLACED:
                _set_aside(into, place)
            whole.rename(place)
    except OSError as error:
        raise UsageError(
            f"{error.filename or into} cannot be written: {error.strerror}.",
            "Submissions are unpacked to INTO/STUDENT/EXERCISE/; what was there is as it was.",
            "Make the folder writable and see that the disk has room, then run the command again.",
        ) from error
    return landing


def _fill(folder: Path, files: Mapping[str, bytes], submitted: datetime) -> None:
    stamps = {
        timestamps.NAME: timestamps.written(submitted).encode(),
        SECRET: secrets.token_hex(_SECRET_BYTES).encode(),
    }
    for name, content in {**files, **stamps}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _holds(place: Path, files: Mapping[str, bytes]) -> bool:
    """Whether ``place`` holds exactly ``files``, stamps apart."""
    if place.is_symlink() or not place.is_dir():
        return False
    source = FolderSource(place)
    entries = {entry.name: entry for entry in source.entries if entry.name not in OURS}
    try:
        return entries.keys() == files.keys() and all(
            source.read(entry, NOTEBOOK_BYTES) == files[name] for name, entry in entries.items()
        )
    except Refused:
        return False


def _set_aside(into: Path, place: Path) -> None:
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    kept = into.with_name(f"{into.name}.replaced") / place.relative_to(into) / stamp
    kept.parent.mkdir(parents=True, exist_ok=True)
    place.rename(kept)
