"""Where the two packages are, the grader's and the simulator's, and how another Python finds them."""

from __future__ import annotations

import os
from pathlib import Path

import cusimt.folders

PACKAGE = Path(__file__).resolve().parent.parent
PACKAGES = (PACKAGE, cusimt.folders.PACKAGE)
IMPORT_FOLDERS = tuple(dict.fromkeys((PACKAGE.parent, cusimt.folders.IMPORT_FOLDER)))


def python_path() -> str:
    """PYTHONPATH for a process that is to import both packages; no relative folder."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([*map(str, IMPORT_FOLDERS), *filter(os.path.isabs, given)])
