"""Profiles of solutions and samples, for figures and tables: one zygote takes them all, in one folder each.

A sample is compiled once, whatever is counted of it, and not again in the next run.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
from collections.abc import Iterator
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
    number: str, case: str | None = None, *, kernel: Path | None = None, edits: Edits = (), device: str = ""
) -> Profile:
    """Of the exercise's solution; `kernel` takes the place of its kernel.cu, in which `edits` are made.

    `device` is the GPU model that is simulated, if not the usual one.
    """
    exercise = Catalog.open(COURSE).find(number)
    paths = {name: exercise.solution_dir / name for name in (*exercise.edit, *exercise.given)}
    if kernel is not None:
        paths["kernel.cu"] = kernel
    texts = {name: without_markers(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    texts["kernel.cu"] = edited(texts["kernel.cu"], edits)
    contents = {name: text.encode() for name, text in texts.items()}
    with desk_of(["profiles", COURSE, exercise.slug], exercise.slug) as desk, _simulated(device):
        write_sources(contents, desk / exercise.slug)
        return take_profile(exercise, desk / exercise.slug, case, zygote=_zygote(device))[0]


def edited(text: str, edits: Edits) -> str:
    """`text` with the first of each pair, which must occur exactly once, replaced by the second."""
    for find, replace in edits:
        if text.count(find) != 1:
            raise SystemExit(f"{find!r} occurs {text.count(find)} times")
        text = text.replace(find, replace)
    return text


@contextlib.contextmanager
def _simulated(device: str) -> Iterator[None]:
    """The environment in which that model is simulated, here and in processes that are started."""
    before = os.environ.get("CUSIMT_DEVICE")
    if device:
        os.environ["CUSIMT_DEVICE"] = device
    try:
        yield
    finally:
        if device:
            os.environ.pop("CUSIMT_DEVICE")
            os.environ.update({"CUSIMT_DEVICE": before} if before is not None else {})


@functools.cache
def _zygote(device: str) -> Zygote:
    zygote = Zygote.start("simt")
    atexit.register(zygote.close)
    return zygote
