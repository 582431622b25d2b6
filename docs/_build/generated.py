"""What every script of this folder ends with: files of the lessons are written, or with ``--check`` compared."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


def bring_up_to_date(files: Iterable[tuple[Path, str]], check: bool, script: str) -> int:
    """Write each text that differs from its file; with ``check`` only name those, and return 1 if any."""
    stale = []
    for path, text in files:
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"not up to date: {', '.join(stale)}. Run: python docs/_build/{script}")
    return 1 if check and stale else 0
