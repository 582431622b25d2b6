"""A class of ten through the whole of it: three exercises, every way to fail, real nbgrader.

build → generate → hand in, one exercise through Canvas → grade → autograde → feedback → export. What
each submission must come to is known from how it was made (:mod:`tests.nbgrader.demo_submissions`), not from
what the grader said.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pytest

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.verdict import Status, Verdict
from tests.nbgrader.demo_submissions import HOSTILE, ROOT, SLUGS, STUDENTS, Kind, kinds_of, write_submissions
from tests.nbgrader.school import Class

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@dataclass
class Demo:
    """The class after `grader class grade` and autograding; ``kinds`` by student and exercise."""

    school: Class
    kinds: dict[tuple[str, str], Kind]

    @cached_property
    def catalog(self) -> Catalog:
        return self.school.catalog

    def exercise(self, slug: str) -> Exercise:
        return self.catalog.find(slug)

    def verdict(self, student: str, slug: str) -> Verdict:
        return self.school.verdict(student, self.exercise(slug))

    def one_of_each(self) -> list[tuple[str, str, Kind]]:
        """A student for every kind of submission."""
        found = {(slug, kind.name): (student, slug, kind) for (student, slug), kind in self.kinds.items()}
        return list(found.values())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    pytest.importorskip("nbgrader", reason="nbgrader is not installed: pip install 'cu2grad[instructor]'")
    from grader.cli.grade_class import GradeOptions, grade_class
    from grader.cli.nbgrader import build
    from grader.cli.term import MarksOptions

    school = Class(tmp_path_factory.mktemp("demo"))
    (school.top / "course").symlink_to(ROOT)
    school.begin(*SLUGS)
    build(SLUGS, ROOT, school.folder)
    for slug in SLUGS:
        done = school.api().generate_assignment(slug)
        assert done["success"], done["log"]
    kinds = write_submissions(school.folder, school.catalog)
    through_canvas(school, SLUGS[-1])
    # The submissions are our own: where there is no sandbox they may run without one.
    trust = shutil.which("bwrap") is None
    # Three lanes, since one of them waits for what never ends.
    request = MarksOptions(school.folder, ROOT, plain=True)
    keep_the_secret_of_an_earlier_run(school)
    assert grade_class(request, GradeOptions(jobs=3, trust=trust)) == 0
    for slug in SLUGS:
        school.command("AutogradeApp", slug)
    return Demo(school, kinds)


def keep_the_secret_of_an_earlier_run(school: Class) -> None:
    """Compilers' work is kept by pseudonym, which follows from it: only the first run here compiles."""
    results = school.folder / "results"
    results.mkdir(exist_ok=True)
    (results / "secret").write_text("d0" * 32 + "\n")


def through_canvas(school: Class, slug: str) -> None:
    """Hand one exercise in as files, without notebooks, in an archive of all: what Canvas gives out."""
    from grader.cli.collect import Archive, collect
    from grader.cli.term import MarksOptions

    roster, archive = school.top / "canvas.csv", school.top / "submissions.zip"
    rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]]
    with zipfile.ZipFile(archive, "w") as zipped:
        for number, student in enumerate(STUDENTS, 1001):
            rows.append([student, str(number), "", student, ""])
            folder = school.folder / "submitted" / student / slug
            for name in school.catalog.find(slug).edit:
                if (folder / name).is_file():
                    zipped.write(folder / name, f"student{student}_{number}_{number}0_{name}")
            shutil.rmtree(folder)
    with roster.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    handed_in = Archive(archive, "canvas", roster, datetime(2026, 10, 1, 12, tzinfo=UTC))
    assert collect(handed_in, MarksOptions(school.folder, ROOT, names=(slug,))) == 0


def test_every_kind_of_submission_is_there_and_some_twice(demo: Demo) -> None:
    assert len(demo.kinds) == len(STUDENTS) * len(SLUGS) == 30
    times = Counter((slug, kind.name) for (_, slug), kind in demo.kinds.items())
    assert len(times) == sum(len(kinds_of(demo.exercise(slug))) for slug in SLUGS) == 21
    assert set(times.values()) == {1, 2}


