"""The box at the top of each lesson: minutes, prerequisites, files, points; with ``--check`` only compares.

Its facts are those of exercise.toml. Run from the course folder: ``python docs/_build/boxes.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from generated import bring_up_to_date

from grader.course.catalog import Catalog, Exercise
from grader.report.words import NAMES
from cusimt.support.words import listed

COURSE = Path(__file__).resolve().parent.parent.parent
FOLDER = COURSE / "docs" / "_generated" / "box"
YOU = {
    "write": "You write",
    "fix": "You fix",
    "predict": "You predict, then write",
    "test": "You write tests in",
}


def render(exercise: Exercise, titles: dict[str, str]) -> str:
    """An admonition: its title answers how long and for whom, its rows what comes before and what is graded."""
    core = "core course" if exercise.core else "optional"
    rows = [
        ("Prerequisites", ", ".join(_link(slug, titles) for slug in exercise.requires) or "none"),
        (YOU[exercise.kind], listed([f"`{name}`" for name in exercise.written])),
        ("Points", ", ".join(f"{NAMES[name]} {points}" for name, points in exercise.scores.items())),
        ("Runs on", _backends(exercise)),
    ]
    lines = [f'!!! abstract "About {exercise.minutes} minutes · {core}"']
    return "\n".join([*lines, *(f"    **{name}:** {text}  " for name, text in rows)]) + "\n"


def _link(slug: str, titles: dict[str, str]) -> str:
    return f"[{slug[:2]} · {titles[slug]}]({slug}.md)"


def _backends(exercise: Exercise) -> str:
    if "performance" not in exercise.scores:
        return "the simulated GPU (simt) or a real one (cuda), for the same points"
    points = exercise.scores["performance"]
    return f"the simulated GPU (simt) or a real one (cuda); the {points} points for speed need a real one"


def pages() -> Iterator[tuple[Path, str]]:
    exercises = Catalog.open(COURSE).exercises
    titles = {exercise.slug: exercise.title for exercise in exercises}
    for exercise in exercises:
        yield FOLDER / f"{exercise.slug}.md", render(exercise, titles)


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(pages(), "--check" in sys.argv[1:], "boxes.py"))
