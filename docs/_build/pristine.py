"""Lessons show the stubs that a learner starts from, whatever is in ``exercises/`` now. mkdocs calls these hooks.

A lesson includes ``exercises/NN_name/kernel.cu``, a file that its reader edits. The snippets extension finds it
in a folder of pristine stubs first, which lives as long as the build.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

COURSE = Path(__file__).resolve().parents[2]
SNIPPETS = "pymdownx.snippets"

_folder: list[Path] = []  # of this build; mkdocs keeps the module for as long as it serves


def on_config(config: Any) -> Any:
    """Write the stubs, and let includes look there before they look into the course."""
    on_shutdown()
    sys.path.insert(0, str(COURSE))  # mkdocs may be a program of another environment
    from grader.course.catalog import Catalog
    from grader.course.workspace import shipped_files

    folder = Path(tempfile.mkdtemp(prefix="cu2grad-stubs-"))
    _folder.append(folder)
    for exercise in Catalog.open(COURSE).exercises:
        for path, text in shipped_files(exercise).items():
            target = folder / path.relative_to(COURSE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    paths = config.mdx_configs[SNIPPETS]["base_path"]
    config.mdx_configs[SNIPPETS]["base_path"] = [str(folder), *paths]
    return config


def on_shutdown() -> None:
    """Remove what the build needed."""
    while _folder:
        shutil.rmtree(_folder.pop(), ignore_errors=True)