def test_each_ended_as_it_was_made_to_end(demo: Demo) -> None:
    for student, slug, kind in demo.one_of_each():
        verdict = demo.verdict(student, slug)
        ended = {check.name: check.status for check in verdict.checks}
        for name, status in kind.ended.items():
            assert ended[name] is status, (slug, kind.name, ended)
        full = float(sum(demo.exercise(slug).scores_on("simt").values()))
        if not kind.ended:
            assert verdict.passed and verdict.earned == full, (slug, kind.name, ended)
        elif kind.earned is not None:
            assert verdict.earned == kind.earned, (slug, kind.name, ended)
        else:
            assert 0 < verdict.earned <= full, (slug, kind.name, ended)
    assert {status for _, _, kind in demo.one_of_each() for status in kind.ended.values()} >= {
        Status.FAIL, Status.BUILD_ERROR, Status.CRASH, Status.TIMEOUT, Status.NOT_ATTEMPTED,
    }  # fmt: skip


def test_equal_submissions_are_graded_once(demo: Demo) -> None:
    entries = list(demo.school.store.log.entries())
    assert len({entry.record for entry in entries}) == len(entries) == len(demo.one_of_each()) == 21


def test_the_gradebook_holds_what_was_found_out(demo: Demo) -> None:
    with demo.school.gradebook() as book:
        for (student, slug), kind in demo.kinds.items():
            notebook = book.find_submission_notebook(slug, slug, student)
            verdict = demo.verdict(student, slug)
            assert notebook.score == pytest.approx(verdict.earned), (student, slug, kind.name)
            scores = {each.name.removeprefix("check-"): each.auto_score for each in notebook.grades}
            assert scores == {
                check.name: pytest.approx(check.points)
                for check in verdict.checks
                if check.name in demo.exercise(slug).scores_on("simt")
            }
            assert not any(each.needs_manual_grade for each in notebook.grades)


def test_what_was_handed_in_stands_in_the_notebook(demo: Demo) -> None:
    import nbformat

    for student, slug, kind in demo.one_of_each():
        place = demo.school.folder / "autograded" / student / slug / f"{slug}.ipynb"
        cells = {
            cell.metadata.nbgrader.grade_id: cell.source
            for cell in nbformat.read(place, as_version=4).cells
            if "nbgrader" in cell.metadata
        }
        for name, text in kind.files.items():
            shown = cells["file-" + re.sub(r"[./]", "-", name)]
            assert text.replace("\r\n", "\n").rstrip() in shown.replace("\r\n", "\n"), (slug, kind.name, name)


def test_feedback_explains_draws_and_runs_nothing(demo: Demo) -> None:
    students = {(slug, kind.name): student for student, slug, kind in demo.one_of_each()}
    said = {
        ("00_first_kernel", "hostile comment"): "owned",
        ("00_first_kernel", "crash"): "crashed",
        ("03_fused_muladd", "syntax error"): "kernel.cu",
        ("03_fused_muladd", "backward still open"): "TODO(backward)",
        ("13_transpose", "written by columns"): "896 unrequested bytes",
        ("13_transpose", "a file missing"): "binding.cpp",
    }
    for (slug, name), words in said.items():
        student = students[slug, name]
        done = demo.school.api().generate_feedback(slug, student)
        assert done["success"], done["log"]
        page = (demo.school.folder / "feedback" / student / slug / f"{slug}.html").read_text()
        assert words in page, (slug, name)
        assert HOSTILE not in page and "<script>document.title" not in page


def test_marks_go_out(demo: Demo) -> None:
    from grader.cli.export import export_marks
    from grader.cli.term import MarksOptions

    assert export_marks(MarksOptions(demo.school.folder, ROOT), None, "") == 0
    rows = list(csv.DictReader((demo.school.folder / "marks.csv").read_text().splitlines()))
    assert len(rows) == len(demo.kinds)
    for row in rows:
        verdict = demo.verdict(row["student"], row["exercise"])
        share = 100 * verdict.earned / verdict.out_of
        assert float(row["mark"]) == pytest.approx(share, abs=0.01)  # a mark has two digits


def test_nothing_says_who_it_was(demo: Demo) -> None:
    """Logs are pseudonymous: the names are in the roster alone."""
    results = demo.school.folder / "results"
    for path in (results / "verdicts.jsonl", *(results / "records").iterdir()):
        text = Path(path).read_text()
        assert not re.search(r"\bs\d\d\b", text), path
        assert all(json.loads(line) for line in text.splitlines() if path.suffix == ".jsonl")
