"""`grader nbgrader`: build a course for nbgrader, and import submissions into it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cusimt.support.words import counted, listed
from grader.cli.options import Course
from grader.cli.overview import shown
from grader.course.catalog import Catalog, Exercise
from grader.instruct.nbgrader.dependency import CONFIG, require_nbgrader
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from grader.instruct.course import ClassFolder
    from grader.instruct.submissions.report import Report


def build(names: Sequence[str], course: Path | None, out: Path, check: bool) -> int:
    """Writes a course, or with ``check`` says what differs. Returns 1 when something does, else 0."""
    require_nbgrader()
    from grader.instruct.course import class_in
    from grader.instruct.nbgrader import assignments

    catalog = Catalog.open(course)
    folder = out.resolve()
    exercises = _chosen(catalog, names, folder)
    home = class_in(folder)
    files = assignments.course_files([(each, home.backend_of(each.slug)) for each in exercises], folder)
    stale = assignments.differing(files)
    for path in stale:
        print(f"{'differs' if check else 'wrote'}  {shown(path)}")
    if check:
        if stale:
            print("Assignments are generated from the exercises. Run the command again without --check.")
        return 1 if stale else 0
    kept = assignments.write({path: files[path] for path in stale}, folder)
    if assignments.write_config(catalog, folder, _title(folder)):
        print(f"wrote  {shown(folder / CONFIG)}")
    if kept:
        print(f"What was there before is kept in {shown(kept)}.")
    print(f"{counted(len(exercises), 'assignment')} in {shown(folder / 'source')}.")
    there = "" if folder == Path.cwd() else f"cd {shown(folder)} && "
    print(f"Next: {there}nbgrader generate_assignment {exercises[0].slug}")
    return 0


@dataclass(frozen=True)
class Archive:
    """What an LMS gave out, and what is known about it that does not stand in it."""

    path: Path
    layout: str
    assignment: str
    into: Path | None  # None: where the class keeps its submissions
    roster: Path | None
    due: datetime | None
    replace: bool


def import_archive(archive: Archive, course: Path | None) -> int:
    """Unpacks an archive into nbgrader's folders. Returns 1 where something was refused, else 0."""
    from grader.instruct.course import class_in, folder_around
    from grader.instruct.submissions import importing
    from grader.instruct.submissions.roster import read_roster
    from grader.instruct.submissions.timestamps import aware

    exercise = Catalog.open(course).find(archive.assignment)
    here = archive.into.resolve().parent if archive.into else Path.cwd()
    home = class_in(folder_around(here) or here)
    into = archive.into or home.submissions
    zone, due = _deadline(home, exercise)
    report = importing.import_archive(
        archive.path,
        exercise=exercise,
        layout=archive.layout,
        into=into,
        notebook=_notebook(exercise, _nbgrader_folder(home, into)),
        roster=read_roster(archive.roster, zone) if archive.roster else None,
        zone=zone,
        due=aware(archive.due, zone) if archive.due else due,
        replace=archive.replace,
    )
    for line in [*report.lines(), *_known_anew(report, home, into, exercise), *_in_no_roster(report, home)]:
        print(line)
    if not all(each.failed for each in report.intakes):
        home_here = into.resolve() == home.submissions.resolve() and folder_around(Path.cwd())
        print(f"Next: grader batch{'' if home_here else f' {shown(into.resolve())}'}")
    return report.exit_code


def _known_anew(report: Report, home: ClassFolder, into: Path, exercise: Exercise) -> list[str]:
    """Gives what the class keeps about ids that the roster changed to the new ones; a sentence on each."""
    from grader.instruct.course.merge_ids import rename
    from grader.instruct.results import ResultStore

    changed = {old: intake.student for intake in report.intakes if not intake.failed for old in intake.former}
    if into.resolve() != home.submissions.resolve():
        return []
    renamed = rename(ResultStore(home.results), exercise.slug, changed)
    return [f"What was noted, graded and told of {old} is {changed[old]}'s now." for old in renamed]


def _in_no_roster(report: Report, home: ClassFolder) -> list[str]:
    """A sentence on ids that the class's students.csv does not have."""
    from grader.instruct.course import read_people

    people = read_people(home.course) if home.course else None
    ids = [each.student for each in report.intakes if not each.failed]
    strange = [student for student in ids if people and not people.accepts(student)]
    if not strange:
        return []
    return [f"In no roster: {listed(strange)}. If an id is a student's, add a line for it to students.csv."]


def repair_submissions(course: Path | None, folder: Path) -> int:
    """Adds missing notebooks, and takes half autograded submissions away so that they are done again."""
    require_nbgrader()
    from grader.instruct.nbgrader.interrupted import add_notebooks, drop_unfinished

    catalog, folder = Catalog.open(course), folder.resolve()
    added, dropped = add_notebooks(folder, catalog), drop_unfinished(folder, catalog)
    for verb, paths in (("wrote", added), ("removed", dropped)):
        for path in paths:
            print(f"{verb}  {shown(path)}")
    print(f"{counted(len(added), 'notebook was', 'notebooks were')} missing. What is graded are the files.")
    if dropped:
        print(f"{counted(len(dropped), 'autograding was', 'autogradings were')} broken off.")
        print("Next: nbgrader autograde SLUG, for each of their assignments")
    return 0


