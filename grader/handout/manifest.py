"""What is handed out, and its manifest: every distributed file by its digest.

The manifest lies in the workspace and in the archive. Whoever reads it believes nothing else of it than
this: which content is not the learner's own.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

MANIFEST = ".cu2grad/workspace.json"
_FORMAT = 1


@dataclass(frozen=True)
class Manifest:
    """``files`` are digests by path, ``edit`` the learner's files, ``exercises`` versions by slug."""

    files: Mapping[str, str]
    edit: frozenset[str]
    exercises: Mapping[str, int]
    grader: str

    def to_json(self) -> bytes:
        facts = {
            "format": _FORMAT,
            "cu2grad": self.grader,
            "exercises": dict(sorted(self.exercises.items())),
            "edit": sorted(self.edit),
            "files": dict(sorted(self.files.items())),
        }
        return (json.dumps(facts, indent=1) + "\n").encode()


def digest(content: bytes) -> str:
    """How a manifest names the content of a file."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


@dataclass(frozen=True)
class Release:
    """``files`` by path within the workspace, ``/`` between its parts; ``edit`` are those of the learner.

    ``exercises`` are slugs with their versions, ``grader`` the version that made the release.
    """

    files: Mapping[str, bytes]
    edit: frozenset[str]
    exercises: Mapping[str, int]
    grader: str

    def manifest(self) -> Manifest:
        """What an update has to know of a release that is there."""
        digests = {path: digest(content) for path, content in self.files.items()}
        return Manifest(digests, self.edit, self.exercises, self.grader)


def read_manifest(text: bytes) -> Manifest:
    """The manifest in ``text``. Raises ValueError for another format, and for a path that leads out."""
    facts = json.loads(text)
    if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
        raise ValueError(f"its {MANIFEST} has no format that this grader knows")
    files, edit, exercises = (facts.get(key) for key in ("files", "edit", "exercises"))
    if not (isinstance(files, dict) and isinstance(edit, list) and isinstance(exercises, dict)):
        raise ValueError(f"its {MANIFEST} is not complete")
    for path in (*files, *edit):
        if not _stays_inside(path):
            raise ValueError(f"its {MANIFEST} names {path!r}, which leads out of the folder")
    return Manifest(files, frozenset(edit), exercises, str(facts.get("cu2grad")))


def _stays_inside(path: object) -> bool:
    if not isinstance(path, str):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not path.startswith("/") and "\\" not in path
