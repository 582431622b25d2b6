"""Right submissions in other styles than ours: each folder of `submissions/` replaces files of a solution, or
lines in them.
"""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import Catalog, Exercise

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "submissions"
FACTS = "submission.toml"


@dataclass(frozen=True)
class Submission:
    """The files in ``folder``, for the exercise ``slug``; ``style`` says what is different about them.

    ``edits`` are for what differs from a file of the solution in a few lines: ``find``, which stands once in
    ``file``, is replaced by ``replace``.
    """

    folder: Path
    slug: str
    style: str
    edits: Sequence[Mapping[str, str]] = ()

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def files(self) -> list[Path]:
        return sorted(path for path in self.folder.rglob("*") if path.is_file() and path.name != FACTS)

    def exercise(self) -> Exercise:
        return Catalog.open(ROOT).find(self.slug)

    def place(self, folder: Path) -> Path:
        """All files of the exercise in `folder`, this submission's in the place of the solution's."""
        place_solution(self.exercise(), folder)
        for edit in self.edits:
            text = (folder / edit["file"]).read_text(encoding="utf-8")
            assert text.count(edit["find"]) == 1, edit
            (folder / edit["file"]).write_text(text.replace(edit["find"], edit["replace"]), encoding="utf-8")
        for path in self.files:
            shutil.copyfile(path, folder / path.relative_to(self.folder))
        return folder


def place_solution(exercise: Exercise, folder: Path) -> Path:
    """All files of an exercise as they are when it is solved."""
    for names, source in ((exercise.given, exercise.root), (exercise.edit, exercise.solution_dir)):
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source / name, folder / name)
    return folder


def read(folder: Path) -> Submission:
    facts = tomllib.loads((folder / FACTS).read_text())
    return Submission(folder, facts["exercise"], facts["style"], facts.get("edits", ()))


SUBMISSIONS = [read(facts.parent) for facts in sorted(FOLDER.glob(f"*/{FACTS}"))]
