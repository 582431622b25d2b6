"""What was collected for each assignment: the LMS's archive, whose names its feedback will bear.

``RESULTS/collected.json`` has absolute paths by exercise; the newest archive of an exercise counts.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from grader.support.durable import write_atomically
from grader.support.errors import UsageError

_FILE = "collected.json"


@dataclass(frozen=True)
class Collected:
    """The archive or folder, and the roster that says who is who in it, or None."""

    archive: Path
    roster: Path | None


def note_collected(results: Path, slug: str, collected: Collected) -> None:
    """Remembers it for the feedback."""
    paths = _read(results)
    paths[slug] = [str(each.resolve()) if each else "" for each in (collected.archive, collected.roster)]
    write_atomically(results / _FILE, json.dumps(paths, indent=2) + "\n")


def collected(results: Path, slug: str) -> Collected | None:
    """What the hand-ins of an exercise came in; None where they came otherwise.

    Raises UsageError where the archive or its roster is gone.
    """
    found = _read(results).get(slug)
    if found is None:
        return None
    for path in filter(None, found):
        if not Path(path).exists():
            raise UsageError(
                f"{path} is gone, from which the hand-ins of {slug} were collected.",
                "An LMS knows feedback by the names that it gave the submissions.",
                f"Put it back, or download it again: grader class collect {slug[:2]} ARCHIVE",
            )
    archive, roster = found
    return Collected(Path(archive), Path(roster) if roster else None)


def _read(results: Path) -> dict[str, list[str]]:
    path = results / _FILE
    found: dict[str, list[str]] = json.loads(path.read_text()) if path.is_file() else {}
    return found
