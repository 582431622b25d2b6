"""Where a verdict comes from, so that it can be replayed, and where it points to."""

from __future__ import annotations

import importlib.metadata
import platform
import re

from grader.catalog import Exercise


def versions_of(exercise: Exercise) -> dict[str, str]:
    """What an answer may depend on. Reads package metadata only, imports nothing."""
    return {
        "exercise": str(exercise.version),
        "cu2grad": _installed("cu2grad"),
        "python": platform.python_version(),
        "torch": _installed("torch"),
    }


def _installed(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "from source"


def lesson_for(exercise: Exercise, topic: str, check: str = "") -> str:
    """The lesson's path within the course, with the anchor of `topic` where it has one; or ``""``.

    What `check` says of values is about gradients if it is the check of those: a lesson that explains these
    apart has a section ``#gradient``.
    """
    path = exercise.lesson_path
    if not path.is_file():
        return ""
    shown = path.relative_to(exercise.course).as_posix()
    anchors = re.findall(r"\{[^}]*#([\w-]+)[^}]*\}", path.read_text(encoding="utf-8"))
    wanted = [topic.replace("_", "-")]
    if check == "gradient" and topic == "values":
        wanted.insert(0, "gradient")
    if topic == "gradcheck":
        wanted.append("gradient")
    return next((f"{shown}#{anchor}" for anchor in wanted if anchor in anchors), shown)
