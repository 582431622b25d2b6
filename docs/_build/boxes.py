"""The box at the top of each lesson: minutes, prerequisites, files, points; and each part's hours.

The facts are those of exercise.toml, and the parts those of mkdocs.yml. With ``--check`` only compares.
Run from the course folder: ``python docs/_build/boxes.py``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
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


def render_parts(exercises: Iterable[Exercise]) -> str:
    """A table of the parts in order: their exercises, and the hours of all of them."""
    minutes = {exercise.slug: exercise.minutes for exercise in exercises}
    parts: dict[str, list[str]] = {}
    title = ""
    for line in (COURSE / "mkdocs.yml").read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r" +- ([^:]+):", line):
            title = heading[1]
        elif lesson := re.fullmatch(r" +- lessons/(\w+)\.md", line):
            parts.setdefault(title, []).append(lesson[1])
    rows = [(name, f"{slugs[0][:2]} to {slugs[-1][:2]}", _hours(map(minutes.__getitem__, slugs)))
            for name, slugs in parts.items()]  # fmt: skip
    rows.append(("**all**", f"{len(minutes)} exercises", _hours(minutes.values())))
    head = ["| part | exercises | hours |", "|---|---|--:|"]
    return "\n".join([*head, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def _hours(minutes: Iterable[int]) -> str:
    return f"{round(sum(minutes) / 30) / 2:g}"


def pages() -> Iterator[tuple[Path, str]]:
    exercises = Catalog.open(COURSE).exercises
    yield FOLDER / "parts.md", render_parts(exercises)
    titles = {exercise.slug: exercise.title for exercise in exercises}
    for exercise in exercises:
        yield FOLDER / f"{exercise.slug}.md", render(exercise, titles)


if __name__ == "__main__":
    raise SystemExit(bring_up_to_date(pages(), "--check" in sys.argv[1:], "boxes.py"))
