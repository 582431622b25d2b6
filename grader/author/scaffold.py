"""`grader new`: write a working exercise to start from.

A template is a folder of files ending in ``.in``, in ``exercise/`` and ``solution/``. Every kind begins with
the files of `write`: ``NAME.in`` of its own replaces one, ``NAME.more.in`` is added at its end. A course that
has lessons gets a lesson, which shows the files and sections that the new exercise.toml names.
"""

from __future__ import annotations

import re
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.course.exercise import KINDS, SLUG
from grader.course.workspace import sync
from grader.support.errors import UsageError

_TEMPLATES = Path(__file__).parent / "templates"
_BASE = "write"
_MORE = ".more"
_VOCABULARY = {"predict": ("Choice", "Count", "Program"), "test": ("Tests",)}  # beside that of every spec.py
_LANGUAGES = {".cu": "cuda", ".cpp": "cpp", ".py": "python", ".toml": "toml"}
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
        "vocabulary": ", ".join(sorted({"Case", "Gradient", "Refusal", "Speed", *_VOCABULARY.get(kind, ())})),
    }  # fmt: skip
    written = []
    for target, template in _texts(kind).items():
        path = course / target.format(slug=slug)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_filled(template, words), encoding="utf-8")
        written.append(path)
    exercise = Catalog.open(course).find(slug)
    if exercise.lesson_path.parent.is_dir():
        words |= {"stub": _shown_files(exercise), "solution": _shown_sections(exercise)}
        lesson = (_TEMPLATES / "lesson.md.in").read_text(encoding="utf-8")
        exercise.lesson_path.write_text(_filled(lesson, words), encoding="utf-8")
        written.append(exercise.lesson_path)
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


def _texts(kind: str) -> dict[str, str]:
    """The path of every file to be written, ``{slug}`` open, and its text, ``{{words}}`` open."""
    texts: dict[str, str] = {}
    for origin in dict.fromkeys((_BASE, kind)):
        for template in sorted((_TEMPLATES / origin).rglob("*.in")):
            room, *rest = template.relative_to(_TEMPLATES / origin).parts
            target = "/".join((f"{room}s", "{slug}", *rest)).removesuffix(".in")
            text = template.read_text(encoding="utf-8")
            if target.endswith(_MORE):
                texts[target.removesuffix(_MORE)] += text
            else:
                texts[target] = text
    return texts


def _shown_files(exercise: Exercise) -> str:
    """Each file that the learner edits, as the lesson shows it."""
    return "\n\n".join(
        f'```{_LANGUAGES.get(Path(file).suffix, "text")} title="exercises/{exercise.slug}/{file}"\n'
        f'--8<-- "exercises/{exercise.slug}/{file}"\n```'
        for file in exercise.edit
    )


def _shown_sections(exercise: Exercise) -> str:
    """Each section of the solution, indented as the collapsed block asks for."""
    return "\n\n".join(
        f"    ```{_LANGUAGES.get(Path(section.file).suffix, 'text')}\n"
        f'    --8<-- "solutions/{exercise.slug}/{section.file}:{section.name}"\n    ```'
        for section in exercise.sections.values()
    )


def _filled(text: str, words: dict[str, str]) -> str:
    return _TOKEN.sub(lambda match: words[match[1]], text)
