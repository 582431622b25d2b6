"""Profiles of solutions and samples, for figures and tables: one zygote takes them all, in one folder each.

A sample is compiled once, whatever is counted of it, and not again in the next run.
"""

from __future__ import annotations

import atexit
import functools
from pathlib import Path

from grader.course.catalog import Catalog
from grader.cli.profile import take_profile
from cusimt.profile.model import Profile
from grader.run import Zygote
from grader.course.snapshot import desk_of, write_sources
from grader.course.workspace import without_markers

COURSE = Path(__file__).resolve().parent.parent.parent
Edits = tuple[tuple[str, str], ...]


@functools.cache
def profile(
    number: str, case: str | None = None, *, kernel: Path | None = None, edits: Edits = ()
) -> Profile:
    """Of the exercise's solution; `kernel` takes the place of its kernel.cu, in which `edits` are made."""
    exercise = Catalog.open(COURSE).find(number)
    paths = {name: exercise.solution_dir / name for name in (*exercise.edit, *exercise.given)}
    if kernel is not None:
        paths["kernel.cu"] = kernel
    texts = {name: without_markers(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    texts["kernel.cu"] = edited(texts["kernel.cu"], edits)
    contents = {name: text.encode() for name, text in texts.items()}
    with desk_of(["profiles", COURSE, exercise.slug], exercise.slug) as desk:
        write_sources(contents, desk / exercise.slug)
        return take_profile(exercise, desk / exercise.slug, case, zygote=_zygote())[0]


def edited(text: str, edits: Edits) -> str:
    """`text` with the first of each pair, which must occur exactly once, replaced by the second."""
    for find, replace in edits:
        if text.count(find) != 1:
            raise SystemExit(f"{find!r} occurs {text.count(find)} times")
        text = text.replace(find, replace)
    return text


@functools.cache
def _zygote() -> Zygote:
    zygote = Zygote.start("simt")
    atexit.register(zygote.close)
    return zygote
