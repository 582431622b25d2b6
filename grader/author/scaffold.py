"""`grader new`: an exercise that works, to begin from.

A template is a folder of files ending in ``.in``: ``exercise/`` and ``solution/`` go to the folders of that
exercise, ``lesson.md`` to its lesson, in a course that has lessons. What a kind's template lacks is taken
from that of `write`.
"""

from __future__ import annotations

import re
from pathlib import Path

from grader.catalog import Catalog
from grader.errors import UsageError
from grader.exercise import KINDS, SLUG
from grader.workspace import sync

_TEMPLATES = Path(__file__).parent / "templates"
_BASE = "write"
_TOKEN = re.compile(r"\{\{(\w+)\}\}")


def scaffold(course: Path, slug: str, kind: str, title: str = "") -> list[Path]:
    """Writes a new exercise of ``kind`` into ``course`` and generates its stub; returns the new files.

    ``title`` defaults to the slug in words. Raises UsageError for a slug or number that cannot be used,
    and when one of the folders exists; nothing is written then.
    """
    _refuse(course, slug, kind)
    name = slug[3:]
    words = {
        "slug": slug, "number": slug[:2], "name": name, "kind": kind,
        "title": title or name.replace("_", " ").capitalize(),
    }  # fmt: skip
    written = []
    for target, template in _templates(course, slug, kind).items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_filled(template.read_text(encoding="utf-8"), words), encoding="utf-8")
        written.append(target)
    return written + sync(Catalog.open(course))


def _refuse(course: Path, slug: str, kind: str) -> None:
    again = "Run: grader new NN_slug --kind " + "|".join(KINDS)
    if not SLUG.match(slug):
        raise UsageError(
            f"{slug!r} is not a slug.", "A slug is two digits and a name, as 08_half_types.", again
        )
    if kind not in KINDS:
        raise UsageError(f"There is no kind {kind!r}.", f"The kinds are {', '.join(KINDS)}.", again)
    taken = [each.name for each in (course / "exercises").glob(f"{slug[:2]}_*")]
    folders = (course / "exercises" / slug, course / "solutions" / slug)
    taken += [folder.name for folder in folders if folder.exists()]
    if taken:
        raise UsageError(
            f"{taken[0]} is there already.",
            "A number names one exercise, and nothing is overwritten.",
            f"Choose another number than {slug[:2]}.",
        )


def _templates(course: Path, slug: str, kind: str) -> dict[Path, Path]:
    """Every file to be written and its template; a kind's own one replaces that of the same name."""
    folders = {"exercise": course / "exercises" / slug, "solution": course / "solutions" / slug}
    templates: dict[Path, Path] = {}  # file to be written -> template
    for origin in (_BASE, kind):
        for template in sorted((_TEMPLATES / origin).glob("*/*.in")):
            templates[folders[template.parent.name] / template.stem] = template
        lesson = _TEMPLATES / origin / "lesson.md.in"
        if lesson.is_file() and (course / "docs" / "lessons").is_dir():
            templates[course / "docs" / "lessons" / f"{slug}.md"] = lesson
    return templates


def _filled(text: str, words: dict[str, str]) -> str:
    return _TOKEN.sub(lambda match: words[match[1]], text)