def open_formgrader(folder: Path, port: int, browser: bool) -> int:
    """Serves nbgrader's pages of this class until it is stopped; returns how the server ended."""
    require_nbgrader()
    if not (folder / CONFIG).is_file():
        raise UsageError(
            f"There is no {CONFIG} in {folder.resolve()}.",
            "The formgrader shows the class in whose folder it starts.",
            "Name the folder of the class, or write its course first: grader nbgrader build",
        )
    print("Here people mark and comment, until you stop it with Ctrl-C. Next: grader marks")
    options = ["--ServerApp.default_url=/formgrader/", f"--ServerApp.port={port}"]
    command = [sys.executable, "-m", "jupyter_server", *options, f"--ServerApp.open_browser={browser}"]
    return subprocess.run(command, cwd=folder, check=False).returncode


def _chosen(catalog: Catalog, names: Sequence[str], folder: Path) -> list[Exercise]:
    """The exercises that were named, else those of the class's course.toml, else all."""
    from grader.instruct.course import class_in

    if names:
        return list({exercise.slug: exercise for exercise in map(catalog.find, names)}.values())
    course = class_in(folder).course
    return course.exercises(catalog) if course else list(catalog.exercises)


def _nbgrader_folder(home: ClassFolder, into: Path) -> Path:
    """Where nbgrader's configuration is: beside the submissions, or with the class's course.toml."""
    beside = into.resolve().parent
    if home.course and not (beside / CONFIG).is_file():
        return home.course.folder
    return beside


def _deadline(home: ClassFolder, exercise: Exercise) -> tuple[tzinfo | None, datetime | None]:
    """The time zone of the class and when ``exercise`` is due, as far as its course.toml says."""
    if home.course is None:
        return None, None
    assignment = home.course.assignments.get(exercise.slug)
    return home.course.zone, assignment.due if assignment else None


def _title(folder: Path) -> str:
    from grader.instruct.course import class_in

    course = class_in(folder).course
    return course.title if course else folder.name


def _notebook(exercise: Exercise, class_folder: Path) -> Path | None:
    """The notebook that nbgrader expects beside the files; without one it passes a submission over.

    Without an nbgrader configuration, none is expected.
    """
    for step in ("release", "source"):
        notebook = class_folder / step / exercise.slug / f"{exercise.slug}.ipynb"
        if notebook.is_file():
            return notebook
    if (class_folder / CONFIG).is_file():
        print(
            f"There is no notebook of {exercise.slug} in {shown(class_folder)} to add where one is missing.",
            file=sys.stderr,
        )
    return None


# ---- on the command line ----

nbgrader = typer.Typer(no_args_is_help=True, help="For instructors: a course for nbgrader.")
Layout = Literal["auto", "canvas", "moodle", "gradescope", "plain"]


@nbgrader.command("build")
def build_command(
    exercises: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXERCISE...", help="Default: the assignments of course.toml, else every exercise."
        ),
    ] = None,
    course: Course = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="CLASS", help="The folder of the class, which holds source/.")
    ] = Path(),
    check: Annotated[bool, typer.Option("--check", help="Change nothing; fail if anything differs.")] = False,
) -> None:
    """Writes notebooks, stubs and nbgrader's configuration. The same exercises give the same bytes."""
    raise typer.Exit(build(exercises or (), course, out, check))


@nbgrader.command(name="import")
def import_command(
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A zip file, or a folder.")],
    assignment: Annotated[str, typer.Option("--assignment", metavar="EXERCISE", help="What was handed in.")],
    layout: Annotated[Layout, typer.Option(help="Who made the archive.")] = "auto",
    into: Annotated[
        Path | None,
        typer.Option(
            "--into", metavar="DIR", help="Default: the submissions of the class around, else submitted."
        ),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option("--roster", metavar="FILE", help="A CSV that maps the LMS's names to ids.")
    ] = None,
    due: Annotated[
        datetime | None,
        typer.Option(
            help="When what the LMS calls in time was handed in at the latest, in the class's time zone."
        ),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of other submissions, which are kept.")
    ] = False,
    course: Course = None,
) -> None:
    """Unpacks what Canvas, Moodle or Gradescope gives out, and believes none of it."""
    wanted = Archive(archive, layout, assignment, into, roster, due, replace)
    raise typer.Exit(import_archive(wanted, course))


@nbgrader.command()
def mend(
    folder: Annotated[Path, typer.Argument(metavar="CLASS", help="The folder of the class.")] = Path(),
    course: Course = None,
) -> None:
    """Sees to submissions that nbgrader would pass over: without a notebook, or half autograded."""
    raise typer.Exit(repair_submissions(course, folder))


@nbgrader.command()
def formgrade(
    folder: Annotated[Path, typer.Argument(metavar="CLASS", help="The folder of the class.")] = Path(),
    port: Annotated[int, typer.Option(help="Where it listens, on this machine alone.")] = 8888,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Whether to open a browser, or only say where.")
    ] = True,
) -> None:
    """Opens nbgrader's formgrader, where people mark and comment."""
    raise typer.Exit(open_formgrader(folder, port, browser))
